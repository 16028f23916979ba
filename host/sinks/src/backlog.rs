//! Queued lines, in memory or on disk.

use std::fmt;
use std::io;
use std::sync::MutexGuard;
use std::time::Instant;

use super::{Batch, Full, Pace};

/// Undelivered lines of a sink.
pub(super) trait Backlog: fmt::Debug + Send + Sync {
    /// Adds a line. Blocks on the disk, if the backlog is on disk.
    fn push(&self, line: String) -> Result<(), Full>;

    /// Takes the next lines, as soon as there are as many as `batch` wants or they have waited long enough.
    /// Empty at the time `until`, or if the sink is to stop and no lines are left.
    ///
    /// # Errors
    /// The disk fails.
    fn take(&self, batch: &Batch, until: Option<Instant>, pace: &dyn Fn() -> Pace) -> io::Result<Load>;

    /// Marks this many lines of the load as done, from the first remaining one on: they are not taken again.
    ///
    /// # Errors
    /// The disk fails; the lines may then be taken again after a restart.
    fn acknowledge(&self, load: &mut Load, lines: usize) -> io::Result<()>;

    /// The number of unacknowledged lines, and their size on disk in bytes.
    fn size(&self) -> (u64, u64);

    /// Whether undelivered lines outlive the process.
    fn is_kept(&self) -> bool;

    /// Forgets lines that would not outlive the process.
    fn give_up(&self) {}

    /// Whether this sink alone may deliver these lines.
    fn is_mine(&self) -> bool {
        true
    }

    /// Waits until no other sink delivers these lines.
    fn alone(&self) -> Option<MutexGuard<'_, ()>> {
        None
    }

    /// Wakes the consumer.
    fn wake(&self);

    /// Waits until this time at the latest, and less if the sink is to stop.
    fn pause(&self, until: Instant, pace: &dyn Fn() -> Pace);
}

/// Lines in flight.
#[derive(Debug, Default)]
pub(super) struct Load {
    pub lines: Vec<String>,
    /// Lines that were damaged on disk and are skipped.
    pub damaged: usize,
    /// For each unacknowledged line from disk, the position after it.
    pub places: Vec<Place>,
}

/// A position on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub segment: u64,
    pub offset: u64,
}
