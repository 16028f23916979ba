//! Counters of sinks.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde::{Deserialize, Serialize};

/// The counters of one sink since the start of the process; a reload continues them.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub queued: AtomicU64,
    pub refused: AtomicU64,
    pub delivered: AtomicU64,
    pub dropped: AtomicU64,
    pub retried: AtomicU64,
}

/// The counters at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SinkCounted {
    /// The sink's name.
    pub sink: String,
    /// Its kind: `file`, `stdout`, `udp`, `syslog`, `http`, `nats` or `otlp`.
    pub kind: String,
    /// Lines accepted from plugins.
    pub queued: u64,
    /// Lines refused because the sink was full.
    pub refused: u64,
    /// Delivered lines, as far as the sink knows; some may have arrived more than once.
    pub delivered: u64,
    /// Lines accepted but lost: refused by the receiver, damaged on disk, or undelivered at shutdown.
    pub dropped: u64,
    /// Deliveries that failed and were retried.
    pub retried: u64,
    /// Lines queued now.
    pub waiting: u64,
    /// Bytes queued on disk now.
    pub spooled_bytes: u64,
    /// Whether the last delivery failed.
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
