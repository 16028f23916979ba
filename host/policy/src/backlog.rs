//! The events that wait for observers: their number, its bound, and what remains at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use tokio::sync::Notify;

/// The events that wait for observers. Cheap to clone; clones share them.
///
/// Whoever causes events asks for room first, and waits while there is none. An event is never refused: the transfers
/// that run when the bound is reached have theirs beyond it.
#[derive(Debug, Clone)]
pub struct Backlog(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    most: usize,
    events: AtomicUsize,
    /// Those that are ends.
    ends: AtomicUsize,
    given_up: AtomicBool,
    /// There is room again, or no event is left.
    freed: Notify,
    /// There is no room.
    filled: Notify,
}

/// The place of an event, until every observer has taken it.
#[derive(Debug)]
pub struct Place {
    of: Backlog,
    is_end: bool,
}

impl Backlog {
    /// Lets `most` events wait.
    pub fn new(most: usize) -> Backlog {
        Backlog(Arc::new(Shared {
            most,
            events: AtomicUsize::new(0),
            ends: AtomicUsize::new(0),
            given_up: AtomicBool::new(false),
            freed: Notify::new(),
            filled: Notify::new(),
        }))
    }

    /// Takes a place, whether there is room or not.
    pub fn place(&self, is_end: bool) -> Place {
        if is_end {
            self.0.ends.fetch_add(1, SeqCst);
        }
        if self.0.events.fetch_add(1, SeqCst) + 1 >= self.0.most {
            self.0.filled.notify_one();
        }
        Place { of: self.clone(), is_end }
    }

    /// Whether another event has room.
    pub fn has_room(&self) -> bool {
        self.0.events.load(SeqCst) < self.0.most || self.is_given_up()
    }

    /// Waits for room.
    pub async fn room(&self) {
        self.freed(Backlog::has_room).await;
    }

    /// Waits until every event is taken, or given up.
    pub async fn emptied(&self) {
        self.freed(|its| its.events() == 0 || its.is_given_up()).await;
    }

    async fn freed(&self, is_it: impl Fn(&Backlog) -> bool) {
        loop {
            let freed = self.0.freed.notified();
            if is_it(self) {
                return;
            }
            freed.await;
        }
    }

    /// Returns when there may be no room.
    pub async fn filled(&self) {
        self.0.filled.notified().await;
    }

    /// The events that wait, or that an observer is taking.
    pub fn events(&self) -> usize {
        self.0.events.load(SeqCst)
    }

    /// Nothing is observed any more, and no request waits for room. Returns the number of ends that were not observed.
    pub fn give_up(&self) -> usize {
        self.0.given_up.store(true, SeqCst);
        self.0.freed.notify_waiters();
        self.0.ends.load(SeqCst)
    }

    fn is_given_up(&self) -> bool {
        self.0.given_up.load(SeqCst)
    }
}

impl Place {
    /// Whether its event must not be observed any more.
    pub fn is_given_up(&self) -> bool {
        self.of.is_given_up()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Shared { most, events, ends, freed, .. } = &*self.of.0;
        if self.is_end {
            ends.fetch_sub(1, SeqCst);
        }
        let left = events.fetch_sub(1, SeqCst) - 1;
        if left == 0 || left + 1 == *most {
            freed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn places_are_bounded_counted_and_given_up() {
        let backlog = Backlog::new(2);
        let (start, end) = (backlog.place(false), backlog.place(true));
        assert!(!backlog.has_room() && backlog.filled().now_or_never().is_some());
        let beyond = backlog.place(true);
        let mut waiting = Box::pin(backlog.room());
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(start);
        assert!(waiting.as_mut().now_or_never().is_none(), "one is beyond the bound");
        drop(end);
        assert!(waiting.as_mut().now_or_never().is_some());
        assert_eq!((backlog.events(), backlog.emptied().now_or_never()), (1, None));
        assert!(!beyond.is_given_up());
        assert_eq!(backlog.give_up(), 1);
        assert!(beyond.is_given_up() && backlog.emptied().now_or_never().is_some());
    }
}
