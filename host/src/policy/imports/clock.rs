//! The time of a plugin without the grant `clock`: it stands still, at the beginning of 1970. The standard
//! libraries of most languages want a clock, so there is one.

use std::time::Duration;

use wasmtime_wasi::{HostMonotonicClock, HostWallClock};

pub(in crate::policy) struct FixedClock;

impl HostWallClock for FixedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl HostMonotonicClock for FixedClock {
    fn resolution(&self) -> u64 {
        1_000_000_000
    }

    fn now(&self) -> u64 {
        0
    }
}
