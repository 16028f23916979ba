//! The queue of a backlog: its consumer waits here for lines, wherever they are stored.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::fs::File;
use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Instant;

use super::backlog::TakenLines;
use super::{Batch, DeliveryMode};

/// The storage for lines, under the lock of its queue.
pub(super) trait Store {
    /// Does what must be done while no line is in flight.
    fn prepare(&mut self) {}

    /// The number of lines that can be taken, and their bytes.
    fn ready(&self) -> (u64, u64);

    /// When the first of these lines arrived.
    fn since(&self) -> Option<Instant>;

    /// The maximum number of lines that it can hold: no batch waits for more.
    fn max_lines(&self) -> u64 {
        u64::MAX
    }

    /// Takes the next lines. There is at least one.
    fn take(&mut self, batch: &Batch) -> io::Result<TakenLines>;

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
    state: Mutex<QueueState<S>>,
    wake_up: Condvar,
}

/// The store, and the condition for waking its consumer.
#[derive(Debug)]
pub(super) struct QueueState<S> {
    store: S,
    /// `None` while the consumer is not waiting.
    wake_condition: Option<WakeCondition>,
}

/// The condition for waking the consumer. A wake-up costs more than a line.
#[derive(Debug)]
struct WakeCondition {
    lines: u64,
    bytes: u64,
    /// When the consumer wakes by itself.
    until: Option<Instant>,
}

impl<S: Store> Queue<S> {
    pub fn new(store: S) -> Queue<S> {
        Queue { state: Mutex::new(QueueState { store, wake_condition: None }), wake_up: Condvar::new() }
    }

    pub fn lock(&self) -> MutexGuard<'_, QueueState<S>> {
        self.state.lock()
    }

    /// Unlocks the store after a line was added, and wakes the consumer if its condition is met.
    pub fn added(&self, mut state: MutexGuard<'_, QueueState<S>>) {
        let (lines, bytes) = state.store.ready();
        let due = state.store.sync_due().map(|(due, _)| due);
        let enough = |condition: &mut WakeCondition| {
            let too_late = due.is_some_and(|due| condition.until.is_none_or(|until| due < until));
            lines >= condition.lines || bytes >= condition.bytes || too_late
        };
        let wakes = state.wake_condition.take_if(enough).is_some();
        drop(state);
        if wakes {
            self.wake_up.notify_all();
        }
    }

    /// See [`super::backlog::Backlog::take`]. Syncs files that are due meanwhile.
    pub fn take(
        &self,
        batch: &Batch,
        until: Option<Instant>,
        mode: &dyn Fn() -> DeliveryMode,
    ) -> io::Result<TakenLines> {
        let mut state = self.lock();
        loop {
            state.wake_condition = None;
            state.store.prepare();
            let mode = mode();
            let prompt = mode != DeliveryMode::Batched;
            let now = Instant::now();
            let sync = state.store.sync_due();
            if let Some((due, file)) = &sync
                && (prompt || *due <= now)
            {
                state.store.begin_sync();
                drop(state);
                file.sync_data()?;
                state = self.lock();
                continue;
            }
            let (lines, bytes) = state.store.ready();
            let ripe = state.store.since().map(|since| since + batch.wait);
            let whole = (state.store.max_lines().min(batch.lines as u64), batch.bytes as u64);
            let enough = lines >= whole.0 || bytes >= whole.1;
            if lines > 0 && (prompt || enough || ripe.is_some_and(|ripe| now >= ripe)) {
                return state.store.take(batch);
            }
            if mode == DeliveryMode::Stop || until.is_some_and(|until| now >= until) {
                return Ok(TakenLines::default());
            }
            let end = [ripe, until, sync.map(|(due, _)| due)].into_iter().flatten().min();
            // Wakes for the first line, which sets the deadline of its batch.
            let (lines, bytes) = if lines == 0 { (1, 0) } else { whole };
            state.wake_condition = Some(WakeCondition { lines, bytes, until: end });
            match end {
                None => self.wake_up.wait(&mut state),
                Some(end) => {
                    self.wake_up.wait_until(&mut state, end);
                }
            }
        }
    }

    /// Wakes the consumer.
    pub fn wake(&self) {
        // The lock ensures that a consumer about to wait does not miss it.
        let _state = self.lock();
        self.wake_up.notify_all();
    }

    /// Waits until this time, or until the sink is to stop.
    pub fn pause(&self, until: Instant, mode: &dyn Fn() -> DeliveryMode) {
        let mut state = self.lock();
        while mode() != DeliveryMode::Stop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            self.wake_up.wait_for(&mut state, left);
        }
    }
}

impl<S> QueueState<S> {
    /// Whether the consumer is waiting.
    #[cfg(test)]
    pub fn is_awaited(&self) -> bool {
        self.wake_condition.is_some()
    }
}

impl<S> Deref for QueueState<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.store
    }
}

impl<S> DerefMut for QueueState<S> {
    fn deref_mut(&mut self) -> &mut S {
        &mut self.store
    }
}
