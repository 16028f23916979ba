//! One version of a file in the cache: which of its bytes have arrived, and who waits for others.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use tuffet_store::{ContentId, RemoteMeta, Waited};

use super::arrived::Arrived;
use super::key::{Key, hex};
use super::{Layout, OVERHEAD, PART, Record, Validated, now_unix_ms};
use crate::failure::Failure;
use crate::version::Version;

/// A version of a file.
#[derive(Debug)]
pub(crate) struct Entry {
    pub key: Key,
    pub origin: Box<str>,
    pub path: Arc<str>,
    pub version: Version,
    pub meta: RemoteMeta,
    /// Names its content in this process.
    pub content: ContentId,
    /// How many uploads had begun to replace the file when this version was asked for.
    pub uploads: u64,
    /// Its file, which no other entry has had.
    data: PathBuf,
    /// Whether all of it is fetched by one request.
    pub whole: bool,
    /// Whether a large file is fetched to its end, because the origin sends no parts.
    streamed: AtomicBool,
    /// Fetches that have not ended: their last parts may have arrived and not be recorded yet.
    fetches: AtomicU32,
    arrived: Arrived,
    /// Those that have it open while it arrives.
    readers: AtomicU32,
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
    digests: HashMap<u32, [u8; 32]>,
    /// Parts that are being fetched or verified.
    busy: HashSet<u32>,
    /// How many fetches failed, and what the latest failed with.
    failures: u64,
    failure: Option<(Range<u32>, Failure)>,
    /// Whether what nobody fetches now will never arrive.
    gone: bool,
    /// Whether an upload may have replaced it, even if the origin reports the same version.
    perhaps_replaced: bool,
    removed: bool,
    /// Open while somebody reads or writes it, and how many do.
    file: Option<Arc<File>>,
    opened: u32,
    /// Bytes that count for the limit of the cache, until it is removed and closed.
    held: u64,
    released: bool,
    validated: Validated,
}

