//! The messages between the workers and the control side, and the mailbox that carries them.

use super::content::Content;
use super::counters::Counters;
use super::disk::DiskWork;
use super::multicast::Join;
use super::signal::{Due, Signal};
use super::sink::Written;
use super::sockets::ListenerId;
use super::tap::Tap;
use super::transfers::report;
use crate::limits::Share;
use crossbeam_queue::SegQueue;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};
use tuffet_core::{Limits, OptionSet, Settings};
use tuffet_request::events::{Answered, CompactRecord, Ended, Ending, Outcome};
use tuffet_request::{ErrorCode, Mode, Operation};
use tuffet_store::{Ahead, Identity, StoreError, Upload};
use tuffet_udp::Local;

/// A reserved place in the queue of summaries.
pub type Place = mpsc::OwnedPermit<Ended>;

/// Identifies a transfer of one worker; a key outlives its transfer without identifying another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

/// The policy that decides about an upload. A worker holds it until the upload is complete, and never calls it.
pub trait Gate: Send + Sync {
    /// Calls the `accept-upload` chain, then makes the upload visible and durable, or discards it.
    fn pass(
        &self,
        upload: Upload,
        record: Arc<CompactRecord>,
    ) -> Pin<Box<dyn Future<Output = Stored> + Send + '_>>;
}

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
        /// Who decides about the upload first, if somebody does.
        gate: Option<Arc<dyn Gate>>,
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
    /// A granted request for the thread of the groups.
    Join(Box<Join>),
    /// News of the client of a [`ToControl::Join`], for the thread of the groups.
    Member {
        /// The worker that has its request.
        worker: usize,
        /// Its request.
        key: Key,
        /// What its client did.
        news: MemberNews,
    },
    /// A letter of the thread of the groups to a worker.
    ToWorker {
        /// The receiver.
        worker: usize,
        /// The letter.
        letter: ToWorker,
    },
    /// Problems that belong to no transfer.
    Counted {
        /// The reporting worker.
        worker: usize,
        /// Counts since its last report.
        news: Counters,
    },
}

/// What a client did that is a member of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberNews {
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
    pub place: Place,
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
    /// The result of a read.
    Read {
        /// The transfer.
        key: Key,
        /// The bytes; `None` if the file has changed.
        result: io::Result<Option<Ahead>>,
    },
    /// The result of a write of an upload.
    Written {
        /// The transfer.
        key: Key,
        /// The result.
        written: Box<Written>,
    },
    /// A member for a group.
    Join(Box<Join>),
    /// News of a member.
    Member {
        /// The worker that has its request.
        worker: usize,
        /// Its request.
        key: Key,
        /// What its client did.
        news: MemberNews,
    },
    /// No group has a place: the client gets the file for itself.
    Declined(Box<Join>),
    /// A membership has ended, and its outcome is reported.
    Left {
        /// The request.
        key: Key,
    },
    /// Copy datagrams from now on, or no more.
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
    /// Say that you are there.
    Ping(oneshot::Sender<()>),
    /// Admit no more requests; stop when all transfers have ended, or at the deadline.
    Drain {
        /// The deadline.
        until: Instant,
    },
}

/// The data of a request from its decision to its end.
pub struct Ticket {
    /// The request and its decision.
    pub record: Arc<CompactRecord>,
    /// The answer.
    pub answered: Answered,
    /// The place of its summary.
    pub place: Place,
}

impl Ticket {
    /// Reports a request that was still undecided when the server stopped.
    pub(super) fn too_late(self) {
        let ending = Ending::new(Outcome::Failed, "the server was shut down before it was decided");
        report(Ticket { answered: Answered::Undecided, ..self }, ending, None, None, Instant::now());
    }
}

/// The result of storing an upload.
pub struct Stored {
    /// Success, or the reason of the failure.
    pub result: Result<(), StoreError>,
    /// The record of its request, if the `accept-upload` chain changed it.
    pub record: Option<Arc<CompactRecord>>,
}

/// The decision about a request.
pub enum Decision {
    /// It is granted.
    Grant {
        /// The bytes of the transfer.
        content: Content,
        /// The ceilings of the negotiation.
        limits: Limits,
        /// The settings of this transfer, instead of those of the worker.
        settings: Option<Arc<Settings>>,
        /// The identity of its file if the client may read it as a member of a group.
        group: Option<Box<Identity>>,
    },
    /// It is refused with an ERROR.
    Refuse {
        /// The code of the ERROR.
        code: ErrorCode,
        /// Its text.
        message: String,
        /// How the request ends.
        ending: Ending,
    },
    /// It is dropped.
    Drop {
        /// How the request ends.
        ending: Ending,
    },
}

impl Decision {
    /// The decision in one word.
    pub fn answered(&self) -> Answered {
        match self {
            Decision::Grant { .. } => Answered::Granted,
            Decision::Refuse { .. } => Answered::Refused,
            Decision::Drop { .. } => Answered::Dropped,
        }
    }

    /// Bytes on the wire, if known: the size of the file to be read, or the size that the client `announced`
    /// for an upload.
    pub fn size(&self, announced: Option<u64>) -> Option<u64> {
        match self {
            Decision::Grant { content: Content::Upload(_), .. } => announced,
            Decision::Grant { content, .. } => content.size(),
            Decision::Refuse { .. } | Decision::Drop { .. } => None,
        }
    }
}

/// A worker's mailbox. Posting never blocks. The worker's transfers bound the number of letters: each has at
/// most one pending decision or upload, and there are few pings and taps.
pub struct Mailbox {
    letters: SegQueue<ToWorker>,
    signal: Signal,
    waker: mio::Waker,
}

impl Mailbox {
    /// Creates an empty mailbox; `waker` wakes its worker.
    pub fn new(waker: mio::Waker) -> Self {
        Mailbox { letters: SegQueue::new(), signal: Signal::default(), waker }
    }

    /// Posts a letter; if the worker has ended, handles it here.
    pub fn post(&self, letter: ToWorker) -> io::Result<()> {
        self.letters.push(letter);
        match self.signal.raise() {
            Due::Nothing => Ok(()),
            Due::Wake => self.waker.wake(),
            Due::WorkOff => {
                self.work_off();
                Ok(())
            }
        }
    }

    /// Closes the mailbox after the worker has ended.
    pub(super) fn close(&self) {
        self.signal.close();
        self.work_off();
    }

    fn work_off(&self) {
        while let Some(letter) = self.take() {
            match letter {
                ToWorker::Decided { ticket, .. } => ticket.too_late(),
                ToWorker::Join(join) | ToWorker::Declined(join) => join.too_late(),
                _ => {}
            }
        }
    }

    /// Lowers the signal before reading, so that a letter posted meanwhile wakes the worker again.
    pub(crate) fn open(&self) {
        self.signal.lower();
    }

    /// Returns the next letter.
    pub fn take(&self) -> Option<ToWorker> {
        self.letters.pop()
    }
}
