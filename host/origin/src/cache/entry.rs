//! One version of a file in the cache: which of its bytes have arrived, and who waits for others.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FallocateFlags, FlockOperation, fallocate, flock};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use tuffet_store::RemoteMeta;

use super::key::{Key, hex, unhex};
use super::{OVERHEAD, Record, now_unix_ms};
use crate::failure::Failure;
use crate::version::Version;

/// Bytes of a part. Each part has a digest, and large files are fetched by parts.
pub(crate) const PART: u64 = 4 << 20;

/// A version of a file.
#[derive(Debug)]
pub(crate) struct Entry {
    pub key: Key,
    pub origin: Box<str>,
    pub path: Arc<str>,
    pub version: Version,
    pub meta: RemoteMeta,
    pub data: PathBuf,
    /// Whether all of it is fetched by one request.
    pub whole: bool,
    /// Whether a large file is fetched to its end, because the origin sends no parts.
    streamed: AtomicBool,
    /// Fetches that have not ended: their last parts may have arrived and not be recorded yet.
    fetches: AtomicU32,
    /// Of each part, the bytes that may be read: they have arrived, or have been verified, in this process.
    arrived: Box<[AtomicU32]>,
    /// When it was last opened, in milliseconds since 1970.
    used: AtomicU64,
    state: Mutex<State>,
    news: Condvar,
    /// Held while its record is written: a record must not replace one that knows more parts.
    pub saving: Mutex<()>,
}

#[derive(Debug)]
struct State {
    /// Of each part that is whole on the disk.
    digests: Vec<Option<[u8; 32]>>,
    /// Parts that are being fetched or verified.
    busy: HashSet<u32>,
    /// How many fetches failed, and what the latest failed with.
    failures: u64,
    failure: Option<Failure>,
    /// Whether what is missing will never arrive.
    gone: bool,
    removed: bool,
    /// Bytes that count for the limit of the cache.
    held: u64,
    validated: Validated,
}

/// When a version was last known to be current.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Validated {
    since: Instant,
    /// The age at that time.
    age: Duration,
    /// Whether the origin must be asked, whatever the age is.
    doubtful: bool,
}

impl Validated {
    pub fn now() -> Self {
        Self { since: Instant::now(), age: Duration::ZERO, doubtful: false }
    }

    /// From a record. After a clock was set back nobody knows the age.
    fn from_record(unix_ms: u64, now: u64) -> Self {
        let age = Duration::from_millis(now.saturating_sub(unix_ms));
        Self { since: Instant::now(), age, doubtful: now < unix_ms }
    }

    /// Whether it is used without asking the origin, `within` this age or for who asked before `started`.
    pub fn is_fresh(&self, within: Duration, started: Instant) -> bool {
        !self.doubtful && (self.age() < within || (self.age.is_zero() && self.since >= started))
    }

    pub fn age(&self) -> Duration {
        self.since.elapsed().saturating_add(self.age)
    }
}

impl Entry {
    /// Creates the file of a version, empty. All of its space is allocated if it will be fetched whole.
    pub fn create(key: Key, data: PathBuf, record: &Record, whole: bool) -> io::Result<Self> {
        // A reader may still have this version open, which was removed: it keeps its file.
        match fs::remove_file(&data) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = OpenOptions::new().write(true).create_new(true).open(&data)?;
        let sized = match whole && record.size > 0 {
            true => match fallocate(&file, FallocateFlags::empty(), 0, record.size) {
                Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => file.set_len(record.size),
                other => other.map_err(io::Error::from),
            },
            false => file.set_len(record.size),
        };
        if let Err(error) = sized {
            let _ = fs::remove_file(&data);
            return Err(error);
        }
        let digests = vec![None; parts_of(record.size)];
        Ok(Self::with(key, data, record, whole, digests, Validated::now()))
    }

