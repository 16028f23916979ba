//! The state shared by all requests to an origin.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use tuffet_config::{CacheSpec, OriginSpec};
use tuffet_store::RemoteMeta;

use crate::OriginError;
use crate::backend::Backend;
use crate::breaker::{Breaker, BreakerState, jittered};
use crate::cache::{Cache, Key, Validated};
use crate::failure::Failure;
use crate::flight::Flight;
use crate::permits::Permits;
use crate::state::{Fetch, FetchKind, Reports};
use crate::version::Version;

/// The limit of concurrent downloads and uploads of an origin. Threads bound look-ups: each occupies one.
const MAX_TRANSFERS: usize = 16;
/// The limit of remembered paths without a cached file.
const MAX_PATHS: usize = 20_000;
/// The limit of attempts for one request, and the first pause between two. Tests do not wait that long.
pub(crate) const MAX_ATTEMPTS: u32 = 4;
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(if cfg!(test) { 10 } else { 100 });
/// The first and the longest pause before a failed path is requested again.
const FIRST_REST: Duration = Duration::from_secs(1);
const LONGEST_REST: Duration = Duration::from_secs(10);
/// The pause between two attempts to open a failing cache, and between two log lines about files that cannot be cached.
const CACHE_PAUSE: Duration = Duration::from_secs(1);

/// The state of an origin, shared by its requests.
#[derive(Debug)]
pub(crate) struct Core {
    pub root: Arc<str>,
    /// The URL, without secrets.
    pub origin: Arc<str>,
    /// Distinguishes its files in a cache from those of other origins.
    pub identity: String,
    /// Identifies its objects, together with their paths.
    pub home: String,
    pub spec: CacheSpec,
    pub backend: Backend,
    pub breaker: Breaker,
    pub reports: Reports,
    pub permits: Arc<Permits>,
    /// The origin answers no HEAD requests.
    pub no_head: AtomicBool,
    /// The origin sends no parts of files.
    pub no_ranges: AtomicBool,
    /// The log has a warning that the origin sends no versions.
    pub unversioned: AtomicBool,
    /// When the log last reported that a file cannot be cached.
    complained: Mutex<Option<Instant>>,
    cache: Mutex<CacheState>,
    paths: Mutex<HashMap<Arc<str>, PathState>>,
}

#[derive(Debug, Default)]
struct CacheState {
    cache: Option<Arc<Cache>>,
    failed: Option<(Instant, Arc<str>)>,
}

/// The state of a path apart from the cache.
#[derive(Debug, Default)]
pub(crate) struct PathState {
    /// When the origin last answered that the file does not exist.
    pub absent: Option<Instant>,
    /// The answer of the origin to a question for metadata alone.
    pub meta: Option<(RemoteMeta, Version, Validated)>,
    /// The last failure, and the pause after it.
    pub failed: Option<Failed>,
    /// The running look-up.
    pub flight: Option<Arc<Flight<()>>>,
    /// An upload has ended since the flight began, so the flight may return the replaced version.
    pub outdated: bool,
}

/// The failure of a path. Other paths of the origin may work.
#[derive(Debug)]
pub(crate) struct Failed {
    failure: Failure,
    rest: Duration,
    until: Instant,
}

impl Failed {
    /// The failure to return without asking the origin, during the pause.
    pub fn spared(&self) -> Option<Failure> {
        let why = || format!("it failed for this file, and is asked again soon: {}", self.failure.reason());
        (Instant::now() < self.until).then(|| Failure::Failing(why().into()))
    }
}

impl PathState {
    pub fn set_absent(&mut self) {
        (self.absent, self.meta, self.failed) = (Some(Instant::now()), None, None);
    }

    pub fn set_meta(&mut self, meta: Option<(RemoteMeta, Version)>) {
        (self.absent, self.failed) = (None, None);
        self.meta = meta.map(|(meta, version)| (meta, version, Validated::now()));
    }

    pub fn set_failed(&mut self, failure: Failure) {
        let rest = self.failed.as_ref().map_or(FIRST_REST, |failed| (failed.rest * 2).min(LONGEST_REST));
        self.failed = Some(Failed { failure, rest, until: Instant::now() + jittered(rest) });
    }

    /// Forgets the answers of the origin, and marks a running flight as outdated.
    pub fn forget(&mut self) {
        (self.absent, self.meta, self.failed) = (None, None, None);
        self.outdated = self.flight.is_some();
    }

    fn is_empty(&self) -> bool {
        self.absent.is_none() && self.meta.is_none() && self.failed.is_none() && self.flight.is_none()
    }
}

impl Core {
    pub fn new(spec: OriginSpec) -> Result<Self, OriginError> {
        let backend = Backend::new(&spec)?;
        Ok(Self {
            root: spec.root.as_str().into(),
            origin: spec.shown().into(),
            home: format!("{} {}/", backend.place, spec.shown()),
            identity: format!("{} {}", spec.shown(), backend.place),
            backend,
            breaker: Breaker::default(),
            reports: Reports::default(),
            permits: Permits::new(MAX_TRANSFERS),
            no_head: AtomicBool::new(false),
            no_ranges: AtomicBool::new(false),
            unversioned: AtomicBool::new(false),
            complained: Mutex::default(),
            cache: Mutex::default(),
            paths: Mutex::default(),
            spec: spec.cache,
        })
    }

