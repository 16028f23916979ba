//! What the requests to an origin have in common.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::Semaphore;
use tuffet_config::{CacheSpec, OriginSpec};
use tuffet_store::RemoteMeta;

use crate::OriginError;
use crate::backend::Backend;
use crate::breaker::{Breaker, BreakerState, jittered};
use crate::cache::{Cache, Key, Validated};
use crate::failure::Failure;
use crate::flight::Flight;
use crate::state::{Fetch, FetchKind, Reports};
use crate::version::Version;

/// Requests to an origin at a time: for sizes and versions, and for contents.
const LOOKS: usize = 16;
const PULLS: usize = 16;
/// Paths without a file in the cache that are remembered.
const MOST_PATHS: usize = 20_000;
/// Attempts for one request, and the first pause between two.
pub(crate) const ATTEMPTS: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// How long a cache that cannot be opened is not tried again, and the log says nothing more of files that it does not
/// take.
const CACHE_PAUSE: Duration = Duration::from_secs(1);

/// An origin, as its requests share it.
#[derive(Debug)]
pub(crate) struct Core {
    pub root: Arc<str>,
    /// The URL, without secrets.
    pub origin: Arc<str>,
    /// What tells its files in a cache from those of others.
    pub identity: String,
    pub spec: CacheSpec,
    pub backend: Backend,
    pub breaker: Breaker,
    pub reports: Reports,
    pub looks: Semaphore,
    pub pulls: Semaphore,
    /// The origin answers no HEAD requests.
    pub no_head: AtomicBool,
    /// The origin sends no parts of files.
    pub no_ranges: AtomicBool,
    /// It was said that the origin names no versions.
    pub unversioned: AtomicBool,
    /// When the log last said that a file cannot be cached.
    complained: Mutex<Option<Instant>>,
    cache: Mutex<Opened>,
    paths: Mutex<HashMap<Arc<str>, Slot>>,
}

#[derive(Debug, Default)]
struct Opened {
    cache: Option<Arc<Cache>>,
    failed: Option<(Instant, Arc<str>)>,
}

/// What is known of a path that is not in the cache, and who asks for it.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// When the origin said that there is no such file.
    pub absent: Option<Instant>,
    /// What the origin said of a file whose content nobody wanted.
    pub meta: Option<(RemoteMeta, Version, Validated)>,
    pub flight: Option<Arc<Flight<()>>>,
}

impl Core {
    pub fn new(spec: OriginSpec) -> Result<Self, OriginError> {
        let backend = Backend::new(&spec)?;
        Ok(Self {
            root: spec.root.as_str().into(),
            origin: spec.shown().into(),
            identity: format!("{} {}", spec.shown(), backend.place),
            backend,
            breaker: Breaker::default(),
            reports: Reports::default(),
            looks: Semaphore::new(LOOKS),
            pulls: Semaphore::new(PULLS),
            no_head: AtomicBool::new(false),
            no_ranges: AtomicBool::new(false),
            unversioned: AtomicBool::new(false),
            complained: Mutex::default(),
            cache: Mutex::default(),
            paths: Mutex::default(),
            spec: spec.cache,
        })
    }

