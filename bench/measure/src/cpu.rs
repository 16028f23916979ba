//! Processor time of this process or of one of its threads.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::io;
use std::time::Duration;

/// Processor time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// In user mode.
    pub user: Duration,
    /// In the kernel, on behalf of the program.
    pub system: Duration,
}

impl CpuTime {
    /// Returns the processor time of this process (getrusage(2)).
    ///
    /// # Errors
    /// The system does not report it.
    pub fn of_process() -> io::Result<Self> {
        CpuTime::of(UsageWho::RUSAGE_SELF)
    }

    /// Returns the processor time of the calling thread.
    ///
    /// # Errors
    /// The system does not report it.
    pub fn of_thread() -> io::Result<Self> {
        CpuTime::of(UsageWho::RUSAGE_THREAD)
    }

    fn of(who: UsageWho) -> io::Result<Self> {
        let usage = getrusage(who)?;
        let time = |micros: i64| Duration::from_micros(micros.try_into().unwrap_or(0));
        Ok(CpuTime {
            user: time(usage.user_time().num_microseconds()),
            system: time(usage.system_time().num_microseconds()),
        })
    }

    /// Returns the time used after `earlier`.
    #[must_use]
    pub fn since(self, earlier: CpuTime) -> CpuTime {
        CpuTime {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
        }
    }

    /// Returns the sum of user and system time.
    pub fn total(self) -> Duration {
        self.user + self.system
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_computes_uses_time_of_its_own_and_of_the_process() {
        let (process, thread) = (CpuTime::of_process().unwrap(), CpuTime::of_thread().unwrap());
        while CpuTime::of_thread().unwrap().since(thread).total() < Duration::from_millis(20) {}
        // Each time is rounded.
        assert!(CpuTime::of_process().unwrap().since(process).total() >= Duration::from_millis(19));
    }
}
