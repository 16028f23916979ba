//! Delivers events to the observers: a queue, and one task that empties it in batches.
//!
//! While as many events wait as the queue may have, new requests wait for their decision. Running transfers never wait,
//! nor does the log: their ends are queued beyond the bound, so that none is lost. Progress is read from counters when
//! the task has time.

use crate::generation::CurrentGeneration;
use crate::watch::Watch;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use tuffet_policy::{Backlog, Place, Policy};
use tuffet_request::RequestId;
use tuffet_request::events::{CompactRecord, Event, EventKind, Kinds};

/// Events per call.
const BATCH: usize = 256;
/// The shortest time between two calls, unless a whole batch is queued, or no further event has room: a call costs far
/// more than an event, above all for a plugin that writes to disk.
const BATCH_INTERVAL: Duration = Duration::from_millis(200);
/// The interval of checks for a full batch. Waking for each event would cost more than the events.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);
/// The interval of progress samples.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);

/// The sending end of the queue of events. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Observers {
    generation: CurrentGeneration,
    backlog: Backlog,
    queue: mpsc::UnboundedSender<QueuedEvent>,
}

/// An event, and the policy that had the observers when it happened.
struct QueuedEvent {
    policy: Arc<Policy>,
    event: Event,
    place: Place,
}

impl Observers {
    /// Starts the task with a queue of `most` events; it ends when the last clone is gone, and every observer has taken
    /// every event.
    pub fn start(generation: CurrentGeneration, watch: Watch, most: usize) -> (Observers, JoinHandle<()>) {
        let (queue, events) = mpsc::unbounded_channel();
        let backlog = Backlog::new(most);
        let task = tokio::spawn(run(events, generation.clone(), backlog.clone(), most.min(BATCH), watch));
        (Observers { generation, backlog, queue }, task)
    }

    /// Returns the kinds of events that any observer wants.
    pub(crate) fn want(&self) -> Kinds {
        self.generation.get().policy.observed()
    }

    /// The events that wait.
    pub(crate) fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    /// Sends the end of a request to the observers of this time, if they want it.
    pub(crate) fn finished(&self, what: EventKind) {
        self.send(what, |want| want.finished);
    }

    /// Sends the start of a transfer, if there is room for what this request causes.
    ///
    /// # Errors
    /// There is no room; returns the start.
    pub(crate) fn begin(&self, start: Option<Box<EventKind>>) -> Result<(), Option<Box<EventKind>>> {
        // Those who observe no more may still have events before them.
        if !self.backlog.has_room() && self.want().iter().next().is_some() {
            return Err(start);
        }
        self.started(start);
        Ok(())
    }

    /// Sends the start of a transfer.
    pub(crate) fn started(&self, start: Option<Box<EventKind>>) {
        if let Some(start) = start {
            self.send(*start, |want| want.started || want.progressed);
        }
    }

    fn send(&self, what: EventKind, is_wanted: impl Fn(Kinds) -> bool) {
        let policy = Arc::clone(&self.generation.get().policy);
        if is_wanted(policy.observed()) {
            let place = self.backlog.place(matches!(what, EventKind::Finished(_)));
            let event = Event { sequence: 0, at: SystemTime::now(), what };
            // The task outlives all senders.
            let _ = self.queue.send(QueuedEvent { policy, event, place });
        }
    }
}

/// Events for one call, with their places.
#[derive(Default)]
struct EventBatch {
    events: Vec<Event>,
    places: Vec<Arc<Place>>,
}

impl EventBatch {
    fn push(&mut self, event: Event, place: Place) {
        self.events.push(event);
        self.places.push(Arc::new(place));
    }
}

async fn run(
    mut events: mpsc::UnboundedReceiver<QueuedEvent>,
    generation: CurrentGeneration,
    backlog: Backlog,
    enough: usize,
    watch: Watch,
) {
    let mut tracker = ProgressTracker::default();
    let mut sequence = 0;
    let mut batch = EventBatch::default();
    let mut samples = interval(SAMPLE_INTERVAL);
    let mut due = Instant::now();
    let mut next = None;
    samples.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        if next.is_none() {
            tokio::select! {
                event = events.recv() => match event {
                    None => break,
                    event => next = event,
                },
                _ = samples.tick(), if tracker.is_waiting(&generation) => {}
            }
        }
        let policy = match next.take() {
            Some(QueuedEvent { policy, event, place }) => {
                batch.push(event, place);
                wait_for_batch(&events, &backlog, enough, due).await;
                // Observers get the events of their time alone.
                while next.is_none()
                    && batch.events.len() < BATCH
                    && let Ok(more) = events.try_recv()
                {
                    match Arc::ptr_eq(&more.policy, &policy) {
                        true => batch.push(more.event, more.place),
                        false => next = Some(more),
                    }
                }
                if policy.observed().progressed {
                    tracker.follow(&batch.events);
                } else {
                    tracker.transfers.clear();
                }
                policy
            }
            None => {
                let policy = Arc::clone(&generation.get().policy);
                policy.observe_nothing().await;
                // Starts and finishes have priority.
                let room = if backlog.events() == 0 { BATCH } else { 0 };
                let before = tracker.left_out;
                for event in tracker.sample(room) {
                    batch.push(event, backlog.place(false));
                }
                watch.progress_left_out(tracker.left_out - before);
                policy
            }
        };
        watch.events_wait(backlog.events().saturating_sub(batch.events.len()));
        if !batch.events.is_empty() {
            for event in &mut batch.events {
                sequence += 1;
                event.sequence = sequence;
            }
            policy.observe(&batch.events, &batch.places).await;
            batch.events.clear();
            batch.places.clear();
            due = Instant::now() + BATCH_INTERVAL;
        }
    }
    generation.get().policy.observe_nothing().await;
    if tracker.left_out > 0 {
        tracing::info!(
            target: "tuffet::events::observers",
            samples = tracker.left_out, "observers were busy and missed progress events"
        );
    }
    backlog.emptied().await;
}

