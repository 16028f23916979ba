//! Decides requests of other protocols by the same policy, with the same roots.

use super::READ_TIME;
use super::open_file::{CandidateCursor, EMPTY, resolved};
use super::pending::{Arrival, ClientFacts, ReceivedRequest};
use super::plan::ask_policy;
use super::refusals::NotOpened;
use super::root_access::{open_on_disk, open_root};
use super::search::{Search, carry_out};
use crate::content::OpenedSource;
use crate::generation::Generation;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Instant, SystemTime};
use tokio::time::timeout;
use tuffet_engine::worker::Decision;
use tuffet_policy::PluginContent;
use tuffet_request::events::{DecisionRecord, Ending};
use tuffet_request::{ClientKey, Denial, MacAddress, Mode, Operation, RequestId, SessionProfile};
use tuffet_store::{Ahead, Lane, Roots, StoreError};

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
                let its = Arc::clone(file);
                let read = move || its.read_ahead(offset, length, None);
                let read = file.disk().run_anyway(Lane::Read, ClientKey::SERVER, READ_TIME, read).await;
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
        received_at: SystemTime::now(),
        options: Vec::new(),
    };
    let facts = ClientFacts { neighbour, lease: generation.leases.find(ask.client.ip().to_canonical()) };
    let request = requested.read(generation, facts, None);
    let mut record = DecisionRecord::new(Arc::new(request), Instant::now());
    let plan = ask_policy(generation, &mut record).await;
    match carry_out(&mut OtherProtocol { generation, record }, generation, plan).await {
        Ok(content) => Decided::Content(content),
        Err(Some(decision)) => answer(decision),
        // Never: the search alone decides.
        Err(None) => Decided::Dropped(String::new()),
    }
}

/// Opens contents for another protocol, whose clients read them at once.
struct OtherProtocol<'a> {
    generation: &'a Arc<Generation>,
    record: DecisionRecord,
}

impl Search for OtherProtocol<'_> {
    type Opened = DecidedContent;
    type Served = DecidedContent;

    fn record(&mut self) -> Option<&mut DecisionRecord> {
        Some(&mut self.record)
    }

    async fn open(&mut self, cursor: &CandidateCursor) -> Result<DecidedContent, NotOpened> {
        let (generation, files) = (self.generation, &self.generation.files);
        let Some((root, path)) = cursor.current() else { return Err(cursor.nowhere().into()) };
        let client = generation.client_of(cursor.candidates().request());
        if let Some(supplied) = files.supplied.get(root) {
            let path = &*Roots::path_for_program(path)?;
            let source = open_root(generation, &supplied, path).await?;
            let body = files.sources.open(source, supplied.scope, client, files.roots.disk(root), path);
            return Ok(DecidedContent { resolved: resolved(root, path), body });
        }
        let Some(disk) = files.roots.disk(root) else {
            return Err(StoreError::UnknownRoot(root.to_string()).into());
        };
        let resolved = resolved(root, path);
        let (its, root, path) = (Arc::clone(generation), Arc::clone(root), path.to_owned());
        let open = move |reach| its.files.roots.open_within(&root, &path, client, reach);
        let file = open_on_disk(generation, disk, (Operation::Read, client), cursor.began(), open).await?;
        Ok(DecidedContent { resolved, body: OpenedSource::File(Arc::new(file)) })
    }

    async fn open_content(&mut self, content: &Arc<PluginContent>) -> Result<DecidedContent, Decision> {
        let body = match content.file() {
            Some(file) => OpenedSource::File(Arc::clone(file)),
            None => OpenedSource::Bytes(content.bytes().cloned().unwrap_or_default()),
        };
        Ok(DecidedContent { resolved: Arc::clone(content.resolved()), body })
    }

    fn empty(&mut self) -> DecidedContent {
        DecidedContent { resolved: EMPTY.into(), body: OpenedSource::Bytes([].into()) }
    }

    fn resolved(opened: &DecidedContent) -> Arc<str> {
        Arc::clone(&opened.resolved)
    }

    fn size(opened: &DecidedContent) -> Option<u64> {
        Some(opened.size())
    }

    fn serve(&mut self, opened: DecidedContent, _: SessionProfile) -> Result<DecidedContent, Decision> {
        Ok(opened)
    }
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
