//! Log lines about running transfers that are slow: one for each, while operators still wonder.

use crate::events::HintSettings;
use crate::watch::{Slow, lost_block_size};
use tuffet_request::events::CompactRecord;

/// Logs the transfers that have become slow.
pub(super) fn log_slow(slow: &Slow, hints: &HintSettings) {
    for record in &slow.transfers {
        log_one(record, hints);
    }
    if slow.more > 0 {
        tracing::warn!(
            target: "tuffet::transfer",
            transfers = slow.more,
            "more transfers are slow; they are not logged one by one"
        );
    }
}

fn log_one(record: &CompactRecord, hints: &HintSettings) {
    let options = record.negotiated_options().unwrap_or_default();
    let running = record.received().elapsed();
    tracing::warn!(
        target: "tuffet::transfer",
        id = %record.id(),
        client = %record.client(),
        class = record.class().as_str(),
        operation = %record.operation(),
        path = record.path(),
        resolved = record.resolved(),
        listener = record.listener(),
        bytes = record.progress.bytes(),
        size = record.size(),
        idle_seconds = record.progress.idle_seconds(),
        running_seconds = running.as_secs(),
        blksize = options.block_size(),
        windowsize = options.window_size(),
        retransmissions = record.progress.retransmissions(),
        hint = lost_block_size(record).map(|blksize| hints.too_large(blksize, 0)),
        "a transfer is slow, and goes on"
    );
}
