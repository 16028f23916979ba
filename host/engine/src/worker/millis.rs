//! A time in four bytes, for tens of thousands of transfers.

use std::time::Duration;
use tuffet_core::Time;

/// A moment in the past, in milliseconds modulo 2^32, which is 49 days: only for the time since then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Millis(u32);

impl Millis {
    /// Returns the time from then to `now`, if that is less than 49 days.
    pub(super) fn until(self, now: Time) -> Duration {
        Duration::from_millis(Millis::from(now).0.wrapping_sub(self.0).into())
    }

    /// Returns the moment this much later, to the nearest millisecond, but none after `now`.
    pub(super) fn later(self, span: Duration, now: Time) -> Millis {
        let nearest = (span.as_micros() + 500) / 1_000;
        let most = self.until(now).as_millis();
        Millis(self.0.wrapping_add(nearest.min(most) as u32))
    }
}

impl From<Time> for Millis {
    fn from(time: Time) -> Millis {
        Millis((time.as_micros() / 1_000) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_right_after_any_uptime() {
        let days = |days: u64| Time::from_micros(days * 86_400_000_000);
        for then in [days(0), days(49), days(1_000)] {
            for ms in [0, 1, 500, 86_400_000] {
                let span = Duration::from_millis(ms);
                let (then, now) = (Millis::from(then), then + span);
                assert_eq!(then.until(now), span);
                assert_eq!(then.later(span, now + span).until(now), Duration::ZERO);
                assert_eq!(then.later(span * 2, now).until(now), Duration::ZERO, "none after the present");
            }
        }
    }
}
