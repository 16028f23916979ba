//! Lines that wait on disk: in the order in which they came, over crashes and restarts, until they are
//! delivered.
//!
//! A folder with segments, to the last of which lines are added, and the place up to which they are
//! delivered. Lines that were under way at a crash are delivered again.

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

/// An open spool. Sinks of one place share it: that of a generation that ends and that of the next.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    state: Mutex<State>,
    news: Condvar,
    /// Of those who want to deliver, the last one.
    owner: AtomicU64,
    /// Held by who delivers.
    pub delivering: Mutex<()>,
    /// Keeps other processes out.
    _lock: File,
}

impl Spool {
    /// Opens or makes the folder; cuts off what a crash left half written.
    ///
    /// # Errors
    /// The folder cannot be made, read or written, or another process has it.
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

    /// Takes over what may have changed since it was opened.
    pub fn adopt(&self, spec: &SpoolSpec) {
        let mut state = self.lock();
        (state.bytes_at_most, state.fsync) = (spec.bytes, spec.fsync);
    }

    /// Another one wants to deliver; who does so far is to stop.
    pub fn claim(&self) -> u64 {
        let claim = self.owner.fetch_add(1, Ordering::AcqRel) + 1;
        self.wake();
        claim
    }

    /// Whether nobody has claimed it since.
    pub fn is_owner(&self, claim: u64) -> bool {
        self.owner.load(Ordering::Acquire) == claim
    }

    /// Adds a line; it is on disk then, as far as `fsync` promises. Blocks.
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

    /// The next lines, as soon as there are as many as `batch` wants or they have waited long enough. Empty
    /// when it is `until`, or when it is to stop and there are none. Syncs what is due meanwhile.
    ///
    /// # Errors
    /// The disk fails.
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

    /// The first so many lines of these are done with: they do not come again.
    ///
    /// # Errors
    /// The disk fails; then they may, after a restart.
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

    /// Lines and bytes that wait.
    pub fn size(&self) -> (u64, u64) {
        let state = self.lock();
        (state.lines, state.waiting())
    }

    /// Lets who waits look again.
    pub fn wake(&self) {
        let _state = self.lock();
        self.news.notify_all();
    }

    /// Waits, at most until then, unless it is to stop.
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

/// Keeps other processes out. Waits a little for one that is ending.
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
