//! Decides requests of other protocols by the same policy, with the same roots.

use super::READ_TIME;
use super::open_file::{CandidateCursor, EMPTY, resolved};
use super::pending::{Arrival, ClientFacts, ReceivedRequest};
use super::plan::ask_policy;
use super::root_access::{on_lane, open_root};
use super::search::{Search, carry_out};
use crate::content::OpenedSource;
use crate::generation::Generation;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tuffet_engine::worker::Decision;
use tuffet_policy::PluginContent;
use tuffet_request::events::{DecisionRecord, Ending};
use tuffet_request::{ClientKey, Denial, MacAddress, Mode, Operation, RequestId, SessionProfile};
use tuffet_store::{Ahead, Lane, Reach, Roots, StoreError};

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
            OpenedSource::File(file) => file.size(),
        }
    }

    /// Whether its bytes can be read only once, in order, as those of a stream: a protocol with ranges must not offer
    /// them.
    pub fn is_sequential(&self) -> bool {
        matches!(&self.body, OpenedSource::File(file) if file.is_sequential())
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
            OpenedSource::File(file) if file.is_supplied() => {
                let reading = file.read_supplied(offset, length, length, None);
                let ahead = timeout(READ_TIME, reading).await.map_err(|_| late())??.ok_or_else(changed)?;
                Ok(ahead.from(offset).to_vec())
            }
            OpenedSource::File(file) => {
                let (sender, receiver) = oneshot::channel();
                let its = Arc::clone(file);
                let read = move || drop(sender.send(its.read_ahead(offset, length, None)));
                file.disk().submit_anyway(Lane::Read, ClientKey::SERVER, READ_TIME, read, |_| {});
                // A hanging disk keeps the sender.
                let read = timeout(READ_TIME, receiver).await.map_err(|_| late())?;
                let ahead = read.map_err(|_| late())??.filter(Ahead::is_certain).ok_or_else(changed)?;
                Ok(ahead.from(offset).to_vec())
            }
        }
    }
}

fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the root does not answer")
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
    let request = requested.read(generation, facts, None);
    let mut record = DecisionRecord::new(Arc::new(request), Instant::now());
    let plan = ask_policy(generation, &mut record).await;
    let mut search = OtherProtocol(generation);
    match carry_out(&mut search, generation, &mut record, plan).await {
        Ok((content, _)) => Decided::Content(content),
        Err(decision) => answer(decision),
    }
}

/// Opens contents for another protocol, whose clients read them at once.
struct OtherProtocol<'a>(&'a Arc<Generation>);

impl Search for OtherProtocol<'_> {
    type Opened = DecidedContent;

    async fn open(
        &mut self,
        cursor: &CandidateCursor,
        root: &Arc<str>,
    ) -> Result<DecidedContent, StoreError> {
        let Some((_, path)) = cursor.current() else { return Err(StoreError::NotFound) };
        let body = open(self.0, root, path, self.0.client_of(cursor.candidates().request())).await?;
        Ok(DecidedContent { resolved: resolved(root, path), body })
    }

    fn open_content(
        &mut self,
        _: &mut DecisionRecord,
        content: &Arc<PluginContent>,
        _: &SessionProfile,
    ) -> Result<DecidedContent, Decision> {
        let body = match content.file() {
            Some(file) => OpenedSource::File(Arc::clone(file)),
            None => OpenedSource::Bytes(content.bytes().cloned().unwrap_or_default()),
        };
        Ok(DecidedContent { resolved: Arc::clone(content.resolved()), body })
    }

    fn empty(&mut self) -> DecidedContent {
        DecidedContent { resolved: EMPTY.into(), body: OpenedSource::Bytes([].into()) }
    }

    fn size(opened: &DecidedContent) -> Option<u64> {
        Some(opened.size())
    }
}

async fn open(
    generation: &Arc<Generation>,
    root: &Arc<str>,
    path: &str,
    client: ClientKey,
) -> Result<OpenedSource, StoreError> {
    let files = &generation.files;
    if let Some(supplied) = files.supplied.get(root) {
        let path = &*Roots::path_for_program(path)?;
        let disk = files.roots.disk(root).map(Arc::clone);
        let source = open_root(generation, &supplied, path).await?;
        return Ok(files.sources.open(source, supplied.scope, client, disk.as_ref(), path));
    }
    let Some(disk) = files.roots.disk(root) else { return Err(StoreError::UnknownRoot(root.to_string())) };
    // As for requests by TFTP: answers from the cache do not wait for look-ups.
    let ways: &[_] = match disk.elsewhere() {
        None => &[(Lane::Open, Reach::Origin)],
        Some(_) if disk.is_taken(Lane::LookUp, client) => {
            &[(Lane::Open, Reach::StaleCache), (Lane::LookUp, Reach::Origin)]
        }
        Some(_) => &[(Lane::Open, Reach::Cache), (Lane::LookUp, Reach::Origin)],
    };
    for &(lane, reach) in ways {
        let (its, name, path) = (Arc::clone(generation), Arc::clone(root), path.to_owned());
        let work = move || its.files.roots.open_within(&name, &path, client, reach);
        let late = |why| Err(StoreError::Unreachable { origin: Arc::clone(root), why });
        if let Some(file) = on_lane(generation, disk, lane, client, work).await.unwrap_or_else(late)? {
            return Ok(OpenedSource::File(Arc::new(file)));
        }
    }
    Err(StoreError::NotFound)
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
