//! Retransmission time-out: RFC 6298 in spirit, with a floor in milliseconds instead of one second.
//!
//! Fixed timers of a second or more are why TFTP crawls on a lossy path: each lost packet costs a
//! second. Here the time-out follows the measured round trip and doubles while nothing is heard.

use crate::sender::Answers;
use crate::time::micros;
use core::time::Duration;

/// How patient a transfer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    floor: u32,
    initial: u32,
    cap: u32,
    give_up: u32,
    dally: u32,
}

impl Timing {
    /// `floor`: the shortest time-out (default 20 ms). `initial`: the time-out before a round trip was
    /// measured (250 ms). `cap`: the longest one after doubling (4 s). `give_up`: how long the peer may
    /// be silent before the transfer ends (30 s). `dally`: how long a receiver stays to repeat its last
    /// ACK (5 s, RFC 1350 section 6).
    ///
    /// Each is cut to 71 minutes; `cap` is raised to `floor` when it lies below.
    pub fn new(
        floor: Duration,
        initial: Duration,
        cap: Duration,
        give_up: Duration,
        dally: Duration,
    ) -> Self {
        let floor = micros(floor).max(1);
        Timing {
            floor,
            initial: micros(initial).max(floor),
            cap: micros(cap).max(floor),
            give_up: micros(give_up),
            dally: micros(dally),
        }
    }

    /// RFC 2349: the client names the seconds to wait before a retransmission. They are the time-out
    /// until a round trip has been measured and its cap ever after; patience grows to three of them.
    pub(crate) fn with_timeout_option(mut self, seconds: u8) -> Self {
        let seconds = u32::from(seconds).saturating_mul(1_000_000).max(self.floor);
        self.initial = seconds;
        self.cap = seconds;
        self.give_up = self.give_up.max(seconds.saturating_mul(3));
        self
    }

    pub(crate) fn give_up(&self) -> u32 {
        self.give_up
    }

    pub(crate) fn dally(&self) -> u32 {
        self.dally
    }
}

impl Default for Timing {
    fn default() -> Self {
        let ms = Duration::from_millis;
        Timing::new(ms(20), ms(250), ms(4_000), ms(30_000), ms(5_000))
    }
}

/// The smoothed round-trip time of one transfer, in microseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rtt {
    /// 0 until measured.
    smoothed: u32,
    variation: u32,
    least: u32,
    backoff: u8,
}

impl Rtt {
    /// Takes a measurement; never one of a packet that was sent twice (Karn).
    pub(crate) fn sample(&mut self, rtt: u32) {
        let rtt = rtt.max(1);
        self.backoff = 0;
        if self.smoothed == 0 {
            self.smoothed = rtt;
            self.variation = rtt / 2;
            self.least = rtt;
            return;
        }
        let deviation = self.smoothed.abs_diff(rtt);
        self.variation = self.variation - self.variation / 4 + deviation / 4;
        self.smoothed = (self.smoothed - self.smoothed / 8).saturating_add(rtt / 8).max(1);
        self.least = self.least.min(rtt);
    }

    /// Nothing was heard in time: wait twice as long the next time.
    pub(crate) fn back_off(&mut self) {
        self.backoff = self.backoff.saturating_add(1).min(20);
    }

    /// The time-out for what is sent now. `unmeasured` is the least that applies until a round trip has
    /// been measured: a whole window needs longer on the wire than one packet.
    pub(crate) fn timeout(&self, timing: &Timing, unmeasured: u32) -> u32 {
        let base = if self.smoothed == 0 {
            timing.initial.max(unmeasured)
        } else {
            self.smoothed.saturating_add(self.variation.saturating_mul(4)).max(timing.floor)
        };
        let doubled = u64::from(base) << self.backoff;
        // The cap bounds the doubling, not a path that is slower than it.
        u32::try_from(doubled.min(u64::from(timing.cap.max(base)))).unwrap_or(u32::MAX)
    }

    /// The smoothed round-trip time, once measured.
    pub(crate) fn smoothed(&self) -> Option<u32> {
        (self.smoothed > 0).then_some(self.smoothed)
    }

    /// When answers arrive: none before half of the shortest round trip seen, nearly all within the
    /// smoothed one and four times its variation. Before a measurement, only the time-out can tell.
    pub(crate) fn answers(&self) -> Answers {
        let surely = match self.smoothed {
            0 => u32::MAX,
            smoothed => smoothed.saturating_add(self.variation.saturating_mul(4)),
        };
        Answers { earliest: self.least / 2, surely }
    }

    /// Forgets the measurements but keeps the shortest: what comes next has another scale.
    pub(crate) fn restart(&mut self) {
        self.smoothed = 0;
        self.variation = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_round_trip_and_respects_the_floor() {
        let timing = Timing::default();
        let mut rtt = Rtt::default();
        assert_eq!(rtt.timeout(&timing, 0), 250_000);
        for _ in 0..50 {
            rtt.sample(200);
        }
        assert_eq!(rtt.timeout(&timing, 0), 20_000);
        for _ in 0..50 {
            rtt.sample(65_000);
        }
        assert!((65_000..90_000).contains(&rtt.timeout(&timing, 0)), "{}", rtt.timeout(&timing, 0));
    }

    #[test]
    fn doubles_up_to_the_cap_until_measured_again() {
        let timing = Timing::default();
        let mut rtt = Rtt::default();
        rtt.sample(1_000);
        let mut seen = Vec::new();
        for _ in 0..10 {
            seen.push(rtt.timeout(&timing, 0) / 1_000);
            rtt.back_off();
        }
        assert_eq!(seen, [20, 40, 80, 160, 320, 640, 1_280, 2_560, 4_000, 4_000]);
        rtt.sample(1_000);
        assert_eq!(rtt.timeout(&timing, 0), 20_000);
    }

    #[test]
    fn nothing_is_sure_before_it_was_measured() {
        let mut rtt = Rtt::default();
        assert_eq!(rtt.answers(), Answers { earliest: 0, surely: u32::MAX });
        rtt.sample(1_000);
        assert_eq!(rtt.answers(), Answers { earliest: 500, surely: 3_000 });
        rtt.restart();
        assert_eq!(rtt.answers(), Answers { earliest: 500, surely: u32::MAX });
    }

    #[test]
    fn the_timeout_option_rules_until_measured_and_caps_ever_after() {
        let timing = Timing::default().with_timeout_option(2);
        let mut rtt = Rtt::default();
        assert_eq!(rtt.timeout(&timing, 0), 2_000_000);
        rtt.sample(1_000);
        assert_eq!(rtt.timeout(&timing, 0), 20_000);
        (0..12).for_each(|_| rtt.back_off());
        assert_eq!(rtt.timeout(&timing, 0), 2_000_000);
    }
}
