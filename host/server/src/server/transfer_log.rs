//! One line for each ended request, for programs that attach no subscriber of their own.

use crate::events::Subscriber;
use std::sync::Arc;
use tokio::time::Instant;
use tuffet_request::events::Summary;

/// Logs each ended request through `tracing`.
pub(crate) struct TransferLog;

impl Subscriber for TransferLog {
    fn ended(&mut self, summary: &Arc<Summary>, _: Instant) {
        let request = &summary.record.request;
        tracing::info!(
            target: "tuffet::transfer",
            id = %request.id, client = %request.client, listener = %request.listener, path = request.path,
            outcome = %summary.ending.outcome, detail = summary.ending.detail.as_deref(), bytes = summary.bytes,
            "transfer"
        );
    }

    fn due(&self) -> Option<Instant> {
        None
    }

    fn when_due(&mut self, _: Instant) {}

    fn finish(&mut self, _: Instant) {}
}
