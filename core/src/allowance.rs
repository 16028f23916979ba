//! A token bucket: how much a transfer with a rate may send or acknowledge now.

use crate::time::Time;

/// A burst is one block, or as much as the rate allows in this time (in microseconds). Shorter bursts would cost the
/// host a timer for every few datagrams, and leave too few for one system call.
const QUANTUM: u64 = 20_000;

/// Microseconds of credit that a transfer keeps while its peer is silent or a loss is repaired. So any second carries
/// at most a twentieth more than the rate, or one window more.
const MADE_UP: u64 = 50_000;

/// Credits are counted in millionths of a byte: bytes per second times microseconds.
const PER_BYTE: u64 = 1_000_000;

/// The credit of one transfer.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(Hash))]
pub(crate) struct Allowance {
    /// Bytes per second, at least 1.
    rate: u32,
    /// The credit at the time `at` (`NEVER` before the first use), and its upper bound.
    credit: u64,
    most: u64,
    at: Time,
}

impl Allowance {
    /// Creates an allowance of `rate` bytes per second. It starts empty: a peer that sees the pace from the start
    /// does not take a later packet for lost. After a pause it allows `burst` bytes, or 50 ms of the rate if that is
    /// more.
    pub(crate) fn new(rate: u32, burst: u64) -> Self {
        let rate = rate.max(1);
        let most = burst.saturating_mul(PER_BYTE).max(u64::from(rate) * MADE_UP);
        Allowance { rate, credit: 0, most, at: Time::NEVER }
    }

    /// Returns the bytes per second.
    pub(crate) fn rate(&self) -> u32 {
        self.rate
    }

    /// Takes up to `wanted` blocks of `blksize` bytes: as many as the credit covers, or none if that is less than a
    /// burst. Returns their number, and when the credit covers the next burst.
    pub(crate) fn take(&mut self, now: Time, wanted: u32, blksize: u16) -> (u32, Time) {
        self.accrue(now);
        let cost = u64::from(blksize.max(1)) * PER_BYTE;
        let burst = self.burst(blksize);
        let covered = u32::try_from(self.credit / cost).unwrap_or(u32::MAX).min(wanted);
        let taken = if covered < wanted.min(burst) { 0 } else { covered };
        self.credit -= u64::from(taken) * cost;
        (taken, self.covers(now, u64::from((wanted - taken).min(burst)) * cost))
    }

    /// Returns the number of blocks in a burst.
    pub(crate) fn burst(&self, blksize: u16) -> u32 {
        let cost = u64::from(blksize.max(1)) * PER_BYTE;
        u32::try_from(u64::from(self.rate) * QUANTUM / cost).unwrap_or(u32::MAX).max(1)
    }

    /// Returns the credit of blocks that were not sent.
    pub(crate) fn give_back(&mut self, blocks: u64, blksize: u16) {
        let credit = blocks.saturating_mul(u64::from(blksize) * PER_BYTE);
        self.credit = self.credit.saturating_add(credit).min(self.most);
    }

    /// Takes the credit of `bytes`, and returns when it covers them.
    pub(crate) fn owe(&mut self, now: Time, bytes: u64) -> Time {
        self.accrue(now);
        let cost = bytes.saturating_mul(PER_BYTE);
        let due = self.covers(now, cost);
        if due > now {
            // No credit accrues before the debt is paid.
            (self.credit, self.at) = (0, due);
        } else {
            self.credit -= cost;
        }
        due
    }

    fn covers(&self, now: Time, credit: u64) -> Time {
        let lacking = credit.saturating_sub(self.credit);
        let since = self.at.max(now);
        Time::from_micros(since.as_micros().saturating_add(lacking.div_ceil(self.rate.into())))
    }

    fn accrue(&mut self, now: Time) {
        if self.at == Time::NEVER {
            self.at = now;
        }
        let accrued = u64::from(now.micros_since(self.at)) * u64::from(self.rate);
        self.credit = self.credit.saturating_add(accrued).min(self.most);
        self.at = self.at.max(now);
    }
}

#[cfg(test)]
impl Allowance {
    /// Shifts all remembered times to another clock.
    pub(crate) fn shift(&mut self, to: &dyn Fn(Time) -> Time) {
        self.at = to(self.at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Time {
        Time::from_micros(micros)
    }

    #[test]
    fn blocks_come_in_bursts_that_the_credit_covers() {
        let mut allowance = Allowance::new(1_000_000, 64_000);
        assert_eq!(allowance.take(at(1_000_000), 64, 1_000), (0, at(1_020_000)), "empty at first");
        assert_eq!(allowance.take(at(1_019_999), 64, 1_000), (0, at(1_020_000)), "not one by one");
        assert_eq!(allowance.take(at(1_025_500), 64, 1_000), (25, at(1_045_000)));
        assert_eq!(allowance.take(at(1_028_000), 2, 1_000), (2, at(1_028_000)), "the end of a window");
        assert_eq!(
            allowance.take(at(9_000_000), 99, 1_000),
            (64, at(9_020_000)),
            "a pause is worth a window"
        );
        assert_eq!(Allowance::new(1_000_000, 512).most, 50_000 * PER_BYTE, "or 50 ms");
    }

    #[test]
    fn a_block_beyond_the_burst_waits_for_its_credit() {
        let mut allowance = Allowance::new(1_000, 512);
        assert_eq!(allowance.take(at(5), 1, 512), (0, at(512_005)));
        assert_eq!(allowance.take(at(512_005), 1, 512), (1, at(512_005)));
    }

    #[test]
    fn credit_of_unsent_blocks_is_given_back_up_to_the_bound() {
        let mut allowance = Allowance::new(1_000_000, 64_000);
        allowance.accrue(at(0));
        assert_eq!(allowance.take(at(64_000), 64, 1_000).0, 64);
        allowance.give_back(60, 1_000);
        assert_eq!(allowance.take(at(64_000), 64, 1_000).0, 60);
        allowance.give_back(u64::MAX, 1_000);
        assert_eq!(allowance.take(at(64_000), 100, 1_000).0, 64);
    }

    #[test]
    fn debts_are_paid_one_after_the_other() {
        let mut allowance = Allowance::new(1_000_000, 64_000);
        assert_eq!(allowance.owe(at(0), 64_000), at(64_000));
        assert_eq!(allowance.owe(at(2_000), 1_000), at(65_000), "before the first is paid");
        assert_eq!(allowance.owe(at(75_000), 1_000), at(75_000));
        assert_eq!(allowance.owe(at(75_000), 10_000), at(76_000), "9,000 were left");
    }

    /// Any rate, block and moment: no overflow, and time goes on.
    #[test]
    fn extremes() {
        for rate in [0, 1, 1_000, u32::MAX] {
            for blksize in [0, 8, 65_464] {
                let mut allowance = Allowance::new(rate, u64::from(blksize) * 32_767);
                for now in [at(0), at(u64::from(u32::MAX) * 2), at(u64::MAX - 1)] {
                    let (taken, next) = allowance.take(now, 32_767, blksize);
                    assert!(taken <= 32_767 && next >= now);
                    assert!(allowance.owe(now, u64::MAX) >= now);
                }
            }
        }
    }
}