    /// The version of a record, if its file is there. Nothing of it is verified yet.
    pub fn load(key: Key, data: PathBuf, record: &Record) -> Option<Self> {
        let size = fs::symlink_metadata(&data).ok().filter(fs::Metadata::is_file)?.len();
        if size != record.size || record.parts.len() != parts_of(size) {
            return None;
        }
        let digests: Vec<_> = record.parts.iter().map(|digits| unhex(digits)).collect();
        let validated = Validated::from_record(record.validated_unix_ms, now_unix_ms());
        let entry = Self::with(key, data, record, record.whole, digests, validated);
        entry.used.store(record.used_unix_ms, Ordering::Relaxed);
        let mut state = entry.lock();
        let stored = state.digests.iter().enumerate().filter(|(_, digest)| digest.is_some());
        let held = stored.map(|(part, _)| u64::from(entry.length(part as u32))).sum();
        state.held = OVERHEAD + if entry.whole { size } else { held };
        drop(state);
        Some(entry)
    }

    fn with(
        key: Key,
        data: PathBuf,
        record: &Record,
        whole: bool,
        digests: Vec<Option<[u8; 32]>>,
        validated: Validated,
    ) -> Self {
        Self {
            key,
            origin: record.origin.as_str().into(),
            path: record.path.as_str().into(),
            version: record.version.clone(),
            meta: RemoteMeta {
                size: record.size,
                version: record.version.name(),
                modified_unix_ms: record.modified_unix_ms,
            },
            data,
            whole,
            streamed: AtomicBool::new(false),
            fetches: AtomicU32::new(0),
            arrived: (0..digests.len()).map(|_| AtomicU32::new(0)).collect(),
            used: AtomicU64::new(now_unix_ms()),
            state: Mutex::new(State {
                digests,
                busy: HashSet::new(),
                failures: 0,
                failure: None,
                gone: false,
                removed: false,
                held: 0,
                validated,
            }),
            news: Condvar::new(),
            saving: Mutex::default(),
        }
    }

    /// Opens the content for a reader, who keeps it in the cache as long as it is open. `None` if it is being removed.
    pub fn open(&self) -> io::Result<Option<File>> {
        let file = match File::open(&self.data) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Ok(()) if !self.is_removed() => {}
            Ok(()) | Err(Errno::WOULDBLOCK) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        self.used.store(now_unix_ms(), Ordering::Relaxed);
        Ok(Some(file))
    }

