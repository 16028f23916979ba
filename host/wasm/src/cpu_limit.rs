//! The CPU time limit of a guest.

use std::fmt;
use std::time::Duration;

/// The CPU time limit of a guest. It is also the error that ends a guest.
#[derive(Debug, Clone, Copy)]
pub(super) struct CpuLimit {
    pub time: Duration,
    /// Its key in the configuration.
    pub key: &'static str,
}

impl CpuLimit {
    /// The limit of one call.
    pub fn of_call(time: Duration) -> CpuLimit {
        CpuLimit { time, key: "limits.time" }
    }

    /// The limit of `configure`, if instances are reused.
    pub fn of_configure(time: Duration) -> CpuLimit {
        CpuLimit { time, key: "limits.configure" }
    }
}

impl fmt::Display for CpuLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it computed for more than {:?} ({})", self.time, self.key)
    }
}

impl std::error::Error for CpuLimit {}
