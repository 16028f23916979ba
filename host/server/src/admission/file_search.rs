//! Opens the first existing candidate, on threads that one hung root cannot take away from the others.
//!
//! Roots are tried one after the other. While a root answers at once, the deciding thread opens the file itself: a
//! handover would cost more than the open. Once an open in a root takes long, further ones wait on the threads of that
//! root, at most for `limits.open-time`. Then the request is dropped, so that its client repeats it; a file that opens
//! later is closed.

use super::absence::{AbsenceSearch, Findings, is_absence, refuse};
use super::candidates::Candidates;
use super::netboot::is_empty_list;
use super::once_slot::OnceSlot;
use super::open_file::{CandidateCursor, Opened, granted, open_content};
use super::pending::{PendingRequest, RequestSlot};
use super::plan::{Plan, RestOfChain, ask_next};
use super::refusals::{internal_error, not_begun, refused};
use crate::generation::Generation;
use futures_util::FutureExt;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tuffet_engine::worker::Decision;
use tuffet_request::events::{Ending, Outcome};
use tuffet_request::{ClientKey, Operation, What};
use tuffet_store::{Disk, Lane, Reach, StoreError, Undone};

/// A request whose file is being opened.
pub(super) struct FileSearch {
    pub(super) cursor: CandidateCursor,
    pub(super) generation: Arc<Generation>,
    began: Instant,
    pub(super) pending: RequestSlot,
    /// The rest of the chain, to be called if no candidate exists.
    next: Option<RestOfChain>,
}

impl PendingRequest {
    /// The second and third stage: opens the content and posts the decision. Blocks for a moment at most; if the disk
    /// is slow, other threads continue.
    pub(super) fn open(self: Box<Self>, plan: Plan) {
        self.open_after(plan, None);
    }

    /// The second and third stage, on a deciding thread if they need the disk. `tried`: absent candidates.
    pub(super) fn carry_out(self: Box<Self>, plan: Plan, tried: Option<Arc<Candidates>>) {
        if !plan.needs_disk() {
            return self.open(plan);
        }
        let (admission, within) = (Arc::clone(&self.admission), self.generation.open_time);
        let slot = OnceSlot::new((self, plan));
        let late = slot.clone();
        let open = move || {
            if let Some((pending, plan)) = slot.take() {
                pending.open_after(plan, tried.as_deref());
            }
        };
        let undone = move |why| {
            if let Some((pending, _)) = late.take() {
                pending.conclude(not_begun(why));
            }
        };
        admission.deciders.run(within, open, undone);
    }

    /// Returns the runtime for the deadline of a search for the reason of an absence, if this one is searched for.
    fn search_runtime(&self) -> Option<Handle> {
        let admission = &self.admission;
        admission.absence_searches.take().then(|| admission.runtime.clone())
    }

    /// As [`PendingRequest::open`], after these candidates turned out to be absent.
    fn open_after(mut self: Box<Self>, plan: Plan, tried: Option<&Candidates>) {
        let (targets, by, profile, next) = match plan {
            Plan::Decided(decision) => return self.conclude(decision),
            Plan::Content { content, profile }
                if content.supplied().is_some() && self.record.request.operation == Operation::Read =>
            {
                return self.open_source(content, profile);
            }
            Plan::Content { content, profile } => {
                let opened = open_content(&self.record.request, &content);
                let decision = granted(&self.generation, &mut self.record, opened, &profile);
                return self.conclude(decision);
            }
            Plan::Open { targets, by, profile, next } => (targets, by, profile, next),
        };
        let (generation, record) = (Arc::clone(&self.generation), &self.record);
        let from = self.openable_from;
        let request = Arc::clone(&record.request);
        let served = generation.negotiation.roots_of(&request.listener);
        let mut candidates = Candidates::new(&generation.files.roots, served, request, targets, by);
        if let Some(tried) = tried {
            candidates = candidates.after(tried);
        }
        let absent = tried.map_or(0, Candidates::count);
        let cursor =
            CandidateCursor::new(candidates, record.requested_options.tsize, profile, from).beyond(absent);
        let pending = OnceSlot::new(self);
        let began = Instant::now();
        FileSearch { cursor, generation, began, pending, next }.try_next();
    }
}

impl FileSearch {
    /// Tries the next candidate, on this thread or on one of the root.
    fn try_next(mut self) {
        let Some(root) = self.cursor.next() else {
            let absent = self.cursor.absent();
            return self.decide(Err(absent));
        };
        if let Some(opened) = self.cursor.opened_since(&self.generation.files) {
            return self.take_answer(Ok(opened));
        }
        let Some(disk) = self.generation.files.roots.disk(&root).map(Arc::clone) else {
            return self.decide(Err(StoreError::UnknownRoot(root.to_string())));
        };
        if let Some(supplied) = self.generation.files.supplied.get(&root) {
            let Some(runtime) = self.pending.look(|pending| pending.admission.runtime.clone()) else {
                return;
            };
            return self.open_supplied(&runtime, supplied, disk);
        }
        let timeout = self.timeout();
        match disk.enter(self.time_left(), Box::new(move |why| timeout.give_up(why))) {
            Ok(entered) => {
                let opened = catch_unwind(AssertUnwindSafe(|| self.open(Reach::Origin)));
                drop(entered);
                match opened {
                    Ok(Some(opened)) => self.take_answer(opened),
                    // Folders have no reach.
                    Ok(None) | Err(_) => {
                        if let Some(pending) = self.pending.take() {
                            pending.conclude(internal_error());
                        }
                    }
                }
            }
            Err(_) if disk.elsewhere().is_none() => self.hand_over(disk, Lane::Open, Reach::Origin),
            // A cache cannot decide about an upload.
            Err(_) if self.cursor.candidates().request().operation == Operation::Write => {
                self.hand_over(disk, Lane::LookUp, Reach::Origin);
            }
            // Answers from the cache do not wait for look-ups.
            Err(_) => {
                let in_line = disk.is_taken(Lane::LookUp, self.client());
                self.hand_over(disk, Lane::Open, if in_line { Reach::StaleCache } else { Reach::Cache });
            }
        }
    }

