//! The rate of a narrow path, learnt from windows that overflowed its queue.
//!
//! A window that is larger than what a path and its queue hold loses its end each time it goes out at once, and
//! the receiver often has to wait for its own time-out before it says so. Spread out at the rate of the path,
//! the same window finds room.

/// Blocks stood in a queue where this many microseconds (and an eighth of the shortest round trip) passed, beyond
/// that round trip and the time that sending took, until they were acknowledged. Less may be an accident.
const QUEUED: u32 = 2_000;

/// Fewer blocks tell nothing of a rate.
const TELLING: u32 = 8;

/// So many windows in a row that were cut off behind a queue tell of a narrow path; one does behind a long queue,
/// of this many microseconds and half of the shortest round trip.
const OVERFLOWS: u8 = 3;
const LONG: u32 = 50_000;

/// Windows that arrived before a rate that was too much is tried again.
const FORGET: u8 = 32;

/// How a part of a window travelled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AckSample {
    /// Blocks that were acknowledged at once.
    pub(crate) arrived: u32,
    /// Microseconds since the first of them went out.
    pub(crate) took: u32,
    /// Microseconds in which they went out.
    pub(crate) sending: u32,
    /// Microseconds of the shortest round trip seen; 0 where that, or what it says of this sample, is not known.
    pub(crate) least: u32,
}

impl AckSample {
    /// Microseconds beyond the round trip.
    fn beyond(self) -> u32 {
        self.took.saturating_sub(self.least)
    }

    /// Microseconds beyond the round trip and the sending, if that is a queue.
    fn queued(self) -> Option<u32> {
        let queued = self.beyond().saturating_sub(self.sending);
        let telling = self.least > 0 && self.arrived >= TELLING;
        (telling && queued > QUEUED.max(self.least / 8)).then_some(queued)
    }
}

/// Rates are in blocks for each millisecond.
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(test, derive(Hash))]
pub(crate) struct BottleneckEstimator {
    /// Windows that were cut off behind a queue, one after the other.
    overflows: u8,
    /// Whether blocks go out at a rate that was found here.
    ruling: bool,
    /// Windows that arrived since the last one that did not.
    calm: u8,
    /// The rate at which a window last arrived, and one at which that did not; 0 for none.
    enough: u16,
    too_much: u16,
}

impl BottleneckEstimator {
    /// A window that went out at a rate of `present` was cut off behind a queue: the rate from now on. `None` where
    /// there was no queue, and the loss has another reason. Random losses on a narrow path look the same: there
    /// this rate costs nothing.
    pub(crate) fn overflowed(&mut self, present: u16, window: u16, sample: AckSample) -> Option<u16> {
        let Some(queued) = sample.queued() else {
            self.overflows = 0;
            return None;
        };
        self.overflows = self.overflows.saturating_add(1);
        // An eighth above what arrived, which a short queue takes.
        let measured = (u64::from(sample.arrived) * 1_125).div_ceil(u64::from(sample.beyond().max(1)));
        // What arrived before is known better: the time measured may be the patience of the receiver.
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

    /// Blocks that went out at a rate of `present` have arrived, all of a window or (`whole` is false) what came
    /// before a loss. `None` where the rate was not found here, else the one from now on: twice as much where they
    /// did not stand in a queue, but not what was too much before.
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

    /// Something else rules from now on.
    pub(crate) fn end(&mut self) {
        *self = BottleneckEstimator::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: u16 = u16::MAX;

    /// Sent at once.
    fn sample(arrived: u32, took: u32) -> AckSample {
        AckSample { arrived, took, sending: 0, least: 65_000 }
    }

    /// Sent at a rate, or as slowly as the timers allow.
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
        // The receiver waited half a second before it told.
        let mut rate = bottleneck.overflowed(FREE, 512, sample(300, 565_000)).unwrap();
        assert_eq!(rate, 1);
        for window in 0..64 {
            // The path takes 11.
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
