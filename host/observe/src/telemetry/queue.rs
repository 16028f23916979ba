//! A bounded queue and the thread that exports it in batches. Producers never wait: items without room are dropped and
//! counted.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};
use tuffet_server::watch::ExportCounts as Counts;

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

/// Sends a batch; blocks, for a bounded time.
pub(super) trait Export<T>: Send {
    /// # Errors
    /// The message for the operator.
    fn export(&mut self, batch: Vec<T>) -> Result<(), String>;

    /// Returns the URL of the collector, for the log.
    fn endpoint(&self) -> &str;
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
    /// Starts the thread.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub(super) fn start(
        signal: &'static str,
        batching: Batching,
        export: impl Export<T> + 'static,
    ) -> std::io::Result<Queue<T>> {
        let state = State { items: VecDeque::new(), until: None, ended: false };
        let queue = Queue(Arc::new(Shared {
            signal,
            batching,
            state: Mutex::new(state),
            work: Condvar::new(),
            ended: Condvar::new(),
            counts: Arc::default(),
        }));
        let worker = queue.clone();
        thread::Builder::new().name(format!("tuffet-{signal}")).spawn(move || worker.run(export))?;
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

    fn run(&self, mut export: impl Export<T>) {
        let mut broken = false;
        while let Some(batch) = self.next() {
            let count = batch.len() as u64;
            match export.export(batch) {
                Ok(()) => {
                    self.0.counts.exported.fetch_add(count, Relaxed);
                    if std::mem::take(&mut broken) {
                        tracing::info!(
                            target: "tuffet::telemetry", signal = self.0.signal, endpoint = export.endpoint(),
                            "the collector works again"
                        );
                    }
                }
                Err(error) => {
                    self.0.counts.failures.fetch_add(1, Relaxed);
                    self.0.counts.dropped.fetch_add(count, Relaxed);
                    if !std::mem::replace(&mut broken, true) {
                        tracing::warn!(
                            target: "tuffet::telemetry", signal = self.0.signal, endpoint = export.endpoint(), error,
                            "the collector does not accept data; it is dropped and counted until it does"
                        );
                    }
                }
            }
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
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// Sends each batch to the test, then waits for its result.
    struct Collector(Sender<Vec<u32>>, Receiver<Result<(), String>>);

    impl Export<u32> for Collector {
        fn export(&mut self, batch: Vec<u32>) -> Result<(), String> {
            let _ = self.0.send(batch);
            self.1.recv().unwrap_or_else(|_| Err("gone".into()))
        }

        fn endpoint(&self) -> &str {
            "test"
        }
    }

    type Answers = Sender<Result<(), String>>;

    fn start(queue: usize, batch: usize) -> (Queue<u32>, Receiver<Vec<u32>>, Answers) {
        let ((batches, received), (answer, answers)) = (channel(), channel());
        let batching = Batching { queue, batch, delay: Duration::from_millis(1) };
        let queue = Queue::start("test", batching, Collector(batches, answers)).unwrap();
        (queue, received, answer)
    }

    fn read(queue: &Queue<u32>) -> [u64; 3] {
        let counts = queue.counts();
        [&counts.exported, &counts.dropped, &counts.failures].map(|count| count.load(Relaxed))
    }

    #[test]
    fn a_hanging_collector_costs_a_bounded_queue_and_a_counted_drop() {
        let (queue, received, answer) = start(4, 2);
        queue.push([1]);
        assert_eq!(received.recv().unwrap(), [1], "the collector hangs from here on");
        queue.push([2, 3]);
        queue.push([4, 5, 6]); // no room for all of them
        queue.push([7, 8]);
        queue.push([9]);
        assert_eq!(read(&queue), [0, 4, 0]);
        answer.send(Ok(())).unwrap();
        assert_eq!(received.recv().unwrap(), [2, 3]);
        answer.send(Err("503".into())).unwrap();
        assert_eq!(received.recv().unwrap(), [7, 8]);
        answer.send(Ok(())).unwrap();
        queue.finish(Duration::from_secs(60));
        assert_eq!(read(&queue), [3, 6, 1]);
        queue.push([10]);
        assert_eq!(read(&queue), [3, 7, 1], "nothing is taken after the end");
    }

    #[test]
    fn finish_exports_queued_items_within_its_time() {
        let (queue, received, answer) = start(10, 10);
        queue.push([1]);
        assert_eq!(received.recv().unwrap(), [1]);
        queue.push([2]);
        queue.finish(Duration::from_millis(1));
        assert_eq!(read(&queue), [0, 1, 0], "the second was not sent");
        drop(answer);
    }
}
