//! The clients of origins, with their caches.

use super::{CachedRow, FetchNote, FetchObserver, OriginFailure, OriginReport};
use parking_lot::{Mutex, MutexGuard};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, SystemTime};
use tuffet_config::OriginSpec;
use tuffet_origin::{BreakerState, Fetch, OriginState, Remote};
use tuffet_store::{Origin, StoreError};

/// The origins of the active configuration. Cheap to clone; clones share them, also across reloads.
#[derive(Clone, Default)]
pub struct Origins(Arc<Shared>);

#[derive(Default)]
struct Shared {
    clients: Mutex<Vec<OriginClient>>,
    /// Gets requests to origins, once it is set.
    observer: Arc<OnceLock<FetchObserver>>,
}

impl fmt::Debug for Origins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Origins").field(&*self.lock()).finish()
    }
}

/// The origins of a configuration that is not active yet.
#[derive(Debug)]
pub struct PendingOrigins(Vec<OriginClient>);

#[derive(Clone)]
struct OriginClient {
    spec: OriginSpec,
    remote: Arc<Remote>,
}

impl fmt::Debug for OriginClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OriginClient").field(&self.spec.root).finish()
    }
}

impl Origins {
    /// Creates the clients of these origins. An origin with an unchanged specification keeps its client, with its state
    /// and running fetches. Opens neither connections nor caches.
    ///
    /// # Errors
    /// The first unusable specification.
    pub fn open(&self, specs: &[OriginSpec]) -> Result<PendingOrigins, OriginFailure> {
        let clients = self.lock().clone();
        let open = |spec: &OriginSpec| match clients.iter().find(|client| client.spec == *spec) {
            Some(same) => Ok(same.clone()),
            None => OriginClient::open(spec, &self.0.observer),
        };
        Ok(PendingOrigins(specs.iter().map(open).collect::<Result<_, _>>()?))
    }

    /// Activates them. The previous ones end with their last transfer.
    pub fn take(&self, next: PendingOrigins) {
        let before = std::mem::replace(&mut *self.lock(), next.0);
        // Outside of the lock: this may close a cache.
        drop(before);
    }

    /// Hands the caches over to another process of this server, for a restart without a gap. Call it before that process
    /// starts its origins ([`PendingOrigins::start`]). Running transfers go on with them. Blocks on the disk.
    pub fn share_state(&self) {
        tuffet_origin::hand_over_caches();
    }

    /// Takes the caches back because the other process was not started, or has ended. Returns false if it has one of them;
    /// true if they were never handed over. Blocks on the disk.
    pub fn own_state(&self) -> bool {
        tuffet_origin::take_back_caches()
    }

    /// Passes requests to the observer from now on. Set once: a process has one set of exporters.
    pub fn observe(&self, observer: FetchObserver) {
        let _ = self.0.observer.set(observer);
    }

    pub(crate) fn reports(&self) -> Vec<OriginReport> {
        let clients = self.lock().clone();
        clients.iter().map(|client| report(client.remote.state())).collect()
    }

    /// All files in the caches. Reads their indexes.
    ///
    /// # Errors
    /// The first cache that cannot be used.
    pub fn cached(&self) -> Result<Vec<CachedRow>, String> {
        let clients = self.lock().clone();
        let mut rows = Vec::new();
        for OriginClient { spec, remote } in &clients {
            let files = remote.cached().map_err(|error| format!("root `{}`: {error}", spec.root))?;
            rows.extend(files.into_iter().map(|file| CachedRow {
                root: spec.root.clone(),
                path: file.path.to_string(),
                size: file.meta.size,
                stored: file.stored,
                version: file.meta.version.to_string(),
                validated_seconds: file.validated.as_secs(),
                used_unix_ms: file.used_unix_ms,
            }));
        }
        Ok(rows)
    }

    /// Fetches a file that the cache does not have whole; returns its size. Blocks.
    ///
    /// # Errors
    /// The fetch failed.
    pub fn warm(&self, root: &str, path: &str, within: Duration) -> Result<u64, String> {
        self.of(root)?.warm(path, within).map_err(|error: StoreError| error.to_string())
    }

    /// Removes a file from the cache; returns whether it was there. Blocks.
    ///
    /// # Errors
    /// The cache refused it, or there is no such root.
    pub fn forget(&self, root: &str, path: &str) -> Result<bool, String> {
        self.of(root)?.remove(path).map_err(|error| error.to_string())
    }

