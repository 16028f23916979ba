//! The origins of the roots that live elsewhere: opened with the roots, and kept across reloads.

mod remotes;
mod report;

pub(crate) use remotes::{Next, Origins};
pub(crate) use report::{CachedRow, FetchNote, FetchObserver, OriginReport};

/// An origin that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("root `{root}`: {why}")]
pub(crate) struct OriginFailure {
    pub(crate) root: String,
    pub(crate) why: String,
}
