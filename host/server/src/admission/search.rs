//! The search for the content of a request: from the plan of policy to the first candidate that exists.
//!
//! Requests by TFTP (`live.rs`), those of other protocols (`other/`) and explanations (`explain.rs`) are three ways to
//! run it. They differ in how a candidate is opened, and in what is made of it.

use super::absence::{Findings, is_absence};
use super::candidates::Candidates;
use super::netboot::is_empty_list;
use super::open_file::{CandidateCursor, require_small};
use super::plan::{Plan, ask_next};
use super::refusals::{NotOpened, refused};
use crate::generation::Generation;
use std::sync::Arc;
use tuffet_engine::worker::Decision;
use tuffet_policy::PluginContent;
use tuffet_request::events::DecisionRecord;
use tuffet_request::{Operation, SessionProfile, What};
use tuffet_store::StoreError;

/// How a search opens what it finds, and what it makes of it.
pub(super) trait Search {
    /// An opened candidate.
    type Opened;
    /// What is made of it.
    type Served;

    /// The record of the request; `None` once the request was decided without the search, because its disk hangs.
    fn record(&mut self) -> Option<&mut DecisionRecord>;

    /// Opens the current candidate of the cursor.
    async fn open(&mut self, cursor: &CandidateCursor) -> Result<Self::Opened, NotOpened>;

    /// Opens content of a hook.
    async fn open_content(&mut self, content: &Arc<PluginContent>) -> Result<Self::Opened, Decision>;

    /// Empty content for a missing optional file.
    fn empty(&mut self) -> Self::Opened;

    /// What the log calls it: `ROOT:PATH`, `content` of a hook or `empty`.
    fn resolved(opened: &Self::Opened) -> Arc<str>;

    /// Its size in bytes, before encoding; of an upload as announced.
    fn size(opened: &Self::Opened) -> Option<u64>;

    /// Decides what the client gets.
    ///
    /// # Errors
    /// The decision, if the client does not get it.
    fn serve(&mut self, opened: Self::Opened, profile: SessionProfile) -> Result<Self::Served, Decision>;

    /// Notes that the candidates were tried as far as the cursor has come.
    fn note(&mut self, _: &CandidateCursor) {}

    /// Returns why the candidates are absent, for the reason of a refusal.
    async fn find_reason(&mut self, _: &CandidateCursor, _: &StoreError) -> Findings {
        Findings::default()
    }
}

/// Carries out a plan: opens the first candidate that exists, and asks the rest of the chain while none does.
///
/// # Errors
/// The decision, if nothing is served; `None` if the request was decided meanwhile.
pub(super) async fn carry_out<S: Search>(
    search: &mut S,
    generation: &Arc<Generation>,
    mut plan: Plan,
) -> Result<S::Served, Option<Decision>> {
    let mut before = None;
    loop {
        let (targets, by, profile, next) = match plan {
            Plan::Decided(decision) => return Err(Some(decision)),
            Plan::Content { content, profile } => {
                let opened = search.open_content(&content).await?;
                return Ok(serve(search, opened, profile)?);
            }
            Plan::Open { targets, by, profile, next } => (targets, by, profile, next),
        };
        let record = search.record().ok_or(None)?;
        let request = Arc::clone(&record.request);
        let served = generation.negotiation.roots_of(&request.listener);
        let candidates = Candidates::new(&generation.files.roots, served, Arc::clone(&request), targets, by);
        let mut cursor = CandidateCursor::new(candidates, before.as_ref(), record, profile);
        let opened = open_first(search, &mut cursor).await;
        search.note(&cursor);
        let (decision, found) = match opened {
            Ok(opened) => match serve(search, opened, profile) {
                Ok(served) => return Ok(served),
                Err(decision) => (decision, None),
            },
            Err(NotOpened::GivenUp) => return Err(None),
            Err(NotOpened::Decided(decision)) => (decision, Some(Findings::default())),
            Err(NotOpened::Store(error)) => match next {
                Some(next) if is_absence(&error) => {
                    let record = search.record().ok_or(None)?;
                    plan = Box::pin(ask_next(generation, record, next, profile)).await;
                    before = Some(cursor);
                    continue;
                }
                _ if is_empty_list(generation, &request, &error) => {
                    let empty = search.empty();
                    match serve(search, empty, profile) {
                        Ok(served) => {
                            note_refused(search, &cursor, None);
                            return Ok(served);
                        }
                        Err(decision) => (decision, None),
                    }
                }
                _ if cursor.is_of_policy(&error) => (refused(&error), None),
                _ => {
                    let found = search.find_reason(&cursor, &error).await;
                    (found.refuse(&error, &request), Some(found))
                }
            },
        };
        note_refused(search, &cursor, found);
        return Err(Some(decision));
    }
}

/// Checks policy's ceiling on the bytes of a file, and decides what the client gets.
fn serve<S: Search>(
    search: &mut S,
    opened: S::Opened,
    profile: SessionProfile,
) -> Result<S::Served, Decision> {
    if search.record().is_some_and(|record| record.request.operation == Operation::Read) {
        require_small(S::size(&opened), &profile)?;
    }
    search.serve(opened, profile)
}

/// Notes which candidates were tried without success. `found`: what was found about them, if they decide the request: a
/// plugin that only allowed it has not.
fn note_refused<S: Search>(search: &mut S, cursor: &CandidateCursor, found: Option<Findings>) {
    let Some(record) = search.record() else { return };
    let mut tried = cursor.candidates().tried(cursor.tried_count());
    if let Some(found) = found {
        record.verdict_by = cursor.candidates().named_by().cloned();
        if let Some(tried) = &mut tried {
            found.add_to(tried);
        }
    }
    record.tried = tried.map(Arc::new);
}

/// Tries one candidate after the other, until one decides.
async fn open_first<S: Search>(search: &mut S, cursor: &mut CandidateCursor) -> Result<S::Opened, NotOpened> {
    let opened = open_next(search, cursor).await;
    if let Some(trail) = &cursor.candidates().request().trail
        && !matches!(opened, Err(NotOpened::GivenUp))
    {
        let noted = opened.as_ref().map(S::resolved).map_err(NotOpened::reason);
        trail.step(cursor.began(), What::Open(noted));
    }
    opened
}

async fn open_next<S: Search>(search: &mut S, cursor: &mut CandidateCursor) -> Result<S::Opened, NotOpened> {
    let mut absent = None;
    while cursor.advance() {
        match search.open(cursor).await {
            Err(NotOpened::Store(StoreError::NotFound)) => {
                absent.get_or_insert(StoreError::NotFound);
            }
            Err(NotOpened::Store(error)) if error.is_about_names() => absent = Some(error),
            decided => return decided,
        }
    }
    Err(NotOpened::Store(absent.unwrap_or_else(|| cursor.nowhere())))
}
