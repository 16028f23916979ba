//! The error of a call of the host, which all interfaces share: a code for programs, and the reason in words.

use crate::bindings::types::Error;

/// The codes; `sdk/wit/policy.wit` says what each means.
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

    /// The error with this code.
    pub fn with(self, message: impl Into<String>) -> Error {
        Error { code: self.as_str().to_owned(), message: message.into() }
    }
}
