//! The error of host calls, shared by all interfaces: a code for programs, and the reason in words.

use crate::bindings::types::Error;

/// The codes; `sdk/wit/policy.wit` describes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    NotGranted,
    WrongPhase,
    BadArgument,
    BadPath,
    NotAFile,
    Changed,
    TooLarge,
    Quota,
    Full,
    Exhausted,
    Unavailable,
}

impl Code {
    pub fn as_str(self) -> &'static str {
        match self {
            Code::NotGranted => "not-granted",
            Code::WrongPhase => "wrong-phase",
            Code::BadArgument => "bad-argument",
            Code::BadPath => "bad-path",
            Code::NotAFile => "not-a-file",
            Code::Changed => "changed",
            Code::TooLarge => "too-large",
            Code::Quota => "quota",
            Code::Full => "full",
            Code::Exhausted => "exhausted",
            Code::Unavailable => "unavailable",
        }
    }

    /// Creates an error with this code.
    pub fn with(self, message: impl Into<String>) -> Error {
        Error { code: self.as_str().to_owned(), message: message.into() }
    }
}
