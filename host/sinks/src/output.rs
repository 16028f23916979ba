//! What an output of a sink does, and its failures.

use std::fmt::Display;
use std::io;
use std::time::{Duration, Instant};

use super::Batch;

/// The batch of outputs that do not define their own. The wait is too short to be noticed, and long enough
/// that a storm does not wake their threads for each line.
const LOCAL: Batch = Batch { lines: 1024, bytes: 1 << 20, wait: Duration::from_millis(5) };

/// A destination outside of the process. All methods may block.
pub(super) trait Output: Send {
    /// The largest batch that it accepts.
    fn batch(&self) -> Batch {
        LOCAL
    }

    /// The longest pause between two tries.
    fn longest_pause(&self) -> Duration {
        super::PAUSE
    }

    /// Delivers lines, starting with the first. After a failure it is called again with the remaining lines.
    fn deliver(&mut self, lines: &[String]) -> Result<(), Failure>;

    /// The deadline for the next call of [`tend`](Output::tend).
    fn due(&self) -> Option<Instant> {
        None
    }

    /// Does the work that is due; at the end, all remaining work.
    fn tend(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A failed delivery.
#[derive(Debug)]
pub(super) struct Failure {
    /// The number of lines that were delivered before the failure.
    pub done: usize,
    /// The fate of the other lines.
    pub then: Then,
    /// The error, without secrets.
    pub error: String,
}

/// The fate of undelivered lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// They are retried, after this pause if the receiver requested one.
    Again(Option<Duration>),
    /// This many of them are refused for good.
    Drop(usize),
}

impl Failure {
    /// A failure after which the lines from `done` on are retried.
    pub fn again(done: usize, error: impl Display) -> Failure {
        Failure { done, then: Then::Again(None), error: error.to_string() }
    }
}
