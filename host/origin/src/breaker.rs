//! Spares an origin that does not answer, and the requests that would wait for it.
//!
//! An error status counts as an answer, because it concerns only its path. Each attempt that cannot reach the origin
//! counts as a failure. Silence after a connection counts once per path, because an origin may hang for one name only.
//!
//! The breaker stops look-ups and uploads. Running transfers still request their missing parts, once each, because only
//! the origin has them; so transfers survive a short outage.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of consecutive failures that opens the breaker.
const MAX_FAILURES: usize = 5;
/// The first and the longest pause between two probes of an open breaker.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Counts unanswered attempts. After some in a row, it admits only one probe at a time.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    state: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    /// When the origin last answered.
    answered: Option<Instant>,
    /// Attempts since then that could not reach the origin.
    unreached: usize,
    /// Paths without an answer since then.
    silent: HashSet<Arc<str>>,
    open: Option<OpenState>,
}

#[derive(Debug, Clone, Copy)]
struct OpenState {
    pause: Duration,
    /// The time of the next probe.
    next: Instant,
    /// Whether a probe was admitted since the last failure.
    probed: bool,
}

/// Which requests a breaker admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// All requests.
    Closed,
    /// No request.
    Open,
    /// One request, as a probe.
    HalfOpen,
}

impl Breaker {
    /// Returns whether a request may be made. Each `true` of an open breaker is a probe; the next one follows a pause
    /// later.
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

    /// Records an answer of the origin, with any status.
    pub fn answered(&self) {
        *self.lock() = Counts { answered: Some(Instant::now()), ..Counts::default() };
    }

    /// Records that an attempt that began at `since` got no answer. `silent` is its path if the origin was reached.
    /// Returns whether the failure counts: not if the origin has answered other attempts since.
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
            // The attempt began before the breaker opened.
            Some(_) => {}
            None => {
                match silent {
                    Some(path) => drop(state.silent.insert(Arc::clone(path))),
                    None => state.unreached += 1,
                }
                if state.unreached + state.silent.len() >= MAX_FAILURES {
                    let next = Instant::now() + jittered(FIRST_PAUSE);
                    state.open = Some(OpenState { pause: FIRST_PAUSE, next, probed: false });
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

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.state.lock()
    }
}

/// Returns half of the pause to all of it, so that servers that lost the same origin do not retry at once.
pub(crate) fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(0.5 + fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_after_failures_in_a_row_and_admits_one_probe_at_a_time() {
        let breaker = Breaker::default();
        for _ in 1..MAX_FAILURES {
            breaker.failed(None, Instant::now());
            assert!(breaker.admits());
        }
        breaker.answered();
        (0..MAX_FAILURES).for_each(|_| assert!(breaker.failed(None, Instant::now())));
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
    fn one_silent_path_does_not_open_it() {
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
        (0..MAX_FAILURES).for_each(|number| assert!(breaker.failed(Some(&path(number)), Instant::now())));
        assert_eq!(breaker.state(), BreakerState::Open);
    }
}