    /// Returns whether nobody has it open, and nothing of it is being fetched.
    pub fn is_idle(&self) -> bool {
        if !self.lock().busy.is_empty() {
            return false;
        }
        match File::open(&self.data) {
            Ok(file) => flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok(),
            // Somebody removed it.
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// How many of these bytes may be read. Never waits.
    pub fn arrived(&self, offset: u64, length: u64) -> u64 {
        let end = offset.saturating_add(length).min(self.meta.size);
        let mut at = offset;
        while at < end {
            let part = (at / PART) as usize;
            let filled = part as u64 * PART + u64::from(self.arrived[part].load(Ordering::Acquire));
            if filled <= at {
                break;
            }
            at = filled.min(end);
            if filled < ((part as u64 + 1) * PART).min(self.meta.size) {
                break;
            }
        }
        at.saturating_sub(offset)
    }

    /// Waits until these bytes may be read. `fetch` is called with parts that nobody fetches; `false` if they will
    /// never arrive.
    pub fn wait(
        &self,
        offset: u64,
        length: u64,
        within: Duration,
        fetch: &dyn Fn(Range<u32>),
        damaged: &dyn Fn(u32),
    ) -> io::Result<bool> {
        let deadline = Instant::now() + within;
        let length = length.min(self.meta.size.saturating_sub(offset));
        let mut state = self.lock();
        let before = state.failures;
        loop {
            let arrived = self.arrived(offset, length);
            if arrived >= length {
                return Ok(true);
            }
            if state.gone {
                return Ok(false);
            }
            if state.failures != before {
                let failure = state.failure.clone();
                return Err(failure.map_or_else(|| io::ErrorKind::Other.into(), Failure::into_io));
            }
            let part = ((offset + arrived) / PART) as u32;
            if !state.busy.contains(&part) {
                if state.digests[part as usize].is_some() {
                    state.busy.insert(part);
                    drop(state);
                    let kept = self.verify(part);
                    state = self.lock();
                    state.busy.remove(&part);
                    if !kept {
                        state.digests[part as usize] = None;
                        drop(state);
                        damaged(part);
                        state = self.lock();
                    }
                    self.news.notify_all();
                    continue;
                }
                let parts = self.take(&mut state, part);
                drop(state);
                fetch(parts);
                state = self.lock();
                continue;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            state = self.news.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Takes the parts that one request fetches: the part itself, or all that are missing behind it.
    fn take(&self, state: &mut State, first: u32) -> Range<u32> {
        let mut end = first;
        while (end as usize) < state.digests.len()
            && state.digests[end as usize].is_none()
            && state.busy.insert(end)
        {
            end += 1;
            if !self.whole && !self.streamed.load(Ordering::Relaxed) {
                break;
            }
        }
        first..end
    }

    /// As `take`, for the first parts of a new file, or for a part behind one that is fetched. `None` if it is there.
    pub fn claim(&self, part: u32) -> Option<Range<u32>> {
        let mut state = self.lock();
        if part as usize >= state.digests.len() || state.gone {
            return None;
        }
        let parts = self.take(&mut state, part);
        (!parts.is_empty()).then_some(parts)
    }

    /// Gives back claimed parts that have not arrived.
    pub fn unclaim(&self, parts: &Range<u32>, failure: Option<Failure>) {
        let mut state = self.lock();
        for part in parts.clone() {
            state.busy.remove(&part);
        }
        if let Some(failure) = failure {
            state.gone |= matches!(failure, Failure::Changed | Failure::Absent) || !self.version.is_known();
            state.failures += 1;
            state.failure = Some(failure);
        }
        self.news.notify_all();
    }

    /// Compares a stored part with its digest.
    fn verify(&self, part: u32) -> bool {
        let Ok(file) = File::open(&self.data) else { return false };
        let (mut hash, mut left) = (Sha256::new(), self.length(part) as usize);
        let (mut at, mut buffer) = (u64::from(part) * PART, vec![0; left.min(256 << 10)]);
        while left > 0 {
            let piece = left.min(buffer.len());
            if file.read_exact_at(&mut buffer[..piece], at).is_err() {
                return false;
            }
            hash.update(&buffer[..piece]);
            at += piece as u64;
            left -= piece;
        }
        let same = self.lock().digests[part as usize] == Some(hash.finalize().into());
        if same {
            self.arrived[part as usize].store(self.length(part), Ordering::Release);
        }
        same
    }

    /// Bytes of a part.
    pub fn length(&self, part: u32) -> u32 {
        let from = u64::from(part) * PART;
        // At most PART.
        self.meta.size.saturating_sub(from).min(PART) as u32
    }

    /// Returns whether all bytes may be read.
    pub fn is_complete(&self) -> bool {
        self.arrived(0, self.meta.size) == self.meta.size
    }

    /// Returns whether somebody fetches a part of it, or has yet to record that.
    pub fn is_claimed(&self) -> bool {
        !self.lock().busy.is_empty() || self.fetches.load(Ordering::Acquire) > 0
    }

    /// A fetch of claimed parts begins. They are given back one by one as they arrive, and their record comes after that.
    pub fn fetch_begins(&self) {
        self.fetches.fetch_add(1, Ordering::AcqRel);
    }

    /// What a fetch has brought is recorded.
    pub fn fetch_ends(&self) {
        self.fetches.fetch_sub(1, Ordering::AcqRel);
    }

    #[cfg(test)]
    pub fn set_stored(&self, part: u32) {
        self.lock().digests[part as usize] = Some([1; 32]);
    }

    /// Returns whether a part is on the disk.
    pub fn is_stored(&self, part: u32) -> bool {
        self.lock().digests.get(part as usize).is_some_and(Option::is_some)
    }

    /// Returns whether all bytes are on the disk, and how many are.
    pub fn stored(&self) -> (bool, u64) {
        let state = self.lock();
        let stored = |part: usize| u64::from(self.length(part as u32));
        let bytes = (0..state.digests.len()).filter(|part| state.digests[*part].is_some()).map(stored).sum();
        (bytes == self.meta.size, bytes)
    }

    pub fn validated(&self) -> Validated {
        self.lock().validated
    }

    pub fn set_validated(&self) {
        self.lock().validated = Validated::now();
    }

    /// Makes the next request ask the origin, whatever the age is.
    pub fn set_doubtful(&self) {
        self.lock().validated.doubtful = true;
    }

    /// The origin sends no parts: what is missing is fetched at once.
    pub fn set_streamed(&self) {
        self.streamed.store(true, Ordering::Relaxed);
    }

    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    pub fn is_gone(&self) -> bool {
        self.lock().gone
    }

    pub fn is_removed(&self) -> bool {
        self.lock().removed
    }

    /// Marks it as removed; `false` if it was.
    pub fn set_removed(&self) -> bool {
        !std::mem::replace(&mut self.lock().removed, true)
    }

    pub fn held(&self) -> u64 {
        self.lock().held
    }

    /// Counts reserved bytes as its own; `false` if it was removed, and they must be given back.
    pub fn hold(&self, bytes: u64) -> bool {
        let mut state = self.lock();
        state.held += if state.removed { 0 } else { bytes };
        !state.removed
    }

    /// The opposite; `false` if they were given back when it was removed.
    pub fn unhold(&self, bytes: u64) -> bool {
        let mut state = self.lock();
        state.held = state.held.saturating_sub(if state.removed { 0 } else { bytes });
        !state.removed
    }

    /// What the index says of it.
    pub fn record(&self) -> Record {
        let (origin, meta) = (&*self.origin, &self.meta);
        let mut record = Record::new(origin, &self.path, &self.version, meta.size, meta.modified_unix_ms);
        let state = self.lock();
        let age = u64::try_from(state.validated.age().as_millis()).unwrap_or(u64::MAX);
        record.validated_unix_ms = now_unix_ms().saturating_sub(age);
        record.used_unix_ms = self.used();
        record.whole = self.whole;
        record.parts =
            state.digests.iter().map(|digest| digest.map_or(String::new(), |digest| hex(&digest))).collect();
        record
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes bytes of a version as they arrive, from the beginning of a part on.
#[derive(Debug)]
pub(crate) struct Writer {
    entry: Arc<Entry>,
    file: File,
    at: u64,
    hash: Sha256,
}

impl Writer {
    pub fn open(entry: &Arc<Entry>, part: u32) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).open(&entry.data)?;
        Ok(Self { entry: Arc::clone(entry), file, at: u64::from(part) * PART, hash: Sha256::new() })
    }

    /// The offset of the next byte.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Writes bytes, and lets readers have them. Not beyond the end of the file.
    pub fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let part = (self.at / PART) as u32;
            let within = self.at % PART;
            let length = u64::from(self.entry.length(part));
            let piece = &bytes[..bytes.len().min((length - within) as usize)];
            if piece.is_empty() {
                return Err(io::Error::other("the origin sent more than the file has"));
            }
            self.file.write_all_at(piece, self.at)?;
            crate::fault::point("content-written");
            self.hash.update(piece);
            self.at += piece.len() as u64;
            bytes = &bytes[piece.len()..];
            let filled = within + piece.len() as u64;
            let mut state = self.entry.lock();
            // A part that is fetched again after a failure has been readable further before. At most PART.
            self.entry.arrived[part as usize].fetch_max(filled as u32, Ordering::Release);
            if filled == length {
                state.digests[part as usize] = Some(self.hash.finalize_reset().into());
                state.busy.remove(&part);
            }
            drop(state);
            self.entry.news.notify_all();
        }
        Ok(())
    }
}

fn parts_of(size: u64) -> usize {
    usize::try_from(size.div_ceil(PART)).unwrap_or(usize::MAX)
}
