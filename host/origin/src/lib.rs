//! Roots that live elsewhere: object stores and web servers, behind a cache on the local disk.
//!
//! A [`Remote`] is the origin of one root. Whoever opens a file gets a file of the cache, which may still be filling
//! up. All requests to the network are made by threads of this crate; callers wait for them, on threads that may.
//!
//! - `look`, `ask`: find the current version of a path, in the cache or at the origin; one request for all who wait
//! - `places`: shares downloads and uploads among clients
//! - `pull`: fetches contents, whole or by parts, and goes on where a download broke off
//! - `past`: reads past the cache, where that has no room
//! - `upload`, `session`: store uploads; `invalidation`: forgets in all roots what they replace
//! - `cache`: what is on the disk
//! - `backend`, `stores`, `service`, `redirects`, `judge`: the client of the origin, and what its answers mean

mod ask;
mod backend;
mod breaker;
mod cache;
mod core;
mod error;
mod failure;
mod fault;
mod flight;
mod invalidation;
mod judge;
mod look;
mod past;
mod places;
mod pull;
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
