//! The origins of remote roots: opened with the roots, and kept across reloads.

#[cfg(feature = "origins")]
mod remotes;
mod report;

#[cfg(feature = "origins")]
pub use remotes::{Origins, PendingOrigins};
pub use report::{CachedRow, FetchNote, FetchObserver, OriginReport};

/// An origin that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("root `{root}`: {why}")]
pub struct OriginFailure {
    /// The name of the root.
    pub root: String,
    /// The reason, with what to do.
    pub why: String,
}
