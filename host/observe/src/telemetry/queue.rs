//! A bounded queue and the thread that exports it in batches. Producers never wait: items without room are dropped and
//! counted.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};
use tuffet_server::watch::ExportCounts as Counts;

use super::sender::Sender;

/// The limits of queue and batches: `OTEL_BSP_*`, `OTEL_BLRP_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Batching {
    /// The most queued items.
    pub queue: usize,
    /// The most items per request.
    pub batch: usize,
    /// The longest wait of a batch's first item.
    pub delay: Duration,
}

/// The queue. Cheap to clone; clones share it.
pub(super) struct Queue<T>(Arc<Shared<T>>);

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Queue(Arc::clone(&self.0))
    }
}

impl<T> std::fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("counts", &self.0.counts).finish_non_exhaustive()
    }
}

struct Shared<T> {
    signal: &'static str,
    batching: Batching,
    state: Mutex<State<T>>,
    /// Wakes the thread: there are items, or the end was requested.
    work: Condvar,
    /// Wakes [`Queue::finish`]: the thread has ended.
    ended: Condvar,
    counts: Arc<Counts>,
}

struct State<T> {
    items: VecDeque<T>,
    /// The deadline for queued items, once the end was requested.
    until: Option<Instant>,
    ended: bool,
}

impl<T: Send + 'static> Queue<T> {
    /// Starts the thread. `encode` makes a request of a batch.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub(super) fn start(
        batching: Batching,
        sender: Sender,
        encode: impl Fn(Vec<T>) -> Vec<u8> + Send + 'static,
    ) -> std::io::Result<Queue<T>> {
        let signal = sender.signal.as_str();
        let state = State { items: VecDeque::new(), until: None, ended: false };
        let queue = Queue(Arc::new(Shared {
            signal,
            batching,
            state: Mutex::new(state),
            work: Condvar::new(),
            ended: Condvar::new(),
            counts: sender.counts(),
        }));
        let worker = queue.clone();
        thread::Builder::new().name(format!("tuffet-{signal}")).spawn(move || worker.run(sender, encode))?;
        Ok(queue)
    }

    pub(super) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.0.counts)
    }

    /// Queues all of these, or drops them all: a trace is complete or absent.
    pub(super) fn push(&self, items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>) {
        let items = items.into_iter();
        let count = items.len();
        let mut state = self.lock();
        if state.ended || state.until.is_some() || state.items.len() + count > self.0.batching.queue {
            self.0.counts.dropped.fetch_add(count as u64, Relaxed);
            return;
        }
        let before = state.items.len();
        state.items.extend(items);
        let after = state.items.len();
        drop(state);
        // Wakes the thread only for the first and the last item of a batch.
        let batch = self.0.batching.batch;
        if before == 0 || (before < batch && after >= batch) {
            self.0.work.notify_one();
        }
    }

    /// Returns whether the queue is full.
    pub(super) fn is_full(&self) -> bool {
        self.lock().items.len() >= self.0.batching.queue
    }

    /// Counts an item that was not created for lack of room.
    pub(super) fn count_dropped(&self) {
        self.0.counts.dropped.fetch_add(1, Relaxed);
    }

    /// Lets the thread send the queued items and end, within `patience`. Blocks.
    pub(super) fn finish(&self, patience: Duration) {
        let until = Instant::now() + patience;
        let mut state = self.lock();
        state.until = Some(until);
        self.0.work.notify_one();
        self.0.ended.wait_while_for(&mut state, |state| !state.ended, patience);
        let left = state.items.len();
        let ended = state.ended;
        drop(state);
        if left > 0 || !ended {
            self.0.counts.dropped.fetch_add(left as u64, Relaxed);
            tracing::warn!(
                target: "tuffet::telemetry", signal = self.0.signal, left,
                "the collector did not accept everything in time"
            );
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.0.state.lock()
    }

    fn run(&self, mut sender: Sender, encode: impl Fn(Vec<T>) -> Vec<u8>) {
        while let Some(batch) = self.next() {
            sender.send(batch.len() as u64, encode(batch));
        }
        self.lock().ended = true;
        self.0.ended.notify_all();
    }

    /// Returns the next batch; `None` at the end.
    fn next(&self) -> Option<Vec<T>> {
        let Batching { batch, delay, .. } = self.0.batching;
        let waiting = |state: &mut State<T>| state.items.is_empty() && state.until.is_none();
        let gathering = |state: &mut State<T>| state.items.len() < batch && state.until.is_none();
        let mut state = self.lock();
        self.0.work.wait_while(&mut state, waiting);
        self.0.work.wait_while_for(&mut state, gathering, delay);
        if state.until.is_some_and(|until| state.items.is_empty() || Instant::now() >= until) {
            return None;
        }
        let count = state.items.len().min(batch);
        Some(state.items.drain(..count).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::sender::Transport;
    use super::*;
    use bytes::Bytes;
    use std::sync::mpsc::{self, Receiver, channel};
    use tuffet_sinks::otlp::{Accepted, Refusal, Retry, Signal};

    /// Gives each batch to the test, then waits for its result.
    struct Collector(mpsc::Sender<Bytes>, Receiver<Result<Accepted, Refusal>>);

    impl Transport for Collector {
        fn send(&mut self, batch: Bytes) -> Result<Accepted, Refusal> {
            let _ = self.0.send(batch);
            self.1.recv().unwrap_or_else(|_| Err(refusal("gone")))
        }

        fn endpoint(&self) -> &str {
            "test"
        }
    }

    fn refusal(error: &str) -> Refusal {
        Refusal { remedy: Retry::Never, error: error.into() }
    }

    type Answers = mpsc::Sender<Result<Accepted, Refusal>>;

    fn start(queue: usize, batch: usize) -> (Queue<u8>, Receiver<Bytes>, Answers) {
        let ((batches, received), (answer, answers)) = (channel(), channel());
        let batching = Batching { queue, batch, delay: Duration::from_millis(1) };
        let sender = Sender::to(Signal::Logs, Collector(batches, answers), Duration::ZERO);
        let queue = Queue::start(batching, sender, |batch| batch).unwrap();
        (queue, received, answer)
    }

    fn read(queue: &Queue<u8>) -> [u64; 3] {
        let counts = queue.counts();
        [&counts.exported, &counts.dropped, &counts.failures].map(|count| count.load(Relaxed))
    }

    #[test]
    fn a_hanging_collector_costs_a_bounded_queue_and_a_counted_drop() {
        let (queue, received, answer) = start(4, 2);
        queue.push([1]);
        assert_eq!(*received.recv().unwrap(), [1], "the collector hangs from here on");
        queue.push([2, 3]);
        queue.push([4, 5, 6]); // no room for all of them
        queue.push([7, 8]);
        queue.push([9]);
        assert_eq!(read(&queue), [0, 4, 0]);
        answer.send(Ok(Accepted::default())).unwrap();
        assert_eq!(*received.recv().unwrap(), [2, 3]);
        answer.send(Err(refusal("503"))).unwrap();
        assert_eq!(*received.recv().unwrap(), [7, 8]);
        answer.send(Ok(Accepted { refused: 1, message: "too old".into() })).unwrap();
        queue.finish(Duration::from_secs(60));
        assert_eq!(read(&queue), [2, 7, 2]);
        queue.push([10]);
        assert_eq!(read(&queue), [2, 8, 2], "nothing is taken after the end");
    }

    #[test]
    fn finish_exports_queued_items_within_its_time() {
        let (queue, received, answer) = start(10, 10);
        queue.push([1]);
        assert_eq!(*received.recv().unwrap(), [1]);
        queue.push([2]);
        queue.finish(Duration::from_millis(1));
        assert_eq!(read(&queue), [0, 1, 0], "the second was not sent");
        drop(answer);
    }
}
