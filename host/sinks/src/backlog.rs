//! Queued lines, in memory or on disk.

use parking_lot::MutexGuard;
use std::fmt;
use std::io;
use std::time::Instant;

use super::{Batch, DeliveryMode, Full};

/// Undelivered lines of a sink.
pub(super) trait Backlog: fmt::Debug + Send + Sync {
    /// Adds a line. Blocks on the disk if the backlog is there.
    fn push(&self, line: String) -> Result<(), Full>;

    /// Takes the next lines as soon as they fill `batch` or have waited long enough. Returns none at the time
    /// `until`, or if the sink is to stop and has no lines left.
    ///
    /// # Errors
    /// The disk fails.
    fn take(
        &self,
        batch: &Batch,
        until: Option<Instant>,
        mode: &dyn Fn() -> DeliveryMode,
    ) -> io::Result<TakenLines>;

    /// Marks this many of the lines in flight as done, from the first one on: they are not taken again.
    ///
    /// # Errors
    /// The disk fails; the lines may then be taken again after a restart.
    fn acknowledge(&self, taken: &mut TakenLines, lines: usize) -> io::Result<()>;

    /// The number of unacknowledged lines, and their size on disk in bytes.
    fn size(&self) -> (u64, u64);

    /// Whether undelivered lines outlive the process.
    fn is_persistent(&self) -> bool;

    /// Forgets lines that would not outlive the process.
    fn give_up(&self) {}

    /// Whether this sink may deliver these lines: no later sink has claimed them.
    fn has_claim(&self) -> bool {
        true
    }

    /// Waits until no other sink delivers these lines, and keeps others out.
    fn lock_delivery(&self) -> Option<MutexGuard<'_, ()>> {
        None
    }

    /// Whether the lines in flight must be taken again, because the backlog is about to move on the disk.
    fn takes_over(&self) -> bool {
        false
    }

    /// Wakes the consumer.
    fn wake(&self);

    /// Waits until this time, or until the sink is to stop.
    fn pause(&self, until: Instant, mode: &dyn Fn() -> DeliveryMode);
}

/// Lines in flight.
#[derive(Debug, Default)]
pub(super) struct TakenLines {
    pub lines: Vec<String>,
    /// Lines that were damaged on disk and are skipped.
    pub damaged: usize,
    /// For each unacknowledged line from disk, the position after it.
    pub positions: Vec<Position>,
}

/// A position on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub segment: u64,
    pub offset: u64,
}
