//! The mailbox of a worker.

use super::messages::ToWorker;
use super::signal::{Due, Signal};
use crossbeam_queue::SegQueue;
use std::io;

/// A worker's mailbox. Posting never blocks. The number of messages is bounded by the worker's transfers: each has at
/// most one pending decision or upload, and pings and taps are rare.
pub struct Mailbox {
    messages: SegQueue<ToWorker>,
    signal: Signal,
    waker: mio::Waker,
}

impl Mailbox {
    /// Creates an empty mailbox; `waker` wakes its worker.
    pub fn new(waker: mio::Waker) -> Self {
        Mailbox { messages: SegQueue::new(), signal: Signal::default(), waker }
    }

    /// Posts a message; if the worker has ended, handles it here.
    pub fn post(&self, message: ToWorker) -> io::Result<()> {
        self.add(message);
        self.wake()
    }

    /// Adds a message without waking the worker; call [`Mailbox::wake`] afterwards.
    pub fn add(&self, message: ToWorker) {
        self.messages.push(message);
    }

    /// Wakes the worker for the added messages; if it has ended, handles them here.
    pub fn wake(&self) -> io::Result<()> {
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
        while let Some(message) = self.take() {
            match message {
                ToWorker::Decided { ticket, .. } => ticket.too_late(),
                ToWorker::Join(join) | ToWorker::Declined(join) => join.too_late(),
                _ => {}
            }
        }
    }

    /// Lowers the signal before reading, so that a message posted meanwhile wakes the worker again.
    pub fn open(&self) {
        self.signal.lower();
    }

    /// Returns the next message.
    pub fn take(&self) -> Option<ToWorker> {
        self.messages.pop()
    }
}
