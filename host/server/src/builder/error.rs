//! Why a server cannot be built.

use tuffet_engine::worker::OpenError;
use tuffet_store::RootError;

/// Why a server cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The program asks for something impossible: it has a bug.
    #[error("{0}")]
    Usage(String),
    /// A folder cannot be opened.
    #[error(transparent)]
    Root(#[from] RootError),
    /// The sockets of a listener cannot be opened.
    #[error("listener `{name}`: {error}")]
    Listener {
        /// The number of the listener, in the order of addition.
        number: usize,
        /// Its name.
        name: String,
        /// The error.
        error: OpenError,
    },
}
