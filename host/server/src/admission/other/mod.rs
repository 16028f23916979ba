//! Requests by other protocols than TFTP: decided by the same policy, with the same roots and limits, and counted, logged
//! and observed like those by TFTP. Whoever speaks the protocol moves the bytes.

mod open;
mod read;
mod search;
mod write;

pub(crate) use open::OpenRequests;
pub use read::ReadTransfer;
pub use write::{StoredUpload, WriteTransfer};

use super::Admission;
use super::pending::{Arrival, ClientFacts, ReceivedRequest};
use super::plan::{Plan, ask_policy};
use super::refusals::internal_error;
use super::search::carry_out;
use crate::generation::Generation;
use crate::known_listeners::known_listeners;
use crate::negotiation::Bounds;
use futures_util::FutureExt;
use open::{Open, Undecided};
use search::{Found, OtherProtocol};
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::{Instant, SystemTime};
use tuffet_core::OptionSet;
use tuffet_engine::worker::Decision;
use tuffet_request::events::{DecisionRecord, Ending};
use tuffet_request::{Certificate, ClientClass, Denial, Mode, Operation, Protocol, TraceParent};

/// A granted request, what was opened for it, and its bounds.
type Granted = (Arc<Open>, Found, Bounds);

/// Takes requests by other protocols. Cheap to clone.
#[derive(Clone)]
pub struct Requests {
    admission: Weak<Admission>,
    /// Whether they are taken while the server drains, too.
    of_accepted: bool,
}

/// A request by another protocol.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Ask<'a> {
    /// The name of the listener whose chains and roots apply.
    pub listener: &'a str,
    /// The protocol.
    pub protocol: Protocol,
    /// The client.
    pub client: SocketAddr,
    /// The requested name, normalised as that of a TFTP request.
    pub name: &'a [u8],
    /// The address at which the client has asked, if it is known.
    pub local_address: Option<IpAddr>,
    /// What the client says of itself, as in the field `User-Agent` of HTTP (RFC 9110 section 10.1.5), if anything.
    pub user_agent: Option<&'a str>,
    /// The certificate by which the client has authenticated itself, if it has.
    pub certificate: Option<Arc<Certificate>>,
    /// Of which trace the request is a part, as in the field `traceparent` of HTTP (W3C Trace Context). What is no such value
    /// is ignored.
    pub trace_parent: Option<&'a str>,
}

impl<'a> Ask<'a> {
    /// A request by HTTP for a name, at a listener.
    pub fn http(listener: &'a str, client: SocketAddr, name: &'a [u8]) -> Ask<'a> {
        let protocol = Protocol::Http;
        Ask {
            listener,
            protocol,
            client,
            name,
            local_address: None,
            user_agent: None,
            certificate: None,
            trace_parent: None,
        }
    }
}

/// The answer to a request.
#[derive(Debug)]
pub enum Decided<T> {
    /// The client gets what it asked for: a [`ReadTransfer`] or a [`WriteTransfer`].
    Granted(T),
    /// The client is refused, for this reason.
    Refused(Denial),
    /// The client should get no answer, or ask later; the reason is for the log.
    Dropped(String),
}

/// Why a request was not decided.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The server takes no requests any more.
    #[error("the server has ended")]
    Ended,
    /// The program asks on behalf of a listener that does not exist: it has a bug.
    #[error("there is no listener `{listener}`: {}", known_listeners(known.iter().map(String::as_str)))]
    UnknownListener {
        /// The name in the question.
        listener: String,
        /// The names of the listeners.
        known: Vec<String>,
    },
}

impl Requests {
    pub(crate) fn of(admission: &Arc<Admission>) -> Requests {
        Requests { admission: Arc::downgrade(admission), of_accepted: false }
    }

    /// The requests of a connection that is accepted now: unless the server drains already, they are taken until it has
    /// ended. So a client that connected before a drain is served, even if it asks after the drain has begun. The drain
    /// does not wait for the request, and the caller should take no further one from that connection.
    #[must_use]
    pub fn of_accepted(&self) -> Requests {
        let of_accepted = self.admission.upgrade().is_some_and(|its| !its.watch.is_draining());
        Requests { admission: Weak::clone(&self.admission), of_accepted }
    }

    /// Decides a read request: asks policy, and opens the content.
    ///
    /// # Errors
    /// The server has ended or drains, or has no listener of that name.
    pub async fn read(&self, ask: Ask<'_>) -> Result<Decided<ReadTransfer>, AskError> {
        let decided = self.decide(ask, Operation::Read, None).await?;
        Ok(decided.map(|(open, found, bounds)| ReadTransfer::new(open, found, &bounds.limits)))
    }

