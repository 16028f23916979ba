//! Errors of opening an origin.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// The reason why an origin cannot be used.
#[derive(Debug, Error)]
pub enum OriginError {
    /// The specification gives no working client.
    #[error("{origin}: {why}; correct `origin` of this root")]
    Client {
        /// The URL of the origin, without secrets.
        origin: String,
        /// The reason.
        why: String,
    },
    /// The file of certificate authorities cannot be used.
    #[error("the certificates in {} cannot be used: {why}; correct `origin.ca`", path.display())]
    Ca {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The folder of the cache cannot be created, read or written.
    #[error("the cache {} cannot be used: {source}; let this user create and write it, or correct `cache.path`", path.display())]
    Cache {
        /// Its folder.
        path: PathBuf,
        /// The system error.
        source: io::Error,
    },
    /// Another process uses the cache.
    #[error("another process uses the cache {}; give each server its own `cache.path`", path.display())]
    Locked {
        /// Its folder.
        path: PathBuf,
    },
    /// The threads for origins cannot be started.
    #[error("the threads for origins cannot be started: {0}")]
    Threads(io::Error),
}
