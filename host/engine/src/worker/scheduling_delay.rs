//! How long this thread has recently waited for a core.
//!
//! If other work occupies the server's cores, clients on the same machine answer late, too. Retransmissions
//! then add work where there is too little time already, and repair nothing. So the time for which the worker
//! itself was not scheduled indicates how late the answer of such a client may be. Other clients are not
//! affected: their answers lie in a socket, which is read before a timer expires.

use std::time::Duration;
use tuffet_core::Time;

/// Shorter delays are ordinary scheduling.
const USUAL_MICROS: u64 = 2_500;
/// An answer passes several run queues, each of which may be equally long.
const QUEUES: u64 = 16;
/// The half-life of an observed wait.
const HALF_LIFE_MICROS: u64 = 4_000_000;
const MAX_ALLOWANCE_MICROS: u64 = 250_000;

/// The longest recent wait, in microseconds.
#[derive(Default)]
pub(super) struct SchedulingDelay {
    longest: u64,
    seen: Time,
}

impl SchedulingDelay {
    /// Records a wait for events from `before` to `now` that should have lasted at most `wanted`, and ended without
    /// an event.
    pub(super) fn waited(&mut self, before: Time, now: Time, wanted: Option<Duration>) {
        let Some(wanted) = wanted else { return };
        let late = now.since(before).saturating_sub(wanted).as_micros() as u64;
        if late > USUAL_MICROS && late >= self.now(now) {
            (self.longest, self.seen) = (late, now);
        }
    }

    /// Returns how long after it was sent a packet must not be retransmitted yet; normally zero.
    pub(super) fn allowance(&self, now: Time) -> Duration {
        Duration::from_micros(self.now(now).saturating_mul(QUEUES).min(MAX_ALLOWANCE_MICROS))
    }

    fn now(&self, now: Time) -> u64 {
        let halvings = now.since(self.seen).as_micros() as u64 / HALF_LIFE_MICROS;
        let longest = self.longest.checked_shr(halvings.min(64) as u32).unwrap_or(0);
        if longest > USUAL_MICROS { longest } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_micros(millis * 1_000)
    }

    #[test]
    fn a_late_wake_up_counts_for_a_while() {
        let mut scheduling_delay = SchedulingDelay::default();
        scheduling_delay.waited(at(0), at(21), Some(Duration::from_millis(20)));
        assert_eq!(scheduling_delay.allowance(at(21)), Duration::ZERO, "a timer of the kernel");
        scheduling_delay.waited(at(30), at(38), Some(Duration::from_millis(2)));
        assert_eq!(scheduling_delay.allowance(at(40)), Duration::from_millis(96));
        scheduling_delay.waited(at(50), at(52), Some(Duration::ZERO));
        assert_eq!(scheduling_delay.allowance(at(60)), Duration::from_millis(96), "the longest counts");
        assert_eq!(scheduling_delay.allowance(at(4_100)), Duration::from_millis(48));
        assert_eq!(scheduling_delay.allowance(at(19_000)), Duration::ZERO);
        scheduling_delay.waited(at(19_000), at(99_000), Some(Duration::ZERO));
        assert_eq!(scheduling_delay.allowance(at(99_000)), Duration::from_millis(250));
    }

    #[test]
    fn a_wait_without_an_end_says_nothing() {
        let mut scheduling_delay = SchedulingDelay::default();
        scheduling_delay.waited(at(0), at(50_000), None);
        assert_eq!(scheduling_delay.allowance(at(50_000)), Duration::ZERO);
    }
}
