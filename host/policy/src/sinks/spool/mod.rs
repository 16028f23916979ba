//! A spool: lines queued on disk in order, across crashes and restarts, until they are delivered.
//!
//! A folder with segments, the last of which grows, and the position of delivery. Lines in flight at a crash
//! are delivered again.

mod position;
mod segment;
mod state;
#[cfg(test)]
mod tests;

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;

use super::{Batch, Full, Pace, SpoolSpec};
use position::Position;
use state::State;
pub(super) use state::Taken;

/// An open spool. The sinks of consecutive generations share it.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    state: Mutex<State>,
    news: Condvar,
    /// The last sink that claimed to deliver.
    owner: AtomicU64,
    /// Held by the delivering sink.
    pub delivering: Mutex<()>,
    /// Keeps other processes out.
    _lock: File,
}

impl Spool {
    /// Opens or creates the folder; removes a line that a crash left incomplete.
    ///
    /// # Errors
    /// The folder cannot be created, read or written, or another process uses it.
    pub fn open(spec: &SpoolSpec) -> io::Result<Spool> {
        let folder = &spec.path;
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let lock = lock(folder)?;
        let (position, written) = Position::open(&folder.join("position"))?;
        let state = State::recover(spec, position, written)?;
        Ok(Spool {
            folder: folder.clone(),
            state: Mutex::new(state),
            news: Condvar::new(),
            owner: AtomicU64::new(0),
            delivering: Mutex::default(),
            _lock: lock,
        })
    }

    /// Applies settings that may have changed since it was opened.
    pub fn adopt(&self, spec: &SpoolSpec) {
        let mut state = self.lock();
        (state.bytes_at_most, state.fsync) = (spec.bytes, spec.fsync);
    }

    /// Claims delivery for another sink; the current one is to stop.
    pub fn claim(&self) -> u64 {
        let claim = self.owner.fetch_add(1, Ordering::AcqRel) + 1;
        self.wake();
        claim
    }

    /// Returns whether this is the latest claim.
    pub fn is_owner(&self, claim: u64) -> bool {
        self.owner.load(Ordering::Acquire) == claim
    }

    /// Appends a line; it is then on disk, as far as `fsync` promises. Blocks.
    pub fn append(&self, line: &str) -> Result<(), Full> {
        let mut state = self.lock();
        if state.waiting() + segment::size_of(line) > state.bytes_at_most {
            return Err(Full);
        }
        match state.append(&self.folder, line) {
            Ok(()) => {
                state.complained = false;
                drop(state);
                self.news.notify_all();
                Ok(())
            }
            Err(error) => {
                if !std::mem::replace(&mut state.complained, true) {
                    let folder = self.folder.display();
                    tracing::warn!(
                        target: "tuffet::sinks::spool", %folder, %error,
                        "a spool cannot be written; plugins get the error that it is full"
                    );
                }
                Err(Full)
            }
        }
    }

    /// Returns the next lines, as soon as there are as many as `batch` wants or they have waited long enough.
    /// Empty at `until`, or if the sink is to stop and there are none. Syncs meanwhile, if that is due.
    ///
    /// # Errors
    /// The disk failed.
    pub fn take(&self, batch: &Batch, until: Option<Instant>, pace: &dyn Fn() -> Pace) -> io::Result<Taken> {
        let mut state = self.lock();
        loop {
            let pace = pace();
            let hurry = pace != Pace::Calm;
            let now = Instant::now();
            if let Some((due, file)) = state.sync_due()
                && (hurry || due <= now)
            {
                state.dirty = None;
                drop(state);
                file.sync_data()?;
                state = self.lock();
                continue;
            }
            let ripe = state.since.map(|since| since + batch.wait);
            let enough = state.lines >= batch.lines as u64 || state.waiting() >= batch.bytes as u64;
            if state.lines > 0 && (hurry || enough || ripe.is_some_and(|ripe| now >= ripe)) {
                return state.take(&self.folder, batch);
            }
            if pace == Pace::Stop || until.is_some_and(|until| now >= until) {
                return Ok(Taken::default());
            }
            let due = state.sync_due().map(|(due, _)| due);
            state = match [ripe, until, due].into_iter().flatten().min() {
                None => self.news.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(end) => {
                    let waited = self.news.wait_timeout(state, end.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Completes the first `lines` of these lines: they are not delivered again.
    ///
    /// # Errors
    /// The disk failed; the lines may then be delivered again after a restart.
    pub fn acknowledge(&self, taken: &mut Taken, lines: usize) -> io::Result<()> {
        let done = taken.places.drain(..lines.min(taken.places.len())).next_back();
        let mut state = self.lock();
        state.lines = state.lines.saturating_sub(lines as u64);
        state.since = if state.lines == 0 { None } else { Some(Instant::now()) };
        match done {
            Some(place) => state.advance(&self.folder, place),
            None => Ok(()),
        }
    }

    /// Returns the queued lines and bytes.
    pub fn size(&self) -> (u64, u64) {
        let state = self.lock();
        (state.lines, state.waiting())
    }

    /// Wakes the consumer.
    pub fn wake(&self) {
        let _state = self.lock();
        self.news.notify_all();
    }

    /// Waits until `until`, or until the sink is to stop.
    pub fn pause(&self, until: Instant, pace: &dyn Fn() -> Pace) {
        let mut state = self.lock();
        while pace() != Pace::Stop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.news.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Locks out other processes. Waits briefly for one that is exiting.
fn lock(folder: &Path) -> io::Result<File> {
    let file = segment::open(&folder.join("lock"))?;
    let end = Instant::now() + Duration::from_secs(1);
    loop {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < end => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let folder = folder.display();
                return Err(io::Error::other(format!(
                    "another process has the spool {folder}; give each server a `state:` of its own"
                )));
            }
            Err(errno) => return Err(errno.into()),
        }
    }
}
