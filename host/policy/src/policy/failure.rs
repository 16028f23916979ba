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
    /// No instance was free in time, or too many calls waited for one.
    Busy,
    /// The time of the whole chain was over.
    Chain,
    /// It was not asked, because it has failed too often in a row.
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
        Failure { cause, detail: detail.into(), problems: Vec::new() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.cause.as_str(), self.detail)
    }
}

/// Ends a guest that has used up its CPU time.
#[derive(Debug)]
pub(super) struct CpuLimit(pub Duration);

impl fmt::Display for CpuLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it computed for more than {:?} (limits.time)", self.0)
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
