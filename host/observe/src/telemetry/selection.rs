//! Selects the traces to export: sampled ones, up to a limit per second, and all of failed requests. The selection
//! follows the end of the request, so the outcome is known.

use parking_lot::Mutex;
use std::time::{Duration, Instant};
use tuffet_request::events::{Outcome, Summary};
use tuffet_request::{Step, Trail, What};
use tuffet_server::sampling::Sampling;

/// A limit per second.
#[derive(Debug)]
pub(super) struct PerSecond {
    limit: Option<u32>,
    /// The start of the second, and the traces since.
    taken: Mutex<(Instant, u32)>,
}

impl PerSecond {
    pub(super) fn new(limit: Option<u32>) -> PerSecond {
        PerSecond { limit, taken: Mutex::new((Instant::now(), 0)) }
    }

    /// Returns whether there is room for one more.
    fn take(&self, now: Instant) -> bool {
        let Some(limit) = self.limit else { return true };
        let mut taken = self.taken.lock();
        if now.saturating_duration_since(taken.0) >= Duration::from_secs(1) {
            *taken = (now, 0);
        }
        taken.1 += 1;
        taken.1 <= limit
    }
}

/// Returns whether an ended request is exported: sampled and within the limit, or failed.
pub(super) fn is_exported(summary: &Summary, trail: &Trail, limit: &PerSecond) -> bool {
    let wrong = matches!(summary.ending.outcome, Outcome::Denied | Outcome::TimedOut | Outcome::Failed);
    let failed = |step: &Step| matches!(&step.what, What::Plugin { failure: Some(_), .. });
    wrong || trail.any(failed) || (trail.chosen && limit.take(Instant::now()))
}

/// Returns the ID of the trace of a request to an origin, if it is exported: sampled and within the limit, or failed.
pub(super) fn trace_of_fetch(sampling: Sampling, failed: bool, limit: &PerSecond) -> Option<u128> {
    let (trace, chosen) = sampling.draw();
    (failed || (chosen && limit.take(Instant::now()))).then_some(trace.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_second_has_a_limit() {
        let limit = PerSecond::new(Some(2));
        let begin = Instant::now();
        let at = |ms| limit.take(begin + Duration::from_millis(ms));
        assert_eq!([1, 1, 500, 999].map(at), [true, true, false, false]);
        assert_eq!([1_100, 1_200, 1_300, 2_200].map(at), [true, true, false, true]);
        let unlimited = PerSecond::new(None);
        assert!((0..1_000).all(|_| unlimited.take(begin)));
    }
}
