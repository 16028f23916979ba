//! The messages between the workers and the control side.

use super::content::Content;
use super::counters::Counters;
use super::decision::Decision;
use super::disk_work::{DiskResult, DiskWork};
use super::gate::{Gate, Stored};
use super::key::Key;
use super::multicast::Join;
use super::passed::{Passed, Succession};
use super::sockets::ListenerId;
use super::tap::Tap;
use super::ticket::{SummaryPermit, Ticket};
use crate::limits::Share;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;
use tuffet_core::OptionSet;
use tuffet_request::events::CompactRecord;
use tuffet_request::settings::TimeLimit;
use tuffet_request::{Mode, Operation};
use tuffet_store::Upload;
use tuffet_udp::Local;

/// From a worker to the control side.
pub enum ToControl {
    /// A request to be decided.
    Request(NewRequest),
    /// An upload to be made visible and durable; answered by [`ToWorker::Stored`].
    Store {
        /// The worker of the transfer.
        worker: usize,
        /// The transfer.
        key: Key,
        /// The received upload.
        upload: Upload,
        /// Its request and the decision.
        record: Arc<CompactRecord>,
        /// The gate of the upload, if it has one.
        gate: Option<Arc<dyn Gate>>,
        /// How long storing it may take.
        limit: TimeLimit,
    },
    /// A read or write to be done; the result goes to the worker's mailbox.
    Disk {
        /// The requesting worker.
        worker: usize,
        /// The operation.
        work: DiskWork,
    },
    /// An upload to be dropped with its temporary file; a disk may be slow to remove it.
    Discard(Upload),
    /// Content to be dropped; a disk may be slow to close its file.
    Close(Content),
    /// A granted request for the group thread.
    Join(Box<Join>),
    /// What the client of a [`ToControl::Join`] did, for the group thread.
    Member {
        /// The worker that has its request.
        worker: usize,
        /// Its request.
        key: Key,
        /// What its client did.
        news: MemberUpdate,
    },
    /// A message from the group thread to a worker.
    ToWorker {
        /// The receiver.
        worker: usize,
        /// The message.
        message: ToWorker,
    },
    /// Counts of problems outside of transfers.
    Counted {
        /// The reporting worker.
        worker: usize,
        /// Counts since its last report.
        news: Counters,
    },
}

/// An action of a client that is a member of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberUpdate {
    /// It has repeated its request.
    Repeated,
    /// It has sent another request from the same port.
    Left,
}

/// A request as the worker parsed it.
pub struct NewRequest {
    /// The worker that read it.
    pub worker: usize,
    /// Its transfer.
    pub key: Key,
    /// When it arrived.
    pub received: Instant,
    /// The number of the listener.
    pub listener: ListenerId,
    /// The address and port of the client.
    pub peer: SocketAddr,
    /// Its destination address.
    pub local: Option<Local>,
    /// Read or write.
    pub operation: Operation,
    /// Octet or netascii.
    pub mode: Mode,
    /// The name as sent.
    pub name: Box<[u8]>,
    /// All options as sent, names in lower case.
    pub options: Vec<(String, String)>,
    /// The options that the protocol knows.
    pub requested: OptionSet,
    /// The reserved place of its summary.
    pub place: SummaryPermit,
    /// Its share of its client's pending requests.
    pub share: Share,
}

impl NewRequest {
    /// Returns the index of the network interface that it arrived on; 0 if that is unknown.
    pub fn interface(&self) -> u32 {
        self.local.map_or(0, |local| local.interface)
    }
}

/// From the control side to a worker.
pub enum ToWorker {
    /// A request was decided.
    Decided {
        /// The transfer.
        key: Key,
        /// The data of the request until its end.
        ticket: Ticket,
        /// Its share of its client's pending requests, as in [`NewRequest`].
        share: Share,
        /// The decision.
        decision: Decision,
    },
    /// An upload is stored, or could not be.
    Stored {
        /// The transfer.
        key: Key,
        /// The result.
        stored: Stored,
    },
    /// The result of a read or write.
    Disk(DiskResult),
    /// A new member for a group.
    Join(Box<Join>),
    /// What a member did.
    Member {
        /// The worker that has its request.
        worker: usize,
        /// Its request.
        key: Key,
        /// What its client did.
        news: MemberUpdate,
    },
    /// No group has room: the worker serves the client alone.
    Declined(Box<Join>),
    /// A membership has ended, and its outcome is reported.
    Left {
        /// The request.
        key: Key,
    },
    /// Start or stop copying datagrams.
    Tap(Option<Arc<Tap>>),
    /// Bind the sockets of a listener to the interface that now has this name.
    Rebind {
        /// The position of the listener in the configuration.
        listener: usize,
        /// The name of the interface.
        interface: Arc<str>,
        /// Where the result goes.
        answer: oneshot::Sender<io::Result<()>>,
    },
    /// A datagram that another worker, or another process, received.
    Passed(Box<Passed>),
    /// The other processes that serve the same ports.
    Succession(Succession),
    /// Answer, to show that the worker runs, and has done what the messages before this one say.
    Ping(oneshot::Sender<()>),
    /// Admit no more requests; stop when all transfers have ended, or at the deadline.
    Drain {
        /// The deadline.
        until: Instant,
        /// Whether another process reads the listening sockets from now on, also in single-port mode.
        is_replaced: bool,
    },
}
