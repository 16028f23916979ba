//! The start times of transfers: when another one ends, or at a constant rate.

use std::time::Duration;
use tuffet_core::Time;

/// The transfers that have not started yet.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    started: u64,
    total: u64,
    /// Transfers per second; `None` is a closed loop.
    rate: Option<f64>,
    /// The last permitted start.
    until: Time,
}

/// A transfer that must start now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    /// Counted from 0.
    pub(crate) number: u64,
    /// When it should have started. Waiting for a free place, or for this process, counts towards its
    /// duration (no coordinated omission).
    pub(crate) scheduled: Time,
}

impl Schedule {
    /// A schedule of `total` transfers, none of which starts after `duration`.
    pub(crate) fn new(total: u64, rate: Option<f64>, duration: Option<Duration>) -> Self {
        let until = duration.map_or(Time::NEVER, |duration| Time::default() + duration);
        Schedule { started: 0, total, rate, until }
    }

    /// Takes the next transfer, if it is due.
    pub(crate) fn take(&mut self, now: Time) -> Option<Due> {
        let scheduled = self.next(now).filter(|time| *time <= now)?;
        let due = Due { number: self.started, scheduled };
        self.started += 1;
        Some(due)
    }

    /// When the next transfer is due: `now` in a closed loop, `None` after the last.
    pub(crate) fn next(&self, now: Time) -> Option<Time> {
        let next = match self.rate {
            Some(rate) => Time::from_micros((self.started as f64 * 1e6 / rate) as u64),
            None => now,
        };
        (self.started < self.total && next <= self.until).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Time {
        Time::from_micros(micros)
    }

    #[test]
    fn a_closed_loop_starts_at_once_until_all_are_started_or_time_is_up() {
        let mut schedule = Schedule::new(2, None, None);
        assert_eq!(schedule.take(at(5)), Some(Due { number: 0, scheduled: at(5) }));
        assert_eq!(schedule.take(at(5)), Some(Due { number: 1, scheduled: at(5) }));
        assert_eq!((schedule.take(at(6)), schedule.next(at(6))), (None, None));
        let mut schedule = Schedule::new(u64::MAX, None, Some(Duration::from_micros(10)));
        assert!(schedule.take(at(10)).is_some());
        assert_eq!((schedule.take(at(11)), schedule.next(at(11))), (None, None));
    }

    #[test]
    fn a_rate_keeps_its_times_however_late_it_is_asked() {
        let mut schedule = Schedule::new(5, Some(3.0), None);
        assert_eq!(schedule.take(at(0)), Some(Due { number: 0, scheduled: at(0) }));
        assert_eq!(schedule.take(at(0)), None);
        assert_eq!(schedule.next(at(0)), Some(at(333_333)));
        // After a pause of one second, all missed transfers start now, with their scheduled times.
        let times: Vec<u64> = std::iter::from_fn(|| schedule.take(at(1_000_000)))
            .map(|due| due.scheduled.as_micros())
            .collect();
        assert_eq!(times, [333_333, 666_666, 1_000_000]);
        assert_eq!(schedule.next(at(1_000_000)), Some(at(1_333_333)));
    }

    #[test]
    fn a_rate_for_a_time_starts_rate_times_time() {
        let mut schedule = Schedule::new(u64::MAX, Some(1_000.0), Some(Duration::from_micros(99_999)));
        assert_eq!(std::iter::from_fn(|| schedule.take(at(5_000_000))).count(), 100);
    }
}
