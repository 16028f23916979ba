//! The breaker: stops calls to a failing plugin for a while.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tuffet_config::BreakerConfig;

/// Opens after so many failures in a row. While it is open the plugin is not called; when the back-off is
/// over, one call probes it: if that goes well the breaker closes, else the back-off doubles.
pub(super) struct Breaker {
    config: BreakerConfig,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    failures: u32,
    open: Option<Open>,
}

struct Open {
    back_off: Duration,
    until: Instant,
    probing: bool,
}

/// Leave to call. What became of the call must be told to it; one that was abandoned tells nothing.
pub(super) struct Leave<'a> {
    breaker: &'a Breaker,
    probe: bool,
}

/// The breaker is open.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shut {
    pub failures: u32,
    /// Until the next probe; none while one runs.
    pub left: Duration,
}

/// What a call changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Opened(Duration),
    Closed,
}

impl Breaker {
    pub fn new(config: BreakerConfig) -> Breaker {
        Breaker { config, state: Mutex::default() }
    }

    /// Leave to call the plugin now.
    pub fn ask(&self, now: Instant) -> Result<Leave<'_>, Shut> {
        let mut state = self.lock();
        let failures = state.failures;
        let Some(open) = &mut state.open else { return Ok(Leave { breaker: self, probe: false }) };
        if open.probing || now < open.until {
            return Err(Shut { failures, left: open.until.saturating_duration_since(now) });
        }
        open.probing = true;
        Ok(Leave { breaker: self, probe: true })
    }

    /// Whether the plugin is left alone.
    pub fn is_open(&self) -> bool {
        self.lock().open.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Leave<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leave").field("probe", &self.probe).finish_non_exhaustive()
    }
}

impl Leave<'_> {
    /// The call went well.
    pub fn good(self) -> Option<Change> {
        let mut state = self.breaker.lock();
        // A call from before it opened proves nothing of now.
        if state.open.is_some() && !self.probe {
            return None;
        }
        state.failures = 0;
        state.open.take().map(|_| Change::Closed)
    }

    /// The plugin failed.
    pub fn failed(self, now: Instant) -> Option<Change> {
        let config = self.breaker.config;
        let mut state = self.breaker.lock();
        if state.open.is_some() && !self.probe {
            return None;
        }
        state.failures = state.failures.saturating_add(1);
        let failures = state.failures;
        match &mut state.open {
            Some(open) => {
                open.back_off = open.back_off.saturating_mul(2).min(config.cap);
                open.until = now + open.back_off;
                None
            }
            None if failures >= config.failures => {
                let back_off = config.back_off;
                state.open = Some(Open { back_off, until: now + back_off, probing: false });
                Some(Change::Opened(back_off))
            }
            None => None,
        }
    }
}

impl Drop for Leave<'_> {
    /// Lets another call probe.
    fn drop(&mut self) {
        if self.probe
            && let Some(open) = &mut self.breaker.lock().open
        {
            open.probing = false;
        }
    }
}

impl fmt::Display for Shut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it failed {} times in a row and is not asked for another {:.1?}", self.failures, self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: BreakerConfig =
        BreakerConfig { failures: 3, back_off: Duration::from_secs(1), cap: Duration::from_secs(3) };

    fn fail(breaker: &Breaker, now: Instant) -> Option<Change> {
        breaker.ask(now).unwrap_or_else(|shut| unreachable!("{shut}")).failed(now)
    }

    fn open(breaker: &Breaker, now: Instant) {
        let changes = [(); 3].map(|()| fail(breaker, now));
        assert_eq!(changes[2], Some(Change::Opened(CONFIG.back_off)));
    }

    #[test]
    fn it_opens_after_failures_in_a_row_alone() {
        let (breaker, now) = (Breaker::new(CONFIG), Instant::now());
        assert_eq!([fail(&breaker, now), fail(&breaker, now)], [None, None]);
        assert_eq!(breaker.ask(now).map(Leave::good), Ok(None));
        assert_eq!([fail(&breaker, now), fail(&breaker, now)], [None, None]);
        assert_eq!(fail(&breaker, now), Some(Change::Opened(CONFIG.back_off)));
        assert!(breaker.ask(now).is_err());
    }

    #[test]
    fn one_call_probes_and_the_back_off_doubles_up_to_its_cap() {
        let (breaker, mut now) = (Breaker::new(CONFIG), Instant::now());
        open(&breaker, now);
        for back_off in [1, 2, 3, 3] {
            let back_off = Duration::from_secs(back_off);
            assert!(breaker.ask(now + back_off - Duration::from_millis(1)).is_err());
            now += back_off;
            let probe = breaker.ask(now).unwrap_or_else(|shut| unreachable!("{shut}"));
            assert!(breaker.ask(now).is_err(), "one probe at a time");
            assert_eq!(probe.failed(now), None, "told once");
        }
        now += CONFIG.cap;
        assert_eq!(breaker.ask(now).map(Leave::good), Ok(Some(Change::Closed)));
        assert_eq!(breaker.ask(now).map(Leave::good), Ok(None));
    }

    #[test]
    fn a_probe_that_is_abandoned_lets_another_one_try() {
        let (breaker, now) = (Breaker::new(CONFIG), Instant::now());
        open(&breaker, now);
        let later = now + CONFIG.back_off;
        drop(breaker.ask(later));
        assert!(breaker.ask(later).is_ok());
    }

    #[test]
    fn a_call_from_before_neither_opens_nor_closes() {
        let (breaker, now) = (Breaker::new(CONFIG), Instant::now());
        let [good, bad] = [(); 2].map(|()| breaker.ask(now).unwrap_or_else(|shut| unreachable!("{shut}")));
        open(&breaker, now);
        assert_eq!((good.good(), bad.failed(now)), (None, None));
        assert_eq!(breaker.ask(now).err().map(|shut| shut.failures), Some(3));
    }
}
