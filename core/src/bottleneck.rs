//! Estimates the rate of a bottleneck from windows that overflowed its queue.
//!
//! If a window is larger than a path and its queue can hold, its end is lost each time it is sent in one
//! burst, and the receiver often waits for its own time-out before it reports the gap. The same window fits
//! when it is paced at the rate of the path.

/// A sample counts as queued if its ACK came this many microseconds, and an eighth of the shortest round
/// trip, later than that round trip and the sending explain. Less may be chance.
const QUEUED: u32 = 2_000;

/// The fewest blocks that indicate a rate.
const TELLING: u32 = 8;

/// This many windows in a row that were cut off behind a queue indicate a bottleneck. One is enough if the
/// queue is longer than `LONG` microseconds and than half of the shortest round trip.
const OVERFLOWS: u8 = 3;
const LONG: u32 = 50_000;

/// After this many windows arrived, a rate that was too high is tried again.
const FORGET: u8 = 32;

/// The timing of a part of a window.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(test, derive(Hash))]
pub(crate) struct AckSample {
    /// Blocks that one ACK acknowledged.
    pub(crate) arrived: u32,
    /// Microseconds since the first of them was sent.
    pub(crate) took: u32,
    /// Microseconds during which they were sent.
    pub(crate) sending: u32,
    /// The shortest round trip in microseconds; 0 if it is unknown, or this sample says nothing about the
    /// queue.
    pub(crate) least: u32,
}

impl AckSample {
    /// Returns the microseconds in addition to the round trip.
    pub(crate) fn beyond(self) -> u32 {
        self.took.saturating_sub(self.least)
    }

    /// Returns the microseconds in addition to the round trip and the sending, if they indicate a queue.
    fn queued(self) -> Option<u32> {
        let queued = self.beyond().saturating_sub(self.sending);
        let telling = self.least > 0 && self.arrived >= TELLING;
        (telling && queued > QUEUED.max(self.least / 8)).then_some(queued)
    }
}

/// Estimates the rate of a bottleneck, in blocks per millisecond.
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(test, derive(Hash))]
pub(crate) struct BottleneckEstimator {
    /// Consecutive windows that were cut off behind a queue.
    overflows: u8,
    /// Whether the pacer uses the estimated rate.
    ruling: bool,
    /// Windows that arrived since the last one that was cut off.
    calm: u8,
    /// The rate at which a window last arrived, and the rate at which one did not; 0 for none.
    enough: u16,
    too_much: u16,
}

impl BottleneckEstimator {
    /// Handles a window that was cut off behind a queue when sent at `present`, and returns the new rate.
    /// `None` if there was no queue, so that the loss has another reason. Random losses behind a bottleneck
    /// look the same: there this rate costs nothing.
    pub(crate) fn overflowed(&mut self, present: u16, window: u16, sample: AckSample) -> Option<u16> {
        let Some(queued) = sample.queued() else {
            self.overflows = 0;
            return None;
        };
        self.overflows = self.overflows.saturating_add(1);
        // An eighth above the measured rate, which a short queue absorbs.
        let measured = (u64::from(sample.arrived) * 1_125).div_ceil(u64::from(sample.beyond().max(1)));
        // The last good rate is more reliable: the measured time may include the receiver's time-out.
        let enough = if present > self.enough { self.enough } else { 0 };
        let rate = measured.max(u64::from(enough));
        let sure = self.ruling || self.overflows >= OVERFLOWS || queued > LONG.max(sample.least / 2);
        if sure && rate < u64::from(present.min(window)) {
            self.too_much = if self.ruling || enough > 0 { present.min(window) } else { 0 };
            (self.ruling, self.enough, self.calm) = (true, enough, 0);
            return Some(rate as u16);
        }
        self.ruling.then_some(present)
    }

