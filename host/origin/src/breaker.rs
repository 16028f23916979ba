//! Spares an origin that does not answer, and those who wait for it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failed attempts in a row that open it.
const FAILURES: u32 = 5;
/// The pauses between two probes while it is open.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Counts attempts that got no usable answer. After some in a row nobody asks any more, but one probe at a time.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    /// While it is open: how long it pauses, and when the next probe may go.
    open: Option<(Duration, Instant)>,
}

/// What a breaker lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// Everything.
    Closed,
    /// Nothing.
    Open,
    /// One request, as a probe.
    HalfOpen,
}

impl Breaker {
    /// Returns whether a request may be made. Each `true` of an open breaker is a probe: the next comes a pause later.
    pub fn admits(&self) -> bool {
        let mut state = self.lock();
        match &mut state.open {
            None => true,
            Some((pause, next)) if Instant::now() >= *next => {
                *next = Instant::now() + jittered(*pause);
                true
            }
            Some(_) => false,
        }
    }

    /// The origin answered.
    pub fn answered(&self) {
        *self.lock() = State::default();
    }

    /// An attempt got no usable answer.
    pub fn failed(&self) {
        let mut state = self.lock();
        state.failures = state.failures.saturating_add(1);
        if state.failures < FAILURES {
            return;
        }
        let pause = state.open.map_or(FIRST_PAUSE, |(pause, _)| (pause * 2).min(LONGEST_PAUSE));
        state.open = Some((pause, Instant::now() + jittered(pause)));
    }

    pub fn state(&self) -> BreakerState {
        match self.lock().open {
            None => BreakerState::Closed,
            Some((_, next)) if Instant::now() >= next => BreakerState::HalfOpen,
            Some(_) => BreakerState::Open,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// From half of it to all of it: servers that lost the same origin do not come back at once.
pub(crate) fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(0.5 + fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_after_failures_in_a_row_and_admits_one_probe_at_a_time() {
        let breaker = Breaker::default();
        for _ in 1..FAILURES {
            breaker.failed();
            assert!(breaker.admits());
        }
        breaker.answered();
        (0..FAILURES).for_each(|_| breaker.failed());
        assert_eq!(breaker.state(), BreakerState::Open);
        assert!(!breaker.admits());
        // The pause has passed.
        if let Some((_, next)) = &mut breaker.lock().open {
            *next = Instant::now();
        }
        assert_eq!(breaker.state(), BreakerState::HalfOpen);
        assert!(breaker.admits(), "one probe");
        assert!(!breaker.admits(), "and no other before it has ended");
        breaker.answered();
        assert_eq!(breaker.state(), BreakerState::Closed);
        assert!(breaker.admits());
    }
}
