//! One sample per second for the last ten minutes.

use super::counts::Counts;
use super::snapshot::{ByOperation, Sample, unix_ms};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime};
use tuffet_request::Distribution;
use tuffet_request::events::Outcome;

/// The maximum number of samples.
pub const SAMPLES: usize = 600;

#[derive(Debug, Default)]
pub(super) struct Seconds(Mutex<SampleLog>);

#[derive(Debug, Default)]
struct SampleLog {
    samples: VecDeque<Sample>,
    /// The counters at the end of the last sample.
    before: CounterState,
}

#[derive(Debug, Default)]
struct CounterState {
    ended: [u64; Outcome::ALL.len()],
    bytes: [u64; 2],
    retransmissions: u64,
    decision: Distribution,
    duration: [Distribution; 2],
}

impl Seconds {
    /// Adds a sample of the changes since the last call, `elapsed` ago.
    pub(super) fn add(&self, counts: &Counts, elapsed: Duration, active: u64, pending: u64) {
        let read = |counter: &AtomicU64| counter.load(Relaxed);
        let now = CounterState {
            ended: Outcome::ALL.map(|outcome| counts.ended_as(outcome)),
            bytes: [read(&counts.bytes[0]), read(&counts.bytes[1])],
            retransmissions: read(&counts.retransmissions),
            decision: counts.decision.read(),
            duration: [counts.duration[0].read(), counts.duration[1].read()],
        };
        let mut log = self.0.lock();
        let before = &log.before;
        let rate = |operation: usize| {
            let moved = now.bytes[operation].saturating_sub(before.bytes[operation]);
            (moved as f64 / elapsed.as_secs_f64().max(0.001)) as u64
        };
        let decision = now.decision.since(&before.decision);
        let mut duration = now.duration[0].since(&before.duration[0]);
        let of_writes = now.duration[1].since(&before.duration[1]);
        for (sum, more) in duration.buckets.iter_mut().zip(&of_writes.buckets) {
            *sum += more;
        }
        let sample = Sample {
            unix_ms: unix_ms(SystemTime::now()),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            ended: now
                .ended
                .iter()
                .zip(before.ended)
                .map(|(now, before)| now.saturating_sub(before))
                .collect(),
            bytes_per_second: ByOperation { read: rate(0), write: rate(1) },
            retransmissions: now.retransmissions.saturating_sub(before.retransmissions),
            active,
            pending,
            decision_p50_us: decision.quantile_us(0.5),
            decision_p99_us: decision.quantile_us(0.99),
            duration_p50_us: duration.quantile_us(0.5),
            duration_p99_us: duration.quantile_us(0.99),
        };
        if log.samples.len() == SAMPLES {
            log.samples.pop_front();
        }
        log.samples.push_back(sample);
        log.before = now;
    }

    /// Returns the samples that ended after this time, oldest first.
    pub(super) fn after(&self, unix_ms: u64) -> Vec<Sample> {
        let log = self.0.lock();
        log.samples.iter().filter(|sample| sample.unix_ms > unix_ms).cloned().collect()
    }
}
