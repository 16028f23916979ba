//! Busy polling: waits a moment for the next datagram before the worker sleeps.
//!
//! While datagrams follow each other closely, sleeping between them costs more than it saves: this side wakes late,
//! and the other side pays for waking it. So a worker that has just received a datagram polls for a short time. If
//! that is in vain (on a path with a longer round trip), it stops, and tries only occasionally. If it often loses the
//! core while it polls, other threads need the core more: it stops polling for a while, so that they get the time,
//! and a limit of CPU time is spent on blocks.

use std::time::Duration;
use tuffet_core::Time;

/// Vain polls before it stops.
const TRIES: u8 = 8;

/// Then it polls once in this many arrivals.
const SELDOM: u8 = 32;

/// A poll takes some microseconds. If more than this passed, the thread was not running: another thread had the core,
/// a limit of CPU time was used up, or the hypervisor ran another guest.
const PREEMPTED: Duration = Duration::from_millis(1);

/// After this many preemptions, each within `PAUSE` of the one before, it does not poll for `PAUSE`. Fewer are ordinary:
/// a kernel thread, an interrupt, another guest of the hypervisor.
const OFTEN: u8 = 3;
const PAUSE: Duration = Duration::from_millis(250);

/// Decides between polling and sleeping.
#[derive(Debug, Default)]
pub(super) struct BusyPoll {
    budget: Duration,
    /// The end of the polling.
    until: Option<Time>,
    /// The start of the current poll.
    looked: Option<Time>,
    /// Preemptions in a row, and the time of the last one.
    lost: u8,
    lost_at: Time,
    /// The end of the pause.
    paused: Time,
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
        if now < self.paused {
            self.until = None;
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
        let Some(until) = self.until.filter(|_| now >= self.paused) else { return false };
        if now < until {
            self.looked = Some(now);
            return true;
        }
        self.until = None;
        self.vain = self.vain.saturating_add(1);
        false
    }

    /// Records that the poll has ended, before its datagrams are handled.
    pub(super) fn woke(&mut self, now: Time) {
        if self.looked.take().is_none_or(|looked| now.since(looked) <= PREEMPTED) {
            return;
        }
        // After a pause, once more is enough.
        let again = now.since(self.lost_at.max(self.paused)) <= PAUSE;
        self.lost = if again { self.lost + 1 } else { 1 };
        self.lost_at = now;
        if self.lost >= OFTEN {
            (self.lost, self.paused) = (OFTEN - 1, now + PAUSE);
        }
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

    /// Polls once, and then does not run for 3 ms. `arrives`: whether a datagram arrives meanwhile.
    fn loses_the_core(poll: &mut BusyPoll, millis: u64, arrives: bool) {
        poll.arrived(at(millis * 1_000));
        assert!(poll.looks(at(millis * 1_000 + 10)), "at {millis} ms");
        poll.woke(at(millis * 1_000 + 3_010));
        if arrives {
            poll.arrived(at(millis * 1_000 + 3_010));
        } else {
            assert!(!poll.looks(at(millis * 1_000 + 3_010)));
        }
    }

    #[test]
    fn after_it_often_lost_the_core_while_it_looked_it_sleeps_for_a_while() {
        for arrives in [false, true] {
            let mut poll = BusyPoll::new(Duration::from_micros(50));
            for millis in [10, 20, 30] {
                loses_the_core(&mut poll, millis, arrives);
            }
            for millis in [40, 100, 280] {
                poll.arrived(at(millis * 1_000));
                assert!(!poll.looks(at(millis * 1_000 + 1)), "at {millis} ms");
            }
            // It tries again, and stops at once if nothing has changed.
            loses_the_core(&mut poll, 290, arrives);
            poll.arrived(at(300_000));
            assert!(!poll.looks(at(300_001)));
        }
    }

    #[test]
    fn now_and_then_any_thread_loses_the_core() {
        let mut poll = BusyPoll::new(Duration::from_micros(50));
        for millis in (0..10_000).step_by(260) {
            loses_the_core(&mut poll, millis + 10, true);
        }
        poll.arrived(at(20_000_000));
        assert!(poll.looks(at(20_000_001)));
    }

    #[test]
    fn work_after_a_look_is_no_loss_of_the_core() {
        let mut poll = BusyPoll::new(Duration::from_micros(50));
        for turn in 1..100 {
            poll.arrived(at(turn * 5_000));
            assert!(poll.looks(at(turn * 5_000 + 20)), "turn {turn}");
            poll.woke(at(turn * 5_000 + 25));
            // The mailbox took 4 ms.
            poll.arrived(at(turn * 5_000 + 4_025));
        }
    }

    #[test]
    fn without_a_budget_it_never_looks() {
        let mut poll = BusyPoll::new(Duration::ZERO);
        poll.arrived(at(5));
        assert!(!poll.looks(at(5)));
    }
}
