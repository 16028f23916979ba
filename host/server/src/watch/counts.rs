//! Counters since the start of the process: atomics, updated once per request.

use super::labels::LabelCounts;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tuffet_request::Histogram;
use tuffet_request::events::{Answered, Outcome, Summary, Unanswered};
use tuffet_request::{Operation, Protocol};

#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Admitted requests, and those of them that were decided.
    pub(super) admitted: AtomicU64,
    pub(super) decided: AtomicU64,
    /// By protocol, operation and outcome.
    pub(super) ended: [[[AtomicU64; Outcome::ALL.len()]; 2]; Protocol::ALL.len()],
    /// By the labels of plugins.
    pub(super) labels: LabelCounts,
    /// Transfers that ended half-open.
    pub(super) unanswered: AtomicU64,
    /// By operation; of active transfers until the last sample.
    pub(super) bytes: [AtomicU64; 2],
    pub(super) blocks: [AtomicU64; 2],
    pub(super) retransmissions: AtomicU64,
    pub(super) duplicates: AtomicU64,
    pub(super) timeouts: AtomicU64,
    pub(super) needless_timeouts: AtomicU64,
    /// Of granted transfers, by operation.
    pub(super) duration: [Histogram; 2],
    pub(super) rtt: Histogram,
    pub(super) first_block: Histogram,
    pub(super) decision: Histogram,
    /// The lengths of the queues at the last sample.
    pub(super) summaries: AtomicU64,
    pub(super) events: AtomicU64,
    /// Progress samples that observers missed.
    pub(super) progress_left_out: AtomicU64,
}

/// Returns the index of an operation in the counters.
pub(super) fn operation_index(operation: Operation) -> usize {
    match operation {
        Operation::Read => 0,
        Operation::Write => 1,
    }
}

impl Counts {
    /// Returns how many requests have ended with this outcome.
    pub(super) fn ended_as(&self, outcome: Outcome) -> u64 {
        let all = self.ended.iter().flatten();
        all.map(|of_one| of_one[outcome as usize].load(Relaxed)).sum()
    }

    pub(super) fn decided(&self, after: Duration) {
        self.decided.fetch_add(1, Relaxed);
        self.decision.observe(after);
    }

    /// Counts the progress of a transfer.
    pub(super) fn moved(&self, operation: Operation, bytes: u64, retransmissions: u64) {
        self.bytes[operation_index(operation)].fetch_add(bytes, Relaxed);
        if retransmissions > 0 {
            self.retransmissions.fetch_add(retransmissions, Relaxed);
        }
    }

    /// Counts an ended request, except for the counters of [`Counts::moved`].
    pub(super) fn ended(&self, summary: &Summary) {
        let operation = operation_index(summary.record.request.operation);
        let protocol = summary.record.request.protocol as usize;
        self.ended[protocol][operation][summary.ending.outcome as usize].fetch_add(1, Relaxed);
        self.labels.count(summary);
        for (counter, count) in [
            (&self.unanswered, summary.unanswered.is_some_and(Unanswered::is_silent).into()),
            (&self.blocks[operation], summary.blocks),
            (&self.duplicates, summary.stats.duplicates.into()),
            (&self.timeouts, summary.stats.timeouts.into()),
            (&self.needless_timeouts, summary.stats.needless.into()),
        ] {
            if count > 0 {
                counter.fetch_add(count, Relaxed);
            }
        }
        if summary.decision == Answered::Granted {
            self.duration[operation].observe(summary.duration);
        }
        if let Some(rtt) = summary.rtt {
            self.rtt.observe(rtt);
        }
        if let Some(after) = summary.first_block_after {
            self.first_block.observe(after);
        }
    }
}