    /// Returns the cache. Opens it at first use, because by then the process runs as its final user.
    pub fn cache(&self) -> Result<Arc<Cache>, OriginError> {
        let mut opened = self.cache.lock();
        if let Some(cache) = &opened.cache {
            return Ok(Arc::clone(cache));
        }
        let cache = Cache::open(&self.spec.path, self.spec.bytes);
        match &cache {
            Ok(cache) => *opened = CacheState { cache: Some(Arc::clone(cache)), failed: None },
            Err(error) => opened.failed = Some((Instant::now(), error.to_string().into())),
        }
        cache
    }

    /// As [`Core::cache`], for a request. Retries to open a failing cache once a second.
    pub fn cache_for_request(&self) -> Result<Arc<Cache>, Failure> {
        if let Some((then, why)) = &self.cache.lock().failed
            && then.elapsed() < CACHE_PAUSE
        {
            return Err(Failure::Cache(Arc::clone(why)));
        }
        self.cache().map_err(|error| Failure::Cache(error.to_string().into()))
    }

    /// The cache if it is open, or the error of opening it.
    pub fn opened(&self) -> (Option<Arc<Cache>>, Option<Arc<str>>) {
        let opened = self.cache.lock();
        (opened.cache.clone(), opened.failed.as_ref().map(|(_, why)| Arc::clone(why)))
    }

    /// Counts a file that cannot be cached, and logs it at a limited rate.
    pub fn unstored(&self, path: &str, failure: &Failure) {
        self.reports.unstored.fetch_add(1, Ordering::Relaxed);
        let mut complained = self.complained.lock();
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

    pub fn paths(&self) -> MutexGuard<'_, HashMap<Arc<str>, PathState>> {
        self.paths.lock()
    }

    /// Updates the state of a path from an answer, unless an upload has made the answer outdated.
    pub fn learn(&self, path: &Arc<str>, learn: impl FnOnce(&mut PathState)) {
        let mut paths = self.paths();
        let slot = paths.entry(Arc::clone(path)).or_default();
        if !slot.outdated {
            learn(slot);
        }
    }

    /// Whether an upload has made the flight of a path outdated.
    pub fn is_outdated(&self, path: &str) -> bool {
        self.paths().get(path).is_some_and(|slot| slot.outdated)
    }

    /// Ends the flight of a path.
    pub fn land(&self, path: &str) {
        let mut paths = self.paths();
        if let Some(slot) = paths.get_mut(path) {
            (slot.flight, slot.outdated) = (None, false);
            if slot.is_empty() {
                paths.remove(path);
            }
        }
    }

    /// Forgets the state of a path, so that the next request asks the origin.
    pub fn forget(&self, path: &str) {
        let mut paths = self.paths();
        if let Some(slot) = paths.get_mut(path) {
            slot.forget();
            if slot.is_empty() {
                paths.remove(path);
            }
        }
    }

    /// Bounds the remembered paths, so that invented names cannot fill the memory.
    pub fn bound(&self, paths: &mut HashMap<Arc<str>, PathState>) {
        if paths.len() < MAX_PATHS {
            return;
        }
        paths.retain(|_, slot| {
            slot.flight.is_some() || slot.absent.is_some_and(|since| since.elapsed() < self.spec.negative)
        });
        if paths.len() >= MAX_PATHS {
            paths.retain(|_, slot| slot.flight.is_some());
        }
    }

    /// Makes attempts until one succeeds, one fails permanently, or the time is over. Counts and records each attempt.
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
            let (result, status) = {
                let _running = Running::begin(&self.reports.running);
                attempt().await
            };
            self.judge(path, clock.since, result.as_ref().err());
            let Err(failure) = &result else { return (result, status, clock) };
            clock.end(self, status, 0, Some(failure));
            let pause = jittered(FIRST_PAUSE * 2u32.pow(number));
            let spared = self.breaker.state() != BreakerState::Closed;
            let more = failure.passes() && !spared && number < MAX_ATTEMPTS;
            if !more || Instant::now() + pause >= deadline {
                return (result, status, clock);
            }
            tokio::time::sleep(pause).await;
            number += 1;
        }
    }

    /// Reports the result of an attempt that began at `since` to the breaker and the state.
    fn judge(&self, path: &Arc<str>, since: Instant, failure: Option<&Failure>) {
        let silent = match failure {
            Some(Failure::Away(_)) => None,
            Some(Failure::Silent(_)) => Some(path),
            // The cache failed, not the origin.
            Some(Failure::Cache(_) | Failure::NoRoom(_)) => return,
            answered => {
                self.breaker.answered();
                self.reports.answered();
                if matches!(answered, Some(Failure::Failing(_))) {
                    self.reports.failures.fetch_add(1, Ordering::Relaxed);
                }
                return;
            }
        };
        self.reports.failures.fetch_add(1, Ordering::Relaxed);
        if self.breaker.failed(silent, since)
            && let Some(failure) = failure
        {
            self.reports.away_with(failure);
        }
    }

    /// The failure of a request that the open breaker refuses.
    pub fn spared(&self) -> Failure {
        let why = self.reports.away().map(|away| away.why).unwrap_or_default();
        Failure::Away(format!("it has not answered, and is asked again soon: {why}").into())
    }
}

/// Counts a running attempt until it ends or is abandoned.
struct Running<'a>(&'a AtomicU64);

impl<'a> Running<'a> {
    fn begin(count: &'a AtomicU64) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A running attempt, to be recorded when it ends.
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
