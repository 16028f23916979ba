//! The services that the program of the server provides to these tools.

use std::path::PathBuf;

use tuffet_config::Config;

/// The program that contains the server and these tools.
pub trait ServerProgram {
    /// Returns the folder for compiled plugins, if the server's user could use the files that this process writes there.
    fn code_cache(&self) -> Option<PathBuf>;

    /// Creates the folders of the server and becomes the user that it would run as, for good.
    ///
    /// # Errors
    /// The user is unknown, or the system refuses.
    fn become_server(&self, config: &Config) -> Result<(), Refusal>;
}

/// The reason why the program refuses something, and the exit code for it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The reason, with its remedy.
    pub message: String,
    /// The exit code, from sysexits(3).
    pub exit_code: u8,
}
