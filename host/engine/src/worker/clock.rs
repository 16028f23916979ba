//! The clock of a worker.

use std::time::{Duration, Instant};
use tuffet_core::Time;

/// The protocol's clock: the time since the server started, for all its workers. Their transfers may share a rate.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    start: Instant,
    /// The present in virtual time.
    #[cfg(any(test, feature = "simulation"))]
    stands_at: Option<Time>,
}

impl Clock {
    /// Starts at the present.
    pub(super) fn start() -> Clock {
        Clock::since(Instant::now())
    }

    /// Starts at a moment in the past.
    pub(super) fn since(start: Instant) -> Clock {
        Clock {
            start,
            #[cfg(any(test, feature = "simulation"))]
            stands_at: None,
        }
    }

    #[cfg(any(test, feature = "simulation"))]
    fn virtual_now(self) -> Option<Time> {
        self.stands_at
    }

    /// A server reads this clock for each batch of packets, and pays nothing for simulations.
    #[cfg(not(any(test, feature = "simulation")))]
    fn virtual_now(self) -> Option<Time> {
        None
    }

    pub(super) fn now(self) -> Time {
        let elapsed = || u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.virtual_now().unwrap_or_else(|| Time::from_micros(elapsed()))
    }

    /// The present, to be compared with times of other clocks.
    pub(super) fn instant(self) -> Instant {
        self.virtual_now().map_or_else(Instant::now, |time| self.instant_of(time))
    }

    pub(super) fn instant_of(self, time: Time) -> Instant {
        self.start + Duration::from_micros(time.as_micros())
    }

    /// A clock in virtual time, at 0. It starts later than any simulation ends: what other threads measure from its
    /// times is then always 0, however long they take.
    #[cfg(any(test, feature = "simulation"))]
    pub(super) fn standing() -> Clock {
        const LATER: Duration = Duration::from_secs(365 * 24 * 3_600);
        Clock { start: Instant::now() + LATER, stands_at: Some(Time::default()) }
    }

    /// Moves a clock in virtual time.
    #[cfg(any(test, feature = "simulation"))]
    pub(super) fn set(&mut self, now: Time) {
        self.stands_at = Some(now);
    }
}
