//! The last ended requests.

use super::options::negotiated;
use super::snapshot::{Finished, calls, unix_ms};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tuffet_request::events::{InView, Summary, Tried};

/// The most requests in a snapshot.
pub const FINISHED: usize = 200;

/// The most requests that are kept, for the history of a client.
const KEPT: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<VecDeque<RecentRequest>>);

/// A summary and its time of arrival.
#[derive(Debug, Clone)]
struct RecentRequest {
    at: SystemTime,
    summary: Arc<Summary>,
}

impl Recent {
    pub(super) fn keep(&self, summary: &Arc<Summary>) {
        let recent = RecentRequest { at: SystemTime::now(), summary: Arc::clone(summary) };
        let mut all = self.0.lock();
        if all.len() == KEPT {
            all.pop_back();
        }
        all.push_front(recent);
    }

    /// Returns the requests, newest first.
    pub(super) fn rows(&self) -> Vec<Finished> {
        let all: Vec<RecentRequest> = self.0.lock().iter().take(FINISHED).cloned().collect();
        all.iter().map(row).collect()
    }

    /// Returns all requests that are kept, newest first.
    pub(super) fn all(&self) -> Vec<Finished> {
        let all: Vec<RecentRequest> = self.0.lock().iter().cloned().collect();
        all.iter().map(row).collect()
    }

    /// Returns at most this many requests of a client, newest first.
    pub(super) fn of(&self, client: IpAddr, most: usize) -> Vec<Finished> {
        let is_its = |its: &&RecentRequest| its.summary.record.request.client.ip() == client;
        let its: Vec<RecentRequest> = self.0.lock().iter().filter(is_its).take(most).cloned().collect();
        its.iter().map(row).collect()
    }
}

fn us(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl From<&Arc<Summary>> for Finished {
    fn from(summary: &Arc<Summary>) -> Finished {
        row(&RecentRequest { at: SystemTime::now(), summary: Arc::clone(summary) })
    }
}

fn row(RecentRequest { at, summary }: &RecentRequest) -> Finished {
    let record = &summary.record;
    let tried = record.tried.as_deref();
    let others = summary.fields().filter(|(field, _)| field.view == InView::Fact);
    Finished {
        who: (&*record.request).into(),
        ended_unix_ms: unix_ms(*at),
        outcome: summary.ending.outcome,
        detail: summary.ending.detail.as_deref().map(str::to_owned),
        decision: summary.decision.as_str().into(),
        resolved: record.resolved.as_deref().map(str::to_owned),
        verdict_by: record.verdict_by.as_deref().map(str::to_owned),
        hint: summary.hint.clone(),
        tried: tried.map(|tried| tried.places().to_vec()).unwrap_or_default(),
        tried_by: tried.and_then(Tried::by).map(str::to_owned),
        other_case: tried.map(|tried| tried.other_case().to_vec()).unwrap_or_default(),
        size: record.size,
        rate: record.rate,
        bytes: summary.bytes,
        blocks: summary.blocks,
        blksize: summary.options.block_size(),
        windowsize: summary.options.window_size(),
        options: negotiated(&summary.options),
        plugin_calls: record.plugin_calls,
        plugins: calls(&record.request),
        retransmissions: summary.stats.retransmissions,
        duplicates: summary.stats.duplicates,
        timeouts: summary.stats.timeouts,
        rtt_us: summary.rtt.map(us),
        decision_us: record.decided_after.map(us),
        first_block_us: summary.first_block_after.map(us),
        duration_us: us(summary.duration),
        facts: others.map(|(field, value)| (field.name.into(), value.into())).collect(),
    }
}
