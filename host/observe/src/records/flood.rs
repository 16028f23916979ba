//! Half-open transfers that end: a line for each, unless there are too many.
//!
//! A request proves nothing, so anybody can cause thousands of them in a second; a line for each would pass
//! the flood on to the disk. They are then summed up, but only in the log: all other outputs report each one.

use tokio::time::Instant;
use tuffet::events::{SECOND, Surge, within_ms};
use tuffet_request::events::Unanswered;

/// The most lines in a second.
const MOST: u64 = 50;

/// The transfers of this second, and those that no line has reported yet.
pub(super) struct Flood {
    surge: Surge,
    unreported: Option<Sum>,
}

/// Several transfers summed up.
#[derive(Debug, PartialEq, Eq)]
struct Sum {
    since: Instant,
    ended: u64,
    gave_way: u64,
}

impl Flood {
    pub(super) fn new(now: Instant) -> Flood {
        Flood { surge: Surge::new(MOST, now), unreported: None }
    }

    /// Counts one more. Returns whether it gets a line; otherwise it is summed up.
    pub(super) fn has_line(&mut self, how: Unanswered, now: Instant) -> bool {
        if self.surge.has_line(now) {
            return true;
        }
        let sum = self.unreported.get_or_insert(Sum { since: now, ended: 0, gave_way: 0 });
        sum.ended += 1;
        sum.gave_way += u64::from(how == Unanswered::GaveWay);
        false
    }

    /// Returns when the sum is due.
    pub(super) fn due(&self) -> Option<Instant> {
        self.unreported.as_ref().map(|sum| sum.since + SECOND)
    }

    /// Logs the sum if it is due.
    pub(super) fn tell_when_due(&mut self, now: Instant) {
        if self.due().is_some_and(|due| due <= now) {
            self.tell(now);
        }
    }

    /// Logs the sum, if there is one.
    pub(super) fn tell(&mut self, now: Instant) {
        let Some(Sum { since, ended, gave_way }) = self.unreported.take() else { return };
        tracing::warn!(
            target: "tuffet::transfer",
            ended,
            gave_way,
            within_ms = within_ms(since, now),
            "half-open transfers timed out because their clients never answered; they are not logged one by one"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Returns how many of `count` at one moment get a line.
    fn lines(flood: &mut Flood, count: u64, now: Instant) -> u64 {
        (0..count).map(|_| u64::from(flood.has_line(Unanswered::TimedOut, now))).sum()
    }

    #[test]
    fn few_have_a_line_each_for_ever() {
        let begin = Instant::now();
        let mut flood = Flood::new(begin);
        for second in 0..1000 {
            let now = begin + second * SECOND;
            assert_eq!(lines(&mut flood, MOST, now), MOST);
            assert_eq!(flood.due(), None);
        }
    }

    #[test]
    fn the_first_of_many_have_a_line_and_the_others_one_together() {
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let mut flood = Flood::new(begin);
        assert_eq!(lines(&mut flood, 1000, at(100)), MOST);
        assert!(!flood.has_line(Unanswered::GaveWay, at(400)));
        assert_eq!(flood.unreported, Some(Sum { since: at(100), ended: 951, gave_way: 1 }));
        assert_eq!(flood.due(), Some(at(1100)));
        flood.tell_when_due(at(1099));
        assert!(flood.unreported.is_some());
        flood.tell_when_due(at(1100));
        assert_eq!(flood.due(), None, "told");

        // During the flood no transfer has its own line, and there is one per second for all.
        for second in 1..100 {
            assert_eq!(lines(&mut flood, 1000, at(1000 * second + 150)), 0, "second {second}");
            assert_eq!(flood.due(), Some(at(1000 * second + 1150)));
            flood.tell_when_due(at(1000 * second + 1150));
        }
        // The flood ends: the transfers of the following second are still summed up, and later ones are not.
        assert_eq!(lines(&mut flood, 3, at(100_200)), 0);
        assert_eq!(lines(&mut flood, 3, at(101_300)), 3);
    }

    #[test]
    fn after_a_pause_each_has_a_line_again() {
        let begin = Instant::now();
        let mut flood = Flood::new(begin);
        assert_eq!(lines(&mut flood, 1000, begin), MOST);
        flood.tell(begin);
        assert_eq!(lines(&mut flood, 10, begin + 2 * SECOND), 10);
    }
}
