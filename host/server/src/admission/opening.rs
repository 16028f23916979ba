//! Opening what policy chose, on threads that one hung root cannot take away from the others.
//!
//! Roots are asked one after the other. While a root answers at once, the thread that decides opens the file itself:
//! handing it over would cost more than the open. As soon as an open of a root takes its time, further ones go to the
//! threads of that root and wait there, for as long as a decision may take. Then the request is dropped, so that its
//! client asks again; what the open comes to later is closed unseen.

use super::at_once::carry_out;
use super::candidates::Candidates;
use super::looking::{Findings, Looking, is_absence};
use super::netboot::instead;
use super::open::{Opened, Wanted, granted, open_content, refused};
use super::plan::{Next, Plan, ask_next};
use super::undecided::{Undecided, internal_error};
use crate::generation::Generation;
use futures_util::FutureExt;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tuffet_engine::worker::Decision;
use tuffet_request::events::{Ending, Outcome, Tried};
use tuffet_request::{ClientKey, Operation, What};
use tuffet_store::{Disk, Lane, Reach, StoreError, Undone};

/// Whoever takes it decides the request: the thread that opens the file, or the one that finds it too late. Held by
/// nothing else, so that a thread that hangs keeps neither the request nor the server.
pub(super) type Slot = Arc<Mutex<Option<Box<Undecided>>>>;

/// A request whose file is being opened.
pub(super) struct Opening {
    wanted: Wanted,
    generation: Arc<Generation>,
    began: Instant,
    undecided: Slot,
    /// Who is asked if no candidate exists.
    next: Option<Next>,
}

impl Undecided {
    /// The second and the third stage: opens what policy chose, and posts the decision. Blocks on the disk for a
    /// moment at most while it answers; after that other threads go on with it.
    pub(super) fn open(self: Box<Self>, plan: Plan) {
        self.open_after(plan, None);
    }

    /// As [`Undecided::open`], after these candidates turned out to be absent.
    pub(super) fn open_after(mut self: Box<Self>, plan: Plan, tried: Option<&Candidates>) {
        let (targets, by, profile, next) = match plan {
            Plan::Decided(decision) => return self.conclude(decision),
            Plan::Content { content, profile } => {
                let opened = open_content(&self.record.request, &content);
                let decision = granted(&self.generation, &mut self.record, opened, &profile);
                return self.conclude(decision);
            }
            Plan::Open { targets, by, profile, next } => (targets, by, profile, next),
        };
        let (generation, record) = (Arc::clone(&self.generation), &self.record);
        let request = Arc::clone(&record.request);
        let served = generation.negotiation.roots_of(&request.listener);
        let mut candidates = Candidates::new(&generation.files.roots, served, request, targets, by);
        if let Some(tried) = tried {
            candidates = candidates.after(tried);
        }
        let absent = tried.map_or(0, Candidates::count);
        let wanted = Wanted::new(candidates, record.requested_options.tsize, profile).beyond(absent);
        let undecided = Arc::new(Mutex::new(Some(self)));
        let began = Instant::now();
        Opening { wanted, generation, began, undecided, next }.go_on();
    }
}

impl Opening {
    /// Asks the next root, on this thread or on one of its own.
    fn go_on(mut self) {
        let Some(root) = self.wanted.next() else {
            let absent = self.wanted.absent();
            return self.decide(Err(absent));
        };
        let Some(disk) = self.generation.files.roots.disk(&root).map(Arc::clone) else {
            return self.decide(Err(StoreError::UnknownRoot(root.to_string())));
        };
        let late = self.late();
        match disk.enter(self.left(), Box::new(move |why| late.give_up(why))) {
            Ok(entered) => {
                let opened = catch_unwind(AssertUnwindSafe(|| self.ask(Reach::Origin)));
                drop(entered);
                match opened {
                    Ok(Some(opened)) => self.after(opened),
                    // Folders have no reach.
                    Ok(None) | Err(_) => {
                        if let Some(undecided) = take(&self.undecided) {
                            undecided.conclude(internal_error());
                        }
                    }
                }
            }
            Err(_) if disk.elsewhere().is_none() => self.hand_over(disk, Lane::Open, Reach::Origin),
            // Whether an upload may come is not for the cache to say.
            Err(_) if self.wanted.candidates().request().operation == Operation::Write => {
                self.hand_over(disk, Lane::LookUp, Reach::Origin);
            }
            // What the cache can answer waits for no look-up.
            Err(_) => {
                let in_line = disk.is_taken(Lane::LookUp, self.client());
                self.hand_over(disk, Lane::Open, if in_line { Reach::StaleCache } else { Reach::Cache });
            }
        }
    }

    /// Has a thread of the root open the file; where that is beyond the reach, one that waits for the network.
    fn hand_over(self, disk: Arc<Disk>, lane: Lane, reach: Reach) {
        let (late, client, left) = (self.late(), self.client(), self.left());
        let its = Arc::clone(&disk);
        let work = move || match self.ask(reach) {
            Some(opened) => self.after(opened),
            None => self.hand_over(its, Lane::LookUp, Reach::Origin),
        };
        disk.submit(lane, client, left, work, move |why| late.give_up(why));
    }

    fn client(&self) -> ClientKey {
        self.generation.client_of(self.wanted.candidates().request())
    }

    /// The time that is left for opening.
    fn left(&self) -> Duration {
        self.generation.open_time.saturating_sub(self.began.elapsed())
    }

    fn late(&self) -> Late {
        Late {
            undecided: Arc::clone(&self.undecided),
            candidates: Arc::clone(self.wanted.candidates()),
            tried_count: self.wanted.tried_count(),
            within: self.generation.open_time,
        }
    }