    /// Has a thread of the root open the file; if that is beyond the reach, a thread that may wait for the network.
    fn hand_over(self, disk: Arc<Disk>, lane: Lane, reach: Reach) {
        let (timeout, client, time_left) = (self.timeout(), self.client(), self.time_left());
        let its = Arc::clone(&disk);
        let work = move || match self.open(reach) {
            Some(opened) => self.take_answer(opened),
            None => self.hand_over(its, Lane::LookUp, Reach::Origin),
        };
        disk.submit(lane, client, time_left, work, move |why| timeout.give_up(why));
    }

    pub(super) fn client(&self) -> ClientKey {
        self.generation.client_of(self.cursor.candidates().request())
    }

    /// The remaining time for opening.
    pub(super) fn time_left(&self) -> Duration {
        self.generation.open_time.saturating_sub(self.began.elapsed())
    }

    pub(super) fn timeout(&self) -> OpenTimeout {
        OpenTimeout {
            pending: self.pending.clone(),
            candidates: Arc::clone(self.cursor.candidates()),
            tried_count: self.cursor.tried_count(),
            generation: Arc::clone(&self.generation),
        }
    }

    /// Blocks on the disk, and with `Reach::Origin` on the network.
    fn open(&self, reach: Reach) -> Option<Result<Opened, StoreError>> {
        self.cursor.open(&self.generation.files, self.client(), reach).transpose()
    }

    pub(super) fn take_answer(mut self, opened: Result<Opened, StoreError>) {
        match self.cursor.take_answer(opened) {
            ControlFlow::Continue(()) => self.try_next(),
            ControlFlow::Break(decided) => self.decide(decided),
        }
    }

    /// Calls the rest of the chain in a task, because plugins may have to wait.
    fn ask_next(self, next: RestOfChain) {
        let Some(mut pending) = self.pending.take() else { return };
        let (tried, profile) = (Arc::clone(self.cursor.candidates()), *self.cursor.profile());
        let runtime = pending.admission.runtime.clone();
        let outstanding = pending.generation.files.outstanding.clone();
        let asking = async move {
            let PendingRequest { generation, record, .. } = &mut *pending;
            let asking = AssertUnwindSafe(ask_next(generation, record, next, profile)).catch_unwind();
            let plan = asking.await.unwrap_or_else(|_| Plan::Decided(internal_error()));
            pending.note_policy();
            pending.carry_out(plan, Some(tried));
        };
        runtime.spawn(async move { outstanding.until_stopped(asking).await });
    }

    fn decide(mut self, opened: Result<Opened, StoreError>) {
        let (candidates, tried_count) = (self.cursor.candidates(), self.cursor.tried_count());
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
            Err(error) if self.cursor.is_of_policy(&error) => {
                let Some(mut pending) = self.pending.take() else { return };
                pending.record.tried = candidates.tried(tried_count).map(Arc::new);
                return pending.conclude(refused(&error));
            }
            Ok(opened) => {
                // After the deadline, the file is closed here, on a thread that may block.
                let Some(mut pending) = self.pending.take() else { return };
                let PendingRequest { generation, record, .. } = &mut *pending;
                let decision = granted(generation, record, Ok(opened), self.cursor.profile());
                if !matches!(decision, Decision::Grant { .. }) {
                    record.tried = candidates.tried(tried_count).map(Arc::new);
                }
                return pending.conclude(decision);
            }
            Err(error) if is_empty_list(&self.generation, candidates.request(), &error) => {
                let Some(mut pending) = self.pending.take() else { return };
                let PendingRequest { generation, record, .. } = &mut *pending;
                record.tried = candidates.tried(tried_count).map(Arc::new);
                let decision = granted(generation, record, Ok(Opened::empty()), self.cursor.profile());
                return pending.conclude(decision);
            }
            Err(error) => error,
        };
        if is_absence(&error)
            && tried_count > 0
            && let Some(Some(runtime)) = self.pending.look(|pending| pending.search_runtime())
        {
            let candidates = Arc::clone(candidates);
            let search = AbsenceSearch::new(self.generation, self.pending, candidates, tried_count, error);
            search.refuse_in_time(&runtime);
            return search.search_next();
        }
        refuse(&self.pending, candidates, tried_count, &error, &Findings::default());
    }
}

/// Decides a request when its file is not opened in time.
pub(super) struct OpenTimeout {
    pending: RequestSlot,
    candidates: Arc<Candidates>,
    tried_count: usize,
    generation: Arc<Generation>,
}

impl OpenTimeout {
    pub(super) fn give_up(self, why: Undone) {
        let Some(mut pending) = self.pending.take() else { return };
        pending.record.tried = self.candidates.tried(self.tried_count).map(Arc::new);
        pending.record.verdict_by = self.candidates.named_by().cloned();
        let last = self.tried_count.checked_sub(1).and_then(|last| self.candidates.get(last));
        let root = last.map_or("", |(root, _)| root);
        let detail = match why {
            Undone::Panicked => return pending.conclude(internal_error()),
            Undone::Late => {
                format!("root `{root}` did not open the file {}", self.generation.within_open_time())
            }
            Undone::NoThread => format!("the system has no thread to open a file of root `{root}`"),
            Undone::Full => format!("too many requests wait for root `{root}`"),
        };
        pending.conclude(Decision::Drop { ending: Ending::new(Outcome::Failed, detail) });
    }
}
