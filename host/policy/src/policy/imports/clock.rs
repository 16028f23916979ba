//! The clock of a plugin without the grant `clock`: it stands still, at the beginning of 1970 or where the
//! stage of a trial sets it. The standard libraries of most languages need a clock, so there is one.

use std::time::Duration;

use wasmtime_wasi::{HostMonotonicClock, HostWallClock};

#[derive(Default)]
pub(in crate::policy) struct FixedClock(pub Duration);

impl HostWallClock for FixedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        self.0
    }
}

impl HostMonotonicClock for FixedClock {
    fn resolution(&self) -> u64 {
        1_000_000_000
    }

    fn now(&self) -> u64 {
        0 // The monotonic clock has its own origin.
    }
}
