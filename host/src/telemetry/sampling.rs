//! Which requests become traces.
//!
//! A part of them, chosen by the trace id as the specification's `TraceIdRatioBased` does, so that all who
//! choose by the same ratio choose the same traces. And all that went wrong: how a request ends is known
//! before anything is exported.

use super::trail::{Step, Trail, What};
use crate::events::{Outcome, Summary};
use opentelemetry::trace::{SpanId, TraceId};
use std::sync::Arc;
use std::time::Instant;

/// Chooses. Cheap to clone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sampling {
    /// Trace ids whose last 63 bits are below are chosen.
    below: u64,
}

impl Sampling {
    /// This part of all, 0 to 1.
    pub(crate) fn ratio(part: f64) -> Sampling {
        let all = (1_u64 << 63) as f64;
        Sampling { below: (part.clamp(0.0, 1.0) * all) as u64 }
    }

    /// The trail of a request that has come.
    pub(crate) fn begin(self, received: Instant) -> Arc<Trail> {
        // Zero is no id (W3C Trace Context).
        let trace = TraceId::from(fastrand::u128(1..));
        let span = SpanId::from(fastrand::u64(1..));
        Arc::new(Trail::new(trace, span, self.chooses(trace), received))
    }

    fn chooses(self, trace: TraceId) -> bool {
        let [.., a, b, c, d, e, f, g, h] = trace.to_bytes();
        u64::from_be_bytes([a, b, c, d, e, f, g, h]) >> 1 < self.below
    }
}

/// Whether a request that has ended is exported: chosen, or something went wrong.
pub(super) fn is_exported(summary: &Summary, trail: &Trail, steps: &[Step]) -> bool {
    let wrong = matches!(summary.ending.outcome, Outcome::Denied | Outcome::TimedOut | Outcome::Failed);
    let failed = |step: &Step| matches!(&step.what, What::Plugin { failure: Some(_), .. });
    trail.chosen || wrong || steps.iter().any(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_kept_and_its_ends_are_exact() {
        let chosen = |part| {
            let sampling = Sampling::ratio(part);
            (0..20_000).filter(|_| sampling.begin(Instant::now()).chosen).count()
        };
        assert_eq!((chosen(0.0), chosen(1.0)), (0, 20_000));
        let some = chosen(0.25);
        assert!((4_500..5_500).contains(&some), "{some} of 20,000 is no quarter");
        assert!(Sampling::ratio(0.5).chooses(TraceId::from(1)));
        assert!(!Sampling::ratio(0.5).chooses(TraceId::from(u128::MAX)));
    }
}
