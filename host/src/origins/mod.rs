//! The origins of the roots that live elsewhere: opened with the roots, and kept across reloads.

#[cfg(not(feature = "origins"))]
mod absent;
#[cfg(feature = "origins")]
mod remotes;
mod report;

#[cfg(not(feature = "origins"))]
pub(crate) use absent::{Next, Origins};
#[cfg(feature = "origins")]
pub(crate) use remotes::{Next, Origins};
pub(crate) use report::{CachedRow, FetchNote, FetchObserver, OriginReport};

/// An origin that cannot be used.
#[cfg_attr(not(feature = "origins"), allow(dead_code, reason = "nobody makes one"))]
#[derive(Debug, thiserror::Error)]
#[error("root `{root}`: {why}")]
pub(crate) struct OriginFailure {
    pub(crate) root: String,
    pub(crate) why: String,
}
