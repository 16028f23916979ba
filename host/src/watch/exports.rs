//! Counters of OTLP exports. The exporters write them; the live view and the metrics read them.

use std::sync::atomic::AtomicU64;

/// The exported and dropped items of one signal.
#[derive(Debug, Default)]
pub(crate) struct ExportCounts {
    pub(crate) exported: AtomicU64,
    /// For lack of room, or because the collector refused them.
    pub(crate) dropped: AtomicU64,
    /// Failed requests; a request with its retries counts once.
    pub(crate) failures: AtomicU64,
}
