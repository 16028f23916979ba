//! One version of a file in the cache: the bytes that have arrived, and the readers that wait for others.

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
use super::key::Layout;
use super::key::{Key, hex};
use super::limits::{MAX_RUN, OVERHEAD, PART};
use super::record::Record;
use super::validated::{Validated, now_unix_ms};
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
    /// Identifies its content in this process.
    pub content: ContentId,
    /// The number of uploads of this process that had begun when this version was requested.
    pub uploads: u64,
    /// The path of its content, unique to this entry.
    data: PathBuf,
    /// Whether one request fetches all of it.
    pub whole: bool,
    /// Whether a large file is fetched to its end, because the origin sends no ranges.
    streamed: AtomicBool,
    /// Running fetches. Their last parts may have arrived without being recorded yet.
    fetches: AtomicU32,
    arrived: Arrived,
    /// Readers that opened it while it was incomplete.
    readers: AtomicU32,
    /// When it was last opened, in milliseconds since 1970.
    used: AtomicU64,
    state: Mutex<EntryState>,
    news: Condvar,
    /// Held during the writing of its record, so that a record never replaces one with more parts.
    pub saving: Mutex<()>,
}

#[derive(Debug)]
struct EntryState {
    /// The digest of each complete part on the disk.
    digests: HashMap<u32, [u8; 32]>,
    /// Parts being fetched or verified.
    busy: HashSet<u32>,
    /// The parts of the latest request: how many it may have had, and the part behind them.
    run: u32,
    behind: u32,
    /// The number of failed fetches, and the parts and the failure of the latest.
    failures: u64,
    failure: Option<(Range<u32>, Failure)>,
    /// Whether parts that are not being fetched will never arrive.
    gone: bool,
    /// Whether an upload may have replaced it, even if the origin reports the same version.
    perhaps_replaced: bool,
    removed: bool,
    /// The open content, and the number of its users.
    file: Option<Arc<File>>,
    opened: u32,
    /// Bytes that count against the limit of the cache, until the entry is removed and closed.
    held: u64,
    released: bool,
    validated: Validated,
}

impl Entry {
    /// Creates the empty file of a version. Allocates all of its space if it will be fetched whole.
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

