//! What a server says of its origins.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The state of an origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OriginReport {
    /// The name of its root.
    pub(crate) root: String,
    /// Its URL, without secrets.
    pub(crate) origin: String,
    /// Since how many seconds it has not answered, and why; `None` while it does, or has not been asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) away_seconds: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
    /// What its breaker lets through: `closed` for everything, `open` for nothing, `half-open` for a probe.
    pub(crate) breaker: String,
    /// Why its cache cannot be used, if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cache_error: Option<String>,
    /// Bytes and files in the cache.
    pub(crate) cache_bytes: u64,
    pub(crate) cache_files: u64,
    /// The most bytes in the cache; 0 while it is not open.
    #[serde(default)]
    pub(crate) cache_limit: u64,
    /// Requests to it under way.
    pub(crate) running: u64,
    /// Files that were opened: whose version was in the cache; which had to be fetched; that were served although the
    /// origin did not answer.
    pub(crate) hits: u64,
    pub(crate) misses: u64,
    pub(crate) stale: u64,
    /// Requests to the origin, and those without a usable answer.
    pub(crate) fetches: u64,
    pub(crate) failures: u64,
    /// Parts in the cache that were damaged, and fetched again.
    pub(crate) damaged: u64,
    /// Files that the cache did not take.
    #[serde(default)]
    pub(crate) unstored: u64,
    /// Bytes received, and sent for uploads.
    pub(crate) received: u64,
    pub(crate) sent: u64,
}

/// A request to an origin that has ended.
#[derive(Debug, Clone)]
pub(crate) struct FetchNote {
    /// The name of the root, and the URL of the origin without secrets.
    pub(crate) root: Arc<str>,
    pub(crate) origin: Arc<str>,
    pub(crate) path: Arc<str>,
    /// What was asked for: `look-up`, `revalidate`, `whole`, `range` or `store`.
    pub(crate) kind: &'static str,
    pub(crate) started: SystemTime,
    pub(crate) duration: Duration,
    /// 1 for the first of several attempts.
    pub(crate) attempt: u32,
    pub(crate) status: Option<u16>,
    /// Bytes of content.
    pub(crate) bytes: u64,
    pub(crate) error: Option<Arc<str>>,
}

/// Learns of requests to origins. It is called on their threads and must not wait.
pub(crate) type FetchObserver = Box<dyn Fn(&FetchNote) + Send + Sync>;

/// A file in a cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CachedRow {
    pub(crate) root: String,
    pub(crate) path: String,
    /// Bytes of the file, and of those the bytes in the cache.
    pub(crate) size: u64,
    pub(crate) stored: u64,
    /// The ETag, or what takes its place.
    pub(crate) version: String,
    /// Seconds since the origin confirmed it.
    pub(crate) validated_seconds: u64,
    /// When it was last requested, in milliseconds since 1970.
    pub(crate) used_unix_ms: u64,
}
