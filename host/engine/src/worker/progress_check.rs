//! The progress check: a transfer that moves one block in half a minute, or never ends, holds a place that
//! other clients need.
//!
//! The check runs when a transfer's timer expires. That happens every few seconds whether its client answers
//! or not, so the check costs nothing per block.

use super::millis::Millis;
use crate::limits::Limiter;
use std::time::Duration;
use tuffet_core::{Time, Transfer};
use tuffet_request::events::{Ending, Outcome};

/// The rate is measured over this many times the time after which a silent client is given up: a client that was
/// silent for as long as permitted can still catch up.
pub(super) const GIVE_UPS_PER_CHECK: u32 = 2;

const MICROS_PER_SECOND: u64 = 1_000_000;

/// The progress at the last check.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProgressCheck {
    /// In seconds of the worker's clock, rounded up. `transfer.max-duration` may be a year, too long for [`Millis`].
    granted: u32,
    looked: Millis,
    bytes: u64,
}

impl ProgressCheck {
    pub(super) fn new(granted: Time) -> ProgressCheck {
        let seconds = granted.as_micros().div_ceil(MICROS_PER_SECOND);
        ProgressCheck { granted: seconds as u32, looked: granted.into(), bytes: 0 }
    }

    /// Excludes time for which the transfer waited for the server's disk, not for its client.
    pub(super) fn forgive(&mut self, span: Duration, now: Time) {
        self.looked = self.looked.later(span, now);
    }

    /// Returns the message for the client and the ending, if the transfer must end.
    pub(super) fn look(
        &mut self,
        core: &Transfer,
        limiter: &Limiter,
        now: Time,
    ) -> Option<(&'static str, Ending)> {
        // Waiting for the server is not the client's fault, and half-open transfers have their own limit.
        if core.is_deciding() || core.is_storing() || core.is_dallying() || core.is_unproven() {
            return None;
        }
        if let Some(most) = limiter.max_duration()
            && self.runs_for(now) >= most
        {
            let most = humantime::format_duration(most);
            let setting = limiter.names().of("transfer.max-duration");
            let detail = format!("it took longer than {setting} ({most})");
            return Some(("the transfer took too long", Ending::new(Outcome::TimedOut, detail)));
        }
        let span = core.give_up() * GIVE_UPS_PER_CHECK;
        let took = self.looked.until(now);
        if took < span {
            return None;
        }
        let moved = core.bytes().saturating_sub(self.bytes);
        (self.looked, self.bytes) = (now.into(), core.bytes());
        // What the server itself holds back is not the client's fault.
        let own = core.rate().map_or(u64::MAX, |rate| u64::from(rate) / 2);
        if !is_below(moved, took, limiter.least_rate().min(own)) {
            return None;
        }
        let detail = format!(
            "{moved} bytes in {} s are less than {} ({} bytes a second)",
            took.as_secs_f64().round(),
            limiter.names().of("transfer.least-rate"),
            limiter.least_rate()
        );
        Some(("the transfer is too slow", Ending::new(Outcome::TimedOut, detail)))
    }

    /// Returns how long the transfer has been running, at most a second less than the truth.
    fn runs_for(&self, now: Time) -> Duration {
        let seconds = now.as_micros() / MICROS_PER_SECOND;
        Duration::from_secs(seconds.saturating_sub(self.granted.into()))
    }
}

fn is_below(bytes: u64, took: Duration, least: u64) -> bool {
    u128::from(bytes) * 1_000 < u128::from(least) * took.as_millis()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_core::{Limits, Operation, OptionSet, Settings};
    use tuffet_request::Bounds;

    #[test]
    fn the_longest_duration_may_be_a_year() {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        let begin = Time::default() + DAY * 30;
        let mut core = Transfer::server(begin, Operation::Read, Settings::default());
        core.handle_grant(begin, &OptionSet::default(), &Limits::default(), Some(1_000));
        let _first_block = core.poll(begin);
        assert_eq!(core.handle_datagram(begin, &[0, 4, 0, 1]), Ok(()));
        for most in [1, 49, 60, 365] {
            let bounds = Bounds { max_duration: DAY * most, ..Bounds::none() };
            let (limiter, mut check) = (Limiter::new(&bounds, 1, 1), ProgressCheck::new(begin));
            for day in 0..most {
                assert!(check.look(&core, &limiter, begin + DAY * day).is_none(), "day {day} of {most}");
            }
            let ended = check.look(&core, &limiter, begin + DAY * most);
            assert_eq!(ended.map(|(message, _)| message), Some("the transfer took too long"), "{most} days");
        }
    }

    #[test]
    fn rates() {
        let minute = Duration::from_secs(60);
        assert!(!is_below(0, minute, 0), "0 is no limit");
        assert!(!is_below(64 * 60, minute, 64));
        assert!(is_below(64 * 60 - 1, minute, 64));
        assert!(!is_below(u64::MAX, minute, u64::MAX / 100));
    }
}
