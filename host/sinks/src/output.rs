//! The outputs of sinks, and their failures.

use std::fmt::Display;
use std::io;
use std::time::{Duration, Instant};

use super::Batch;

/// The default batch. The wait is too short to be noticed, and long enough that a flood does not wake threads for
/// each line.
const LOCAL_BATCH: Batch = Batch { lines: 1024, bytes: 1 << 20, wait: Duration::from_millis(5) };

/// A destination outside the process. All methods may block.
pub(super) trait Output: Send {
    /// The largest batch of the output.
    fn batch(&self) -> Batch {
        LOCAL_BATCH
    }

    /// The longest pause between retries.
    fn longest_pause(&self) -> Duration {
        super::PAUSE
    }

    /// Delivers lines in order. After a failure it is called again with the remaining lines.
    fn deliver(&mut self, lines: &[String]) -> Result<(), Failure>;

    /// The deadline for the next call of [`maintain`](Output::maintain).
    fn due(&self) -> Option<Instant> {
        None
    }

    /// Does the work that is due; at the end, all remaining work.
    fn maintain(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A failed delivery.
#[derive(Debug)]
pub(super) struct Failure {
    /// The number of lines that were delivered before the failure.
    pub done: usize,
    /// How to treat the other lines.
    pub remedy: Remedy,
    /// The error, without secrets.
    pub error: String,
}

/// How to treat undelivered lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Retry them, after this pause if the receiver requested one.
    Retry(Option<Duration>),
    /// Drop this many of them: they are permanently refused.
    Drop(usize),
}

impl Failure {
    /// Creates a failure after `done` lines; the others are retried.
    pub fn retry(done: usize, error: impl Display) -> Failure {
        Failure { done, remedy: Remedy::Retry(None), error: error.to_string() }
    }
}
