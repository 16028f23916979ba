//! Logs ended half-open transfers: a line for each, unless there are too many.
//!
//! Forged addresses can cause thousands of them per second; a line for each would pass the flood on to the disk. During
//! a flood the log sums them up; all other outputs report each one.

use tokio::time::Instant;
use tuffet_request::events::Unanswered;
use tuffet_server::events::{SECOND, Surge, within_ms};

/// The most lines in a second.
const MAX_LINES: u64 = 50;

/// The transfers of this second, and those not logged yet.
pub(super) struct Flood {
    surge: Surge,
    unreported: Option<UnansweredSum>,
}

/// Several transfers summed up.
#[derive(Debug, PartialEq, Eq)]
struct UnansweredSum {
    since: Instant,
    ended: u64,
    gave_way: u64,
    /// Of clients that ask again.
    asked_again: u64,
}

impl Flood {
    pub(super) fn new(now: Instant) -> Flood {
        Flood { surge: Surge::new(MAX_LINES, now), unreported: None }
    }

    /// Counts one more. Returns whether it gets a line; otherwise it is summed up.
    /// `asks_again`: whether its client does.
    pub(super) fn has_line(&mut self, how: Unanswered, asks_again: bool, now: Instant) -> bool {
        if self.surge.has_line(now) {
            return true;
        }
        let none = UnansweredSum { since: now, ended: 0, gave_way: 0, asked_again: 0 };
        let sum = self.unreported.get_or_insert(none);
        sum.ended += 1;
        sum.gave_way += u64::from(how == Unanswered::GaveWay);
        sum.asked_again += u64::from(asks_again);
        false
    }

    /// Returns when the sum is due.
    pub(super) fn due(&self) -> Option<Instant> {
        self.unreported.as_ref().map(|sum| sum.since + SECOND)
    }

    /// Logs the sum if it is due.
    pub(super) fn log_when_due(&mut self, now: Instant) {
        if self.due().is_some_and(|due| due <= now) {
            self.log(now);
        }
    }

    /// Logs the sum, if there is one.
    pub(super) fn log(&mut self, now: Instant) {
        let Some(UnansweredSum { since, ended, gave_way, asked_again }) = self.unreported.take() else {
            return;
        };
        tracing::warn!(
            target: "tuffet::transfer",
            ended,
            gave_way,
            asked_again,
            within_ms = within_ms(since, now),
            "half-open transfers timed out because their clients never answered; they are not logged one by one"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Returns how many of `count` simultaneous transfers get a line.
    fn lines(flood: &mut Flood, count: u64, now: Instant) -> u64 {
        (0..count).map(|_| u64::from(flood.has_line(Unanswered::TimedOut, false, now))).sum()
    }

    #[test]
    fn below_the_limit_each_has_a_line() {
        let begin = Instant::now();
        let mut flood = Flood::new(begin);
        for second in 0..1000 {
            let now = begin + second * SECOND;
            assert_eq!(lines(&mut flood, MAX_LINES, now), MAX_LINES);
            assert_eq!(flood.due(), None);
        }
    }

    #[test]
    fn beyond_the_limit_the_others_share_a_line() {
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let mut flood = Flood::new(begin);
        assert_eq!(lines(&mut flood, 1000, at(100)), MAX_LINES);
        assert!(!flood.has_line(Unanswered::GaveWay, true, at(400)));
        assert_eq!(
            flood.unreported,
            Some(UnansweredSum { since: at(100), ended: 951, gave_way: 1, asked_again: 1 })
        );
        assert_eq!(flood.due(), Some(at(1100)));
        flood.log_when_due(at(1099));
        assert!(flood.unreported.is_some());
        flood.log_when_due(at(1100));
        assert_eq!(flood.due(), None, "it was logged");

        // During the flood no transfer has its own line, and there is one per second for all.
        for second in 1..100 {
            assert_eq!(lines(&mut flood, 1000, at(1000 * second + 150)), 0, "second {second}");
            assert_eq!(flood.due(), Some(at(1000 * second + 1150)));
            flood.log_when_due(at(1000 * second + 1150));
        }
        // The flood ends: the transfers of the following second are still summed up, and later ones are not.
        assert_eq!(lines(&mut flood, 3, at(100_200)), 0);
        assert_eq!(lines(&mut flood, 3, at(101_300)), 3);
    }

    #[test]
    fn after_a_pause_each_has_a_line_again() {
        let begin = Instant::now();
        let mut flood = Flood::new(begin);
        assert_eq!(lines(&mut flood, 1000, begin), MAX_LINES);
        flood.log(begin);
        assert_eq!(lines(&mut flood, 10, begin + 2 * SECOND), 10);
    }
}
