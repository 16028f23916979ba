//! Lines about transfers that begin, if the configuration asks for them (`log.started`).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use tuffet_request::events::CompactRecord;

/// The most transfers in a second with a line each: as many as refused requests.
const MAX_LINES: u64 = 200;

#[derive(Debug, Default)]
pub(super) struct StartedLog {
    is_on: AtomicBool,
    /// The transfers since the last sample.
    in_second: AtomicU64,
}

impl StartedLog {
    pub(super) fn set(&self, is_on: bool) {
        self.is_on.store(is_on, Relaxed);
    }

    /// Logs a transfer that was granted, unless there were too many in this second.
    pub(super) fn note(&self, record: &CompactRecord) {
        if !self.is_on.load(Relaxed) || self.in_second.fetch_add(1, Relaxed) >= MAX_LINES {
            return;
        }
        tracing::info!(
            target: "tuffet::transfer",
            id = %record.id(),
            client = %record.client(),
            mac = record.mac().map(|mac| mac.address.to_string()),
            class = record.class().as_str(),
            operation = %record.operation(),
            path = record.path(),
            resolved = record.resolved(),
            verdict_by = record.verdict_by(),
            listener = record.listener(),
            size = record.size(),
            "started"
        );
    }

    /// Begins another second. Logs how many transfers of the last one had no line.
    pub(super) fn next_second(&self) {
        let more = self.in_second.swap(0, Relaxed).saturating_sub(MAX_LINES);
        if more > 0 {
            tracing::info!(
                target: "tuffet::transfer",
                transfers = more,
                "more transfers have started; they are not logged one by one"
            );
        }
    }
}
