//! The requests by other protocols between their admission and their end. Each is reported exactly once, whoever drops it.

use super::super::Admission;
use super::super::pending::{announce, concluded};
use super::search::{Body, Found};
use crate::content::OutstandingCall;
use crate::generation::Generation;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tuffet_core::{OptionSet, Stats};
use tuffet_engine::worker::{Decision, OtherPlace, SummaryPermit};
use tuffet_request::events::{Answered, CompactRecord, DecisionRecord, Ended, Ending, Outcome};

/// Why a request ends that its client has left.
const LEFT: &str = "the client closed the connection";

/// What a request holds until its end.
struct Places {
    place: OtherPlace,
    permit: SummaryPermit,
}

impl Places {
    /// Reports the end of a request.
    fn report(
        self,
        record: Arc<CompactRecord>,
        decision: Answered,
        ending: Ending,
        first_block_after: Option<Duration>,
    ) {
        let (received, bytes) = (record.received(), record.progress.bytes());
        let size = record.size();
        self.permit.send(Ended {
            record,
            group: None,
            size,
            ending,
            unanswered: None,
            decision,
            options: OptionSet::default(),
            bytes,
            blocks: 0,
            stats: Stats::default(),
            rtt: None,
            first_block_after,
            duration: received.elapsed(),
        });
        drop(self.place);
    }
}

/// A request that is not decided yet.
pub(super) struct Undecided {
    admission: Arc<Admission>,
    generation: Arc<Generation>,
    record: DecisionRecord,
    /// `None` once it is decided.
    places: Option<Places>,
    _outstanding: OutstandingCall,
}

impl Undecided {
    pub(super) fn new(
        admission: Arc<Admission>,
        generation: Arc<Generation>,
        record: DecisionRecord,
        place: OtherPlace,
        permit: SummaryPermit,
    ) -> Undecided {
        let _outstanding = generation.files.outstanding.call();
        Undecided { admission, generation, record, places: Some(Places { place, permit }), _outstanding }
    }

    pub(super) fn generation(&self) -> &Arc<Generation> {
        &self.generation
    }

    pub(super) fn record(&mut self) -> &mut DecisionRecord {
        &mut self.record
    }

    /// Reports that it is granted. Waits for room in the queue of observers.
    pub(super) async fn grant(mut self, found: &Found) -> Arc<Open> {
        self.record.size = found.size;
        let open = self.decided(true);
        open.negotiated(&OptionSet::default());
        open.progress.note_answered();
        let start = announce(&self.admission, &self.generation, &self.record, &open);
        let registry = Arc::clone(&self.admission.open_requests);
        let its = Arc::new(Open {
            record: Mutex::new(Arc::clone(&open)),
            generation: Arc::clone(&self.generation),
            places: Mutex::new(self.places.take()),
            first_byte: Mutex::default(),
            registry: Arc::clone(&registry),
        });
        if let Some(places) = &mut *its.places.lock() {
            places.place.decided();
        }
        registry.open.lock().insert(open.id().0, Arc::clone(&its));
        // From here on the request ends with `its`.
        let ends = EndsWhenDropped(Some(Arc::clone(&its)));
        if let Err(start) = self.admission.observers.begin(start) {
            let outstanding = self.generation.files.outstanding.clone();
            Box::pin(outstanding.until_stopped(self.admission.observers.backlog().room())).await;
            self.admission.observers.started(start);
        }
        ends.disarm();
        its
    }

    /// Reports that it is refused or dropped.
    pub(super) fn refuse(mut self, decision: &Decision) {
        let (Decision::Refuse { ending, .. } | Decision::Drop { ending }) = decision else { return };
        self.end(decision.answered(), ending.clone());
    }

    fn decided(&mut self, granted: bool) -> Arc<CompactRecord> {
        concluded(&self.admission, &mut self.record, granted)
    }

    fn end(&mut self, decision: Answered, ending: Ending) {
        if let Some(places) = self.places.take() {
            let record = self.decided(false);
            places.report(record, decision, ending, None);
        }
    }
}

/// A client may leave, and a server end, before its request is decided.
impl Drop for Undecided {
    fn drop(&mut self) {
        let ending = if std::thread::panicking() {
            Ending::new(Outcome::Failed, "a bug: deciding the request panicked")
        } else if self.admission.watch.is_draining() {
            Ending::new(Outcome::Failed, "the server was shut down before it was decided")
        } else {
            Ending::new(Outcome::Aborted, LEFT)
        };
        self.end(Answered::Undecided, ending);
    }
}

struct EndsWhenDropped(Option<Arc<Open>>);

impl EndsWhenDropped {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for EndsWhenDropped {
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            open.left();
        }
    }
}

/// A granted request.
pub(super) struct Open {
    record: Mutex<Arc<CompactRecord>>,
    pub(super) generation: Arc<Generation>,
    /// `None` once it has ended.
    places: Mutex<Option<Places>>,
    /// When the first byte was moved.
    first_byte: Mutex<Option<Instant>>,
    registry: Arc<OpenRequests>,
}

impl Open {
    pub(super) fn record(&self) -> Arc<CompactRecord> {
        Arc::clone(&self.record.lock())
    }

    /// Whether it has ended, because the server has.
    pub(super) fn has_ended(&self) -> bool {
        self.places.lock().is_none()
    }

    /// Adds to its progress.
    pub(super) fn moved(&self, bytes: u64) {
        let record = self.record.lock();
        record.progress.set(record.progress.bytes() + bytes, 0);
        if bytes > 0 {
            self.first_byte.lock().get_or_insert_with(Instant::now);
        }
    }

    /// A number of the server, drawn at its start.
    pub(super) fn server(&self) -> u64 {
        self.registry.server
    }

    /// The time on the clock with which it shares rates.
    pub(super) fn now(&self) -> Option<tuffet_core::Time> {
        Some(self.places.lock().as_ref()?.place.admitted_by().now())
    }

    /// Replaces its record: `accept-upload` has changed it.
    pub(super) fn replace_record(&self, record: Arc<CompactRecord>) {
        let mut own = self.record.lock();
        record.progress.set(own.progress.bytes(), 0);
        *own = record;
    }

    /// Ends it.
    pub(super) fn end(&self, ending: impl Into<Ending>) {
        let Some(places) = self.places.lock().take() else { return };
        let record = self.record();
        self.registry.open.lock().remove(&record.id().0);
        let first = (*self.first_byte.lock()).map(|at| at.saturating_duration_since(record.received()));
        places.report(record, Answered::Granted, ending.into(), first);
    }

    /// Ends it because its client has left.
    pub(super) fn left(&self) {
        self.end(Ending::new(Outcome::Aborted, LEFT));
    }
}

/// The granted requests, by their numbers.
pub(crate) struct OpenRequests {
    open: Mutex<HashMap<u64, Arc<Open>>>,
    /// Tells names of contents from those that another server gives.
    server: u64,
}

impl OpenRequests {
    pub(crate) fn new() -> OpenRequests {
        OpenRequests { open: Mutex::default(), server: fastrand::u64(..) }
    }

    /// Ends all of them: the server does not wait any longer.
    pub(crate) fn stop(&self) {
        let all = std::mem::take(&mut *self.open.lock());
        for open in all.into_values() {
            open.end(Ending::new(Outcome::Failed, "the server was shut down"));
        }
    }
}

impl Found {
    /// What takes the bytes of an upload.
    pub(super) fn into_body(self) -> Body {
        self.body
    }
}
