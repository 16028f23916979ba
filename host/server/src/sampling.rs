//! Selects a part of the requests for traces, by trace id as the specification's `TraceIdRatioBased`: all samplers with
//! the same ratio select the same traces.

use std::sync::Arc;
use std::time::Instant;
use tuffet_request::{SpanId, TraceId, TraceParent, Trail};

/// The sampler. Cheap to clone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Trace ids with the last 63 bits below this are selected.
    below: u64,
}

impl Sampling {
    /// Selects this part of all requests, 0 to 1.
    pub fn ratio(part: f64) -> Sampling {
        let all = (1_u64 << 63) as f64;
        Sampling { below: (part.clamp(0.0, 1.0) * all) as u64 }
    }

    /// Creates the trail of a new request, within the trace of its client if that has named one.
    pub fn begin(self, received: Instant, within: Option<TraceParent>) -> Arc<Trail> {
        // Zero is not a valid id (W3C Trace Context).
        let trace = within.map_or_else(|| TraceId(fastrand::u128(1..)), |parent| parent.trace);
        let span = SpanId(fastrand::u64(1..));
        let mut trail = Trail::new(trace, span, self.chooses(trace), received);
        trail.parent = within.map(|parent| parent.span);
        Arc::new(trail)
    }

    /// Draws the id of a trace without a request; also returns whether it is selected.
    pub fn draw(self) -> (TraceId, bool) {
        let trace = TraceId(fastrand::u128(1..));
        (trace, self.chooses(trace))
    }

    fn chooses(self, trace: TraceId) -> bool {
        trace.0 as u64 >> 1 < self.below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_kept_and_its_ends_are_exact() {
        let chosen = |part| {
            let sampling = Sampling::ratio(part);
            (0..20_000).filter(|_| sampling.begin(Instant::now(), None).chosen).count()
        };
        assert_eq!((chosen(0.0), chosen(1.0)), (0, 20_000));
        let some = chosen(0.25);
        assert!((4_500..5_500).contains(&some), "{some} of 20,000 is no quarter");
        assert!(Sampling::ratio(0.5).chooses(TraceId(1)));
        assert!(!Sampling::ratio(0.5).chooses(TraceId(u128::MAX)));
    }
}
