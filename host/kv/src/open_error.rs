//! Why a store cannot be opened.

use std::io;
use std::path::PathBuf;

/// Why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum KvOpenError {
    /// The folder is unusable.
    #[error("the folder {} cannot be created or written: {error}; let this user write it, or name another one with `state:`", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// Another process has the file open.
    #[error("{} is in use by another process: give each server its own `state:`", .0.display())]
    InUse(PathBuf),
    /// The file cannot be read.
    #[error("{} cannot be opened: {error}; repair the disk, or move the file away to start without keys", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// The error of the database.
        error: String,
    },
    /// No thread could be started for the writes, or for the connection to NATS.
    #[error("no thread can be started for the plugins' keys: {0}")]
    Thread(io::Error),
}
