//! Finds the current version of a path: in the cache, or at the origin if the cache is not fresh.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use parking_lot::MutexGuard;
use tuffet_request::ClientKey;
use tuffet_store::{Reach, RemoteMeta};

use crate::breaker::BreakerState;
use crate::cache::{Cache, Entry, Validated};
use crate::core::{Core, PathState};
use crate::failure::Failure;
use crate::flight::{Flight, Pilot};
use crate::look_up::{LookUp, Want};
use crate::runtime;

/// How long a request waits for an origin before it gets a stale version, if the cache has one.
const STALE_DELAY: Duration = Duration::from_secs(1);
/// The limit of answers that one request waits for. Beyond it, the file changes faster than it can be opened.
const MAX_ANSWERS: u32 = 6;
/// The number of running requests to the origin at which background validation of stale files pauses.
const MAX_BACKGROUND_LOOK_UPS: u64 = 16;

/// A question about a path: what the caller needs, for which client, and from which source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inquiry {
    pub want: Want,
    pub client: ClientKey,
    pub reach: Reach,
}

/// The current version of a path.
#[derive(Debug)]
pub(crate) enum Located {
    Meta(RemoteMeta),
    Entry(Arc<Entry>),
}

enum Decision {
    Located(Located),
    Absent,
    Wait(Arc<Flight<()>>),
    /// Only the origin could answer, and the reach excludes it.
    Beyond,
    /// The origin is spared for now: it is away, or this path failed recently.
    Spared(Failure),
}

