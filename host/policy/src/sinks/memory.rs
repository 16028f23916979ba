//! Lines queued in memory.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{Batch, Full, Pace};

/// A bounded queue. Lines in flight count until they are acknowledged.
#[derive(Debug)]
pub(super) struct Memory {
    most: usize,
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lines: VecDeque<String>,
    bytes: usize,
    under_way: usize,
    /// When the oldest queued line was added.
    since: Option<Instant>,
    /// The lines and bytes at which the consumer is woken; `None` while it does not wait. A wake-up costs
    /// more than a line.
    wanted: Option<(usize, usize)>,
}

impl Memory {
    pub fn new(most: usize) -> Memory {
        Memory { most, state: Mutex::default(), news: Condvar::new() }
    }

    /// Adds a line. Never waits.
    pub fn push(&self, line: String) -> Result<(), Full> {
        let mut state = self.lock();
        if state.lines.len() + state.under_way >= self.most {
            return Err(Full);
        }
        state.bytes += line.len();
        state.since.get_or_insert_with(Instant::now);
        state.lines.push_back(line);
        let waiting = (state.lines.len(), state.bytes);
        let enough = |wanted: &mut (usize, usize)| waiting.0 >= wanted.0 || waiting.1 >= wanted.1;
        let wanted = state.wanted.take_if(enough).is_some();
        drop(state);
        if wanted {
            self.news.notify_one();
        }
        Ok(())
    }

    /// Returns the number of lines queued or in flight.
    pub fn len(&self) -> usize {
        let state = self.lock();
        state.lines.len() + state.under_way
    }

    /// Returns the next lines, as soon as there are as many as `batch` wants or they have waited long enough.
    /// Empty at `until`, or if the sink is to stop and there are none.
    pub fn take(&self, batch: &Batch, until: Option<Instant>, pace: &dyn Fn() -> Pace) -> Vec<String> {
        let mut state = self.lock();
        loop {
            let pace = pace();
            let hurry = pace != Pace::Calm;
            let now = Instant::now();
            let ripe = state.since.map(|since| since + batch.wait);
            let enough = state.lines.len() >= batch.lines.min(self.most) || state.bytes >= batch.bytes;
            if !state.lines.is_empty() && (hurry || enough || ripe.is_some_and(|ripe| now >= ripe)) {
                return state.pop(batch);
            }
            let end = [ripe, until].into_iter().flatten().min();
            // The first line determines when the queued lines are taken.
            let enough = (batch.lines.min(self.most), batch.bytes);
            state.wanted = Some(if state.lines.is_empty() { (1, 0) } else { enough });
            if pace == Pace::Stop || until.is_some_and(|until| now >= until) {
                state.wanted = None;
                return Vec::new();
            }
            state = match end {
                None => self.news.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(end) => {
                    let waited = self.news.wait_timeout(state, end.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Completes the first lines in flight.
    pub fn acknowledge(&self, lines: usize) {
        let mut state = self.lock();
        state.under_way = state.under_way.saturating_sub(lines);
    }

    /// Drops all lines, including those in flight.
    pub fn clear(&self) {
        *self.lock() = State::default();
    }

    /// Wakes the consumer.
    pub fn wake(&self) {
        // Under the lock, so that a consumer that has looked and is about to wait receives it.
        let _state = self.lock();
        self.news.notify_all();
    }

    /// Waits until `until`, or until the sink is to stop.
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn pop(&mut self, batch: &Batch) -> Vec<String> {
        let (mut taken, mut bytes) = (Vec::new(), 0);
        while taken.len() < batch.lines
            && let Some(line) = self.lines.front()
            && (taken.is_empty() || bytes + line.len() <= batch.bytes)
        {
            bytes += line.len();
            taken.extend(self.lines.pop_front());
        }
        self.bytes -= bytes;
        self.under_way += taken.len();
        self.wanted = None;
        self.since = if self.lines.is_empty() { None } else { Some(Instant::now()) };
        taken
    }
}
