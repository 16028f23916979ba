//! The error of a call of the host.

use crate::Error;
use std::fmt::{Display, Formatter, Result};

/// The codes of an [`Error`]. Later servers may have more.
pub mod code {
    /// The grant is not given, in the manifest or in the configuration.
    pub const NOT_GRANTED: &str = "not-granted";
    /// This function is not there while this hook, or `configure`, runs.
    pub const WRONG_PHASE: &str = "wrong-phase";
    /// A name, a length or a value is out of bounds, or a value is no counter.
    pub const BAD_ARGUMENT: &str = "bad-argument";
    /// The path leads out of its root, or may not be read.
    pub const BAD_PATH: &str = "bad-path";
    /// The path is that of a folder, a device or the like.
    pub const NOT_A_FILE: &str = "not-a-file";
    /// The file is not the version that was asked for, or changes while it is read.
    pub const CHANGED: &str = "changed";
    /// There are more bytes than the given limit, or than this call of a hook may still read.
    pub const TOO_LARGE: &str = "too-large";
    /// The plugin has as many keys, bytes or series as it may have.
    pub const QUOTA: &str = "quota";
    /// The queue of a sink is full.
    pub const FULL: &str = "full";
    /// This call of a hook has made as many calls of the host as it may make.
    pub const EXHAUSTED: &str = "exhausted";
    /// The disk, the database or the origin failed, or did not answer in time.
    pub const UNAVAILABLE: &str = "unavailable";
}

impl Error {
    /// An error with one of the [codes](code), for stand-ins of the host.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Error { code: code.into(), message: message.into() }
    }

    /// Whether it has this [code].
    pub fn is(&self, code: &str) -> bool {
        self.code == code
    }
}

/// Its message: words for a log line, or for the reason of a denial.
impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_words() {
        let error = Error::new(code::UNAVAILABLE, "the disk failed");
        assert_eq!(error.to_string(), "the disk failed");
        assert!(error.is(code::UNAVAILABLE) && !error.is(code::QUOTA));
    }
}
