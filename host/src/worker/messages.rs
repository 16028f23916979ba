//! What passes between the workers and the control side, and the mailbox it passes through.

use super::content::Content;
use super::counters::Counters;
use super::transfers::report;
use crate::admission::Generation;
use crate::limits::Share;
use crossbeam_queue::SegQueue;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};
use tuffet_core::{Limits, Oack};
use tuffet_request::Progress;
use tuffet_request::events::{Answered, Ending, Outcome, Summary};
use tuffet_request::{ErrorCode, Mode, Operation, Request};
use tuffet_store::{StoreError, Upload};
use tuffet_udp::Local;

/// A place in the queue of summaries.
pub(crate) type Place = mpsc::OwnedPermit<Summary>;

/// Names a transfer of one worker; a key outlives its transfer without naming another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

/// From a worker to the control side.
pub(crate) enum ToControl {
    /// Decide this.
    Request(NewRequest),
    /// Make this upload visible and lasting; answered by [`ToWorker::Stored`].
    Store { worker: usize, key: Key, upload: Upload, request: Arc<Request>, generation: Arc<Generation> },
    /// Remove what is left of this upload; a disk may be slow to do so.
    Discard(Upload),
    /// Something went wrong that belongs to no transfer.
    Counted { worker: usize, news: Counters },
}

/// A request as the worker read it.
pub(crate) struct NewRequest {
    pub(crate) worker: usize,
    pub(crate) key: Key,
    pub(crate) received: Instant,
    pub(crate) listener: u16,
    pub(crate) peer: SocketAddr,
    pub(crate) local: Option<Local>,
    pub(crate) operation: Operation,
    pub(crate) mode: Mode,
    pub(crate) name: Box<[u8]>,
    pub(crate) options: Vec<(String, String)>,
    /// The options that the protocol knows.
    pub(crate) asked: Oack,
    pub(crate) place: Place,
    /// Its place among the pending ones of its client.
    pub(crate) share: Share,
}

/// From the control side to a worker.
pub(crate) enum ToWorker {
    /// A request was decided.
    Decided { key: Key, ticket: Box<Ticket>, decision: Decision },
    /// An upload is stored, or could not be.
    Stored { key: Key, stored: Stored },
    /// Say that you are there.
    Ping(oneshot::Sender<()>),
    /// Admit nothing more; stop when the running transfers have ended, at the latest then.
    Drain { until: Instant },
}

/// What goes with a request from its decision to its end.
pub(crate) struct Ticket {
    pub(crate) request: Arc<Request>,
    pub(crate) asked: Oack,
    pub(crate) answered: Answered,
    /// Bytes on the wire, where they are known.
    pub(crate) size: Option<u64>,
    pub(crate) resolved: Option<Arc<str>>,
    pub(crate) verdict_by: Option<Arc<str>>,
    pub(crate) plugin_calls: u32,
    pub(crate) received: Instant,
    pub(crate) decided: Instant,
    pub(crate) place: Place,
    /// As in [`NewRequest`]; given back when the decision is there.
    pub(crate) share: Share,
    /// Where others read how far it has come; none where nothing was granted.
    pub(crate) progress: Option<Arc<Progress>>,
    /// What it was decided with, and an upload of it will be.
    pub(crate) generation: Arc<Generation>,
}

impl Ticket {
    /// Tells of a request that was still undecided when the server stopped.
    fn too_late(self) {
        let ending = Ending::new(Outcome::Failed, "the server was shut down before it was decided");
        report(Ticket { answered: Answered::Undecided, ..self }, ending, None, None, Instant::now());
    }
}

/// How an upload was made visible, or why not.
pub(crate) struct Stored {
    pub(crate) result: Result<(), StoreError>,
    /// Where it is, if it is not where it was to be.
    pub(crate) resolved: Option<Arc<str>>,
    /// The plugin that had the last word; `None` where none had one.
    pub(crate) verdict_by: Option<Arc<str>>,
    /// How many plugins were called about it.
    pub(crate) plugin_calls: u32,
}

impl From<Result<(), StoreError>> for Stored {
    fn from(result: Result<(), StoreError>) -> Self {
        Stored { result, resolved: None, verdict_by: None, plugin_calls: 0 }
    }
}

/// What a request gets.
pub(crate) enum Decision {
    /// It is granted: this is what moves.
    Grant { content: Content, limits: Limits },
    /// It is refused with an ERROR.
    Refuse { code: ErrorCode, message: String, ending: Ending },
    /// It is not answered at all.
    Drop { ending: Ending },
}

/// A worker's mailbox. Posting never blocks; how many letters there can be is bounded by the worker's
/// transfers, of which each has at most one decision or one upload under way, and one question whether it is
/// there.
pub(crate) struct Mailbox {
    letters: SegQueue<ToWorker>,
    /// Set while the worker has been woken and has not looked yet.
    signalled: AtomicBool,
    /// Set when the worker has ended.
    closed: AtomicBool,
    waker: mio::Waker,
}

impl Mailbox {
    pub(crate) fn new(waker: mio::Waker) -> Self {
        Mailbox {
            letters: SegQueue::new(),
            signalled: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            waker,
        }
    }

    /// Posts a letter; where nobody is left to read it, it is worked off here.
    pub(crate) fn post(&self, letter: ToWorker) -> io::Result<()> {
        self.letters.push(letter);
        // With the one in `close`: one of the two sees what the other did.
        fence(Ordering::SeqCst);
        if self.closed.load(Ordering::Relaxed) {
            self.work_off();
            return Ok(());
        }
        if self.signalled.swap(true, Ordering::AcqRel) { Ok(()) } else { self.waker.wake() }
    }

    /// The worker has ended: nothing more is read.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
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
        self.signalled.store(false, Ordering::Release);
    }

    pub(crate) fn take(&self) -> Option<ToWorker> {
        self.letters.pop()
    }
}
