//! Decides requests of other protocols by the same policy, with the same roots.

use super::absence::is_absence;
use super::candidates::Candidates;
use super::explain::on_disk;
use super::open_file::{CandidateCursor, require_small, resolved};
use super::pending::{Arrival, ClientFacts, ReceivedRequest};
use super::plan::{Plan, ask_next, ask_policy};
use super::refusals::{refuse_name, refused};
use crate::content::OpenedSource;
use crate::generation::Generation;
use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;
use tuffet_engine::worker::Decision;
use tuffet_request::events::{DecisionRecord, Ending};
use tuffet_request::{ClientKey, Denial, MacAddress, Mode, Operation, RequestId};
use tuffet_store::{Lane, OpenFile, Reach, StoreError};

/// A question about a file, asked by another protocol than TFTP.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    /// The name of the listener whose chains and roots apply.
    pub listener: &'a str,
    /// The client.
    pub client: SocketAddr,
    /// The requested name, normalised as that of a TFTP request.
    pub name: &'a str,
}

/// The answer to an [`Ask`].
#[derive(Debug)]
pub enum Decided {
    /// The client gets this.
    Content(DecidedContent),
    /// The client is refused, for this reason.
    Refused(Denial),
    /// The client should get no answer, or ask later; the reason is for the log.
    Dropped(String),
}

/// An open content.
#[derive(Debug)]
pub struct DecidedContent {
    resolved: Arc<str>,
    body: OpenedSource,
}

impl DecidedContent {
    /// `ROOT:PATH`, or `content` of a hook.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }

    /// The size in bytes.
    pub fn size(&self) -> u64 {
        match &self.body {
            OpenedSource::Bytes(bytes) => bytes.len() as u64,
            OpenedSource::File { file, .. } => file.size(),
        }
    }

    /// Reads `length` bytes from `offset` on; fewer at the end.
    ///
    /// # Errors
    /// The content cannot be read, or has changed since it was opened.
    pub async fn read_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let left = usize::try_from(self.size().saturating_sub(offset)).unwrap_or(usize::MAX);
        let length = length.min(left);
        let changed = || io::Error::other("the content has changed since it was opened");
        match &self.body {
            OpenedSource::Bytes(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                Ok(bytes[start..start + length].to_vec())
            }
            OpenedSource::File { file, .. } if file.is_supplied() => {
                let ahead = file.read_supplied(offset, length, None).await?.ok_or_else(changed)?;
                Ok(ahead.from(offset).to_vec())
            }
            OpenedSource::File { file, .. } => {
                let (sender, receiver) = oneshot::channel();
                let its = Arc::clone(file);
                let read = move || drop(sender.send(its.read_ahead(offset, length, None)));
                file.disk().submit_anyway(Lane::Read, super::READ_TIME, read, |_| {});
                let late = |_| io::Error::other("the root does not answer");
                let ahead = receiver.await.map_err(late)??.ok_or_else(changed)?;
                Ok(ahead.from(offset).to_vec())
            }
        }
    }
}

/// Decides a question: asks policy, and opens the content.
pub(crate) async fn decide(
    generation: &Arc<Generation>,
    neighbour: Option<MacAddress>,
    ask: Ask<'_>,
) -> Decided {
    let requested = ReceivedRequest {
        id: RequestId(fastrand::u64(..)),
        listener: ask.listener.into(),
        operation: Operation::Read,
        mode: Mode::Octet,
        client: ask.client,
        local: Arrival::default(),
        name: ask.name.as_bytes(),
        options: Vec::new(),
    };
    let facts = ClientFacts { neighbour, lease: generation.leases.find(ask.client.ip().to_canonical()) };
    let (request, wrong) = requested.read(&generation.files.roots, facts, None);
    let mut record = DecisionRecord::new(Arc::new(request), Instant::now());
    let mut plan = match wrong {
        Some(error) => Plan::Decided(refuse_name(&error)),
        None => ask_policy(generation, &mut record).await,
    };
    loop {
        let (targets, by, profile, next) = match plan {
            Plan::Decided(decision) => return answer(decision),
            Plan::Content { content, .. } => {
                let body = match (content.file(), content.bytes()) {
                    (Some(file), _) => OpenedSource::File { file: Arc::clone(file), shared: false },
                    (None, bytes) => OpenedSource::Bytes(bytes.cloned().unwrap_or_default()),
                };
                let resolved = Arc::clone(content.resolved());
                return Decided::Content(DecidedContent { resolved, body });
            }
            Plan::Open { targets, by, profile, next } => (targets, by, profile, next),
        };
        let served = generation.negotiation.roots_of(ask.listener);
        let request = Arc::clone(&record.request);
        let candidates = Candidates::new(&generation.files.roots, served, request, targets, by);
        let mut cursor = CandidateCursor::new(candidates, None, profile);
        match search(generation, &mut cursor).await {
            Ok(content) => match require_small(Some(content.size()), &profile) {
                Ok(()) => return Decided::Content(content),
                Err(decision) => return answer(decision),
            },
            Err(error) => match next {
                Some(next) if is_absence(&error) => {
                    plan = ask_next(generation, &mut record, next, profile).await;
                }
                _ => return answer(refused(&error)),
            },
        }
    }
}

/// Opens the first candidate that exists.
async fn search(
    generation: &Arc<Generation>,
    cursor: &mut CandidateCursor,
) -> Result<DecidedContent, StoreError> {
    while let Some(root) = cursor.next() {
        let Some(path) = cursor.current().map(|(_, path)| path.to_owned()) else { break };
        let opened = open(generation, &root, &path, generation.client_of(cursor.candidates().request()));
        let opened = opened.await.map(|body| DecidedContent { resolved: resolved(&root, &path), body });
        if let ControlFlow::Break(decided) = cursor.take_answer(opened) {
            return decided;
        }
    }
    Err(cursor.absent())
}

async fn open(
    generation: &Arc<Generation>,
    root: &Arc<str>,
    path: &str,
    client: ClientKey,
) -> Result<OpenedSource, StoreError> {
    let files = &generation.files;
    if let Some((name, supplied)) = files.supplied.get(root) {
        let disk = files.roots.disk(root).map(Arc::clone);
        let opening = tokio::time::timeout(generation.open_time, supplied.open(path));
        let late = || StoreError::Io(io::ErrorKind::TimedOut.into());
        let source = opening.await.map_err(|_| late())?.map_err(|error| error.into_store(&name))?;
        return Ok(files.sources.open(source, disk.as_ref(), path));
    }
    let (its, name, path) = (Arc::clone(generation), Arc::clone(root), path.to_owned());
    let work = move || its.files.roots.open_within(&name, &path, client, Reach::Origin);
    let late = |why: String| Err(StoreError::Io(io::Error::other(why)));
    let opened: Option<OpenFile> = on_disk(generation, root, work).await.unwrap_or_else(late)?;
    let file = Arc::new(opened.ok_or(StoreError::NotFound)?);
    Ok(OpenedSource::File { file, shared: true })
}

fn answer(decision: Decision) -> Decided {
    let detail = |ending: Ending| ending.detail.map(Into::into).unwrap_or_default();
    match decision {
        Decision::Refuse { code, message, ending } => {
            Decided::Refused(Denial { code, message, reason: detail(ending) })
        }
        Decision::Drop { ending } => Decided::Dropped(detail(ending)),
        // Never: a grant has content.
        Decision::Grant { .. } => Decided::Dropped(String::new()),
    }
}
