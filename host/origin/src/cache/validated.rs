//! When a version was last known to be current.

use std::time::{Duration, Instant};

/// When a version was last known to be current.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Validated {
    since: Instant,
    /// The age at that time.
    age: Duration,
    /// Whether the origin must be asked, whatever the age is.
    pub(super) doubtful: bool,
}

impl Validated {
    pub fn now() -> Self {
        Self { since: Instant::now(), age: Duration::ZERO, doubtful: false }
    }

    /// From a record. After a clock was set back nobody knows the age.
    pub(super) fn from_record(unix_ms: u64, now: u64) -> Self {
        let age = Duration::from_millis(now.saturating_sub(unix_ms));
        Self { since: Instant::now(), age, doubtful: now < unix_ms }
    }

    /// Whether it is used without asking the origin, `within` this age or for who asked before `started`.
    pub fn is_fresh(&self, within: Duration, started: Instant) -> bool {
        !self.doubtful && (self.age() < within || (self.age.is_zero() && self.since >= started))
    }

    pub fn age(&self) -> Duration {
        self.since.elapsed().saturating_add(self.age)
    }
}
