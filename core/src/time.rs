//! Time as the caller measures it: microseconds since any fixed point, never decreasing.

use core::ops::Add;
use core::time::Duration;

/// A point in time, in microseconds since a start that the caller chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

impl Time {
    /// A moment that never comes.
    pub const NEVER: Time = Time(u64::MAX);

    /// Creates the time `micros` microseconds after the start.
    pub const fn from_micros(micros: u64) -> Self {
        Time(micros)
    }

    /// Returns the microseconds since the start.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Returns the time since `earlier`; zero if it lies ahead.
    pub const fn since(self, earlier: Time) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }

    /// As [`Time::since`], in microseconds and at most `u32::MAX` (71 minutes).
    pub(crate) fn micros_since(self, earlier: Time) -> u32 {
        saturate(self.0.saturating_sub(earlier.0))
    }

    pub(crate) const fn after(self, micros: u32) -> Time {
        Time(self.0.saturating_add(micros as u64))
    }
}

/// A moment of the last 71 minutes, in four bytes: a transfer keeps many of them, and none lasts that long without an
/// answer.
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub(crate) struct Recent(u32);

impl Recent {
    pub(crate) const fn at(time: Time) -> Self {
        Recent(time.0 as u32)
    }

    /// Returns the microseconds since then; of a longer time, what is left after as many times 71 minutes.
    pub(crate) const fn micros_until(self, now: Time) -> u32 {
        (now.0 as u32).wrapping_sub(self.0)
    }
}

impl Add<Duration> for Time {
    type Output = Time;

    fn add(self, duration: Duration) -> Time {
        Time(self.0.saturating_add(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)))
    }
}

/// Converts a duration to microseconds, at most `u32::MAX`: four bytes, because a transfer keeps many of
/// them.
pub(crate) fn micros(duration: Duration) -> u32 {
    u32::try_from(duration.as_micros()).unwrap_or(u32::MAX)
}

fn saturate(micros: u64) -> u32 {
    u32::try_from(micros).unwrap_or(u32::MAX)
}

#[cfg(test)]
impl Recent {
    /// Shifts it to another clock, which shows the time `to(now)`.
    pub(crate) fn shift(self, now: Time, to: &dyn Fn(Time) -> Time) -> Self {
        Recent::at(to(Time(now.0 - u64::from(self.micros_until(now)))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recent_moment_is_as_long_ago_as_its_time() {
        for start in [0, 1, u64::from(u32::MAX), 1 << 40] {
            for micros in [0, 1, 3_600_000_000, u32::MAX] {
                let now = Time::from_micros(start + u64::from(micros));
                assert_eq!(Recent::at(Time::from_micros(start)).micros_until(now), micros);
            }
        }
    }
}
