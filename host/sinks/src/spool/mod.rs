//! A spool: lines queued on disk in order, across crashes and restarts, until they are delivered.
//!
//! It is a folder with segments and the position of delivery. Lines are appended to the last segment. Lines in flight
//! at a crash are delivered again.
//!
//! A folder belongs to one process, which holds a lock on it. During a restart without a gap, the predecessor has the
//! folder until it ends, and its successor uses a folder in it, `beside-1`. When the predecessor has ended, the
//! successor moves to the folder itself, behind the lines that are left there (`home`).

mod home;
mod lock;
mod position;
mod segment;
mod state;
#[cfg(test)]
mod tests;

use parking_lot::{Mutex, MutexGuard};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::backlog::{Backlog, TakenLines};
use super::queue::Queue;
use super::{Batch, DeliveryMode, Full, SpoolSpec};
use state::SpoolState;

/// An open spool. The sinks of consecutive generations share it.
#[derive(Debug)]
pub(super) struct Spool {
    queue: Queue<SpoolState>,
    /// The number of the last sink that claimed the spool.
    owner: AtomicU64,
    /// Held while a sink delivers.
    delivering: Mutex<()>,
}

impl Spool {
    /// Opens or creates the folder; removes a line that a crash left incomplete. With `shared`, another process of the
    /// server may have the folder: then the spool begins beside it.
    ///
    /// # Errors
    /// The folder cannot be created, read or written, or another server uses it.
    pub fn open(spec: &SpoolSpec, shared: bool) -> io::Result<Spool> {
        let state = if shared { home::open_or_beside(spec)? } else { home::open(spec)? };
        Ok(Spool { queue: Queue::new(state), owner: AtomicU64::new(0), delivering: Mutex::default() })
    }

    /// Has the sink take over the lines of ended processes, and the folder itself if the spool lies beside it, before its
    /// next delivery. Returns whether the spool has its folder now.
    pub fn take_over(&self) -> bool {
        let mut state = self.queue.lock();
        state.takes_over = true;
        let is_home = state.home.is_none();
        drop(state);
        self.queue.wake();
        is_home
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
                    let folder = state.folder.display();
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

    fn takes_over(&self) -> bool {
        self.spool.queue.lock().takes_over
    }

    fn wake(&self) {
        self.spool.queue.wake();
    }

    fn pause(&self, until: Instant, mode: &dyn Fn() -> DeliveryMode) {
        self.spool.queue.pause(until, mode);
    }
}
