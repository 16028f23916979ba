//! Failed calls, by cause.

use std::fmt;
use std::time::Duration;

use super::bindings::exports::tuffet::policy::lifecycle::Problem;

/// A call that gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub cause: Cause,
    pub detail: String,
    /// What `configure` complained about, where that was it.
    pub problems: Vec<Problem>,
    /// Whether it counts toward the breaker. Overload never does.
    pub blamed: bool,
}

/// The reason why a call gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// It panicked, exited, or did what WebAssembly forbids.
    Trap,
    /// It computed or waited for too long.
    Time,
    /// It wanted more memory than it may have.
    Memory,
    /// It answered, and the answer is none.
    BadAnswer,
    /// It refused its settings.
    Settings,
    /// Overload, which is nobody's fault: no instance was free in time, too many calls waited for one, or the
    /// machine had no time for it. The request gets no answer, so that its client asks again.
    Busy,
    /// The time of the whole chain was over.
    Chain,
    /// It was not asked, because it has failed for too many clients in a row.
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

    /// A word for the log and for metrics.
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

/// The CPU time that a guest has; ends it once that is used up.
#[derive(Debug, Clone, Copy)]
pub(super) struct CpuLimit {
    pub time: Duration,
    /// Its key in the configuration.
    pub key: &'static str,
}

impl CpuLimit {
    /// Of one call.
    pub fn of_call(time: Duration) -> CpuLimit {
        CpuLimit { time, key: "limits.time" }
    }

    /// Of `configure`, where instances are reused.
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

/// `configure` answered with problems.
#[derive(Debug)]
pub(super) struct Refused(pub Vec<Problem>);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it refused its settings")
    }
}

impl std::error::Error for Refused {}
