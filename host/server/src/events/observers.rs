//! Delivers events to the observers: a bounded queue, and one task that empties it in batches.
//!
//! A start or a finish waits for a place in the queue: a start delays the grant of its request, and a finish delays the
//! log, so that summaries pile up until no new requests are admitted. Active transfers never wait. Progress is read
//! from counters when the task has time.

use crate::generation::CurrentGeneration;
use crate::watch::Watch;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use tuffet_request::RequestId;
use tuffet_request::events::{CompactRecord, Event, EventKind, Kinds};

/// Events per call.
const BATCH: usize = 256;
/// The shortest time between two calls, unless a whole batch is queued: a call costs far more than an event,
/// above all for a plugin that writes to disk.
const BATCH_INTERVAL: Duration = Duration::from_millis(200);
/// The interval of checks for a full batch. Waking for each event would cost more than the events; without checks the
/// queue would fill up and delay new requests.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);
/// The interval of progress samples.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);

/// The sending end of the queue of events. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Observers {
    generation: CurrentGeneration,
    queue: mpsc::Sender<Event>,
}

impl Observers {
    /// Starts the task with a queue of at most `most` events; it ends when the last clone is gone and the
    /// queue is empty.
    pub fn start(generation: CurrentGeneration, watch: Watch, most: usize) -> (Observers, JoinHandle<()>) {
        let (queue, events) = mpsc::channel(most);
        let task = tokio::spawn(run(events, generation.clone(), watch));
        (Observers { generation, queue }, task)
    }

    /// Returns the kinds of events that any observer wants.
    pub(crate) fn want(&self) -> Kinds {
        self.generation.get().policy.observed()
    }

    /// Sends an event, after waiting for room in the queue.
    pub async fn send(&self, what: EventKind) {
        // The task outlives all senders.
        let _ = self.queue.send(Event { sequence: 0, at: SystemTime::now(), what }).await;
    }

    /// Sends an event, if the queue has room now.
    pub(crate) fn try_send(&self, what: EventKind) -> Result<(), Box<EventKind>> {
        match self.queue.try_send(Event { sequence: 0, at: SystemTime::now(), what }) {
            Err(mpsc::error::TrySendError::Full(event)) => Err(Box::new(event.what)),
            // The task outlives all senders.
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => Ok(()),
        }
    }
}

async fn run(mut events: mpsc::Receiver<Event>, generation: CurrentGeneration, watch: Watch) {
    let mut tracker = ProgressTracker::default();
    let mut sequence = 0;
    let mut batch = Vec::with_capacity(BATCH);
    let mut samples = interval(SAMPLE_INTERVAL);
    let mut next = Instant::now();
    samples.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            taken = events.recv_many(&mut batch, BATCH) => {
                if taken == 0 {
                    break;
                }
                wait_for_batch(batch.len(), &events, next).await;
                while batch.len() < BATCH && let Ok(event) = events.try_recv() {
                    batch.push(event);
                }
                if generation.get().policy.observed().progressed {
                    tracker.follow(&batch);
                } else {
                    tracker.transfers.clear();
                }
            }
            _ = samples.tick(), if tracker.is_waiting(&generation) => {
                generation.get().policy.observe_nothing().await;
                // Starts and finishes have priority.
                let room = if events.is_empty() { BATCH } else { 0 };
                watch.progress_left_out(tracker.sample(&mut batch, room));
            }
        }
        watch.events_wait(events.len());
        if !batch.is_empty() {
            for event in &mut batch {
                sequence += 1;
                event.sequence = sequence;
            }
            generation.get().policy.observe(&batch).await;
            batch.clear();
            next = Instant::now() + BATCH_INTERVAL;
        }
    }
    generation.get().policy.observe_nothing().await;
    if tracker.left_out > 0 {
        tracing::info!(
            target: "tuffet::events::observers",
            samples = tracker.left_out, "observers were busy and missed progress events"
        );
    }
}

/// Waits for more events: until `until`, a full batch, or the end of all senders.
async fn wait_for_batch(taken: usize, events: &mpsc::Receiver<Event>, until: Instant) {
    while taken + events.len() < BATCH && !events.is_closed() {
        let now = Instant::now();
        if now >= until {
            break;
        }
        sleep_until(until.min(now + CHECK_INTERVAL)).await;
    }
}

/// The transfers with reported progress.
#[derive(Default)]
struct ProgressTracker {
    transfers: HashMap<RequestId, TrackedTransfer>,
    /// Skipped progress samples.
    left_out: u64,
}