    /// Decides a write request; `size`: that of the upload in bytes, if its client has announced it.
    ///
    /// # Errors
    /// As [`Requests::read`].
    pub async fn write(&self, ask: Ask<'_>, size: Option<u64>) -> Result<Decided<WriteTransfer>, AskError> {
        let decided = self.decide(ask, Operation::Write, size).await?;
        Ok(decided.map(|(open, found, bounds)| WriteTransfer::new(open, found, &bounds)))
    }

    async fn decide(
        &self,
        ask: Ask<'_>,
        operation: Operation,
        size: Option<u64>,
    ) -> Result<Decided<Granted>, AskError> {
        let admission = self.admission.upgrade().ok_or(AskError::Ended)?;
        if admission.watch.is_draining() && !self.of_accepted {
            return Err(AskError::Ended);
        }
        let generation = admission.generation.get();
        let known = || generation.negotiation.listeners();
        if !known().any(|name| name == ask.listener) {
            let known = known().map(str::to_owned).collect();
            return Err(AskError::UnknownListener { listener: ask.listener.to_owned(), known });
        }
        let received = Instant::now();
        let summaries = admission.summaries.upgrade().ok_or(AskError::Ended)?;
        let (place, permit) = match admission.other_requests.admit(&ask.client, &summaries) {
            Ok(places) => places,
            Err(limit) => return Ok(Decided::Dropped(format!("{limit} was reached"))),
        };
        drop(summaries);
        admission.watch.admitted(1);
        let mut record =
            DecisionRecord::new(Arc::new(read(&admission, &generation, &ask, operation)), received);
        record.requested_options = OptionSet { tsize: size, ..OptionSet::default() };
        let outstanding = generation.files.outstanding.clone();
        let undecided = Undecided::new(admission, generation, record, place, permit);
        // Pinned here, since each function that takes a future by value would hold it once more.
        let deciding = pin!(AssertUnwindSafe(search(undecided)).catch_unwind());
        match outstanding.until_stopped(deciding).await {
            Some(Ok(decided)) => Ok(decided),
            Some(Err(_)) => Ok(answer(internal_error())),
            None => Err(AskError::Ended),
        }
    }
}

/// Decides a request, and reports it.
async fn search(mut undecided: Undecided) -> Decided<Granted> {
    let generation = Arc::clone(undecided.generation());
    let record = undecided.record();
    let plan = if generation.needs_policy(&record.request.listener) {
        Box::pin(ask_policy(&generation, record)).await
    } else {
        Plan::without_policy(record)
    };
    let found = carry_out(&mut OtherProtocol::new(&generation, undecided.record()), &generation, plan).await;
    match found {
        Ok((found, bounds)) => Decided::Granted((undecided.grant(&found).await, found, bounds)),
        Err(decision) => {
            // The search alone decides.
            let decision = decision.unwrap_or_else(internal_error);
            undecided.refuse(&decision);
            answer(decision)
        }
    }
}

/// Creates the request as policy sees it.
fn read(
    admission: &Admission,
    generation: &Generation,
    ask: &Ask<'_>,
    operation: Operation,
) -> tuffet_request::Request {
    let client = ask.client.ip().to_canonical();
    let requested = ReceivedRequest {
        id: admission.next_id(),
        listener: ask.listener.into(),
        protocol: ask.protocol,
        operation,
        mode: Mode::Octet,
        client: ask.client,
        local: Arrival { address: ask.local_address, ..Arrival::default() },
        name: ask.name,
        received_at: SystemTime::now(),
        options: Vec::new(),
    };
    let neighbour = admission.neighbours.find_on_any_interface(client);
    let facts = ClientFacts { neighbour, lease: generation.leases.find(client) };
    let within = ask.trace_parent.and_then(TraceParent::parse);
    let trail = admission.sampling.map(|sampling| sampling.begin(Instant::now(), within));
    let class = ask.user_agent.map_or(ClientClass::UNKNOWN, ClientClass::of_user_agent);
    let certificate = ask.certificate.clone();
    tuffet_request::Request { class, certificate, ..requested.read(generation, facts, trail) }
}

fn answer<T>(decision: Decision) -> Decided<T> {
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

impl<T> Decided<T> {
    fn map<U>(self, make: impl FnOnce(T) -> U) -> Decided<U> {
        match self {
            Decided::Granted(granted) => Decided::Granted(make(granted)),
            Decided::Refused(denial) => Decided::Refused(denial),
            Decided::Dropped(reason) => Decided::Dropped(reason),
        }
    }
}