impl Core {
    /// Finds a path; `None` if only the origin could answer and the reach excludes it.
    pub fn look(
        self: &Arc<Self>,
        cache: &Arc<Cache>,
        path: &str,
        inquiry: Inquiry,
    ) -> Result<Option<Located>, Failure> {
        let started = Instant::now();
        let until = started + 2 * self.backend.timeout + STALE_DELAY;
        let mut asked = false;
        for _ in 0..MAX_ANSWERS {
            let (decision, entry) = self.decide(cache, path, inquiry, started)?;
            let stale = match decision {
                Decision::Located(_) => None,
                _ => entry.as_ref().filter(|entry| self.may_be_stale(entry)),
            };
            let failure = match decision {
                Decision::Located(found) => {
                    if inquiry.want == Want::Content {
                        let count = if asked { &self.reports.misses } else { &self.reports.hits };
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                    return Ok(Some(found));
                }
                Decision::Absent => return Err(Failure::Absent),
                Decision::Beyond => {
                    let stale = stale.filter(|_| inquiry.reach == Reach::StaleCache);
                    return Ok(stale.map(|entry| self.stale(entry)));
                }
                Decision::Spared(failure) => failure,
                Decision::Wait(flight) => {
                    asked |= entry.is_none();
                    match flight.wait(if stale.is_some() { started + STALE_DELAY } else { until }) {
                        Some(Ok(()) | Err(Failure::Absent)) => continue,
                        Some(Err(failure)) => failure,
                        None => Failure::Silent("no answer in time".into()),
                    }
                }
            };
            return match stale {
                Some(entry) if failure.passes() => Ok(Some(self.stale(entry))),
                _ => Err(failure),
            };
        }
        Err(Failure::Failing("the file changes all the time".into()))
    }

    fn stale(&self, entry: &Arc<Entry>) -> Located {
        self.reports.stale.fetch_add(1, Ordering::Relaxed);
        Located::Entry(Arc::clone(entry))
    }

    /// Returns whether a version may be served without confirmation by the origin.
    fn may_be_stale(&self, entry: &Entry) -> bool {
        let within = entry.validated().age() <= self.spec.stale_if_error;
        within && !entry.is_gone() && (entry.is_complete() || entry.stored().0)
    }

    /// Decides how to answer a request, and returns the cached entry of the path.
    fn decide(
        self: &Arc<Self>,
        cache: &Arc<Cache>,
        path: &str,
        inquiry: Inquiry,
        started: Instant,
    ) -> Result<(Decision, Option<Arc<Entry>>), Failure> {
        let paths = self.paths();
        let state = paths.get(path);
        let outdated = state.is_some_and(|state| state.outdated);
        // Under the lock: a flight puts its entry into the cache before it is removed from `paths`.
        let entry = cache.find(&self.key(path));
        let entry = entry.filter(|entry| !outdated && !entry.is_gone() && !entry.is_removed());
        if let Some(decision) = self.decide_locally(entry.as_ref(), state, inquiry, started) {
            return Ok((decision, entry));
        }
        // Validates a stale file in the background, so that a later request gets the newer version.
        let in_background = inquiry.reach == Reach::StaleCache
            && entry.as_ref().is_some_and(|entry| self.may_be_stale(entry))
            && self.reports.running.load(Ordering::Relaxed) < MAX_BACKGROUND_LOOK_UPS;
        if inquiry.reach != Reach::Origin && !in_background {
            return Ok((Decision::Beyond, entry));
        }
        if !self.breaker.admits() {
            return Ok((Decision::Spared(self.spared()), entry));
        }
        let flight = self.start_flight(paths, cache, path, entry.clone(), inquiry)?;
        Ok((if in_background { Decision::Beyond } else { Decision::Wait(flight) }, entry))
    }

    /// Decides from the cache, the state of the path and the breaker; `None` if only the origin can answer.
    fn decide_locally(
        &self,
        entry: Option<&Arc<Entry>>,
        state: Option<&PathState>,
        Inquiry { want, reach, .. }: Inquiry,
        started: Instant,
    ) -> Option<Decision> {
        let fresh = |validated: Validated| validated.is_fresh(self.spec.revalidate, started);
        if let Some(entry) = entry.filter(|entry| fresh(entry.validated())) {
            return Some(Decision::Located(match want {
                Want::Content => Located::Entry(Arc::clone(entry)),
                Want::Meta => Located::Meta(entry.meta.clone()),
            }));
        }
        if let Some(state) = state {
            if state.absent.is_some_and(|since| since.elapsed() < self.spec.negative || since >= started) {
                return Some(Decision::Absent);
            }
            if let Some((meta, _, validated)) = &state.meta
                && want == Want::Meta
                && fresh(*validated)
            {
                return Some(Decision::Located(Located::Meta(meta.clone())));
            }
            if let Some(flight) = &state.flight {
                let wait = || Decision::Wait(Arc::clone(flight));
                return Some(if reach == Reach::Origin { wait() } else { Decision::Beyond });
            }
            if let Some(failure) = state.failed.as_ref().and_then(|failed| failed.spared()) {
                return Some(Decision::Spared(failure));
            }
        }
        (self.breaker.state() == BreakerState::Open).then(|| Decision::Spared(self.spared()))
    }

    /// Starts the look-up that all requests for the path share.
    fn start_flight(
        self: &Arc<Self>,
        mut paths: MutexGuard<'_, HashMap<Arc<str>, PathState>>,
        cache: &Arc<Cache>,
        path: &str,
        entry: Option<Arc<Entry>>,
        Inquiry { want, client, .. }: Inquiry,
    ) -> Result<Arc<Flight<()>>, Failure> {
        let runtime =
            runtime::handle().map_err(|error| Failure::Cache(format!("no threads: {error}").into()))?;
        self.bound(&mut paths);
        let path: Arc<str> = path.into();
        let flight = Flight::new();
        paths.entry(Arc::clone(&path)).or_default().flight = Some(Arc::clone(&flight));
        drop(paths);
        let (core, landed) = (Arc::clone(self), Arc::clone(&path));
        let pilot = Pilot::new(&flight, move || core.land(&landed));
        let (core, cache) = (Arc::clone(self), Arc::clone(cache));
        runtime.spawn(LookUp { core, cache, path, entry, want, client }.run(pilot));
        Ok(flight)
    }
}
