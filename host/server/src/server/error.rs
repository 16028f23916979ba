//! Errors of a start.

use std::io;

/// The system refused a part of the server.
#[derive(Debug, thiserror::Error)]
#[error("{part}: {error}")]
pub struct StartError {
    /// The part that failed.
    pub part: &'static str,
    /// The system's error.
    pub error: io::Error,
}

impl StartError {
    pub(crate) fn new(part: &'static str, error: io::Error) -> StartError {
        StartError { part, error }
    }
}
