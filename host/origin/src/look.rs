//! Looks for the current version of a path: in the cache, and at the origin when the cache is not fresh.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tuffet_request::ClientKey;
use tuffet_store::{Reach, RemoteMeta};

use crate::ask::{LookUp, Want};
use crate::breaker::BreakerState;
use crate::cache::{Cache, Entry, Validated};
use crate::core::Core;
use crate::failure::Failure;
use crate::flight::{Flight, Pilot};
use crate::runtime;

/// How long a request waits for an origin before it gets what the cache has, if that may be served.
const PATIENCE: Duration = Duration::from_secs(1);
/// Answers of the origin that a request waits for in a row: with more, the file changes faster than it can be opened.
const MOST_ANSWERS: u32 = 6;
/// Requests to the origin beside which a stale file is still validated without anybody who waits for it.
const MOST_BESIDE: u64 = 16;

/// What is wanted, for whom, and what may answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inquiry {
    pub want: Want,
    pub client: ClientKey,
    pub reach: Reach,
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
    /// The origin has to be asked, and is beyond the reach.
    Beyond,
    /// The origin is not asked now: it is away, or this path failed.
    Spared(Failure),
}

impl Core {
    /// Finds a path; `None` if the origin has to be asked, and is beyond the reach.
    pub fn look(
        self: &Arc<Self>,
        cache: &Arc<Cache>,
        path: &str,
        inquiry: Inquiry,
    ) -> Result<Option<Found>, Failure> {
        let started = Instant::now();
        let until = started + 2 * self.backend.timeout + PATIENCE;
        let mut asked = false;
        for _ in 0..MOST_ANSWERS {
            let (decision, entry) = self.decide(cache, path, inquiry, started)?;
            let stale = entry.as_ref().filter(|entry| self.may_be_stale(entry));
            let failure = match decision {
                Decision::Found(found) => {
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
                    match flight.wait(if stale.is_some() { started + PATIENCE } else { until }) {
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

    fn stale(&self, entry: &Arc<Entry>) -> Found {
        self.reports.stale.fetch_add(1, Ordering::Relaxed);
        Found::Entry(Arc::clone(entry))
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
        inquiry: Inquiry,
        started: Instant,
    ) -> Result<(Decision, Option<Arc<Entry>>), Failure> {
        let Inquiry { want, client, reach } = inquiry;
        let fresh = |validated: Validated| validated.is_fresh(self.spec.revalidate, started);
        let mut paths = self.paths();
        let slot = paths.get(path);
        let outdated = slot.is_some_and(|slot| slot.outdated);
        // Under the lock: a flight that ends puts its entry there before it is forgotten here.
        let entry = cache.find(&self.key(path));
        let entry = entry.filter(|entry| !outdated && !entry.is_gone() && !entry.is_removed());
        if let Some(entry) = &entry
            && fresh(entry.validated())
        {
            let found = match want {
                Want::Content => Found::Entry(Arc::clone(entry)),
                Want::Meta => Found::Meta(entry.meta.clone()),
            };
            return Ok((Decision::Found(found), None));
        }
        if let Some(slot) = slot {
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
                let wait = || Decision::Wait(Arc::clone(flight));
                return Ok((if reach == Reach::Origin { wait() } else { Decision::Beyond }, entry));
            }
            if let Some(failure) = slot.failed.as_ref().and_then(|failed| failed.spared()) {
                return Ok((Decision::Spared(failure), entry));
            }
        }
        if self.breaker.state() == BreakerState::Open {
            return Ok((Decision::Spared(self.spared()), entry));
        }
        // A stale file is validated beside, so that a later request gets the newer one.
        let beside = reach == Reach::StaleCache
            && entry.as_ref().is_some_and(|entry| self.may_be_stale(entry))
            && self.reports.running.load(Ordering::Relaxed) < MOST_BESIDE;
        if reach != Reach::Origin && !beside {
            return Ok((Decision::Beyond, entry));
        }
        if !self.breaker.admits() {
            return Ok((Decision::Spared(self.spared()), entry));
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
        let (core, cache) = (Arc::clone(self), Arc::clone(cache));
        let look_up = LookUp { core, cache, path: name, entry: entry.clone(), want, client };
        runtime.spawn(look_up.run(pilot));
        Ok((if beside { Decision::Beyond } else { Decision::Wait(flight) }, entry))
    }
}
