//! Failed calls, by cause.

use std::fmt;
use std::time::Duration;

use super::bindings::lifecycle::Problem;

/// A call without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub cause: Cause,
    pub detail: String,
    /// The problems that `configure` returned, if that was the cause.
    pub problems: Vec<Problem>,
    /// Whether it counts towards the breaker. Overload never does.
    pub blamed: bool,
}

/// The reason why a call gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// It panicked, exited, or did what WebAssembly forbids.
    Trap,
    /// It computed or waited for too long.
    Time,
    /// It exceeded its memory limit.
    Memory,
    /// Its answer was invalid.
    BadAnswer,
    /// It refused its settings.
    Settings,
    /// Overload, which is not the plugin's fault: no instance was free in time, too many calls waited for
    /// one, or the machine had no CPU time for it. The request is dropped, so that its client repeats it.
    Busy,
    /// The time limit of the whole chain was exceeded.
    Chain,
    /// It was not called, because it has failed for too many clients in a row.
    Repeated,
}

impl Cause {
    /// In the order of their values.
    pub const ALL: [Cause; 8] = [
        Cause::Trap,
        Cause::Time,
        Cause::Memory,
        Cause::BadAnswer,
        Cause::Settings,
        Cause::Busy,
        Cause::Chain,
        Cause::Repeated,
    ];

    /// The cause in a word, for the log and for metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Cause::Trap => "trap",
            Cause::Time => "time",
            Cause::Memory => "memory",
            Cause::BadAnswer => "bad answer",
            Cause::Settings => "settings",
            Cause::Busy => "busy",
            Cause::Chain => "chain",
            Cause::Repeated => "repeated",
        }
    }
}

impl Failure {
    pub fn new(cause: Cause, detail: impl Into<String>) -> Failure {
        let blamed = !matches!(cause, Cause::Busy | Cause::Repeated);
        Failure { cause, detail: detail.into(), problems: Vec::new(), blamed }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.cause.as_str(), self.detail)
    }
}

/// The CPU time limit of a guest, which ends it once it is exceeded.
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

/// `configure` returned problems.
#[derive(Debug)]
pub(super) struct Refused(pub Vec<Problem>);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it refused its settings")
    }
}

impl std::error::Error for Refused {}
