//! One line in the log for each request that ended.

use super::{Happening, Observers, Outcome, Summary};
use std::time::Duration;
use tokio::sync::mpsc::Receiver;
use tokio::time::sleep;

/// Summaries that are taken at once.
const BATCH: usize = 256;

/// The least time between two batches. Waking this task for each of many short transfers would cost their
/// worker as much as several blocks.
const PAUSE: Duration = Duration::from_millis(1);

/// Logs summaries and hands them to the observers, until all senders are gone.
pub(crate) async fn log_summaries(mut summaries: Receiver<Summary>, observers: Observers) {
    let mut batch = Vec::with_capacity(BATCH);
    while summaries.recv_many(&mut batch, BATCH).await > 0 {
        if batch.len() < BATCH {
            sleep(PAUSE).await;
        }
        for summary in batch.drain(..) {
            log(&summary);
            if observers.are_there() {
                observers.tell(Happening::Finished(Box::new(summary))).await;
            }
        }
    }
}

fn log(summary: &Summary) {
    // One place lists the fields; the level is what differs.
    macro_rules! line {
        ($level:ident) => {
            tracing::$level!(
                target: "tuffet::transfer",
                id = %summary.request.id,
                outcome = %summary.ending.outcome,
                client = %summary.request.client,
                mac = summary.request.macs.first().map(|mac| mac.address.to_string()),
                operation = %summary.request.operation,
                path = %summary.request.path,
                resolved = summary.resolved.as_deref(),
                detail = summary.ending.detail.as_deref(),
                verdict_by = summary.verdict_by.as_deref(),
                plugin_calls = summary.plugin_calls,
                listener = %summary.request.listener,
                bytes = summary.bytes,
                blksize = summary.options.block_size(),
                windowsize = summary.options.window_size(),
                retransmissions = summary.stats.retransmissions,
                duplicates = summary.stats.duplicates,
                timeouts = summary.stats.timeouts,
                rtt_us = summary.rtt.map(|rtt| rtt.as_micros() as u64),
                decision_us = summary.decided_after.map(|time| time.as_micros() as u64),
                duration_us = summary.duration.as_micros() as u64,
                "transfer"
            )
        };
    }
    match summary.ending.outcome {
        Outcome::Served | Outcome::Stored | Outcome::Probed => line!(info),
        Outcome::Aborted | Outcome::Denied | Outcome::NotFound | Outcome::TimedOut => line!(warn),
        Outcome::Failed => line!(error),
    }
}
