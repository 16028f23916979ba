//! One wake-up of a worker for many decisions.
//!
//! A deciding thread decides the requests of one turn of a worker, one after the other. If each decision woke the worker,
//! the two would take turns on a busy core, and each answer would leave in a send call of its own. So the thread adds
//! decisions to the mailbox, and wakes the worker at the end, or after [`LONGEST_HOLD`].

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tuffet_engine::worker::{Mailbox, ToWorker};

/// The longest time that a decision waits for the next one. A wake-up costs some microseconds.
const LONGEST_HOLD: Duration = Duration::from_micros(100);

thread_local! {
    /// The wake-up that this thread holds back.
    static HELD: RefCell<Option<Arc<HeldWake>>> = const { RefCell::new(None) };
}

/// A wake-up that is held back.
pub(super) struct HeldWake {
    mailbox: Arc<Mailbox>,
    /// Whether messages were added since the worker was last woken.
    due: AtomicBool,
}

impl HeldWake {
    pub(super) fn new(mailbox: Arc<Mailbox>) -> Arc<HeldWake> {
        Arc::new(HeldWake { mailbox, due: AtomicBool::new(false) })
    }

    /// Holds back wake-ups for messages from this thread, until the guard is dropped.
    pub(super) fn hold(self: &Arc<HeldWake>) -> Holding {
        HELD.set(Some(Arc::clone(self)));
        Holding { wake: Arc::clone(self), since: Instant::now() }
    }

    /// Wakes the worker, if messages were added since it was last woken.
    pub(super) fn wake(&self) {
        if self.due.swap(false, Ordering::AcqRel) {
            super::log_failure(self.mailbox.wake());
        }
    }
}

/// Posts a message; wakes the worker later, if this thread holds back its wake-up.
pub(super) fn post(mailbox: &Mailbox, message: ToWorker) {
    HELD.with_borrow(|held| match held {
        Some(held) if std::ptr::eq(&*held.mailbox, mailbox) => {
            mailbox.add(message);
            held.due.store(true, Ordering::Release);
        }
        _ => super::log_failure(mailbox.post(message)),
    });
}

/// Holds back wake-ups of this thread.
pub(super) struct Holding {
    wake: Arc<HeldWake>,
    since: Instant,
}

impl Holding {
    /// Wakes the worker if decisions have waited for long, or if this decision is the last and may get stuck.
    pub(super) fn before_next(&mut self, is_last: bool) {
        let now = Instant::now();
        if is_last || now.saturating_duration_since(self.since) >= LONGEST_HOLD {
            self.wake.wake();
            self.since = now;
        }
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        HELD.set(None);
        self.wake.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mio::{Events, Poll, Token, Waker};
    use tokio::sync::oneshot;

    /// A decision behind a hanging file would otherwise wait for it.
    #[test]
    fn a_held_wake_up_comes_at_the_end_or_from_the_next_thread() {
        let mut poll = Poll::new().unwrap();
        let mailbox = Arc::new(Mailbox::new(Waker::new(poll.registry(), Token(0)).unwrap()));
        let mut events = Events::with_capacity(1);
        let mut is_woken = || {
            poll.poll(&mut events, Some(Duration::ZERO)).unwrap();
            // As the worker does.
            mailbox.open();
            !events.is_empty()
        };
        let add = || post(&mailbox, ToWorker::Ping(oneshot::channel().0));
        let wake = HeldWake::new(Arc::clone(&mailbox));
        let mut holding = wake.hold();
        add();
        assert!(!is_woken());
        std::thread::scope(|scope| scope.spawn(|| wake.wake()).join().unwrap());
        assert!(is_woken());
        add();
        holding.before_next(true);
        assert!(is_woken());
        add();
        drop(holding);
        assert!(is_woken());
        wake.wake();
        assert!(!is_woken(), "nothing new");
        add();
        assert!(is_woken(), "nothing holds it back any more");
    }
}
