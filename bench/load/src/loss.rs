//! A lossy path inside of the generator: it drops datagrams before they are sent, or after they are received.
//!
//! The fate of the n-th datagram of a direction of a transfer depends only on the seed, not on the order in
//! which transfers run, so two servers get the same path.

use fastrand::Rng;
use tuffet_core::Time;

/// The losses of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loss {
    /// The loss probability times 2^64.
    threshold: u64,
    /// Datagrams that a client accepts per millisecond.
    take: Option<u32>,
    seed: u64,
}

/// The path of one transfer.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    threshold: u64,
    take: Option<u32>,
    /// The millisecond of the last datagram, and the number accepted in it.
    taken: (u64, u32),
    inbound: Rng,
    outbound: Rng,
}

impl Loss {
    /// Loses `part` (0 to 1) of the datagrams of each direction, and received ones beyond `take` per
    /// millisecond.
    pub(crate) fn new(part: f64, take: Option<u32>, seed: u64) -> Self {
        // Casts from floats saturate: a loss of 1 loses all but one in 2^64.
        Loss { threshold: (part * 2_f64.powi(64)) as u64, take, seed }
    }

    /// The path of the transfer with this number.
    pub(crate) fn path(&self, number: u64) -> Path {
        let rng = |direction: u64| crate::files::rng(self.seed, number * 2 + direction);
        Path { threshold: self.threshold, take: self.take, taken: (0, 0), inbound: rng(0), outbound: rng(1) }
    }
}

impl Path {
    /// Whether the server's next datagram, which arrived at `now`, is lost.
    pub(crate) fn loses_inbound(&mut self, now: Time) -> bool {
        let lost = self.threshold > 0 && self.inbound.u64(..) < self.threshold;
        lost || self.overflows(now)
    }

    fn overflows(&mut self, now: Time) -> bool {
        let Some(take) = self.take else { return false };
        let millisecond = now.as_micros() / 1_000;
        let count = if self.taken.0 == millisecond { self.taken.1 } else { 0 };
        self.taken = (millisecond, count.saturating_add(1));
        count >= take
    }

    /// Whether the next datagram to the server is lost.
    pub(crate) fn loses_outbound(&mut self) -> bool {
        self.threshold > 0 && self.outbound.u64(..) < self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_micros(0);

    fn fates(part: f64, seed: u64, number: u64) -> Vec<(bool, bool)> {
        let mut path = Loss::new(part, None, seed).path(number);
        (0..10_000).map(|_| (path.loses_inbound(NOW), path.loses_outbound())).collect()
    }

    #[test]
    fn the_same_seed_loses_the_same_datagrams() {
        assert_eq!(fates(0.1, 7, 3), fates(0.1, 7, 3));
        assert_ne!(fates(0.1, 7, 3), fates(0.1, 8, 3));
        assert_ne!(fates(0.1, 7, 3), fates(0.1, 7, 4));
        // The directions are independent: sent datagrams do not affect which received ones are lost.
        let mut inbound = Loss::new(0.1, None, 7).path(3);
        let alone: Vec<bool> = (0..10_000).map(|_| inbound.loses_inbound(NOW)).collect();
        assert!(alone.iter().eq(fates(0.1, 7, 3).iter().map(|(inbound, _)| inbound)));
    }

    #[test]
    fn loses_as_much_as_was_asked() {
        let lost = |part| fates(part, 1, 0).iter().filter(|(inbound, _)| *inbound).count();
        assert_eq!((lost(0.0), lost(1.0)), (0, 10_000));
        assert!((60..140).contains(&lost(0.01)), "{}", lost(0.01));
    }

    #[test]
    fn a_small_receiver_takes_so_many_in_a_millisecond() {
        let mut path = Loss::new(0.0, Some(3), 1).path(0);
        let mut lost = |micros| path.loses_inbound(Time::from_micros(micros));
        let fates = [5_000, 5_100, 5_999, 5_999, 6_000].map(&mut lost);
        assert_eq!(fates, [false, false, false, true, false]);
    }
}