    /// Restores the version of a record, if its content exists and can be completed. Its parts are not verified yet.
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
            state: Mutex::new(EntryState {
                digests,
                busy: HashSet::new(),
                run: 1,
                behind: 0,
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

    /// Opens the content; all users share one descriptor. [`Entry::close`] ends the use. `None` if the entry is being
    /// removed, or its file is missing.
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

    /// Ends a use of the content. Returns the number of freed bytes.
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
        // Outside of the lock, because freeing a large file takes a while.
        drop(file);
        freed
    }

    /// The number of these bytes that can be read. Never waits.
    pub fn arrived(&self, offset: u64, length: u64) -> u64 {
        self.arrived.run(offset, length)
    }

    /// Records that the first `bytes` of a part can be read. A digest completes the part.
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

    /// Waits until these bytes can be read. Calls `fetch` with claimed parts that need a fetch, and `damaged` with a
    /// part with a wrong digest.
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
                // Ignore the failure of a part that only another reader needs.
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
                    // Another answer may have different bytes.
                    state.gone |= !self.version.joins();
                    drop(state);
                    damaged(part);
                    state = self.lock();
                }
                self.news.notify_all();
            } else if state.gone {
                return Ok(Waited::Changed);
            } else {
                // A reader that goes on gets twice as much with each request: an answer takes a while to begin.
                state.run = if part == state.behind { (state.run * 2).min(MAX_RUN) } else { 1 };
                let parts = self.take(&mut state, part);
                drop(state);
                fetch(parts);
                state = self.lock();
            }
        }
    }

    /// Claims the parts for one request: missing parts from this one on, of a large file a run of them.
    fn take(&self, state: &mut EntryState, first: u32) -> Range<u32> {
        let is_bounded = !self.whole && !self.streamed.load(Ordering::Relaxed);
        let most = if is_bounded { state.run } else { u32::MAX };
        let mut end = first;
        while end < self.parts()
            && end - first < most
            && !state.digests.contains_key(&end)
            && state.busy.insert(end)
        {
            end += 1;
        }
        state.behind = end;
        first..end
    }

    /// As `take`, for the first parts of a new file, or to prefetch some. `None` if there is no part to fetch.
    pub fn claim(&self, part: u32) -> Option<Range<u32>> {
        let mut state = self.lock();
        if part >= self.parts() || state.gone {
            return None;
        }
        let parts = self.take(&mut state, part);
        (!parts.is_empty()).then_some(parts)
    }

    /// Releases claimed parts that have not arrived.
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
        // No file has more: `MAX_FILE_BYTES`.
        self.meta.size.div_ceil(PART) as u32
    }

    /// Bytes of a part.
    pub fn length(&self, part: u32) -> u32 {
        let from = u64::from(part) * PART;
        // At most PART.
        self.meta.size.saturating_sub(from).min(PART) as u32
    }

    /// Returns whether all bytes can be read.
    pub fn is_complete(&self) -> bool {
        self.arrived(0, self.meta.size) == self.meta.size
    }

    /// Returns whether a fetch is running, or has yet to be recorded.
    pub fn is_claimed(&self) -> bool {
        !self.lock().busy.is_empty() || self.fetches.load(Ordering::Acquire) > 0
    }

    /// Returns whether the first missing byte of these needs a fetch that is not running.
    pub fn wants_fetch(&self, offset: u64, length: u64) -> bool {
        let length = length.min(self.meta.size.saturating_sub(offset));
        let arrived = self.arrived(offset, length);
        // No file has more parts: `MAX_FILE_BYTES`.
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

    /// Begins a fetch of claimed parts. Each part is released when it arrives; the record follows later.
    pub fn fetch_begins(&self) {
        self.fetches.fetch_add(1, Ordering::AcqRel);
    }

    /// Ends a fetch, once its parts are recorded.
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

    /// Returns whether all bytes are on the disk, and their number.
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

    /// Marks that an upload may have replaced it with a content of the same version. The next request fetches the
    /// content from the origin.
    pub(super) fn set_perhaps_replaced(&self) {
        let mut state = self.lock();
        state.perhaps_replaced = true;
        state.validated.doubtful = true;
    }

    pub fn is_perhaps_replaced(&self) -> bool {
        self.lock().perhaps_replaced
    }

    /// Makes one request fetch all missing parts, because the origin sends no ranges.
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

    /// Marks it as removed, and returns the number of freed bytes; `None` if it was removed before, or is not idle and
    /// `only_idle` is set. Its readers can still read bytes that have arrived or are arriving.
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

    /// Whether its file is there.
    pub(super) fn is_there(&self) -> bool {
        self.data.exists()
    }

    /// Removes its file. Its blocks are freed once it is closed.
    pub(super) fn unlink(&self) {
        let _ = fs::remove_file(&self.data);
    }

    /// Its bytes, if it is idle.
    pub(super) fn idle(&self) -> Option<u64> {
        let state = self.lock();
        state.is_idle().then_some(state.held)
    }

    pub fn held(&self) -> u64 {
        self.lock().held
    }

    /// Adds reserved bytes to its own; `false` if it was released, and the caller must release them.
    pub fn hold(&self, bytes: u64) -> bool {
        let mut state = self.lock();
        state.held += if state.released { 0 } else { bytes };
        !state.released
    }

    /// Subtracts bytes for the caller to release; `false` if they were released with the entry.
    pub fn unhold(&self, bytes: u64) -> bool {
        let mut state = self.lock();
        state.held = state.held.saturating_sub(if state.released { 0 } else { bytes });
        !state.released
    }

    /// Its record for the index.
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

    fn lock(&self) -> MutexGuard<'_, EntryState> {
        self.state.lock()
    }
}

impl EntryState {
    /// Whether it is not open, and no part of it is being fetched.
    fn is_idle(&self) -> bool {
        self.opened == 0 && self.busy.is_empty()
    }
}