    fn of(&self, root: &str) -> Result<Arc<Remote>, String> {
        let found = self
            .lock()
            .iter()
            .find(|client| client.spec.root == root)
            .map(|client| Arc::clone(&client.remote));
        found.ok_or_else(|| format!("there is no root `{root}` with a `url`"))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<OriginClient>> {
        self.0.clients.lock()
    }
}

impl PendingOrigins {
    /// The origins, for the roots.
    pub fn of_roots(&self) -> tuffet_store::Origins {
        let its =
            |client: &OriginClient| (client.spec.root.clone(), Arc::clone(&client.remote) as Arc<dyn Origin>);
        self.0.iter().map(its).collect()
    }

    /// Opens the caches and starts the threads. Call it after dropping privileges: both belong to the server's user.
    ///
    /// # Errors
    /// The first cache that cannot be used.
    pub fn start(&self) -> Result<(), OriginFailure> {
        self.0
            .iter()
            .try_for_each(|client| client.remote.start().map_err(|error| failure(&client.spec, &error)))
    }
}

impl OriginClient {
    fn open(
        spec: &OriginSpec,
        observer: &Arc<OnceLock<FetchObserver>>,
    ) -> Result<OriginClient, OriginFailure> {
        let remote = Remote::open(spec.clone()).map_err(|error| failure(spec, &error))?;
        let (its, away) = (Arc::downgrade(&remote), AtomicBool::new(false));
        let observer = Arc::clone(observer);
        remote.on_fetch(Arc::new(move |fetch| {
            note(fetch, &its, &away);
            if let Some(observer) = observer.get() {
                observer(&noted(fetch));
            }
        }));
        Ok(OriginClient { spec: spec.clone(), remote })
    }
}

fn failure(spec: &OriginSpec, error: &impl fmt::Display) -> OriginFailure {
    OriginFailure { root: spec.root.clone(), why: error.to_string() }
}

/// Logs a request to an origin, and when the origin becomes unreachable or reachable.
fn note(fetch: &Fetch, remote: &Weak<Remote>, was_away: &AtomicBool) {
    let Fetch { root, origin, path, kind, duration, attempt, status, bytes, error, .. } = fetch;
    tracing::debug!(
        target: "tuffet::origin", %root, %origin, %path, kind = kind.name(), status, bytes, attempt,
        took_ms = duration.as_millis() as u64, error = error.as_deref(), "a request to an origin ended"
    );
    let Some(remote) = remote.upgrade() else { return };
    let away = remote.state().away;
    match (was_away.swap(away.is_some(), Relaxed), away) {
        (false, Some(away)) => tracing::warn!(
            target: "tuffet::origin", %root, %origin, error = &*away.why,
            "an origin does not answer; its root is served from the cache as far as `stale-if-error` allows, and other \
             requests for it get no answer"
        ),
        (true, None) => tracing::info!(target: "tuffet::origin", %root, %origin, "the origin answers again"),
        _ => {}
    }
}

fn noted(fetch: &Fetch) -> FetchNote {
    FetchNote {
        root: Arc::clone(&fetch.root),
        origin: Arc::clone(&fetch.origin),
        path: Arc::clone(&fetch.path),
        kind: fetch.kind.name(),
        started: fetch.started,
        duration: fetch.duration,
        attempt: fetch.attempt,
        status: fetch.status,
        bytes: fetch.bytes,
        error: fetch.error.clone(),
    }
}

fn report(state: OriginState) -> OriginReport {
    let OriginState {
        root,
        origin,
        away,
        breaker,
        cache_error,
        cache_bytes,
        cache_files,
        cache_limit,
        running,
        counts,
    } = state;
    let since = |since: SystemTime| SystemTime::now().duration_since(since).map_or(0, |past| past.as_secs());
    OriginReport {
        root: root.to_string(),
        origin: origin.to_string(),
        away_seconds: away.as_ref().map(|away| since(away.since)),
        why: away.map(|away| away.why.to_string()),
        breaker: match breaker {
            BreakerState::Closed => "closed",
            BreakerState::Open => "open",
            BreakerState::HalfOpen => "half-open",
        }
        .to_owned(),
        cache_error: cache_error.as_deref().map(str::to_owned),
        cache_bytes,
        cache_files,
        cache_limit,
        running,
        hits: counts.hits,
        misses: counts.misses,
        stale: counts.stale,
        fetches: counts.fetches,
        failures: counts.failures,
        damaged: counts.damaged,
        unstored: counts.unstored,
        received: counts.received,
        sent: counts.sent,
    }
}
