//! The search for the content of a request: from the plan of policy to the first candidate that exists.
//!
//! Another protocol and an explanation are two ways to run it. A request by TFTP has the same steps on several threads
//! (`file_search.rs`).

use super::absence::{Findings, is_absence, refusal};
use super::candidates::Candidates;
use super::netboot::is_empty_list;
use super::open_file::{CandidateCursor, require_small};
use super::plan::{Plan, ask_next};
use crate::generation::Generation;
use std::ops::ControlFlow;
use std::sync::Arc;
use tuffet_engine::worker::Decision;
use tuffet_policy::PluginContent;
use tuffet_request::events::DecisionRecord;
use tuffet_request::{Operation, SessionProfile};
use tuffet_store::StoreError;

/// How a search opens what it finds.
pub(super) trait Search {
    /// An opened candidate.
    type Opened;

    /// Opens the current candidate of the cursor.
    async fn open(&mut self, cursor: &CandidateCursor, root: &Arc<str>) -> Result<Self::Opened, StoreError>;

    /// Opens content of a hook.
    fn open_content(
        &mut self,
        record: &mut DecisionRecord,
        content: &Arc<PluginContent>,
        profile: &SessionProfile,
    ) -> Result<Self::Opened, Decision>;

    /// Empty content for a missing optional file.
    fn empty(&mut self) -> Self::Opened;

    /// Its size in bytes, before encoding; of an upload as announced.
    fn size(opened: &Self::Opened) -> Option<u64>;

    /// Notes that the candidates were tried as far as the cursor has come. Returns why they are absent.
    fn tried(&mut self, _: &CandidateCursor) -> Findings {
        Findings::default()
    }
}

/// Carries out a plan: opens the first candidate that exists, and asks the rest of the chain while none does.
///
/// # Errors
/// The decision, if nothing is opened.
pub(super) async fn carry_out<S: Search>(
    search: &mut S,
    generation: &Arc<Generation>,
    record: &mut DecisionRecord,
    mut plan: Plan,
) -> Result<(S::Opened, SessionProfile), Decision> {
    let mut named_by = None;
    loop {
        let (targets, by, profile, next) = match plan {
            Plan::Decided(decision) => return Err(decision),
            Plan::Content { content, profile } => {
                let opened = search.open_content(record, &content, &profile)?;
                return within::<S>(opened, record, profile);
            }
            Plan::Open { targets, by, profile, next } => (targets, by, profile, next),
        };
        let request = Arc::clone(&record.request);
        let served = generation.negotiation.roots_of(&request.listener);
        let candidates = Candidates::new(&generation.files.roots, served, request, targets, by);
        let announced = record.requested_options.tsize;
        let mut cursor = CandidateCursor::new(candidates, announced, profile, record.received);
        let opened = open_first(search, &mut cursor).await;
        let found = search.tried(&cursor);
        named_by = cursor.candidates().named_by().cloned().or(named_by);
        let error = match opened {
            Ok(opened) => return within::<S>(opened, record, profile),
            Err(error) => error,
        };
        match next {
            Some(next) if is_absence(&error) => plan = ask_next(generation, record, next, profile).await,
            _ if is_empty_list(generation, &record.request, &error) => return Ok((search.empty(), profile)),
            _ => {
                if !cursor.is_of_policy(&error) {
                    record.verdict_by = named_by;
                }
                return Err(refusal(cursor.candidates(), cursor.tried_count(), &error, &found).0);
            }
        }
    }
}

/// Checks policy's ceiling on the bytes of a file.
fn within<S: Search>(
    opened: S::Opened,
    record: &DecisionRecord,
    profile: SessionProfile,
) -> Result<(S::Opened, SessionProfile), Decision> {
    if record.request.operation == Operation::Read {
        require_small(S::size(&opened), &profile)?;
    }
    Ok((opened, profile))
}

/// Tries one candidate after the other, until one decides.
async fn open_first<S: Search>(
    search: &mut S,
    cursor: &mut CandidateCursor,
) -> Result<S::Opened, StoreError> {
    while let Some(root) = cursor.next() {
        let answer = search.open(cursor, &root).await;
        if let ControlFlow::Break(decided) = cursor.take_answer(answer) {
            return decided;
        }
    }
    Err(cursor.absent())
}
