//! A spool: lines queued on disk in order, across crashes and restarts, until they are delivered.
//!
//! It is a folder with segments and the position of delivery. Lines are appended to the last segment. Lines in flight
//! at a crash are delivered again.

mod position;
mod segment;
mod state;
#[cfg(test)]
mod tests;

use parking_lot::{Mutex, MutexGuard};
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;

use super::backlog::{Backlog, TakenLines};
use super::queue::Queue;
use super::{Batch, DeliveryMode, Full, SpoolSpec};
use position::PositionFile;
use state::SpoolState;

/// An open spool. The sinks of consecutive generations share it.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    queue: Queue<SpoolState>,
    /// The number of the last sink that claimed the spool.
    owner: AtomicU64,
    /// Held while a sink delivers.
    delivering: Mutex<()>,
    /// The lock that keeps other processes out.
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
        let (position_file, position) = PositionFile::open(&folder.join("position"))?;
        let state = SpoolState::recover(spec, position_file, position)?;
        Ok(Spool {
            folder: folder.clone(),
            queue: Queue::new(state),
            owner: AtomicU64::new(0),
            delivering: Mutex::default(),
            _lock: lock,
        })
    }

    /// Applies settings that may have changed since the spool was opened.
    pub fn adopt(&self, spec: &SpoolSpec) {
        let mut state = self.queue.lock();
        (state.max_bytes, state.fsync) = (spec.bytes, spec.fsync);
    }

    /// Gives another sink the right to deliver; the previous one stops.
    pub fn claim(self: Arc<Self>) -> Claim {
        let number = self.owner.fetch_add(1, Ordering::AcqRel) + 1;
        self.queue.wake();
        Claim { spool: self, number }
    }

    /// Appends a line; it is on disk as far as `fsync` promises. Blocks.
    pub fn append(&self, line: &str) -> Result<(), Full> {
        let mut state = self.queue.lock();
        if state.waiting() + segment::size_of(line) > state.max_bytes {
            return Err(Full);
        }
        match state.append(line) {
            Ok(()) => {
                state.complained = false;
                self.queue.added(state);
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

    /// The number of queued lines, and their bytes.
    pub fn size(&self) -> (u64, u64) {
        let state = self.queue.lock();
        (state.lines, state.waiting())
    }

    fn take(
        &self,
        batch: &Batch,
        until: Option<Instant>,
        mode: &dyn Fn() -> DeliveryMode,
    ) -> io::Result<TakenLines> {
        self.queue.take(batch, until, mode)
    }

    fn acknowledge(&self, taken: &mut TakenLines, lines: usize) -> io::Result<()> {
        let done = taken.positions.drain(..lines.min(taken.positions.len())).next_back();
        let mut state = self.queue.lock();
        state.lines = state.lines.saturating_sub(lines as u64);
        state.since = if state.lines == 0 { None } else { Some(Instant::now()) };
        done.map_or(Ok(()), |position| state.advance(position))
    }
}

/// A spool, and the right of one sink to deliver its lines.
#[derive(Debug)]
pub(super) struct Claim {
    spool: Arc<Spool>,
    number: u64,
}

impl Backlog for Claim {
    fn push(&self, line: String) -> Result<(), Full> {
        self.spool.append(&line)
    }

    fn take(
        &self,
        batch: &Batch,
        until: Option<Instant>,
        mode: &dyn Fn() -> DeliveryMode,
    ) -> io::Result<TakenLines> {
        self.spool.take(batch, until, mode)
    }

    fn acknowledge(&self, taken: &mut TakenLines, lines: usize) -> io::Result<()> {
        self.spool.acknowledge(taken, lines)
    }

    fn size(&self) -> (u64, u64) {
        self.spool.size()
    }

    fn is_persistent(&self) -> bool {
        true
    }

    fn has_claim(&self) -> bool {
        self.spool.owner.load(Ordering::Acquire) == self.number
    }

    fn lock_delivery(&self) -> Option<MutexGuard<'_, ()>> {
        Some(self.spool.delivering.lock())
    }

    fn wake(&self) {
        self.spool.queue.wake();
    }

    fn pause(&self, until: Instant, mode: &dyn Fn() -> DeliveryMode) {
        self.spool.queue.pause(until, mode);
    }
}

/// Locks out other processes. Waits briefly for a process that is exiting.
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
                    "another process has the spool {folder}; give each server its own `state:`"
                )));
            }
            Err(errno) => return Err(errno.into()),
        }
    }
}
