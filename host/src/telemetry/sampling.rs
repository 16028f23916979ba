//! The sampling of traces.
//!
//! A part of the requests, selected by the trace id like the specification's `TraceIdRatioBased`, so that all
//! samplers with the same ratio select the same traces; of these at most a number per second. And all
//! requests that go wrong: the outcome is known before anything is exported.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tuffet_request::events::{Outcome, Summary};
use tuffet_request::{SpanId, Step, TraceId, Trail, What};

/// The sampler. Cheap to clone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sampling {
    /// Trace ids whose last 63 bits are below this are selected.
    below: u64,
}

impl Sampling {
    /// Selects this part of all, 0 to 1.
    pub(crate) fn ratio(part: f64) -> Sampling {
        let all = (1_u64 << 63) as f64;
        Sampling { below: (part.clamp(0.0, 1.0) * all) as u64 }
    }

    /// Creates the trail of a new request.
    pub(crate) fn begin(self, received: Instant) -> Arc<Trail> {
        // Zero is not a valid id (W3C Trace Context).
        let trace = TraceId(fastrand::u128(1..));
        let span = SpanId(fastrand::u64(1..));
        Arc::new(Trail::new(trace, span, self.chooses(trace), received))
    }

    /// The id of the trace of a request to an origin, if that is exported: selected and within the limit, or failed.
    pub(super) fn of_fetch(self, failed: bool, limit: &PerSecond) -> Option<u128> {
        let trace = TraceId(fastrand::u128(1..));
        (failed || (self.chooses(trace) && limit.take(Instant::now()))).then_some(trace.0)
    }

    fn chooses(self, trace: TraceId) -> bool {
        trace.0 as u64 >> 1 < self.below
    }
}

/// A limit per second.
#[derive(Debug)]
pub(super) struct PerSecond {
    most: Option<u32>,
    /// The start of the second, and the traces since.
    taken: Mutex<(Instant, u32)>,
}

impl PerSecond {
    pub(super) fn new(most: Option<u32>) -> PerSecond {
        PerSecond { most, taken: Mutex::new((Instant::now(), 0)) }
    }

    /// Returns whether there is room for one more.
    fn take(&self, now: Instant) -> bool {
        let Some(most) = self.most else { return true };
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(taken.0) >= Duration::from_secs(1) {
            *taken = (now, 0);
        }
        taken.1 += 1;
        taken.1 <= most
    }
}

/// Returns whether an ended request is exported: selected and within the limit, or one that went wrong.
pub(super) fn is_exported(summary: &Summary, trail: &Trail, limit: &PerSecond) -> bool {
    let wrong = matches!(summary.ending.outcome, Outcome::Denied | Outcome::TimedOut | Outcome::Failed);
    let failed = |step: &Step| matches!(&step.what, What::Plugin { failure: Some(_), .. });
    wrong || trail.any(failed) || (trail.chosen && limit.take(Instant::now()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_has_room_for_so_many() {
        let limit = PerSecond::new(Some(2));
        let begin = Instant::now();
        let at = |ms| limit.take(begin + Duration::from_millis(ms));
        assert_eq!([1, 1, 500, 999].map(at), [true, true, false, false]);
        assert_eq!([1_100, 1_200, 1_300, 2_200].map(at), [true, true, false, true]);
        let unlimited = PerSecond::new(None);
        assert!((0..1_000).all(|_| unlimited.take(begin)));
    }

    #[test]
    fn the_ratio_is_kept_and_its_ends_are_exact() {
        let chosen = |part| {
            let sampling = Sampling::ratio(part);
            (0..20_000).filter(|_| sampling.begin(Instant::now()).chosen).count()
        };
        assert_eq!((chosen(0.0), chosen(1.0)), (0, 20_000));
        let some = chosen(0.25);
        assert!((4_500..5_500).contains(&some), "{some} of 20,000 is no quarter");
        assert!(Sampling::ratio(0.5).chooses(TraceId(1)));
        assert!(!Sampling::ratio(0.5).chooses(TraceId(u128::MAX)));
    }
}