    /// The cache, which is opened when it is first needed: by then the process is the user that it will be.
    pub fn cache(&self) -> Result<Arc<Cache>, OriginError> {
        let mut opened = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cache) = &opened.cache {
            return Ok(Arc::clone(cache));
        }
        let cache = Cache::open(&self.spec.path, self.spec.bytes);
        match &cache {
            Ok(cache) => *opened = Opened { cache: Some(Arc::clone(cache)), failed: None },
            Err(error) => opened.failed = Some((Instant::now(), error.to_string().into())),
        }
        cache
    }

    /// As [`Core::cache`], for a request. One that cannot be opened is tried again once a second.
    pub fn cache_for_request(&self) -> Result<Arc<Cache>, Failure> {
        if let Some((then, why)) = &self.cache.lock().unwrap_or_else(PoisonError::into_inner).failed
            && then.elapsed() < CACHE_PAUSE
        {
            return Err(Failure::Cache(Arc::clone(why)));
        }
        self.cache().map_err(|error| Failure::Cache(error.to_string().into()))
    }

    /// The cache if it is open, and why it cannot be used if it cannot.
    pub fn opened(&self) -> (Option<Arc<Cache>>, Option<Arc<str>>) {
        let opened = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        (opened.cache.clone(), opened.failed.as_ref().map(|(_, why)| Arc::clone(why)))
    }

    /// Counts a file that the cache does not take, and says so in the log, but not for each of many.
    pub fn unstored(&self, path: &str, failure: &Failure) {
        self.reports.unstored.fetch_add(1, Ordering::Relaxed);
        let mut complained = self.complained.lock().unwrap_or_else(PoisonError::into_inner);
        if complained.is_some_and(|then| then.elapsed() < CACHE_PAUSE) {
            return;
        }
        *complained = Some(Instant::now());
        drop(complained);
        let error = failure.reason();
        tracing::error!(target: "tuffet::origin",
            root = &*self.root,
            origin = &*self.origin,
            file = path,
            error = &*error,
            "a file cannot be cached"
        );
    }

    pub fn key(&self, path: &str) -> Key {
        Key::of(&self.identity, path)
    }

    pub fn paths(&self) -> MutexGuard<'_, HashMap<Arc<str>, Slot>> {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bounds what is remembered of paths that are not in the cache. Made-up names must not fill the memory.
    pub fn bound(&self, paths: &mut HashMap<Arc<str>, Slot>) {
        if paths.len() < MOST_PATHS {
            return;
        }
        paths.retain(|_, slot| {
            slot.flight.is_some() || slot.absent.is_some_and(|since| since.elapsed() < self.spec.negative)
        });
        if paths.len() >= MOST_PATHS {
            paths.retain(|_, slot| slot.flight.is_some());
        }
    }

    /// Makes attempts until one succeeds, or fails for good, or time runs out. Each is counted and recorded.
    pub async fn attempts<T, F>(
        self: &Arc<Self>,
        path: &Arc<str>,
        kind: FetchKind,
        mut attempt: impl FnMut() -> F,
    ) -> (Result<T, Failure>, Option<u16>, Clock)
    where
        F: Future<Output = (Result<T, Failure>, Option<u16>)>,
    {
        let deadline = Instant::now() + self.backend.timeout;
        let mut number = 1;
        loop {
            let clock = Clock {
                path: Arc::clone(path),
                kind,
                number,
                started: SystemTime::now(),
                since: Instant::now(),
            };
            self.reports.fetches.fetch_add(1, Ordering::Relaxed);
            self.reports.running.fetch_add(1, Ordering::Relaxed);
            let (result, status) = attempt().await;
            self.reports.running.fetch_sub(1, Ordering::Relaxed);
            self.judge(result.as_ref().err());
            let Err(failure) = &result else { return (result, status, clock) };
            clock.end(self, status, 0, Some(failure));
            let pause = jittered(FIRST_PAUSE * 2u32.pow(number));
            let spared = self.breaker.state() != BreakerState::Closed;
            let more = failure.passes() && !spared && number < ATTEMPTS;
            if !more || Instant::now() + pause >= deadline {
                return (result, status, clock);
            }
            tokio::time::sleep(pause).await;
            number += 1;
        }
    }

    /// Tells the breaker and the state what an attempt came to.
    pub fn judge(&self, failure: Option<&Failure>) {
        match failure {
            Some(failure @ Failure::Away(_)) => {
                self.breaker.failed();
                self.reports.failed(failure);
            }
            // Not the origin's.
            Some(Failure::Cache(_) | Failure::NoRoom(_)) => {}
            _ => {
                self.breaker.answered();
                self.reports.answered();
            }
        }
    }
}

/// An attempt whose end will be recorded.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    path: Arc<str>,
    kind: FetchKind,
    number: u32,
    started: SystemTime,
    since: Instant,
}

impl Clock {
    pub fn end(&self, core: &Core, status: Option<u16>, bytes: u64, failure: Option<&Failure>) {
        let error = failure.filter(|failure| !matches!(failure, Failure::Absent | Failure::NotModified));
        core.reports.ended(&Fetch {
            root: Arc::clone(&core.root),
            origin: Arc::clone(&core.origin),
            path: Arc::clone(&self.path),
            kind: self.kind,
            started: self.started,
            duration: self.since.elapsed(),
            attempt: self.number,
            status,
            bytes,
            error: error.map(Failure::reason),
        });
    }
}
