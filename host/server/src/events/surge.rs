//! Decides when sums replace single lines: after `limit` events in a second, until a second has fewer.

use std::time::Duration;
use tokio::time::Instant;

/// The period of a surge.
pub const SECOND: Duration = Duration::from_secs(1);

/// The events of this second.
pub struct Surge {
    /// Events per second with single lines.
    limit: u64,
    second: Instant,
    in_second: u64,
    /// Whether the previous second exceeded the limit.
    continues: bool,
}

impl Surge {
    /// Allows `limit` single lines a second.
    pub fn new(limit: u64, now: Instant) -> Surge {
        Surge { limit, second: now, in_second: 0, continues: false }
    }

    /// Counts an event; returns whether it gets a single line.
    pub fn has_line(&mut self, now: Instant) -> bool {
        let elapsed = now.saturating_duration_since(self.second);
        if elapsed >= SECOND {
            self.continues = elapsed < 2 * SECOND && self.in_second > self.limit;
            (self.second, self.in_second) = (now, 0);
        }
        self.in_second += 1;
        !self.continues && self.in_second <= self.limit
    }
}

/// The period of a sum in milliseconds, for its line.
pub fn within_ms(since: Instant, now: Instant) -> u64 {
    u64::try_from(now.saturating_duration_since(since).as_millis()).unwrap_or(u64::MAX)
}