struct TrackedTransfer {
    listener: Arc<str>,
    open: Arc<CompactRecord>,
    size: Option<u64>,
    reported: u64,
}

impl ProgressTracker {
    /// Returns whether there is something to check every second.
    fn is_waiting(&self, generation: &CurrentGeneration) -> bool {
        !self.transfers.is_empty() || generation.get().policy.has_unsent()
    }

    fn follow(&mut self, events: &[Event]) {
        for event in events {
            match &event.what {
                EventKind::Started { record, open } => {
                    let transfer = TrackedTransfer {
                        listener: Arc::clone(&record.request.listener),
                        open: Arc::clone(open),
                        size: record.size,
                        reported: 0,
                    };
                    self.transfers.insert(record.request.id, transfer);
                }
                EventKind::Finished(summary) => {
                    self.transfers.remove(&summary.record.request.id);
                }
                EventKind::Progressed { .. } => {}
            }
        }
    }

    /// Adds the progress of at most `room` transfers; returns how many more made progress.
    fn sample(&mut self, batch: &mut Vec<Event>, room: usize) -> u64 {
        let before = self.left_out;
        let at = SystemTime::now();
        let mut reported = 0;
        for (id, transfer) in &mut self.transfers {
            let bytes = transfer.open.progress.bytes();
            if bytes == transfer.reported {
                continue;
            }
            if reported == room {
                self.left_out += 1;
                continue;
            }
            reported += 1;
            transfer.reported = bytes;
            let (id, listener, size) = (*id, Arc::clone(&transfer.listener), transfer.size);
            batch.push(Event { sequence: 0, at, what: EventKind::Progressed { id, listener, bytes, size } });
        }
        self.left_out - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_request::Request;
    use tuffet_request::events::DecisionRecord;

    fn started(id: u64) -> (Event, Arc<CompactRecord>) {
        let request = Request { id: RequestId(id), ..Request::sample("a") };
        let new = DecisionRecord::new(Arc::new(request), std::time::Instant::now());
        let record = Arc::new(DecisionRecord { size: Some(10), ..new });
        let open = Arc::new(CompactRecord::from(&*record));
        let what = EventKind::Started { record, open: Arc::clone(&open) };
        (Event { sequence: 0, at: SystemTime::now(), what }, open)
    }

    #[tokio::test]
    async fn a_full_batch_is_not_kept_waiting_and_neither_is_the_end() {
        let (queue, events) = mpsc::channel(BATCH);
        let begun = Instant::now();
        let far = begun + Duration::from_secs(600);
        tokio::spawn({
            let queue = queue.clone();
            async move {
                for id in 0..BATCH as u64 {
                    let _ = queue.send(started(id).0).await;
                }
            }
        });
        wait_for_batch(0, &events, far).await;
        assert_eq!(events.len(), BATCH);
        let (last, events) = mpsc::channel(BATCH);
        drop(last);
        wait_for_batch(1, &events, far).await;
        wait_for_batch(1, &events, begun).await;
        assert!(begun.elapsed() < Duration::from_secs(300));
        drop(queue);
    }

    #[test]
    fn progress_is_told_once_and_left_out_where_there_is_no_room() {
        let ((first, moved), (second, also)) = (started(1), started(2));
        let mut tracker = ProgressTracker::default();
        tracker.follow(&[first, second]);
        let mut batch = Vec::new();
        tracker.sample(&mut batch, 8);
        assert!(batch.is_empty(), "nothing has moved");
        moved.progress.set(7, 0);
        tracker.sample(&mut batch, 8);
        tracker.sample(&mut batch, 8);
        let [Event { what: EventKind::Progressed { id, bytes, size, .. }, .. }] = &batch[..] else {
            unreachable!("one has moved, once: {batch:?}")
        };
        assert_eq!((*id, *bytes, *size), (RequestId(1), 7, Some(10)));
        batch.clear();
        moved.progress.set(8, 0);
        also.progress.set(1, 0);
        tracker.sample(&mut batch, 1);
        assert_eq!((batch.len(), tracker.left_out), (1, 1));
        tracker.sample(&mut batch, 0);
        assert_eq!((batch.len(), tracker.left_out), (1, 2));
        tracker.sample(&mut batch, 1);
        assert_eq!((batch.len(), tracker.left_out), (2, 2), "it is made up for");
    }
}
