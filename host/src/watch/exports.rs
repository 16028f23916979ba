//! What became of what is exported over OTLP. The exporters count; whoever watches reads.

use std::sync::atomic::AtomicU64;

/// What became of the items of one signal.
#[derive(Debug, Default)]
pub(crate) struct ExportCounts {
    pub(crate) exported: AtomicU64,
    /// For want of room, or since the collector did not take them.
    pub(crate) dropped: AtomicU64,
    /// Requests that failed, their repetitions included in one.
    pub(crate) failures: AtomicU64,
}
