//! Looks for the current version of a path: in the cache, and at the origin when the cache is not fresh.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::task::spawn_blocking;
use tuffet_store::RemoteMeta;

use crate::backend::{Condition, version};
use crate::cache::{Cache, Entry, Validated};
use crate::core::Core;
use crate::failure::Failure;
use crate::flight::{Flight, Pilot};
use crate::pull::{Body, pull, save};
use crate::runtime;
use crate::state::FetchKind;
use crate::version::Version;

/// How long a request waits for an origin before it gets what the cache has, if that may be served.
const PATIENCE: Duration = Duration::from_secs(1);
/// Answers of the origin that a request waits for in a row: with more, the file changes faster than it can be opened.
const MOST_ANSWERS: u32 = 6;

/// What is wanted of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    Meta,
    Content,
}

/// What was found.
#[derive(Debug)]
pub(crate) enum Found {
    Meta(RemoteMeta),
    Entry(Arc<Entry>),
}

enum Decision {
    Found(Found),
    Absent,
    Wait(Arc<Flight<()>>),
    /// The breaker is open.
    Spared,
}

impl Core {
    /// Finds a path.
    pub fn look(self: &Arc<Self>, cache: &Arc<Cache>, path: &str, want: Want) -> Result<Found, Failure> {
        let started = Instant::now();
        let until = started + 2 * self.backend.timeout + PATIENCE;
        let mut asked = false;
        for _ in 0..MOST_ANSWERS {
            let (decision, entry) = self.decide(cache, path, want, started)?;
            let stale = entry.as_ref().filter(|entry| self.may_be_stale(entry));
            let serve_stale = |entry: &Arc<Entry>| {
                self.reports.stale.fetch_add(1, Ordering::Relaxed);
                Ok(Found::Entry(Arc::clone(entry)))
            };
            match decision {
                Decision::Found(found) => {
                    if want == Want::Content {
                        let count = if asked { &self.reports.misses } else { &self.reports.hits };
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                    return Ok(found);
                }
                Decision::Absent => return Err(Failure::Absent),
                Decision::Spared => {
                    let why = self.reports.away().map(|away| away.why).unwrap_or_default();
                    let spared =
                        Failure::Away(format!("it has not answered, and is asked again soon: {why}").into());
                    return stale.map_or(Err(spared), serve_stale);
                }
                Decision::Wait(flight) => {
                    asked |= entry.is_none();
                    let outcome = match stale {
                        Some(entry) => match flight.wait(started + PATIENCE) {
                            Some(outcome) => outcome,
                            None => return serve_stale(entry),
                        },
                        None => flight
                            .wait(until)
                            .unwrap_or_else(|| Err(Failure::Away("no answer in time".into()))),
                    };
                    match (outcome, stale) {
                        (Ok(()) | Err(Failure::Absent), _) => {}
                        (Err(Failure::Away(_)), Some(entry)) => return serve_stale(entry),
                        (Err(failure), _) => return Err(failure),
                    }
                }
            }
        }
        Err(Failure::Away("the file changes all the time".into()))
    }

    /// Returns whether a version may be served although the origin does not say that it is current.
    fn may_be_stale(&self, entry: &Entry) -> bool {
        let within = entry.validated().age() <= self.spec.stale_if_error;
        within && !entry.is_gone() && (entry.is_complete() || entry.stored().0)
    }

    /// Decides what a request waits for, and returns what the cache has of the path.
    fn decide(
        self: &Arc<Self>,
        cache: &Arc<Cache>,
        path: &str,
        want: Want,
        started: Instant,
    ) -> Result<(Decision, Option<Arc<Entry>>), Failure> {
        let fresh = |validated: Validated| validated.is_fresh(self.spec.revalidate, started);
        let mut paths = self.paths();
        // Under the lock: a flight that ends puts its entry there before it is forgotten here.
        let entry = cache.find(&self.key(path)).filter(|entry| !entry.is_gone() && !entry.is_removed());
        if let Some(entry) = &entry
            && fresh(entry.validated())
        {
            let found = match want {
                Want::Content => Found::Entry(Arc::clone(entry)),
                Want::Meta => Found::Meta(entry.meta.clone()),
            };
            return Ok((Decision::Found(found), None));
        }
        if let Some(slot) = paths.get(path) {
            if slot.absent.is_some_and(|since| since.elapsed() < self.spec.negative || since >= started) {
                return Ok((Decision::Absent, entry));
            }
            if let Some((meta, _, validated)) = &slot.meta
                && want == Want::Meta
                && fresh(*validated)
            {
                return Ok((Decision::Found(Found::Meta(meta.clone())), entry));
            }
            if let Some(flight) = &slot.flight {
                return Ok((Decision::Wait(Arc::clone(flight)), entry));
            }
        }
        if !self.breaker.admits() {
            return Ok((Decision::Spared, entry));
        }
        let runtime =
            runtime::handle().map_err(|error| Failure::Cache(format!("no threads: {error}").into()))?;
        self.bound(&mut paths);
        let name: Arc<str> = path.into();
        let flight = Flight::new();
        paths.entry(Arc::clone(&name)).or_default().flight = Some(Arc::clone(&flight));
        drop(paths);
        let (core, landed) = (Arc::clone(self), Arc::clone(&name));
        let pilot = Pilot::new(&flight, move || core.land(&landed));
        let task = fly(Arc::clone(self), Arc::clone(cache), name, entry.clone(), want, pilot);
        runtime.spawn(task);
        Ok((Decision::Wait(flight), entry))
    }

    fn land(&self, path: &str) {
        let mut paths = self.paths();
        if let Some(slot) = paths.get_mut(path) {
            slot.flight = None;
            if slot.absent.is_none() && slot.meta.is_none() {
                paths.remove(path);
            }
        }
    }

    fn set_absent(&self, path: &Arc<str>) {
        let mut paths = self.paths();
        let slot = paths.entry(Arc::clone(path)).or_default();
        (slot.absent, slot.meta) = (Some(Instant::now()), None);
    }

    fn set_meta(&self, path: &Arc<str>, meta: Option<(RemoteMeta, Version)>) {
        let mut paths = self.paths();
        let slot = paths.entry(Arc::clone(path)).or_default();
        (slot.absent, slot.meta) = (None, meta.map(|(meta, version)| (meta, version, Validated::now())));
    }

    /// Forgets what is known of a path, so that the next request asks the origin.
    pub fn forget(&self, path: &str) {
        let mut paths = self.paths();
        if let Some(slot) = paths.get_mut(path) {
            (slot.absent, slot.meta) = (None, None);
        }
    }
}

/// Asks the origin for a path, and fetches it if its content is wanted.
async fn fly(
    core: Arc<Core>,
    cache: Arc<Cache>,
    path: Arc<str>,
    entry: Option<Arc<Entry>>,
    want: Want,
    pilot: Pilot<()>,
) {
    // A newer version of a large file would be sent whole.
    let large = entry.as_ref().is_some_and(|entry| !entry.whole);
    let mut head = (want == Want::Meta || large) && !core.no_head.load(Ordering::Relaxed);
    let known = entry.as_ref().map(|entry| &entry.version).filter(|version| version.is_known());
    let permits = if head { &core.looks } else { &core.pulls };
    let Ok(mut permit) = permits.acquire().await else { return };
    let ended = loop {
        let kind = match (known, head) {
            (Some(_), _) => FetchKind::Revalidate,
            (None, true) => FetchKind::LookUp,
            (None, false) => FetchKind::Whole,
        };
        let ask = || core.backend.get(&path, Condition { unless: known, head, ..Condition::default() });
        let ended = core.attempts(&path, kind, ask).await;
        if head && matches!(ended, (Err(Failure::Useless(_)), Some(405 | 501), _)) {
            core.no_head.store(true, Ordering::Relaxed);
            head = false;
            drop(permit);
            let Ok(pulls) = core.pulls.acquire().await else { return };
            permit = pulls;
            continue;
        }
        break ended;
    };
    let (result, status, clock) = ended;
    let answer = match result {
        Ok(answer) => answer,
        Err(failure) => {
            let ended = match (failure, entry) {
                (Failure::NotModified, Some(entry)) => {
                    still(&core, &cache, &entry).await;
                    Ok(())
                }
                (Failure::Absent, entry) => {
                    if let Some(entry) = entry {
                        let cache = Arc::clone(&cache);
                        // Who has it open reads on.
                        let _ = spawn_blocking(move || cache.remove(&entry)).await;
                    }
                    core.set_absent(&path);
                    Err(Failure::Absent)
                }
                (failure, _) => Err(failure),
            };
            drop(permit);
            return pilot.land(ended);
        }
    };
    let version = version(&answer.meta);
    // Not every server heeds conditions.
    if let Some(entry) = entry.filter(|entry| entry.version == version && entry.meta.size == answer.meta.size)
    {
        clock.end(&core, status, 0, None);
        drop(answer);
        still(&core, &cache, &entry).await;
        drop(permit);
        return pilot.land(Ok(()));
    }
    let modified_unix_ms = u64::try_from(answer.meta.last_modified.timestamp_millis()).unwrap_or(0);
    let size = answer.meta.size;
    if head {
        clock.end(&core, status, 0, None);
        let meta = RemoteMeta { size, version: version.name(), modified_unix_ms };
        core.set_meta(&path, Some((meta, version)));
        if let Some(entry) = cache.find(&core.key(&path)) {
            // It is not current.
            let cache = Arc::clone(&cache);
            let _ = spawn_blocking(move || cache.remove(&entry)).await;
        }
        drop(permit);
        return pilot.land(Ok(()));
    }
    if !version.is_known() && !core.unversioned.swap(true, Ordering::Relaxed) {
        tracing::warn!(target: "tuffet::origin",
            root = &*core.root,
            origin = &*core.origin,
            "the origin sends neither ETag nor Last-Modified: files are fetched again each time, always whole, and \
             a broken download cannot be continued"
        );
    }
    let whole = size <= core.spec.whole || !version.joins() || core.no_ranges.load(Ordering::Relaxed);
    let made = {
        let (core, cache, path) = (Arc::clone(&core), Arc::clone(&cache), Arc::clone(&path));
        spawn_blocking(move || cache.create((&core.identity, &path), version, size, modified_unix_ms, whole))
            .await
    };
    let made = made.unwrap_or_else(|_| Err(Failure::Cache("the cache failed".into())));
    core.set_meta(&path, None);
    match made {
        Ok((entry, claimed)) => {
            let body = Some(Body { answer, status, clock });
            // Of a large file, the first part; who reads on asks for others.
            let Some(parts) = claimed else {
                // It is empty.
                end_empty(&core, &cache, &entry, body).await;
                return pilot.land(Ok(()));
            };
            pilot.land(Ok(()));
            pull(core.clone(), cache, entry, parts, body).await;
        }
        Err(failure) => {
            if matches!(failure, Failure::Cache(_)) {
                core.reports.unstored.fetch_add(1, Ordering::Relaxed);
            }
            clock.end(&core, status, 0, Some(&failure));
            pilot.land(Err(failure));
        }
    }
    drop(permit);
}

/// The version in the cache is current.
async fn still(core: &Arc<Core>, cache: &Arc<Cache>, entry: &Arc<Entry>) {
    entry.set_validated();
    core.forget(&entry.path);
    save(cache, entry).await;
}

/// A file without bytes has arrived.
async fn end_empty(core: &Arc<Core>, cache: &Arc<Cache>, entry: &Arc<Entry>, body: Option<Body>) {
    if let Some(body) = body {
        body.clock.end(core, body.status, 0, None);
    }
    save(cache, entry).await;
}