    /// Blocks on the disk, or within the reach of the origin on the network.
    fn ask(&self, reach: Reach) -> Option<Result<Opened, StoreError>> {
        self.wanted.open(&self.generation.files, self.client(), reach).transpose()
    }

    fn after(mut self, opened: Result<Opened, StoreError>) {
        match self.wanted.take_answer(opened) {
            ControlFlow::Continue(()) => self.go_on(),
            ControlFlow::Break(decided) => self.decide(decided),
        }
    }

    /// Asks the rest of the chain, in a task: plugins may have to wait.
    fn ask_next(self, next: Next) {
        let Some(mut undecided) = take(&self.undecided) else { return };
        let (tried, profile) = (Arc::clone(self.wanted.candidates()), *self.wanted.profile());
        let runtime = undecided.admission.runtime.clone();
        runtime.spawn(async move {
            let Undecided { generation, record, .. } = &mut *undecided;
            let asking = AssertUnwindSafe(ask_next(generation, record, next, profile)).catch_unwind();
            let plan = asking.await.unwrap_or_else(|_| Plan::Decided(internal_error()));
            carry_out(undecided, plan, Some(tried));
        });
    }

    fn decide(mut self, opened: Result<Opened, StoreError>) {
        let (candidates, tried_count) = (self.wanted.candidates(), self.wanted.tried_count());
        if let Some(trail) = &candidates.request().trail {
            let noted = opened.as_ref().map(|opened| opened.resolved()).map_err(ToString::to_string);
            trail.step(self.began, What::Open(noted));
        }
        if opened.as_ref().is_err_and(is_absence)
            && let Some(next) = self.next.take()
        {
            return self.ask_next(next);
        }
        let error = match opened {
            Ok(opened) => {
                // Too late: somebody else has decided. What was opened is closed here, on a thread that may wait for it.
                let Some(mut undecided) = take(&self.undecided) else { return };
                let Undecided { generation, record, .. } = &mut *undecided;
                let decision = granted(generation, record, Ok(opened), self.wanted.profile());
                if !matches!(decision, Decision::Grant { .. }) {
                    record.tried = candidates.tried(tried_count).map(Arc::new);
                }
                return undecided.conclude(decision);
            }
            Err(error) => match instead(&self.generation, candidates.request(), &error) {
                Some(empty) => {
                    let Some(mut undecided) = take(&self.undecided) else { return };
                    let Undecided { generation, record, .. } = &mut *undecided;
                    record.tried = candidates.tried(tried_count).map(Arc::new);
                    let decision = granted(generation, record, Ok(empty), self.wanted.profile());
                    return undecided.conclude(decision);
                }
                None => error,
            },
        };
        if is_absence(&error)
            && tried_count > 0
            && let Some(runtime) = may_look(&self.undecided)
        {
            let candidates = Arc::clone(candidates);
            let looking = Looking::new(self.generation, self.undecided, candidates, tried_count, error);
            looking.end_in_time(&runtime);
            return looking.go_on();
        }
        refuse(&self.undecided, candidates, tried_count, &error, &Findings::default());
    }
}

/// Decides a request whose file cannot be opened.
pub(super) fn refuse(
    slot: &Mutex<Option<Box<Undecided>>>,
    candidates: &Candidates,
    tried_count: usize,
    error: &StoreError,
    found: &Findings,
) {
    let Some(mut undecided) = take(slot) else { return };
    let (decision, tried) = refusal(candidates, tried_count, error, found);
    undecided.record.tried = tried.map(Arc::new);
    undecided.conclude(decision);
}

/// The decision about a request whose file cannot be opened, and where it was looked for.
pub(super) fn refusal(
    candidates: &Candidates,
    tried_count: usize,
    error: &StoreError,
    found: &Findings,
) -> (Decision, Option<Tried>) {
    let (mut tried, mut decision) = (candidates.tried(tried_count), refused(error));
    if let Decision::Refuse { ending: Ending { detail: Some(detail), .. }, .. } = &mut decision {
        found.explain(error, detail.to_mut(), tried.as_mut());
    }
    (decision, tried)
}

/// What decides a request whose file is not open in time.
struct Late {
    undecided: Slot,
    candidates: Arc<Candidates>,
    tried_count: usize,
    within: Duration,
}

impl Late {
    fn give_up(self, why: Undone) {
        let Some(mut undecided) = take(&self.undecided) else { return };
        undecided.record.tried = self.candidates.tried(self.tried_count).map(Arc::new);
        let last = self.tried_count.checked_sub(1).and_then(|last| self.candidates.get(last));
        let root = last.map_or("", |(root, _)| root);
        let detail = match why {
            Undone::Panicked => return undecided.conclude(internal_error()),
            Undone::Late => {
                let within = humantime::format_duration(self.within);
                format!("root `{root}` did not open the file within {within} (`limits.open-time`)")
            }
            Undone::NoThread => format!("the system has no thread to open a file of root `{root}`"),
            Undone::Full => format!("too many requests wait for root `{root}`"),
        };
        undecided.conclude(Decision::Drop { ending: Ending::new(Outcome::Failed, detail) });
    }
}

/// Whether this refusal gets a second look: where its deadline is kept.
fn may_look(slot: &Mutex<Option<Box<Undecided>>>) -> Option<Handle> {
    let slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    let admission = &slot.as_ref()?.admission;
    admission.looks.take().then(|| admission.runtime.clone())
}

fn take(slot: &Mutex<Option<Box<Undecided>>>) -> Option<Box<Undecided>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}
