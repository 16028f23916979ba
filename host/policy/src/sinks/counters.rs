//! What sinks did, counted.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde::{Deserialize, Serialize};

/// The counts of one sink, from the start of the process; a reload goes on counting.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub queued: AtomicU64,
    pub refused: AtomicU64,
    pub delivered: AtomicU64,
    pub dropped: AtomicU64,
    pub retried: AtomicU64,
}

/// Counts at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SinkCounted {
    /// The sink's name.
    pub sink: String,
    /// What it is: `file`, `stdout`, `udp`, `http` or `nats`.
    pub kind: String,
    /// Lines that it took from plugins.
    pub queued: u64,
    /// Lines that plugins heard `full` of.
    pub refused: u64,
    /// Lines that arrived, as far as the sink can know; some may have arrived more than once.
    pub delivered: u64,
    /// Lines that it took and lost: refused by the other end, damaged on disk, or left at the end.
    pub dropped: u64,
    /// Tries that failed and were made again.
    pub retried: u64,
    /// Lines that wait now.
    pub waiting: u64,
    /// Bytes that wait on disk now.
    pub spooled_bytes: u64,
    /// Whether the last try failed.
    pub broken: bool,
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
