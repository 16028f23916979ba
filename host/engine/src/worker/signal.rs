//! The waker protocol of a worker's mailbox: each message wakes the worker, unless the worker is about to read the
//! mailbox anyway.
//!
//! One atomic word holds the whole state, and each of the three operations is a read-modify-write with `AcqRel`. Such
//! operations on one word have a single order, and each sees all that was written before its predecessors. So of a
//! producer that adds a message and then calls [`Signal::raise`], and a consumer that calls [`Signal::lower`] and
//! then reads, the second always sees the first: either the consumer finds the message, or the producer finds the
//! signal lowered and wakes it. The same holds between `raise` and [`Signal::close`]. Nothing depends on fences
//! inside of the queue that holds the messages.

use std::sync::atomic::{AtomicU8, Ordering};

const RAISED: u8 = 1;
const CLOSED: u8 = 2;

/// What a producer must do after adding a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Nothing: the consumer has been woken and has not read yet.
    Nothing,
    /// Wake the consumer.
    Wake,
    /// The consumer is gone: handle the messages here.
    WorkOff,
}

/// Whether the consumer has been woken, and whether it still exists. `W` is a parameter only for the tests.
#[derive(Debug, Default)]
pub(super) struct Signal<W = AtomicU8>(W);

/// The operations of an atomic byte that the protocol needs.
pub(super) trait Word {
    fn set(&self, bits: u8, ordering: Ordering) -> u8;
    fn clear(&self, bits: u8, ordering: Ordering) -> u8;
}

impl Word for AtomicU8 {
    fn set(&self, bits: u8, ordering: Ordering) -> u8 {
        self.fetch_or(bits, ordering)
    }

    fn clear(&self, bits: u8, ordering: Ordering) -> u8 {
        self.fetch_and(!bits, ordering)
    }
}

impl<W: Word> Signal<W> {
    /// Raises the signal. Called by a producer after it has added a message.
    pub(super) fn raise(&self) -> Due {
        match self.0.set(RAISED, Ordering::AcqRel) {
            before if before & CLOSED != 0 => Due::WorkOff,
            before if before & RAISED != 0 => Due::Nothing,
            _ => Due::Wake,
        }
    }

    /// Lowers the signal. Called by the consumer before it reads: a message added from now on wakes it again.
    pub(super) fn lower(&self) {
        self.0.clear(RAISED, Ordering::AcqRel);
    }

    /// Closes the signal. Called by the consumer before it reads for the last time.
    pub(super) fn close(&self) {
        self.0.set(CLOSED, Ordering::AcqRel);
    }
}

/// Loom runs each model in every order of its threads and with every value that the memory model permits for
/// a load. Letters are relaxed atomics, so that only the signal can make them visible.
#[cfg(test)]
mod tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicBool, AtomicU8 as LoomU8};
    use loom::thread;
    use std::panic::catch_unwind;

    impl Word for LoomU8 {
        fn set(&self, bits: u8, ordering: Ordering) -> u8 {
            self.fetch_or(bits, ordering)
        }

        fn clear(&self, bits: u8, ordering: Ordering) -> u8 {
            self.fetch_and(!bits, ordering)
        }
    }

    /// Orders nothing.
    #[derive(Default)]
    struct Relaxed(LoomU8);

    impl Word for Relaxed {
        fn set(&self, bits: u8, _: Ordering) -> u8 {
            self.0.set(bits, Ordering::Relaxed)
        }

        fn clear(&self, bits: u8, _: Ordering) -> u8 {
            self.0.clear(bits, Ordering::Relaxed)
        }
    }

    /// Lowers the signal by a plain store, as the mailbox once did: a store does not see the writes before
    /// the `raise` that it follows.
    #[derive(Default)]
    struct Stores(LoomU8);

    impl Word for Stores {
        fn set(&self, bits: u8, ordering: Ordering) -> u8 {
            self.0.set(bits, ordering)
        }

        fn clear(&self, bits: u8, _: Ordering) -> u8 {
            self.0.store(!bits & CLOSED, Ordering::Release);
            0
        }
    }

    /// A mailbox of two messages.
    #[derive(Default)]
    struct Model<W> {
        signal: Signal<W>,
        messages: [AtomicBool; 2],
    }

    impl<W: Word> Model<W> {
        fn post(&self, message: usize) -> Due {
            self.messages[message].store(true, Ordering::Relaxed);
            self.signal.raise()
        }

        fn sees(&self, message: usize) -> bool {
            self.messages[message].load(Ordering::Relaxed)
        }
    }

    /// Two producers post while a woken consumer reads once.
    fn no_wake_up_is_lost<W: Word + Default + Send + Sync + 'static>() {
        loom::model(|| {
            let mailbox = Arc::new(Model::<W>::default());
            assert_eq!(mailbox.signal.raise(), Due::Wake);
            let producers = [0, 1].map(|message| {
                let mailbox = mailbox.clone();
                thread::spawn(move || mailbox.post(message))
            });
            mailbox.signal.lower();
            let seen = [0, 1].map(|message| mailbox.sees(message));
            let due = producers.map(|producer| producer.join().unwrap());
            let woken = due.contains(&Due::Wake);
            assert!(woken || seen == [true, true], "{seen:?} {due:?}");
            assert!(due.iter().filter(|due| **due == Due::Wake).count() <= 1, "one wake-up is enough");
        });
    }

    /// A producer posts while the consumer reads for the last time.
    fn no_letter_outlives_the_consumer<W: Word + Default + Send + Sync + 'static>() {
        loom::model(|| {
            let mailbox = Arc::new(Model::<W>::default());
            let producer = thread::spawn({
                let mailbox = mailbox.clone();
                move || mailbox.post(0)
            });
            mailbox.signal.lower();
            mailbox.signal.close();
            let seen = mailbox.sees(0);
            let due = producer.join().unwrap();
            assert!(seen || due == Due::WorkOff, "{due:?}");
            assert_eq!(mailbox.signal.raise(), Due::WorkOff, "closed for good");
        });
    }

    #[test]
    fn a_letter_is_seen_or_wakes() {
        no_wake_up_is_lost::<LoomU8>();
    }

    #[test]
    fn a_letter_is_seen_or_worked_off() {
        no_letter_outlives_the_consumer::<LoomU8>();
    }

    #[test]
    fn the_models_detect_missing_ordering() {
        assert!(catch_unwind(no_wake_up_is_lost::<Relaxed>).is_err());
        assert!(catch_unwind(no_wake_up_is_lost::<Stores>).is_err());
        assert!(catch_unwind(no_letter_outlives_the_consumer::<Relaxed>).is_err());
    }
}
