//! Counters of sinks.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tuffet_request::SinkCounted;

/// The counters of one sink since the start of the process; a reload continues them.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub queued: AtomicU64,
    pub refused: AtomicU64,
    pub delivered: AtomicU64,
    pub dropped: AtomicU64,
    pub retried: AtomicU64,
}

impl Counters {
    pub fn read(&self, sink: &str, kind: &str) -> SinkCounted {
        SinkCounted {
            sink: sink.to_owned(),
            kind: kind.to_owned(),
            queued: self.queued.load(Relaxed),
            refused: self.refused.load(Relaxed),
            delivered: self.delivered.load(Relaxed),
            dropped: self.dropped.load(Relaxed),
            retried: self.retried.load(Relaxed),
            ..SinkCounted::default()
        }
    }
}

/// Adds to a count.
pub(super) fn add(counter: &AtomicU64, count: usize) {
    counter.fetch_add(count as u64, Relaxed);
}
