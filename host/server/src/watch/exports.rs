//! Counters of OTLP exports. The exporters write them; the live view and the metrics read them.

use std::sync::atomic::AtomicU64;

/// The exported and dropped items of one signal.
#[derive(Debug, Default)]
pub struct ExportCounts {
    /// Delivered items.
    pub exported: AtomicU64,
    /// Items dropped for lack of room, or because the collector refused them.
    pub dropped: AtomicU64,
    /// Failed requests; a request with its retries counts once.
    pub failures: AtomicU64,
}
