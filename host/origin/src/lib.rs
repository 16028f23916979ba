//! Origins of roots: object stores and web servers, behind a cache on the local disk.
//!
//! A [`Remote`] is the origin of one root. Opening a file returns a file of the cache, which may still be filling up.
//! Threads of this crate make all network requests; callers wait for them, on threads that may block.
//!
//! - `look`, `look_up`: find the current version of a path, in the cache or at the origin; concurrent callers share one
//!   request
//! - `permits`: limits concurrent downloads and uploads, and shares them among clients
//! - `fetch`: fetches contents, whole or by parts, and resumes broken downloads
//! - `bypass`: reads from the origin when the cache has no room
//! - `upload`, `session`: store uploads; `invalidation`: drops replaced files from all roots
//! - `cache`: the files on the disk
//! - `backend`, `stores`, `service`, `redirects`, `answers`: the client of the origin, and the meaning of its answers

mod answers;
mod backend;
mod breaker;
mod bypass;
mod cache;
mod core;
mod error;
mod failure;
mod fault;
mod fetch;
mod flight;
mod invalidation;
mod look;
mod look_up;
mod permits;
mod redirects;
mod remote;
mod runtime;
mod service;
mod session;
mod state;
mod stores;
#[cfg(test)]
mod tests;
mod upload;
mod version;

pub use breaker::BreakerState;
pub use error::OriginError;
pub use remote::{CachedFile, Remote};
pub use state::{Away, Fetch, FetchHook, FetchKind, OriginCounts, OriginState};

/// Hands the caches of this process over to another process of the same server, which opens them then. This one serves
/// from them as long as it runs, but no longer changes what is stored.
pub fn hand_over_caches() {
    cache::hand_over_all();
}

/// Takes the caches back after [`hand_over_caches`]. Returns false if another process has one of them.
pub fn take_back_caches() -> bool {
    cache::take_back_all()
}
