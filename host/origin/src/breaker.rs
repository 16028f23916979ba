//! Spares an origin that does not answer, and those who wait for it.
//!
//! An answer with an error status is an answer: it belongs to its path alone. An origin that cannot be reached counts
//! with each attempt, silence after a connection once for each path: there may be one name that an origin never answers.
//!
//! It spares look-ups and uploads. The parts of running transfers are asked for all the same, once each: there is no other
//! answer for their readers, and an origin that is back after a moment ends none of them.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Failures in a row that open it.
const FAILURES: usize = 5;
/// The pauses between two probes while it is open.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Counts attempts that got no answer. After some in a row nobody asks any more, but one probe at a time.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the origin last answered.
    answered: Option<Instant>,
    /// Attempts since then that did not reach it.
    unreached: usize,
    /// Paths that it has not answered since then.
    silent: HashSet<Arc<str>>,
    open: Option<Open>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    pause: Duration,
    /// When the next probe may go.
    next: Instant,
    /// Whether a probe went since the last failure.
    probed: bool,
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
            Some(open) if Instant::now() >= open.next => {
                open.next = Instant::now() + jittered(open.pause);
                open.probed = true;
                true
            }
            Some(_) => false,
        }
    }

    /// The origin answered, whatever it said.
    pub fn answered(&self) {
        *self.lock() = State { answered: Some(Instant::now()), ..State::default() };
    }

    /// An attempt that began at `since` got no answer. `silent` is its path if the origin was reached. Returns whether
    /// that counts against the origin: not if it has answered others meanwhile.
    pub fn failed(&self, silent: Option<&Arc<str>>, since: Instant) -> bool {
        let mut state = self.lock();
        if state.answered.is_some_and(|answered| answered >= since) {
            return false;
        }
        match &mut state.open {
            Some(open) if open.probed => {
                open.pause = (open.pause * 2).min(LONGEST_PAUSE);
                open.next = Instant::now() + jittered(open.pause);
                open.probed = false;
            }
            // It began before the breaker opened.
            Some(_) => {}
            None => {
                match silent {
                    Some(path) => drop(state.silent.insert(Arc::clone(path))),
                    None => state.unreached += 1,
                }
                if state.unreached + state.silent.len() >= FAILURES {
                    let next = Instant::now() + jittered(FIRST_PAUSE);
                    state.open = Some(Open { pause: FIRST_PAUSE, next, probed: false });
                }
            }
        }
        true
    }

    pub fn state(&self) -> BreakerState {
        match self.lock().open {
            None => BreakerState::Closed,
            Some(open) if Instant::now() >= open.next => BreakerState::HalfOpen,
            Some(_) => BreakerState::Open,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
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
            breaker.failed(None, Instant::now());
            assert!(breaker.admits());
        }
        breaker.answered();
        (0..FAILURES).for_each(|_| assert!(breaker.failed(None, Instant::now())));
        assert_eq!(breaker.state(), BreakerState::Open);
        assert!(!breaker.admits());
        // The pause has passed.
        let pass = || breaker.lock().open.iter_mut().for_each(|open| open.next = Instant::now());
        pass();
        assert_eq!(breaker.state(), BreakerState::HalfOpen);
        assert!(breaker.admits(), "one probe");
        assert!(!breaker.admits(), "and no other before it has ended");
        let pause = || breaker.lock().open.map(|open| open.pause);
        let before = pause();
        (0..9).for_each(|_| assert!(breaker.failed(None, Instant::now())));
        assert_eq!(pause(), before.map(|pause| 2 * pause), "one probe failed, whatever else ends late");
        pass();
        assert!(breaker.admits());
        breaker.answered();
        assert_eq!(breaker.state(), BreakerState::Closed);
        assert!(breaker.admits());
    }

    #[test]
    fn one_path_without_an_answer_is_not_the_origin() {
        let breaker = Breaker::default();
        let path = |number: usize| Arc::from(format!("path-{number}"));
        for _ in 0..100 {
            breaker.failed(Some(&path(0)), Instant::now());
        }
        assert_eq!(breaker.state(), BreakerState::Closed);
        let began = Instant::now();
        breaker.answered();
        (0..100).for_each(|number| assert!(!breaker.failed(Some(&path(number)), began)));
        assert_eq!(breaker.state(), BreakerState::Closed, "it has answered others meanwhile");
        (0..FAILURES).for_each(|number| assert!(breaker.failed(Some(&path(number)), Instant::now())));
        assert_eq!(breaker.state(), BreakerState::Open);
    }
}
