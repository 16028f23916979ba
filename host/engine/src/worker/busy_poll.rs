//! Busy polling: waits a moment for the next datagram before the worker sleeps.
//!
//! While datagrams follow each other closely, sleeping between them costs more than it saves: this side wakes
//! late, and the other side pays for waking it. So a worker that has just received something polls for a
//! short time. If that is in vain (on a path with a longer round trip), it stops and tries only now and then.

use std::time::Duration;
use tuffet_core::Time;

/// Polls in vain before it stops.
const TRIES: u8 = 8;

/// Then it polls once in this many arrivals.
const SELDOM: u8 = 32;

/// Decides between polling and sleeping.
#[derive(Debug, Default)]
pub(super) struct BusyPoll {
    budget: Duration,
    /// Polls until then.
    until: Option<Time>,
    /// Consecutive polls in vain.
    vain: u8,
    /// Arrivals without a poll, since the last poll.
    passed: u8,
}

impl BusyPoll {
    /// Polls for `budget` at a time; never if that is zero.
    pub(super) fn new(budget: Duration) -> Self {
        BusyPoll { budget, ..BusyPoll::default() }
    }

    /// Records that datagrams have arrived.
    pub(super) fn arrived(&mut self, now: Time) {
        if self.budget.is_zero() {
            return;
        }
        if self.until.is_some() {
            self.vain = 0;
        } else if self.vain >= TRIES && self.passed < SELDOM {
            self.passed += 1;
            return;
        }
        self.passed = 0;
        self.until = Some(now + self.budget);
    }

    /// Returns whether to poll again rather than to sleep.
    pub(super) fn looks(&mut self, now: Time) -> bool {
        let Some(until) = self.until else { return false };
        if now < until {
            return true;
        }
        self.until = None;
        self.vain = self.vain.saturating_add(1);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Time {
        Time::from_micros(micros)
    }

    #[test]
    fn looks_for_its_budget_after_each_datagram() {
        let mut poll = BusyPoll::new(Duration::from_micros(20));
        assert!(!poll.looks(at(0)), "nothing came yet");
        poll.arrived(at(100));
        assert!(poll.looks(at(119)));
        poll.arrived(at(119));
        assert!(poll.looks(at(138)));
        assert!(!poll.looks(at(139)));
        assert!(!poll.looks(at(140)));
    }

    #[test]
    fn on_a_long_path_it_looks_seldom_until_it_is_worth_it_again() {
        let mut poll = BusyPoll::new(Duration::from_micros(20));
        let mut looked = 0;
        for datagram in 0..1_000 {
            let now = datagram * 100;
            poll.arrived(at(now));
            looked += u32::from(poll.looks(at(now + 1)));
            assert!(!poll.looks(at(now + 50)));
        }
        assert!((8..=8 + 1_000 / 32).contains(&looked), "{looked}");
        for datagram in 0..100 {
            poll.arrived(at(200_000 + datagram * 10));
        }
        assert!(poll.looks(at(200_991)), "datagrams follow each other closely");
    }

    #[test]
    fn without_a_budget_it_never_looks() {
        let mut poll = BusyPoll::new(Duration::ZERO);
        poll.arrived(at(5));
        assert!(!poll.looks(at(5)));
    }
}
