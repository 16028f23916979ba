//! The last ended requests.

use super::snapshot::{Finished, unix_ms};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tuffet_core::{OptionSet, Stats};
use tuffet_request::Request;
use tuffet_request::events::{Answered, Ending, Summary};

/// The most requests kept.
pub(crate) const FINISHED: usize = 200;

#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<VecDeque<Kept>>);

/// A summary and its time. Shared fields stay shared: one is kept per request.
#[derive(Debug, Clone)]
struct Kept {
    at: SystemTime,
    request: Arc<Request>,
    ending: Ending,
    decision: Answered,
    resolved: Option<Arc<str>>,
    verdict_by: Option<Arc<str>>,
    options: OptionSet,
    size: Option<u64>,
    bytes: u64,
    blocks: u64,
    stats: Stats,
    rtt: Option<Duration>,
    decided_after: Option<Duration>,
    first_block_after: Option<Duration>,
    duration: Duration,
}

impl Recent {
    pub(super) fn keep(&self, summary: &Summary) {
        let kept = Kept {
            at: SystemTime::now(),
            request: Arc::clone(&summary.request),
            ending: summary.ending.clone(),
            decision: summary.decision,
            resolved: summary.resolved.clone(),
            verdict_by: summary.verdict_by.clone(),
            options: summary.options,
            size: summary.size,
            bytes: summary.bytes,
            blocks: summary.blocks,
            stats: summary.stats,
            rtt: summary.rtt,
            decided_after: summary.decided_after,
            first_block_after: summary.first_block_after,
            duration: summary.duration,
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() == FINISHED {
            all.pop_back();
        }
        all.push_front(kept);
    }

    /// Returns the requests, newest first.
    pub(super) fn rows(&self) -> Vec<Finished> {
        let all: Vec<Kept> = self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect();
        all.iter().map(row).collect()
    }
}

fn row(kept: &Kept) -> Finished {
    let us = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    Finished {
        who: (&*kept.request).into(),
        ended_unix_ms: unix_ms(kept.at),
        outcome: kept.ending.outcome,
        detail: kept.ending.detail.as_deref().map(str::to_owned),
        decision: kept.decision.as_str().into(),
        resolved: kept.resolved.as_deref().map(str::to_owned),
        verdict_by: kept.verdict_by.as_deref().map(str::to_owned),
        size: kept.size,
        bytes: kept.bytes,
        blocks: kept.blocks,
        blksize: kept.options.block_size(),
        windowsize: kept.options.window_size(),
        retransmissions: kept.stats.retransmissions,
        duplicates: kept.stats.duplicates,
        timeouts: kept.stats.timeouts,
        rtt_us: kept.rtt.map(us),
        decision_us: kept.decided_after.map(us),
        first_block_us: kept.first_block_after.map(us),
        duration_us: us(kept.duration),
    }
}
