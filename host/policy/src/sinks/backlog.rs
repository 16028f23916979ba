//! Queued lines: in memory, or on disk.

use std::fmt;
use std::io;
use std::sync::MutexGuard;
use std::time::Instant;

use super::{Batch, Full, Pace};

/// Lines of a sink that are not delivered yet.
pub(super) trait Backlog: fmt::Debug + Send + Sync {
    /// Adds a line. Blocks on the disk, if there is one.
    fn push(&self, line: String) -> Result<(), Full>;

    /// The next lines, as soon as there are as many as `batch` wants or they have waited long enough. Empty
    /// when it is `until`, or when it is to stop and there are none.
    ///
    /// # Errors
    /// The disk fails.
    fn take(&self, batch: &Batch, until: Option<Instant>, pace: &dyn Fn() -> Pace) -> io::Result<Load>;

    /// So many lines of the load, from the first that is left, are done with: they do not come again.
    ///
    /// # Errors
    /// The disk fails; then they may, after a restart.
    fn acknowledge(&self, load: &mut Load, lines: usize) -> io::Result<()>;

    /// Lines that are not acknowledged, and their bytes on disk.
    fn size(&self) -> (u64, u64);

    /// Whether lines that are not delivered outlive the process.
    fn is_kept(&self) -> bool;

    /// Forgets what would not outlive the process.
    fn give_up(&self) {}

    /// Whether no other sink is to deliver these lines.
    fn is_mine(&self) -> bool {
        true
    }

    /// Waits until nobody else delivers these lines.
    fn alone(&self) -> Option<MutexGuard<'_, ()>> {
        None
    }

    /// Wakes the consumer.
    fn wake(&self);

    /// Waits, at most until then, unless it is to stop.
    fn pause(&self, until: Instant, pace: &dyn Fn() -> Pace);
}

/// Lines in flight.
#[derive(Debug, Default)]
pub(super) struct Load {
    pub lines: Vec<String>,
    /// Lines that were damaged on disk and are skipped.
    pub damaged: usize,
    /// For each line from disk that is not acknowledged, where delivery goes on behind it.
    pub places: Vec<Place>,
}

/// A place on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub segment: u64,
    pub offset: u64,
}