impl Entry {
    /// Creates the file of a version, empty. All of its space is allocated if it will be fetched whole.
    pub fn create(key: Key, layout: &Layout, record: &Record, uploads: u64) -> io::Result<Self> {
        let data = layout.data(&record.content);
        let file = OpenOptions::new().write(true).create_new(true).open(&data)?;
        let sized = match record.whole && record.size > 0 {
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
        Ok(Self { uploads, ..Self::with(key, data, record, HashMap::new(), Validated::now()) })
    }

    /// The version of a record, if its file is there and can be completed. Nothing of it is verified yet.
    pub fn load(key: Key, layout: &Layout, record: &Record) -> Option<Self> {
        let data = layout.data(&record.content);
        let size = fs::symlink_metadata(&data).ok().filter(fs::Metadata::is_file)?.len();
        let digests = record.digests().filter(|_| size == record.size)?;
        let validated = Validated::from_record(record.validated_unix_ms, now_unix_ms());
        let entry = Self::with(key, data, record, digests, validated);
        entry.used.store(record.used_unix_ms, Ordering::Relaxed);
        let (complete, stored) = entry.stored();
        entry.lock().held = OVERHEAD + if entry.whole { size } else { stored };
        (complete || entry.version.joins()).then_some(entry)
    }

    fn with(
        key: Key,
        data: PathBuf,
        record: &Record,
        digests: HashMap<u32, [u8; 32]>,
        validated: Validated,
    ) -> Self {
        Self {
            key,
            origin: record.origin.as_str().into(),
            path: record.path.as_str().into(),
            version: record.version.clone(),
            meta: record.meta(),
            content: ContentId::unused(),
            uploads: 0,
            data,
            whole: record.whole,
            streamed: AtomicBool::new(false),
            fetches: AtomicU32::new(0),
            arrived: Arrived::new(record.size),
            readers: AtomicU32::new(0),
            used: AtomicU64::new(now_unix_ms()),
            state: Mutex::new(State {
                digests,
                busy: HashSet::new(),
                failures: 0,
                failure: None,
                gone: false,
                perhaps_replaced: false,
                removed: false,
                file: None,
                opened: 0,
                held: 0,
                released: false,
                validated,
            }),
            news: Condvar::new(),
            saving: Mutex::default(),
        }
    }

    /// Opens the content, once for all who have it open; [`Entry::close`] ends that. `None` if it is being removed, or
    /// its file is gone.
    pub(super) fn open(&self) -> io::Result<Option<Arc<File>>> {
        let mut state = self.lock();
        if state.removed {
            return Ok(None);
        }
        let file = match &state.file {
            Some(file) => Arc::clone(file),
            None => match OpenOptions::new().read(true).write(true).open(&self.data) {
                Ok(file) => Arc::new(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        state.file = Some(Arc::clone(&file));
        state.opened += 1;
        self.used.store(now_unix_ms(), Ordering::Relaxed);
        Ok(Some(file))
    }

    /// Returns the bytes that are free now.
    pub(super) fn close(&self) -> u64 {
        let mut state = self.lock();
        state.opened -= 1;
        if state.opened > 0 {
            return 0;
        }
        let file = state.file.take();
        let freed =
            if state.removed && !std::mem::replace(&mut state.released, true) { state.held } else { 0 };
        drop(state);
        // Outside of the lock: this may free much of the disk.
        drop(file);
        freed
    }

    /// How many of these bytes may be read. Never waits.
    pub fn arrived(&self, offset: u64, length: u64) -> u64 {
        self.arrived.run(offset, length)
    }

    /// The first bytes of a part may be read; all of them if it has a digest.
    pub(super) fn has_arrived(&self, part: u32, bytes: u32, digest: Option<[u8; 32]>) {
        let mut state = self.lock();
        self.arrived.raise(part, bytes);
        if let Some(digest) = digest {
            state.digests.insert(part, digest);
            state.busy.remove(&part);
        }
        drop(state);
        self.news.notify_all();
    }

    /// Waits until these bytes may be read. `fetch` is called with parts that nobody fetches, `damaged` with a part that
    /// is not as it was stored.
    pub fn wait(
        &self,
        offset: u64,
        length: u64,
        within: Duration,
        fetch: &dyn Fn(Range<u32>),
        damaged: &dyn Fn(u32),
    ) -> io::Result<Waited> {
        let deadline = Instant::now() + within;
        let length = length.min(self.meta.size.saturating_sub(offset));
        let mut state = self.lock();
        let mut before = state.failures;
        loop {
            let arrived = self.arrived(offset, length);
            if arrived >= length {
                return Ok(Waited::Arrived);
            }
            let part = ((offset + arrived) / PART) as u32;
            if state.failures != before {
                before = state.failures;
                // That of a part for which another reader waits is not ours.
                if let Some((_, failure)) = state.failure.as_ref().filter(|(parts, _)| parts.contains(&part))
                {
                    return match failure.clone() {
                        Failure::Changed | Failure::Absent => Ok(Waited::Changed),
                        Failure::NoRoom(_) => Ok(Waited::NoRoom),
                        failure => Err(failure.into_io()),
                    };
                }
            }
            if state.busy.contains(&part) {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                self.news.wait_for(&mut state, left);
            } else if state.digests.contains_key(&part) {
                state.busy.insert(part);
                drop(state);
                let kept = self.verify(part);
                state = self.lock();
                state.busy.remove(&part);
                if !kept {
                    state.digests.remove(&part);
                    // Another answer may have other bytes.
                    state.gone |= !self.version.joins();
                    drop(state);
                    damaged(part);
                    state = self.lock();
                }
                self.news.notify_all();
            } else if state.gone {
                return Ok(Waited::Changed);
            } else {
                let parts = self.take(&mut state, part);
                drop(state);
                fetch(parts);
                state = self.lock();
            }
        }
    }

    /// Takes the parts that one request fetches: the part itself, or all that are missing behind it.
    fn take(&self, state: &mut State, first: u32) -> Range<u32> {
        let mut end = first;
        while end < self.parts() && !state.digests.contains_key(&end) && state.busy.insert(end) {
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
        if part >= self.parts() || state.gone {
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
            state.gone |= matches!(failure, Failure::Changed | Failure::Absent) || !self.version.joins();
            state.failures += 1;
            state.failure = Some((parts.clone(), failure));
        }
        self.news.notify_all();
    }

    /// Compares a stored part with its digest.
    fn verify(&self, part: u32) -> bool {
        let Some(file) = self.lock().file.clone() else { return false };
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
        let digest: [u8; 32] = hash.finalize().into();
        let same = self.lock().digests.get(&part) == Some(&digest);
        if same {
            self.arrived.raise(part, self.length(part));
        }
        same
    }

    fn parts(&self) -> u32 {
        // No file has more: `MOST_BYTES`.
        self.meta.size.div_ceil(PART) as u32
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

    /// Returns whether somebody has to fetch the first of these bytes that have not arrived, and nobody does.
    pub fn wants_fetch(&self, offset: u64, length: u64) -> bool {
        let length = length.min(self.meta.size.saturating_sub(offset));
        let arrived = self.arrived(offset, length);
        // No file has more parts: `MOST_BYTES`.
        let part = ((offset + arrived) / PART) as u32;
        let state = self.lock();
        arrived < length && !state.digests.contains_key(&part) && !state.gone && !state.busy.contains(&part)
    }

    pub fn reader_comes(&self) {
        self.readers.fetch_add(1, Ordering::Relaxed);
    }

    pub fn reader_leaves(&self) {
        self.readers.fetch_sub(1, Ordering::Relaxed);
    }

    pub fn is_read(&self) -> bool {
        self.readers.load(Ordering::Relaxed) > 0
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
        self.lock().digests.insert(part, [1; 32]);
    }

    /// Returns whether a part is on the disk.
    pub fn is_stored(&self, part: u32) -> bool {
        self.lock().digests.contains_key(&part)
    }

    /// Returns whether all bytes are on the disk, and how many are.
    pub fn stored(&self) -> (bool, u64) {
        let state = self.lock();
        let bytes = state.digests.keys().map(|part| u64::from(self.length(*part))).sum();
        (bytes == self.meta.size, bytes)
    }

    pub fn validated(&self) -> Validated {
        self.lock().validated
    }

    pub fn set_validated(&self) {
        self.lock().validated = Validated::now();
    }

    /// An upload may have replaced it by a content with the same version: the next request asks the origin, and gets
    /// the content of the answer.
    pub(super) fn set_perhaps_replaced(&self) {
        let mut state = self.lock();
        state.perhaps_replaced = true;
        state.validated.doubtful = true;
    }

    pub fn is_perhaps_replaced(&self) -> bool {
        self.lock().perhaps_replaced
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

    /// Marks it as removed, and returns the bytes that are free now; `None` if it was, or is not idle and must be. Who
    /// has it open reads what has arrived or is arriving.
    pub(super) fn set_removed(&self, only_idle: bool) -> Option<u64> {
        let mut state = self.lock();
        if state.removed || (only_idle && !state.is_idle()) {
            return None;
        }
        (state.removed, state.gone, state.released) = (true, true, state.opened == 0);
        let freed = if state.released { state.held } else { 0 };
        drop(state);
        self.news.notify_all();
        Some(freed)
    }

    /// Removes its file, whose blocks are free once nobody has it open.
    pub(super) fn unlink(&self) {
        let _ = fs::remove_file(&self.data);
    }

    /// Its bytes, if nobody has it open, and nothing of it is being fetched.
    pub(super) fn idle(&self) -> Option<u64> {
        let state = self.lock();
        state.is_idle().then_some(state.held)
    }

    pub fn held(&self) -> u64 {
        self.lock().held
    }

    /// Counts reserved bytes as its own; `false` if it is gone, and they must be given back.
    pub fn hold(&self, bytes: u64) -> bool {
        let mut state = self.lock();
        state.held += if state.released { 0 } else { bytes };
        !state.released
    }

    /// The opposite; `false` if they were given back with all others.
    pub fn unhold(&self, bytes: u64) -> bool {
        let mut state = self.lock();
        state.held = state.held.saturating_sub(if state.released { 0 } else { bytes });
        !state.released
    }

    /// What the index says of it.
    pub fn record(&self) -> Record {
        let mut record = Record::new((&self.origin, &self.path), &self.version, &self.meta, self.whole);
        let name = self.data.file_name().and_then(|name| name.to_str());
        record.content = name.unwrap_or_default().to_owned();
        let state = self.lock();
        let age = u64::try_from(state.validated.age().as_millis()).unwrap_or(u64::MAX);
        record.validated_unix_ms = now_unix_ms().saturating_sub(age);
        record.used_unix_ms = self.used();
        record.parts = state.digests.iter().map(|(part, digest)| (*part, hex(digest))).collect();
        record
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    /// Whether nobody has it open, and nothing of it is being fetched.
    fn is_idle(&self) -> bool {
        self.opened == 0 && self.busy.is_empty()
    }
}
