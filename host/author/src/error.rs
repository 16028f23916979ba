//! The reasons why a tool cannot do its work, and the exit codes for scripts, from sysexits(3).

use std::io;
use std::process::ExitCode;

use crate::program::Refusal;
use tuffet_config::{ConfigError, EXIT_CONFIG};
use tuffet_store::RootError;
use tuffet_terminal::print_stderr;

/// A required program is missing (EX_UNAVAILABLE).
pub(crate) const EXIT_UNAVAILABLE: u8 = 69;
/// The system failed (EX_OSERR).
pub(crate) const EXIT_SYSTEM: u8 = 71;
/// A file cannot be written (EX_CANTCREAT).
pub(crate) const EXIT_CANNOT_WRITE: u8 = 73;
/// A root cannot be opened (EX_NOINPUT).
const EXIT_ROOT: u8 = 66;

/// The reason why a tool cannot do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    /// The configuration, a case file or a manifest is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A root cannot be opened.
    #[error(transparent)]
    Root(#[from] RootError),
    /// The server's program refuses a step.
    #[error(transparent)]
    Program(#[from] Refusal),
    /// The system failed.
    #[error("{0}: {1}")]
    System(&'static str, io::Error),
}

impl ToolError {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            ToolError::Config(_) => EXIT_CONFIG,
            ToolError::Root(_) => EXIT_ROOT,
            ToolError::Program(refusal) => refusal.exit_code,
            ToolError::System(..) => EXIT_SYSTEM,
        }
    }
}

/// Prints an error and returns its exit code.
pub(crate) fn fail(error: impl Into<ToolError>) -> ExitCode {
    let error = error.into();
    print_stderr(&error);
    ExitCode::from(error.exit_code())
}
