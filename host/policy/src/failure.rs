//! Failed calls, by cause.

use std::fmt;

/// A call without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The reason.
    pub cause: Cause,
    /// Details, for the log.
    pub detail: String,
    /// The problems that `configure` returned, if that was the cause.
    #[doc(hidden)]
    pub problems: Vec<Problem>,
    /// Whether it counts towards the breaker. Overload never does, nor does a hook that says that it cannot answer.
    #[doc(hidden)]
    pub blamed: bool,
}

/// A problem of a plugin's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A JSON pointer (RFC 6901) into the settings.
    pub pointer: String,
    /// The description.
    pub message: String,
}

/// Why a call gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
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
    /// It said that it cannot answer: a service that it asks is away, or sent nonsense.
    Error,
}

impl Cause {
    /// In the order of their values.
    pub const ALL: [Cause; 9] = [
        Cause::Trap,
        Cause::Time,
        Cause::Memory,
        Cause::BadAnswer,
        Cause::Settings,
        Cause::Busy,
        Cause::Chain,
        Cause::Repeated,
        Cause::Error,
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
            Cause::Error => "error",
        }
    }
}

impl Failure {
    /// A failure that counts towards the breaker, unless the plugin was overloaded, was not called, or said so itself.
    pub fn new(cause: Cause, detail: impl Into<String>) -> Failure {
        let blamed = !matches!(cause, Cause::Busy | Cause::Repeated | Cause::Error);
        Failure { cause, detail: detail.into(), problems: Vec::new(), blamed }
    }

    /// The hook cannot answer, for this reason.
    pub fn because(reason: impl Into<String>) -> Failure {
        Failure::new(Cause::Error, reason)
    }
}

/// Not an error itself, so that `?` makes one of every error of a hook.
impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::because(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.cause.as_str(), self.detail)
    }
}