    /// Handles blocks that arrived when sent at `present`: a whole window, or (`whole` is false) the blocks
    /// before a loss. Returns `None` if the rate does not come from here, else the new rate: doubled if there
    /// was no queue, but below the last rate that was too high.
    pub(crate) fn arrived(
        &mut self,
        present: u16,
        window: u16,
        sample: AckSample,
        whole: bool,
    ) -> Option<u16> {
        self.overflows = 0;
        if !self.ruling {
            return None;
        }
        if whole {
            self.enough = present;
        }
        if sample.least == 0 || sample.queued().is_some() {
            return Some(present);
        }
        self.calm += 1;
        if self.calm >= FORGET {
            (self.calm, self.too_much) = (0, 0);
        }
        let double = present.saturating_mul(2);
        let between = present + self.too_much.saturating_sub(present) / 2;
        let rate = if (1..=double).contains(&self.too_much) { between } else { double };
        self.ruling = rate < window;
        Some(rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: u16 = u16::MAX;

    /// A burst.
    fn sample(arrived: u32, took: u32) -> AckSample {
        AckSample { arrived, took, sending: 0, least: 65_000 }
    }

    /// Paced, or as slow as the timers allow.
    fn spread(arrived: u32, took: u32, sending: u32) -> AckSample {
        AckSample { sending, ..sample(arrived, took) }
    }

    #[test]
    fn a_window_that_overflows_a_long_queue_tells_the_rate() {
        let mut bottleneck = BottleneckEstimator::default();
        // 1,300 blocks in 100 ms beyond the round trip: 13 a millisecond, and an eighth.
        assert_eq!(bottleneck.overflowed(FREE, 2_048, sample(1_300, 165_000)), Some(15));
        assert_eq!(
            bottleneck.arrived(15, 2_048, spread(2_048, 65_000 + 157_000, 137_000), true),
            Some(15),
            "it stands in a queue"
        );
        assert_eq!(
            bottleneck.arrived(15, 2_048, spread(2_048, 65_000 + 137_000, 137_000), true),
            Some(30),
            "it does not"
        );
    }

    #[test]
    fn a_short_queue_must_be_seen_three_times_in_a_row() {
        let mut bottleneck = BottleneckEstimator::default();
        assert_eq!(bottleneck.overflowed(FREE, 64, sample(30, 75_000)), None);
        assert_eq!(bottleneck.arrived(FREE, 64, sample(64, 66_000), true), None);
        assert_eq!(bottleneck.overflowed(FREE, 64, sample(30, 75_000)), None);
        assert_eq!(bottleneck.overflowed(FREE, 64, sample(30, 75_000)), None);
        assert_eq!(bottleneck.overflowed(FREE, 64, sample(30, 75_000)), Some(4));
    }

    #[test]
    fn without_a_queue_losses_tell_nothing() {
        let mut bottleneck = BottleneckEstimator::default();
        for _ in 0..10 {
            assert_eq!(bottleneck.overflowed(FREE, 64, sample(30, 65_500)), None);
            assert_eq!(bottleneck.overflowed(FREE, 64, sample(7, 600_000)), None, "too few");
        }
        let unmeasured = AckSample { arrived: 30, took: 600_000, sending: 0, least: 0 };
        assert_eq!(bottleneck.overflowed(FREE, 64, unmeasured), None);
    }

    #[test]
    fn it_finds_what_is_enough_from_both_sides() {
        let mut bottleneck = BottleneckEstimator::default();
        // The receiver waited half a second before it reported the gap.
        let mut rate = bottleneck.overflowed(FREE, 512, sample(300, 565_000)).unwrap();
        assert_eq!(rate, 1);
        for window in 0..64 {
            // The path carries 11 blocks per millisecond.
            rate = if rate <= 11 {
                let sending = 512_000 / u32::from(rate);
                bottleneck.arrived(rate, 512, spread(512, 65_000 + sending, sending), true).unwrap()
            } else {
                bottleneck.overflowed(rate, 512, sample(300, 565_000)).unwrap()
            };
            assert!(window < 10 || (8..=22).contains(&rate), "{rate} after {window}");
        }
    }

    #[test]
    fn a_path_that_became_wide_is_used_again() {
        let mut bottleneck = BottleneckEstimator::default();
        let mut rate = bottleneck.overflowed(FREE, 64, sample(32, 165_000)).unwrap();
        for _ in 0..8 {
            let sending = 64_000 / u32::from(rate);
            let Some(next) = bottleneck.arrived(rate, 64, spread(64, 65_000 + sending, sending), true) else {
                return;
            };
            rate = next;
        }
        panic!("still {rate}");
    }
}
