//! The messages between the workers and the control side, and the mailbox that carries them.

use super::content::Content;
use super::counters::Counters;
use super::signal::{Due, Signal};
use super::transfers::report;
use crate::limits::Share;
use crossbeam_queue::SegQueue;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};
use tuffet_core::{Limits, OptionSet};
use tuffet_request::Progress;
use tuffet_request::events::{Answered, DecisionRecord, Ending, Outcome, Summary};
use tuffet_request::{ErrorCode, Mode, Operation};
use tuffet_store::{StoreError, Upload};
use tuffet_udp::Local;

/// A place in the queue of summaries.
pub type Place = mpsc::OwnedPermit<Summary>;

/// Names a transfer of one worker; a key outlives its transfer without naming another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

/// The policy that decided a request, which also decides about its upload. A worker holds it until the
/// request has ended, and never calls it.
pub trait Gate: Send + Sync {
    /// Whether somebody is to be asked before an upload becomes visible.
    fn asks(&self) -> bool;

    /// Asks, and makes the upload visible and lasting, or discards it.
    fn pass(
        &self,
        upload: Upload,
        record: Arc<DecisionRecord>,
    ) -> Pin<Box<dyn Future<Output = Stored> + Send + '_>>;
}

/// From a worker to the control side.
pub enum ToControl {
    /// Decide this.
    Request(NewRequest),
    /// Make this upload visible and lasting; answered by [`ToWorker::Stored`].
    Store {
        /// The worker that asks.
        worker: usize,
        /// The transfer.
        key: Key,
        /// What was received.
        upload: Upload,
        /// Its request and how it was decided.
        record: Arc<DecisionRecord>,
        /// What the request was decided with.
        generation: Arc<dyn Gate>,
    },
    /// Remove what is left of this upload; a disk may be slow to do so.
    Discard(Upload),
    /// Something went wrong that belongs to no transfer.
    Counted {
        /// The worker that tells.
        worker: usize,
        /// Counts since its last report.
        news: Counters,
    },
}

/// A request as the worker read it.
pub struct NewRequest {
    /// The worker that read it.
    pub worker: usize,
    /// Its transfer.
    pub key: Key,
    /// When it came.
    pub received: Instant,
    /// The number of the listener.
    pub listener: u16,
    /// The address and port of the client.
    pub peer: SocketAddr,
    /// The local address that it came to.
    pub local: Option<Local>,
    /// Read or write.
    pub operation: Operation,
    /// Octet or netascii.
    pub mode: Mode,
    /// The name as it was sent.
    pub name: Box<[u8]>,
    /// All options as they were sent, names in lower case.
    pub options: Vec<(String, String)>,
    /// The options that the protocol knows.
    pub asked: OptionSet,
    /// The place of its summary.
    pub place: Place,
    /// Its place among the pending ones of its client.
    pub share: Share,
}

/// From the control side to a worker.
pub enum ToWorker {
    /// A request was decided.
    Decided {
        /// The transfer.
        key: Key,
        /// What goes with it to its end.
        ticket: Box<Ticket>,
        /// What it gets.
        decision: Decision,
    },
    /// An upload is stored, or could not be.
    Stored {
        /// The transfer.
        key: Key,
        /// How it went.
        stored: Stored,
    },
    /// Say that you are there.
    Ping(oneshot::Sender<()>),
    /// Admit nothing more; stop when the running transfers have ended, at the latest then.
    Drain {
        /// The latest end.
        until: Instant,
    },
}

/// What goes with a request from its decision to its end.
pub struct Ticket {
    /// The request and how it was decided.
    pub record: Arc<DecisionRecord>,
    /// The answer.
    pub answered: Answered,
    /// The place of its summary.
    pub place: Place,
    /// As in [`NewRequest`]; given back when the decision is there.
    pub share: Share,
    /// Where others read how far it has come; none where nothing was granted.
    pub progress: Option<Arc<Progress>>,
    /// What it was decided with, and an upload of it will be.
    pub generation: Arc<dyn Gate>,
}

impl Ticket {
    /// Tells of a request that was still undecided when the server stopped.
    fn too_late(self) {
        let ending = Ending::new(Outcome::Failed, "the server was shut down before it was decided");
        report(Ticket { answered: Answered::Undecided, ..self }, ending, None, None, Instant::now());
    }
}

/// How an upload was made visible, or why not.
pub struct Stored {
    /// Whether it is there.
    pub result: Result<(), StoreError>,
    /// The record of its request, with what the `accept-upload` chain changed.
    pub record: Arc<DecisionRecord>,
}

/// What a request gets.
pub enum Decision {
    /// It is granted: this is what moves.
    Grant {
        /// What moves.
        content: Content,
        /// The most that is negotiated.
        limits: Limits,
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
    /// It is not answered at all.
    Drop {
        /// How the request ends.
        ending: Ending,
    },
}

impl Decision {
    /// The answer in a word.
    pub fn answered(&self) -> Answered {
        match self {
            Decision::Grant { .. } => Answered::Granted,
            Decision::Refuse { .. } => Answered::Refused,
            Decision::Drop { .. } => Answered::Dropped,
        }
    }

    /// Bytes on the wire: of the file that is read, or as the client `announced`.
    pub fn size(&self, announced: Option<u64>) -> Option<u64> {
        match self {
            Decision::Grant { content, .. } => content.size().or(announced),
            Decision::Refuse { .. } | Decision::Drop { .. } => None,
        }
    }
}

/// A worker's mailbox. Posting never blocks. The worker's transfers bound the number of letters: each has at
/// most one pending decision or upload, and there is at most one ping.
pub struct Mailbox {
    letters: SegQueue<ToWorker>,
    signal: Signal,
    waker: mio::Waker,
}

impl Mailbox {
    /// Empty; `waker` wakes its worker.
    pub fn new(waker: mio::Waker) -> Self {
        Mailbox { letters: SegQueue::new(), signal: Signal::default(), waker }
    }

    /// Posts a letter; where nobody is left to read it, it is worked off here.
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

    /// The worker has ended: nothing more is read.
    pub(super) fn close(&self) {
        self.signal.close();
        self.work_off();
    }

    fn work_off(&self) {
        while let Some(letter) = self.take() {
            if let ToWorker::Decided { ticket, .. } = letter {
                ticket.too_late();
            }
        }
    }

    /// Before reading, so that a letter posted meanwhile wakes again.
    pub(crate) fn open(&self) {
        self.signal.lower();
    }

    /// The next letter.
    pub fn take(&self) -> Option<ToWorker> {
        self.letters.pop()
    }
}
