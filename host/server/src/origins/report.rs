//! The state of origins, and records of requests to them.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The state of an origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginReport {
    /// The name of its root.
    pub root: String,
    /// Its URL, without secrets.
    pub origin: String,
    /// Seconds without an answer; `None` while it answers, or was not asked yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away_seconds: Option<u64>,
    /// Why it does not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The state of its breaker: `closed` permits all requests, `open` none, `half-open` a probe.
    pub breaker: String,
    /// Why its cache cannot be used, if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_error: Option<String>,
    /// Bytes in the cache.
    pub cache_bytes: u64,
    /// Files in the cache.
    pub cache_files: u64,
    /// The most bytes in the cache; 0 while it is not open.
    #[serde(default)]
    pub cache_limit: u64,
    /// Running requests to it.
    pub running: u64,
    /// Opened files with their version in the cache.
    pub hits: u64,
    /// Opened files that had to be fetched.
    pub misses: u64,
    /// Files that were served although the origin did not answer.
    pub stale: u64,
    /// Requests to the origin.
    pub fetches: u64,
    /// Requests to the origin without a usable answer.
    pub failures: u64,
    /// Damaged parts of the cache, fetched again.
    pub damaged: u64,
    /// Files that the cache did not take.
    #[serde(default)]
    pub unstored: u64,
    /// Bytes received.
    pub received: u64,
    /// Bytes sent for uploads.
    pub sent: u64,
}

/// An ended request to an origin.
#[derive(Debug, Clone)]
pub struct FetchNote {
    /// The name of the root.
    pub root: Arc<str>,
    /// The URL of the origin without secrets.
    pub origin: Arc<str>,
    /// The path below the root.
    pub path: Arc<str>,
    /// `look-up`, `revalidate`, `whole`, `range` or `store`.
    pub kind: &'static str,
    /// When it began.
    pub started: SystemTime,
    /// How long it took.
    pub duration: Duration,
    /// 1 for the first of several attempts.
    pub attempt: u32,
    /// The status code of the answer, if there was one.
    pub status: Option<u16>,
    /// Bytes of content.
    pub bytes: u64,
    /// Why it failed, if it did.
    pub error: Option<Arc<str>>,
}

/// Gets requests to origins, on their threads. It must not wait.
pub type FetchObserver = Box<dyn Fn(&FetchNote) + Send + Sync>;

/// A file in a cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedRow {
    /// The name of the root.
    pub root: String,
    /// The path below the root.
    pub path: String,
    /// Bytes of the file.
    pub size: u64,
    /// Bytes of it in the cache.
    pub stored: u64,
    /// The ETag or a substitute.
    pub version: String,
    /// Seconds since the origin confirmed it.
    pub validated_seconds: u64,
    /// When it was last requested, in milliseconds since 1970.
    pub used_unix_ms: u64,
}
