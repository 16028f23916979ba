//! The breaker: stops calls to a failing plugin for a while.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::failure::{Cause, Failure};
use tuffet_request::ClientKey;
use tuffet_request::settings::BreakerLimits;

/// The number of clients with failed probes that doubles the back-off, or fewer if fewer clients opened the breaker.
const PROBERS: usize = 3;

/// Stops calls after those of a configured number of different clients have failed in a row; repeated failures of a
/// single client do not count. While the breaker is open, the plugin is not called. After the
/// back-off, one call at a time probes it. The first success closes the breaker. When the probes of several
/// clients have failed, the back-off doubles; so no single client keeps the breaker open.
#[derive(Debug)]
pub struct Breaker {
    config: BreakerLimits,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Clients with failed calls since the last success.
    failed: HashSet<ClientKey>,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    back_off: Duration,
    until: Instant,
    probing: bool,
    /// Clients with failed probes in this round.
    probed: HashSet<ClientKey>,
}

/// Permission for one call. The caller reports the result of the call with it; an abandoned call reports
/// nothing.
#[derive(Debug)]
pub struct Permit<B: Deref<Target = Breaker>> {
    breaker: B,
    client: ClientKey,
    /// Whether the call probes an open breaker.
    pub probe: bool,
}

/// The refusal of an open breaker.
#[derive(Debug, PartialEq, Eq)]
pub struct BreakerRefusal {
    /// The number of clients with failed calls.
    pub clients: usize,
    /// The time until the next probe; zero while a probe is running.
    pub left: Duration,
}

/// The change of state after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerChange {
    /// It opened, for this back-off.
    Opened(Duration),
    /// A probe succeeded.
    Closed,
}

impl Breaker {
    /// A closed breaker.
    pub fn new(config: BreakerLimits) -> Breaker {
        Breaker { config, state: Mutex::default() }
    }

    /// Requests permission to call the plugin now.
    ///
    /// # Errors
    /// The breaker is open, and this call is no probe.
    pub fn permit(&self, now: Instant, client: ClientKey) -> Result<Permit<&Breaker>, BreakerRefusal> {
        let probe = self.begin(now, client)?;
        Ok(Permit { breaker: self, client, probe })
    }

    /// As [`permit`](Breaker::permit), for a call whose result comes elsewhere.
    ///
    /// # Errors
    /// The breaker is open, and this call is no probe.
    pub fn owned_permit(
        self: &Arc<Self>,
        now: Instant,
        client: ClientKey,
    ) -> Result<Permit<Arc<Breaker>>, BreakerRefusal> {
        let probe = self.begin(now, client)?;
        Ok(Permit { breaker: Arc::clone(self), client, probe })
    }

    /// Begins a call. Returns whether it is a probe.
    fn begin(&self, now: Instant, client: ClientKey) -> Result<bool, BreakerRefusal> {
        let mut state = self.lock();
        let clients = state.failed.len();
        let Some(open) = &mut state.open else { return Ok(false) };
        // After a failed probe, a client leaves the next one to other clients, if there are any.
        let until = if open.probed.contains(&client) { open.until + open.back_off } else { open.until };
        if open.probing || now < until {
            return Err(BreakerRefusal { clients, left: until.saturating_duration_since(now) });
        }
        open.probing = true;
        Ok(true)
    }

    /// Returns why a call that was queued while the breaker was closed must not begin.
    pub fn refusal(&self, now: Instant) -> Option<BreakerRefusal> {
        let state = self.lock();
        let left = state.open.as_ref()?.until.saturating_duration_since(now);
        Some(BreakerRefusal { clients: state.failed.len(), left })
    }

    /// Whether the breaker is open.
    pub fn is_open(&self) -> bool {
        self.lock().open.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl<B: Deref<Target = Breaker>> Permit<B> {
    /// Reports success.
    pub fn succeeded(self) -> Option<BreakerChange> {
        let mut state = self.breaker.lock();
        // A call that began before the breaker opened proves nothing.
        if state.open.is_some() && !self.probe {
            return None;
        }
        // `clear` keeps the allocation: this runs after each call.
        state.failed.clear();
        state.open.take().map(|_| BreakerChange::Closed)
    }

    /// Reports failure.
    pub fn failed(self, now: Instant) -> Option<BreakerChange> {
        let config = self.breaker.config;
        if config == BreakerLimits::NEVER {
            // Nothing ever clears the clients of a hook that only fails.
            return None;
        }
        let enough = config.failures as usize;
        let mut state = self.breaker.lock();
        if state.open.is_some() && !self.probe {
            return None;
        }
        state.failed.insert(self.client);
        let failed = state.failed.len();
        match &mut state.open {
            Some(open) => {
                let again = !open.probed.insert(self.client);
                if again || open.probed.len() >= PROBERS.min(enough) {
                    open.back_off = open.back_off.saturating_mul(2).min(config.cap);
                    open.until = now + open.back_off;
                    open.probed.clear();
                }
                None
            }
            None if failed >= enough => {
                let back_off = config.back_off;
                let probed = HashSet::new();
                state.open = Some(Open { back_off, until: now + back_off, probing: false, probed });
                Some(BreakerChange::Opened(back_off))
            }
            None => None,
        }
    }
}

impl<B: Deref<Target = Breaker>> Drop for Permit<B> {
    /// Permits another probe.
    fn drop(&mut self) {
        if self.probe
            && let Some(open) = &mut self.breaker.lock().open
        {
            open.probing = false;
        }
    }
}

impl fmt::Display for BreakerRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BreakerRefusal { clients, left } = self;
        let clients = if *clients == 1 { "one client".into() } else { format!("{clients} clients in a row") };
        write!(f, "it failed for {clients} and is not called for another {left:.1?}")
    }
}

