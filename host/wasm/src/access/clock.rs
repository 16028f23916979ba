//! The clock of a plugin without the grant `clock`: it stands still, at the beginning of 1970 or where the stage of a
//! trial sets it. It exists because the standard libraries of most languages need one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Access;
use wasmtime_wasi::{HostMonotonicClock, HostWallClock};

/// The monotonic clock in nanoseconds, with its own origin. Never 0, which Go's runtime treats as a broken clock.
const MONOTONIC_NANOS: u64 = 1_000_000_000;

#[derive(Default)]
pub(crate) struct FixedClock {
    pub time: Duration,
    /// Is told that the clock was read without the grant.
    pub without: Option<Arc<Access>>,
}

/// What the author of a plugin should know that reads the clock without the grant.
pub const READ_CLOCK: &str = "it read the clock without the grant `clock`, and so got the beginning of 1970: ask for the \
                              grant in the manifest and write `grants: [clock]`, or use the time of the request";

/// The clock of a plugin whose manifest does not ask for it. Reading it is a mistake, which is reported once.
#[derive(Debug)]
pub(crate) struct UnaskedClock {
    /// Whether the log gets the report, since the plugin runs.
    logs: bool,
    is_read: AtomicBool,
}

impl UnaskedClock {
    pub fn new(logs: bool) -> UnaskedClock {
        UnaskedClock { logs, is_read: AtomicBool::new(false) }
    }

    /// Whether the plugin has read it.
    pub fn is_read(&self) -> bool {
        self.is_read.load(Ordering::Relaxed)
    }

    fn read(&self, plugin: &str) {
        if !self.is_read.swap(true, Ordering::Relaxed) && self.logs {
            tracing::warn!(target: "tuffet::policy", plugin, "a plugin has no clock: {READ_CLOCK}");
        }
    }
}

impl HostWallClock for FixedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        if let Some(access) = &self.without {
            access.host.read_clock();
            if let Some(clock) = &access.unasked_clock {
                clock.read(&access.plugin);
            }
        }
        self.time
    }
}

impl HostMonotonicClock for FixedClock {
    fn resolution(&self) -> u64 {
        1_000_000_000
    }

    fn now(&self) -> u64 {
        MONOTONIC_NANOS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_monotonic_clock_stands_still_and_not_at_0() {
        for wall in [Duration::ZERO, Duration::from_secs(1_800_000_000)] {
            let clock = FixedClock { time: wall, without: None };
            let now = || HostMonotonicClock::now(&clock);
            assert_eq!((now(), now()), (MONOTONIC_NANOS, MONOTONIC_NANOS));
            assert_ne!(now(), 0);
            assert_eq!(HostWallClock::now(&clock), wall);
        }
    }
}
