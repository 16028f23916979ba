//! The state of an origin for `/readyz`, `status` and metrics, and a record of each request to it.

use parking_lot::{Mutex, RwLock};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::breaker::BreakerState;
use crate::failure::Failure;

/// The state of an origin.
#[derive(Debug, Clone)]
pub struct OriginState {
    /// The name of its root.
    pub root: Arc<str>,
    /// Its URL, without secrets.
    pub origin: Arc<str>,
    /// Since when it does not answer, and why; `None` while it answers, or before the first request.
    pub away: Option<Away>,
    /// The state of its breaker.
    pub breaker: BreakerState,
    /// The error of the cache, if it cannot be used.
    pub cache_error: Option<Arc<str>>,
    /// Bytes in the cache.
    pub cache_bytes: u64,
    /// Files in the cache.
    pub cache_files: u64,
    /// The limit of the cache in bytes.
    pub cache_limit: u64,
    /// Running requests.
    pub running: u64,
    /// Counts since the start.
    pub counts: OriginCounts,
}

/// An origin that does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Away {
    /// The time of its first consecutive failure.
    pub since: SystemTime,
    /// The latest failure.
    pub why: Arc<str>,
}

/// Counts since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OriginCounts {
    /// Opened files with a cached version.
    pub hits: u64,
    /// Opened files that had to be fetched.
    pub misses: u64,
    /// Requests to the origin, including retries.
    pub fetches: u64,
    /// Requests without a usable answer.
    pub failures: u64,
    /// Files served without validation, because the origin did not answer.
    pub stale: u64,
    /// Cached parts with a wrong digest, which were fetched again.
    pub damaged: u64,
    /// Files that were not cached: the disk failed or is full, or all of the cache is being read.
    pub unstored: u64,
    /// Bytes received.
    pub received: u64,
    /// Bytes stored by uploads.
    pub sent: u64,
}

/// A request to an origin, for the log, metrics and traces.
#[derive(Debug, Clone)]
pub struct Fetch {
    /// The name of the root.
    pub root: Arc<str>,
    /// The URL of the origin, without secrets.
    pub origin: Arc<str>,
    /// The path.
    pub path: Arc<str>,
    /// The kind of request.
    pub kind: FetchKind,
    /// Its start.
    pub started: SystemTime,
    /// The time until the last byte.
    pub duration: Duration,
    /// 1 for the first of several attempts.
    pub attempt: u32,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// Bytes of content received or sent.
    pub bytes: u64,
    /// Its failure. A missing or unchanged file is no failure.
    pub error: Option<Arc<str>>,
}

/// The kind of a request to an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchKind {
    /// Size and version.
    LookUp,
    /// A newer version, if one exists.
    Revalidate,
    /// A file.
    Whole,
    /// A part of a file.
    Range,
    /// Storing an upload.
    Store,
}

impl FetchKind {
    /// Its name in logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            FetchKind::LookUp => "look-up",
            FetchKind::Revalidate => "revalidate",
            FetchKind::Whole => "whole",
            FetchKind::Range => "range",
            FetchKind::Store => "store",
        }
    }
}

/// Receives a record of each request to an origin. Called on a thread of the origin; must not block.
pub type FetchHook = Arc<dyn Fn(&Fetch) + Send + Sync>;

/// The counts of an origin, and its hook.
#[derive(Default)]
pub(crate) struct Reports {
    pub hits: AtomicU64,
    pub misses: AtomicU64,
    pub fetches: AtomicU64,
    pub failures: AtomicU64,
    pub stale: AtomicU64,
    pub damaged: AtomicU64,
    pub unstored: AtomicU64,
    pub received: AtomicU64,
    pub sent: AtomicU64,
    pub running: AtomicU64,
    away: Mutex<Option<Away>>,
    hook: RwLock<Option<FetchHook>>,
}

impl Reports {
    pub fn set_hook(&self, hook: FetchHook) {
        *self.hook.write() = Some(hook);
    }

    /// Reports the end of a request.
    pub fn ended(&self, fetch: &Fetch) {
        let hook = self.hook.read().clone();
        if let Some(hook) = hook {
            hook(fetch);
        }
    }

    /// Records an answer of the origin.
    pub fn answered(&self) {
        *self.away.lock() = None;
    }

    /// Records that the origin gave no answer.
    pub fn away_with(&self, failure: &Failure) {
        let mut away = self.away.lock();
        let since = away.as_ref().map_or_else(SystemTime::now, |away| away.since);
        *away = Some(Away { since, why: failure.reason() });
    }

    pub fn away(&self) -> Option<Away> {
        self.away.lock().clone()
    }

    pub fn counts(&self) -> OriginCounts {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        OriginCounts {
            hits: of(&self.hits),
            misses: of(&self.misses),
            fetches: of(&self.fetches),
            failures: of(&self.failures),
            stale: of(&self.stale),
            damaged: of(&self.damaged),
            unstored: of(&self.unstored),
            received: of(&self.received),
            sent: of(&self.sent),
        }
    }
}

impl fmt::Debug for Reports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.counts().fmt(f)
    }
}
