//! Searches the content of a request by TFTP.
//!
//! Roots are tried one after the other. While a root answers at once, the deciding thread opens the file itself: a
//! handover would cost more than the open. Once an open in a root takes long, further ones wait on the threads of that
//! root, at most for `limits.open-time`. Then the request is dropped, so that its client repeats it; a file that opens
//! later is closed.

use super::absence::{Findings, find_reason, is_absence};
use super::deciders::{leave_thread, may_block};
use super::open_file::{CandidateCursor, Opened, granted, open_content};
use super::pending::PendingRequest;
use super::plan::Plan;
use super::refusals::{NotOpened, internal_error, undone};
use super::root_access::{open_on_disk, time_left, within_open_time};
use super::search::{Search, carry_out};
use crate::generation::Generation;
use parking_lot::Mutex;
use std::sync::Arc;
use tuffet_engine::worker::Decision;
use tuffet_policy::PluginContent;
use tuffet_request::events::DecisionRecord;
use tuffet_request::{Operation, SessionProfile};
use tuffet_store::{Disk, Reach, StoreError};

/// The search of a request by TFTP.
struct LiveSearch {
    generation: Arc<Generation>,
    /// `None` once its deadline has decided the request.
    pending: Option<Box<PendingRequest>>,
}

impl PendingRequest {
    /// The second and third stage: opens the content and posts the decision. Blocks on a deciding thread alone.
    pub(super) async fn carry_out(self: Box<Self>, plan: Plan) {
        let generation = Arc::clone(&self.generation);
        let mut search = LiveSearch { generation: Arc::clone(&generation), pending: Some(self) };
        let decision = match carry_out(&mut search, &generation, plan).await {
            Ok(decision) | Err(Some(decision)) => decision,
            Err(None) => return,
        };
        if let Some(pending) = search.pending {
            pending.conclude(decision);
        }
    }
}

impl LiveSearch {
    /// Opens the current candidate on this thread, if its root answers at once.
    fn open_here(&mut self, cursor: &CandidateCursor, disk: &Arc<Disk>) -> Option<Result<Opened, NotOpened>> {
        // A thread that hangs cannot decide the request. So the deadline can.
        let lent = Arc::new(Mutex::new(Some(self.pending.take()?)));
        let (late, its) = (Arc::clone(&lent), cursor.clone());
        let give_up = move |why| {
            let pending = late.lock().take();
            if let Some(mut pending) = pending {
                let decision = undone(&pending.generation, its.root(), why);
                its.note_tried(&mut pending.record);
                pending.record.verdict_by = its.candidates().named_by().cloned();
                pending.conclude(decision);
            }
        };
        let entered = disk.enter(time_left(&self.generation, cursor.began()), Box::new(give_up)).ok();
        let opened = entered.map(|entered| {
            let client = self.generation.client_of(cursor.candidates().request());
            let opened = cursor.open(&self.generation.files, client, Reach::Origin);
            drop(entered);
            opened
        });
        self.pending = lent.lock().take();
        if self.pending.is_none() {
            // The file is closed here, on a thread that may block.
            return Some(Err(NotOpened::GivenUp));
        }
        // Folders have no reach.
        opened.map(|opened| opened?.ok_or(NotOpened::Decided(internal_error())))
    }
}

impl Search for LiveSearch {
    type Opened = Opened;
    type Served = Decision;

    fn record(&mut self) -> Option<&mut DecisionRecord> {
        Some(&mut self.pending.as_mut()?.record)
    }

    async fn open(&mut self, cursor: &CandidateCursor) -> Result<Opened, NotOpened> {
        let generation = Arc::clone(&self.generation);
        let files = &generation.files;
        if let Some(opened) = cursor.opened_since(files) {
            return Ok(opened);
        }
        let root = cursor.root();
        let Some(disk) = files.roots.disk(root) else {
            return Err(StoreError::UnknownRoot(root.to_owned()).into());
        };
        let request = cursor.candidates().request();
        let client = generation.client_of(request);
        if let Some(supplied) = files.supplied.get(root) {
            leave_thread().await;
            let opening = async { Ok(cursor.open_supplied(files, client, &supplied, disk).await?) };
            return Box::pin(within_open_time(&generation, root, cursor.began(), opening)).await;
        }
        if may_block()
            && let Some(opened) = self.open_here(cursor, disk)
        {
            return opened;
        }
        leave_thread().await;
        let (its, all) = (cursor.clone(), Arc::clone(&generation));
        let open = move |reach| its.open(&all.files, client, reach);
        let client = (request.operation, client);
        Box::pin(open_on_disk(&generation, disk, client, cursor.began(), open)).await
    }

    async fn open_content(&mut self, content: &Arc<PluginContent>) -> Result<Opened, Decision> {
        let Some(pending) = &self.pending else { return Err(internal_error()) };
        let request = &pending.record.request;
        let Some(file) = content.supplied().filter(|_| request.operation == Operation::Read) else {
            return open_content(request, content);
        };
        leave_thread().await;
        let opening = super::supplied::open_content(&self.generation, request, file, content.resolved());
        Box::pin(opening).await
    }

    fn empty(&mut self) -> Opened {
        Opened::empty()
    }

    fn resolved(opened: &Opened) -> Arc<str> {
        opened.resolved()
    }

    fn size(opened: &Opened) -> Option<u64> {
        opened.size()
    }

    fn serve(&mut self, opened: Opened, profile: SessionProfile) -> Result<Decision, Decision> {
        let Some(pending) = &mut self.pending else { return Err(internal_error()) };
        granted(&self.generation, &mut pending.record, opened, &profile)
    }

    async fn find_reason(&mut self, cursor: &CandidateCursor, error: &StoreError) -> Findings {
        let admission = self.pending.as_ref().map(|pending| &pending.admission);
        let is_sought = is_absence(error) && cursor.tried_count() > 0;
        if !is_sought || !admission.is_some_and(|admission| admission.absence_searches.take()) {
            return Findings::default();
        }
        leave_thread().await;
        Box::pin(find_reason(&self.generation, cursor)).await
    }
}
