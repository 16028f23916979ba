//! The clock of a plugin without the grant `clock`: it stands still, at the beginning of 1970 or where the stage of a
//! trial sets it. It exists because the standard libraries of most languages need one.

use std::sync::Arc;
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

impl HostWallClock for FixedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        if let Some(access) = &self.without {
            access.host.read_clock();
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