/// Waits for more events than the first: until `until`, for `enough`, until no further one has room, or until the end
/// of all senders.
async fn wait_for_batch(
    events: &mpsc::UnboundedReceiver<QueuedEvent>,
    backlog: &Backlog,
    enough: usize,
    until: Instant,
) {
    while 1 + events.len() < enough && backlog.has_room() && !events.is_closed() {
        let now = Instant::now();
        if now >= until {
            break;
        }
        tokio::select! {
            () = sleep_until(until.min(now + CHECK_INTERVAL)) => {}
            () = backlog.filled() => {}
        }
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

    /// Returns the progress of at most `room` transfers, and counts the others that made progress.
    fn sample(&mut self, room: usize) -> Vec<Event> {
        let at = SystemTime::now();
        let mut sampled = Vec::new();
        for (id, transfer) in &mut self.transfers {
            let bytes = transfer.open.progress.bytes();
            if bytes == transfer.reported {
                continue;
            }
            if sampled.len() == room {
                self.left_out += 1;
                continue;
            }
            transfer.reported = bytes;
            let (id, listener, size) = (*id, Arc::clone(&transfer.listener), transfer.size);
            sampled.push(Event {
                sequence: 0,
                at,
                what: EventKind::Progressed { id, listener, bytes, size },
            });
        }
        sampled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_policy::{Chains, DefaultVerdict, PolicyParts};
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

    #[tokio::test(start_paused = true)]
    async fn a_full_batch_is_not_kept_waiting_and_neither_is_a_full_queue_nor_the_end() {
        let policy = Arc::new(Policy::new(PolicyParts {
            default: DefaultVerdict::Allow,
            of_all: Chains::default(),
            of_listeners: HashMap::new(),
            time_limit: Duration::ZERO,
            warnings: Vec::new(),
            identities: Vec::new(),
        }));
        let begun = Instant::now();
        let far = begun + Duration::from_secs(600);
        let fill = |backlog: &Backlog, events: u64| {
            let (queue, receiver) = mpsc::unbounded_channel();
            for id in 0..events {
                let (policy, place) = (Arc::clone(&policy), backlog.place(false));
                let _ = queue.send(QueuedEvent { policy, event: started(id).0, place });
            }
            (queue, receiver)
        };
        let large = Backlog::new(1000);
        let (_queue, events) = fill(&large, BATCH as u64 - 1);
        wait_for_batch(&events, &large, BATCH, far).await;
        let (queue, events) = fill(&large, 1);
        wait_for_batch(&events, &large, BATCH, begun).await;
        drop(queue);
        wait_for_batch(&events, &large, BATCH, far).await;
        assert_eq!(begun.elapsed(), Duration::ZERO);
        // What fills the queue comes while it waits.
        let small = Backlog::new(2);
        let (_queue, events) = fill(&small, 1);
        let filling = async {
            sleep_until(begun + Duration::from_millis(5)).await;
            small.place(true)
        };
        tokio::join!(wait_for_batch(&events, &small, BATCH, far), filling);
        assert_eq!(begun.elapsed(), Duration::from_millis(5));
    }

    #[test]
    fn progress_is_told_once_and_left_out_where_there_is_no_room() {
        let ((first, moved), (second, also)) = (started(1), started(2));
        let mut tracker = ProgressTracker::default();
        tracker.follow(&[first, second]);
        assert!(tracker.sample(8).is_empty(), "nothing has moved");
        moved.progress.set(7, 0);
        let batch = [tracker.sample(8), tracker.sample(8)].concat();
        let [Event { what: EventKind::Progressed { id, bytes, size, .. }, .. }] = &batch[..] else {
            unreachable!("one has moved, once: {batch:?}")
        };
        assert_eq!((*id, *bytes, *size), (RequestId(1), 7, Some(10)));
        moved.progress.set(8, 0);
        also.progress.set(1, 0);
        assert_eq!((tracker.sample(1).len(), tracker.left_out), (1, 1));
        assert_eq!((tracker.sample(0).len(), tracker.left_out), (0, 2));
        assert_eq!((tracker.sample(1).len(), tracker.left_out), (1, 2), "it is made up for");
    }
}
