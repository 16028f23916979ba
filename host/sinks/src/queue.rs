//! The queue of a backlog: its consumer waits here for lines, whatever stores them.

use std::fs::File;
use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::backlog::Load;
use super::{Batch, Pace};

/// The storage for lines, under the lock of its queue.
pub(super) trait Store {
    /// The number of lines that can be taken, and their bytes.
    fn ready(&self) -> (u64, u64);

    /// When the first of them arrived.
    fn since(&self) -> Option<Instant>;

    /// The most lines that it can hold: no batch waits for more.
    fn most(&self) -> u64 {
        u64::MAX
    }

    /// Takes the next lines, of which there is at least one.
    fn take(&mut self, batch: &Batch) -> io::Result<Load>;

    /// The file to sync next, and when.
    fn sync_due(&self) -> Option<(Instant, Arc<File>)> {
        None
    }

    /// Called before the file is synced.
    fn begin_sync(&mut self) {}
}

/// Lines and their consumer.
#[derive(Debug)]
pub(super) struct Queue<S> {
    state: Mutex<State<S>>,
    news: Condvar,
}

/// The store, locked.
#[derive(Debug)]
pub(super) struct State<S> {
    store: S,
    /// `None` while the consumer is not waiting.
    wanted: Option<Wanted>,
}

/// The condition for waking a waiting consumer. A wake-up costs more than a line.
#[derive(Debug)]
struct Wanted {
    lines: u64,
    bytes: u64,
    /// The time at which it wakes by itself.
    until: Option<Instant>,
}

impl<S: Store> Queue<S> {
    pub fn new(store: S) -> Queue<S> {
        Queue { state: Mutex::new(State { store, wanted: None }), news: Condvar::new() }
    }

    pub fn lock(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unlocks the store after a line was added, and wakes the consumer if its condition is met.
    pub fn added(&self, mut state: MutexGuard<'_, State<S>>) {
        let (lines, bytes) = state.store.ready();
        let due = state.store.sync_due().map(|(due, _)| due);
        let enough = |wanted: &mut Wanted| {
            let too_late = due.is_some_and(|due| wanted.until.is_none_or(|until| due < until));
            lines >= wanted.lines || bytes >= wanted.bytes || too_late
        };
        let wakes = state.wanted.take_if(enough).is_some();
        drop(state);
        if wakes {
            self.news.notify_all();
        }
    }

    /// See [`super::backlog::Backlog::take`]. Meanwhile syncs files that are due.
    pub fn take(&self, batch: &Batch, until: Option<Instant>, pace: &dyn Fn() -> Pace) -> io::Result<Load> {
        let mut state = self.lock();
        loop {
            state.wanted = None;
            let pace = pace();
            let hurry = pace != Pace::Calm;
            let now = Instant::now();
            let sync = state.store.sync_due();
            if let Some((due, file)) = &sync
                && (hurry || *due <= now)
            {
                state.store.begin_sync();
                drop(state);
                file.sync_data()?;
                state = self.lock();
                continue;
            }
            let (lines, bytes) = state.store.ready();
            let ripe = state.store.since().map(|since| since + batch.wait);
            let whole = (state.store.most().min(batch.lines as u64), batch.bytes as u64);
            let enough = lines >= whole.0 || bytes >= whole.1;
            if lines > 0 && (hurry || enough || ripe.is_some_and(|ripe| now >= ripe)) {
                return state.store.take(batch);
            }
            if pace == Pace::Stop || until.is_some_and(|until| now >= until) {
                return Ok(Load::default());
            }
            let end = [ripe, until, sync.map(|(due, _)| due)].into_iter().flatten().min();
            // The first line sets the deadline of its batch.
            let (lines, bytes) = if lines == 0 { (1, 0) } else { whole };
            state.wanted = Some(Wanted { lines, bytes, until: end });
            state = match end {
                None => self.news.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(end) => {
                    let waited = self.news.wait_timeout(state, end.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Wakes the consumer.
    pub fn wake(&self) {
        // Under the lock, so that a consumer that has checked and is about to wait does not miss it.
        let _state = self.lock();
        self.news.notify_all();
    }

    /// Waits until this time at the latest, and less if the sink is to stop.
    pub fn pause(&self, until: Instant, pace: &dyn Fn() -> Pace) {
        let mut state = self.lock();
        while pace() != Pace::Stop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.news.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl<S> State<S> {
    /// Whether the consumer is waiting.
    #[cfg(test)]
    pub fn is_awaited(&self) -> bool {
        self.wanted.is_some()
    }
}

impl<S> Deref for State<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.store
    }
}

impl<S> DerefMut for State<S> {
    fn deref_mut(&mut self) -> &mut S {
        &mut self.store
    }
}