impl From<BreakerRefusal> for Failure {
    fn from(refusal: BreakerRefusal) -> Failure {
        Failure::new(Cause::Repeated, refusal.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: BreakerLimits =
        BreakerLimits { failures: 3, back_off: Duration::from_secs(1), cap: Duration::from_secs(3) };

    fn client(number: u8) -> ClientKey {
        ClientKey::of(&([192, 0, 2, number], 2000).into(), 64)
    }

    fn permit(breaker: &Breaker, now: Instant, number: u8) -> Permit<&Breaker> {
        breaker.permit(now, client(number)).unwrap_or_else(|refusal| unreachable!("{refusal}"))
    }

    fn fail(breaker: &Breaker, now: Instant, number: u8) -> Option<BreakerChange> {
        permit(breaker, now, number).failed(now)
    }

    fn open(breaker: &Breaker, now: Instant) {
        let changes = [1, 2, 3].map(|number| fail(breaker, now, number));
        assert_eq!(changes[2], Some(BreakerChange::Opened(CONFIG.back_off)));
    }

    #[test]
    fn it_opens_after_failures_in_a_row_alone() {
        let (breaker, now) = (Breaker::new(CONFIG), Instant::now());
        assert_eq!([fail(&breaker, now, 1), fail(&breaker, now, 2)], [None, None]);
        assert_eq!(permit(&breaker, now, 4).succeeded(), None);
        assert_eq!([fail(&breaker, now, 1), fail(&breaker, now, 2)], [None, None]);
        assert_eq!(fail(&breaker, now, 3), Some(BreakerChange::Opened(CONFIG.back_off)));
        assert!(breaker.permit(now, client(4)).is_err());
    }

    #[test]
    fn one_client_alone_does_not_open_it() {
        let (breaker, now) = (Breaker::new(CONFIG), Instant::now());
        for _ in 0..1000 {
            assert_eq!(fail(&breaker, now, 1), None);
            assert_eq!(fail(&breaker, now, 2), None);
        }
        assert_eq!(fail(&breaker, now, 3), Some(BreakerChange::Opened(CONFIG.back_off)));
    }

    #[test]
    fn single_calls_probe_and_the_back_off_doubles_up_to_its_cap() {
        let (breaker, mut now) = (Breaker::new(CONFIG), Instant::now());
        open(&breaker, now);
        for back_off in [1, 2, 3, 3] {
            let back_off = Duration::from_secs(back_off);
            assert!(breaker.permit(now + back_off - Duration::from_millis(1), client(4)).is_err());
            now += back_off;
            for number in [4, 5, 6] {
                let probe = permit(&breaker, now, number);
                assert!(breaker.permit(now, client(7)).is_err(), "one probe at a time");
                assert_eq!(probe.failed(now), None, "logged once");
            }
        }
        now += CONFIG.cap;
        assert_eq!(permit(&breaker, now, 4).succeeded(), Some(BreakerChange::Closed));
        assert_eq!(permit(&breaker, now, 4).succeeded(), None);
    }

    /// A client with failing calls only calls more often than all others together.
    #[test]
    fn no_single_client_keeps_it_open() {
        let (breaker, now) = (Breaker::new(CONFIG), Instant::now());
        open(&breaker, now);
        let later = now + CONFIG.back_off;
        assert_eq!(fail(&breaker, later, 1), None);
        let left = breaker.permit(later, client(1)).err().map(|refusal| refusal.left);
        assert_eq!(left, Some(CONFIG.back_off), "it has to let others try");
        assert_eq!(permit(&breaker, later, 2).succeeded(), Some(BreakerChange::Closed));
    }

    /// A single client may probe again after its probe failed.
    #[test]
    fn where_one_failure_opens_it_one_probe_is_a_round() {
        let (breaker, now) = (Breaker::new(BreakerLimits { failures: 1, ..CONFIG }), Instant::now());
        assert_eq!(fail(&breaker, now, 1), Some(BreakerChange::Opened(CONFIG.back_off)));
        let (first, second) = (now + CONFIG.back_off, now + 3 * CONFIG.back_off);
        assert_eq!(fail(&breaker, first, 1), None);
        assert!(breaker.permit(second - Duration::from_millis(1), client(1)).is_err());
        assert_eq!(permit(&breaker, second, 1).succeeded(), Some(BreakerChange::Closed));
    }

    #[test]
    fn a_probe_that_is_abandoned_lets_another_one_try() {
        let (breaker, now) = (Breaker::new(CONFIG), Instant::now());
        open(&breaker, now);
        let later = now + CONFIG.back_off;
        drop(breaker.permit(later, client(1)));
        assert!(breaker.permit(later, client(1)).is_ok());
    }

    #[test]
    fn a_call_from_before_neither_opens_nor_closes() {
        let (breaker, now) = (Breaker::new(CONFIG), Instant::now());
        let [good, bad] = [1, 2].map(|number| permit(&breaker, now, number));
        open(&breaker, now);
        assert_eq!((good.succeeded(), bad.failed(now)), (None, None));
        assert_eq!(breaker.refusal(now).map(|refusal| refusal.clients), Some(3));
    }
}
