//! What the generator itself costs.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::io;

/// Processor time of this process, in microseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CpuTime {
    pub(crate) user: i64,
    pub(crate) system: i64,
}

impl CpuTime {
    /// What was used up to now (getrusage(2)).
    pub(crate) fn used() -> io::Result<Self> {
        let usage = getrusage(UsageWho::RUSAGE_SELF)?;
        Ok(CpuTime {
            user: usage.user_time().num_microseconds(),
            system: usage.system_time().num_microseconds(),
        })
    }

    /// What was used after `earlier`.
    pub(crate) fn since(self, earlier: CpuTime) -> CpuTime {
        CpuTime { user: self.user - earlier.user, system: self.system - earlier.system }
    }
}
