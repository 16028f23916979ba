//! Errors of opening an origin.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// The reason why a root that lives elsewhere cannot be used.
#[derive(Debug, Error)]
pub enum OriginError {
    /// The client cannot be made of the specification.
    #[error("{origin}: {why}; correct `origin` of this root")]
    Client {
        /// The URL of the origin, without secrets.
        origin: String,
        /// The reason.
        why: String,
    },
    /// The file of the authorities cannot be used.
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
        /// The error of the system.
        source: io::Error,
    },
    /// Another process uses the cache.
    #[error("another process uses the cache {}; give each server a `cache.path` of its own", path.display())]
    Locked {
        /// Its folder.
        path: PathBuf,
    },
    /// The threads of origins cannot be started.
    #[error("the threads for origins cannot be started: {0}")]
    Threads(io::Error),
}
