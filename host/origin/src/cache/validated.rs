//! The time at which a version was last known to be current.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time at which a version was last known to be current.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Validated {
    since: Instant,
    /// The age at that time.
    age: Duration,
    /// Whether the origin must be asked regardless of the age.
    pub(super) doubtful: bool,
}

impl Validated {
    pub fn now() -> Self {
        Self { since: Instant::now(), age: Duration::ZERO, doubtful: false }
    }

    /// Restores it from a record. If the clock was set back, the age is unknown.
    pub(super) fn from_record(unix_ms: u64, now: u64) -> Self {
        let age = Duration::from_millis(now.saturating_sub(unix_ms));
        Self { since: Instant::now(), age, doubtful: now < unix_ms }
    }

    /// Whether it needs no revalidation: it is younger than `within`, or was confirmed after `started`.
    pub fn is_fresh(&self, within: Duration, started: Instant) -> bool {
        !self.doubtful && (self.age() < within || (self.age.is_zero() && self.since >= started))
    }

    pub fn age(&self) -> Duration {
        self.since.elapsed().saturating_add(self.age)
    }
}

/// Milliseconds since 1970.
pub(super) fn now_unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
