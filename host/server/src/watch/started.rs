//! Lines about transfers that begin, if the configuration asks for them (`log.started`).

use crate::events::Surge;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tokio::time::Instant;
use tuffet_request::events::CompactRecord;

/// The most transfers in a second with a line each: as many as refused requests.
const MAX_LINES: u64 = 200;

#[derive(Default)]
pub(super) struct StartedLog {
    is_on: AtomicBool,
    /// `None` until the first transfer.
    lines: Mutex<Option<Lines>>,
}

struct Lines {
    surge: Surge,
    /// Transfers without a line of their own.
    more: u64,
}

impl StartedLog {
    pub(super) fn set(&self, is_on: bool) {
        self.is_on.store(is_on, Relaxed);
    }

    /// Logs a transfer that was granted.
    pub(super) fn note(&self, record: &CompactRecord) {
        if !self.is_on.load(Relaxed) {
            return;
        }
        let now = Instant::now();
        let mut lines = self.lines.lock();
        let lines = lines.get_or_insert_with(|| Lines { surge: Surge::new(MAX_LINES, now), more: 0 });
        if !lines.surge.has_line(now) {
            lines.more += 1;
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

    /// Logs how many had no line since the last call.
    pub(super) fn log_more(&self) {
        let more = self.lines.lock().as_mut().map_or(0, |lines| std::mem::take(&mut lines.more));
        if more > 0 {
            tracing::info!(
                target: "tuffet::transfer",
                transfers = more,
                "more transfers have started; they are not logged one by one"
            );
        }
    }
}
