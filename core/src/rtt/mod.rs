//! The retransmission time-out: RFC 6298 in spirit, with a floor in milliseconds instead of one second.
//!
//! Fixed timers of a second or more make TFTP crawl on a lossy path: each lost packet costs a second. This
//! time-out follows the measured round trip, and doubles while the peer is silent.

mod floor;
mod timing;

pub use floor::RaisedFloor;
pub use timing::Timing;

use crate::sender::AckTiming;
use floor::{LONG_PART, MAX_WARY, SHORT_PART, STEADY_ROUND_TRIPS};

/// An answer is unusually late if it exceeds the smoothed RTT by more than this part of the floor, on a path with
/// less variation.
const LATE_PART: u32 = 4;

/// The resolution of the host's timers, in microseconds.
const TICK: u32 = 1_000;

/// How long the answer to a copy is waited for: at least, and at most as long as this before a round trip is measured.
const LEAST_ANSWER: u32 = 20_000;
const MOST_UNMEASURED: u32 = 250_000;

/// The round-trip estimator of one transfer; all times in microseconds.
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(test, derive(Hash))]
pub(crate) struct Rtt {
    /// The smoothed RTT, 0 until measured.
    smoothed: u32,
    variation: u32,
    /// The shortest round trip, 0 until measured.
    least: u32,
    backoff: u8,
    /// The basis of `smoothed`.
    basis: Basis,
    /// How far the floor is raised, and the round trips in a row that were short enough to lower it.
    raised: RaisedFloor,
    steady: u16,
    /// Needless retransmissions.
    wary: u8,
    /// Whether the last retransmission was taken for the repair of a loss. An echo would show that it was
    /// needless.
    suspect: bool,
    care: Care,
}

/// How short a RTO may be, however short the round trips are: see [`Duplicates`](crate::Duplicates).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(test, derive(Hash))]
pub(crate) enum Care {
    /// The peer bears copies of a packet.
    #[default]
    None,
    /// At least [`Timing::lockstep_floor`]: it may not bear them.
    Lockstep,
    /// At least [`Timing::cap`]: it does not bear them.
    Longest,
}

impl Care {
    /// In microseconds.
    #[inline]
    fn least(self, timing: &Timing) -> u32 {
        match self {
            Care::None => 0,
            Care::Lockstep => timing.lockstep_micros(),
            Care::Longest => timing.cap,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(test, derive(Hash))]
enum Basis {
    /// A measurement.
    #[default]
    Exact,
    /// An upper bound. The next exact measurement replaces it.
    Bound,
    /// An exact measurement of one packet, while windows are sent now. The next measurement, even an upper bound,
    /// replaces it.
    Packet,
    /// A measurement on another scale. The next measurement, even an upper bound, replaces it.
    Anew,
}

impl Rtt {
    /// Takes the measurement of one packet; never of one that was retransmitted (Karn).
    pub(crate) fn sample(&mut self, rtt: u32) {
        let rtt = rtt.max(1);
        self.smooth(rtt);
        self.backoff = 0;
        self.seen(rtt);
    }

    /// As [`Rtt::sample`], if the answer covers only a `part` of a `whole` window: a slow link needs longer
    /// for the rest. Without that, losses would make the path seem fast and the RTO short, and each early
    /// time-out adds a window to the queue that causes them. `unmeasured` bounds the guess: the part may be
    /// small because the peer waited for its own time-out, not because the link is slow.
    pub(crate) fn sample_part(&mut self, micros: u32, part: u32, whole: u32, unmeasured: u32) {
        let micros = micros.max(1);
        let queued = u64::from(micros.saturating_sub(self.least)) * u64::from(whole) / u64::from(part.max(1));
        let rtt = u32::try_from(queued).unwrap_or(u32::MAX).saturating_add(self.least.min(micros));
        self.smooth(rtt.min(micros.saturating_add(unmeasured)));
        self.backoff = 0;
        self.seen(micros);
    }

    /// Learns the floor from the round trip of a block, or of a window of which `blocks` were acknowledged: short
    /// ones in a row lower it, a long one raises it again, if it is `exact` and no upper bound. Only for packets that
    /// the peer answers at once: its disk may delay what it sends on its own.
    pub(crate) fn learn_floor(&mut self, micros: u32, exact: bool, blocks: u32, timing: &Timing) {
        let floor = self.floor(timing);
        if micros <= floor / SHORT_PART {
            self.steady += blocks.min(STEADY_ROUND_TRIPS.into()) as u16;
            if self.steady >= STEADY_ROUND_TRIPS << self.wary {
                (self.steady, self.raised) = (0, self.raised.lowered());
            }
        } else if exact {
            self.steady = 0;
            if micros > floor / LONG_PART && !self.raised.is_high() {
                self.raised = self.raised.doubled().min(RaisedFloor::default());
            }
        }
    }

    fn seen(&mut self, micros: u32) {
        self.least = if self.least == 0 { micros } else { self.least.min(micros) };
    }

    /// Doubles the next RTO after a time-out.
    pub(crate) fn back_off(&mut self) {
        self.backoff = self.backoff.saturating_add(1).min(20);
    }

    /// Doubles the next RTO until it is at least this long.
    pub(crate) fn back_off_to(&mut self, micros: u32, timing: &Timing) {
        while self.timeout(timing, 0) < micros.min(timing.cap) && self.backoff < 20 {
            self.backoff += 1;
        }
    }

    /// Ends the back-off: the peer has shown that it is alive, so waiting longer does not recover losses
    /// sooner.
    pub(crate) fn reset_back_off(&mut self) {
        self.backoff = 0;
    }

    /// Returns the RTO for a packet sent now. `unmeasured` is the minimum until a round trip is measured: a
    /// whole window takes longer on the wire than one packet.
    pub(crate) fn timeout(&self, timing: &Timing, unmeasured: u32) -> u32 {
        let wait = self.doubled(self.base(timing, unmeasured), timing);
        if self.backoff == 0 {
            return wait;
        }
        // A peer that answers neither the packet nor its quick repetition is more likely busy than missing both.
        wait.max(self.doubled(RaisedFloor::default().of(timing), timing) / 2)
    }

    /// Returns the RTO without back-off.
    fn base(&self, timing: &Timing, unmeasured: u32) -> u32 {
        let floor = self.floor(timing);
        let base = if self.smoothed == 0 {
            let first = if timing.named == 0 { timing.initial } else { timing.named };
            first.max(unmeasured)
        } else {
            let spread = self.spread(timing, floor);
            match self.basis {
                Basis::Exact | Basis::Bound => spread,
                Basis::Packet => spread.saturating_add(unmeasured),
                Basis::Anew => timing.initial.max(spread.saturating_add(unmeasured)),
            }
        };
        base.max(floor).max(self.care.least(timing))
    }

    pub(crate) fn set_care(&mut self, care: Care) {
        self.care = care;
    }

    pub(crate) fn care(&self) -> Care {
        self.care
    }

    /// Returns how long a peer that got a copy takes to answer it, once it has answered the packet before.
    pub(crate) fn answer_to_a_copy(&self, timing: &Timing) -> u32 {
        let most = timing.initial.max(MOST_UNMEASURED);
        if self.smoothed == 0 {
            return most;
        }
        let twice = self.smoothed.saturating_add(self.variation.saturating_mul(2)).saturating_mul(2);
        twice.clamp(LEAST_ANSWER, most)
    }

    /// Returns the floor for this peer, raised up to the initial RTO.
    fn floor(&self, timing: &Timing) -> u32 {
        self.raised.of(timing)
    }

    /// Returns the scale of insignificant differences between round trips: the floor, but not higher than for an
    /// unknown peer.
    fn slack(&self, timing: &Timing, floor: u32) -> u32 {
        if self.raised.is_high() { RaisedFloor::default().of(timing) } else { floor }
    }

    /// Returns the floor without the effect of short round trips.
    pub(crate) fn cautious_floor(&self, timing: &Timing) -> u32 {
        self.raised.max(RaisedFloor::default()).of(timing)
    }

    /// Returns `micros` doubled for each time-out in a row. The cap limits the doubling, not a path that is
    /// slower than it.
    fn doubled(&self, micros: u32, timing: &Timing) -> u32 {
        let doubled = u64::from(micros) << self.backoff;
        u32::try_from(doubled.min(u64::from(timing.cap.max(micros)))).unwrap_or(u32::MAX)
    }

    /// RFC 6298 section 2, except for falling round trips: they say nothing about how late an answer may be,
    /// so the variation does not grow with them; and below half of the expected value the estimate follows at
    /// once, since one slow answer must not slow down many blocks.
    fn smooth(&mut self, rtt: u32) {
        if core::mem::take(&mut self.basis) != Basis::Exact || self.smoothed == 0 {
            self.smoothed = rtt;
            self.variation = rtt / 2;
            return;
        }
        let deviation = self.smoothed.abs_diff(rtt);
        let variation = self.variation - self.variation / 4 + deviation / 4;
        if rtt < self.smoothed / 2 {
            self.variation -= self.variation / 2;
            self.smoothed = self.smoothed / 2 + rtt / 2;
            return;
        }
        self.variation = if rtt < self.smoothed { variation.min(self.variation) } else { variation };
        self.smoothed = (self.smoothed - self.smoothed / 8).saturating_add(rtt / 8).max(1);
    }

    /// Takes the answer to a packet that was sent more than once, `rtt` after it was first sent: the round
    /// trip is at most that. Used only until a better value is measured.
    pub(crate) fn at_most(&mut self, rtt: u32, timing: &Timing) {
        // Most often a packet was lost, and the peer repeated its own after a time-out.
        let rtt = rtt.min(timing.initial.max(self.smoothed)).max(1);
        let better = match self.basis {
            Basis::Exact => self.smoothed == 0,
            Basis::Bound => rtt < self.smoothed,
            Basis::Packet | Basis::Anew => true,
        };
        if better {
            (self.smoothed, self.variation, self.basis) = (rtt, 0, Basis::Bound);
        }
        if self.least > 0 {
            self.least = self.least.min(rtt);
        }
    }

    /// Handles an answer after a time-out: `first` µs after the packet was first sent, `last` after its last
    /// copy. Returns whether the time-out was needless: an answer cannot come sooner than a round trip takes,
    /// and one that comes far later than usual belongs to a packet sent before, delayed by the path, the peer
    /// or the host. RFC 3522 (Eifel) distinguishes the two by time stamps, which TFTP lacks.
    pub(crate) fn answered_after_timeout(&mut self, timing: &Timing, first: u32, last: u32) -> bool {
        self.backoff = 0;
        if self.smoothed == 0 || self.basis != Basis::Exact {
            // The bound covers the waiting time, so that the next time-out is not too short either.
            self.at_most(first, timing);
            return false;
        }
        let usual = self.variation.saturating_mul(4).max(self.slack(timing, self.floor(timing)) / LATE_PART);
        let needless = last < self.least / 2 || last > self.smoothed.saturating_add(usual);
        if !needless {
            self.wary = self.wary.saturating_sub(1);
            if self.raised.is_high() {
                self.raised = self.raised.lowered();
            }
        } else if !self.raise_floor(timing, first) {
            self.basis = Basis::Anew;
            self.at_most(first, timing);
        }
        self.suspect = !needless;
        needless
    }

    /// As [`Rtt::answered_after_timeout`] for one packet: in lockstep, where all are alike, or a probe whose answer
    /// reports a gap. An answer that follows the last copy at once is taken for an answer to it, even if no round
    /// trip is known yet. If that is wrong, retransmissions prove needless and raise the floor.
    pub(crate) fn packet_answered_after_timeout(&mut self, timing: &Timing, first: u32, last: u32) -> bool {
        let unknown = self.smoothed == 0 || self.basis != Basis::Exact;
        if unknown && last < RaisedFloor::default().of(timing) {
            self.sample(last);
            return false;
        }
        if self.basis == Basis::Bound && first > self.smoothed {
            // The path may be that slow: the bound grows, at most twofold with each block.
            self.smoothed = first.min(self.smoothed.saturating_mul(2)).min(timing.cap);
        }
        self.answered_after_timeout(timing, first, last)
    }

    /// Handles a second answer of the peer to the same packet soon after a time-out: both the packet and its
    /// retransmission have arrived. Returns whether that is new.
    pub(crate) fn echoed(&mut self, timing: &Timing) -> bool {
        let news = core::mem::take(&mut self.suspect);
        if news {
            self.raise_floor(timing, 0);
        }
        news
    }

    /// Doubles the floor, if it is below the initial RTO; returns whether it was. A floor that was lowered is
    /// doubled until an answer as late as this would not have been too late.
    fn raise_floor(&mut self, timing: &Timing, answered: u32) -> bool {
        let below = self.floor(timing) < timing.initial;
        (self.wary, self.steady) = ((self.wary + 1).min(MAX_WARY), 0);
        if below {
            self.raised = self.raised.doubled();
        }
        while !self.raised.is_high() && self.floor(timing) < answered {
            self.raised = self.raised.doubled();
        }
        below
    }

    /// Reduces the back-off: something new arrived that could not be measured, but indicates a loss rather
    /// than an RTO that was too short.
    pub(crate) fn ease(&mut self) {
        self.backoff = self.backoff.saturating_sub(1);
    }

    /// Returns the RTO of RFC 6298 section 2: the smoothed RTT and four times its variation. The variation
    /// never shrinks to nothing on a steady path (the G of the RFC): the first small delay would cost a
    /// window.
    fn spread(&self, timing: &Timing, floor: u32) -> u32 {
        self.smoothed.saturating_add(self.variation.saturating_mul(4).max(self.slack(timing, floor) / 2))
    }

    /// Returns whether the RTO follows from measurements alone.
    pub(crate) fn is_measured(&self) -> bool {
        self.smoothed != 0 && !matches!(self.basis, Basis::Packet | Basis::Anew)
    }

    /// Returns the smoothed RTT, once measured.
    pub(crate) fn smoothed(&self) -> Option<u32> {
        (self.smoothed > 0).then_some(self.smoothed)
    }

    /// Returns when answers arrive: none before half of the shortest round trip, nearly all within the
    /// smoothed RTT and four times its variation.
    pub(crate) fn ack_timing(&self, timing: &Timing, unmeasured: u32) -> AckTiming {
        let due = self.base(timing, unmeasured);
        let late = due.min(timing.initial);
        if self.smoothed == 0 {
            let surely = timing.initial.max(unmeasured);
            return AckTiming {
                earliest: 0,
                round_trip: surely,
                surely,
                echo: 0,
                late,
                settled: self.settled(timing, unmeasured),
            };
        }
        let more = if self.is_measured() { 0 } else { unmeasured };
        let surely = self.doubled(self.spread(timing, self.floor(timing)).saturating_add(more), timing);
        AckTiming {
            earliest: self.least / 2,
            round_trip: if self.basis == Basis::Exact { self.nearly_a_round_trip() } else { surely },
            surely,
            echo: if self.basis == Basis::Exact { due } else { 0 },
            late,
            settled: self.settled(timing, unmeasured),
        }
    }

    /// Returns the smoothed RTT less an eighth of the shortest one, which is left to chance. In a queue, which may still be
    /// growing, answers are later by the variation.
    fn nearly_a_round_trip(&self) -> u32 {
        let queue = self.smoothed.saturating_sub(self.least);
        let varies = self.variation.saturating_mul(4).min(queue);
        self.smoothed.saturating_add(varies).saturating_sub(self.least / 8)
    }

    /// Returns how long the answer to a window takes if the window starts now. The result is bounded by that of a
    /// path of some milliseconds, because round trips on a lossy path are often uncertain.
    fn settled(&self, timing: &Timing, unmeasured: u32) -> u32 {
        let most = RaisedFloor::default().of(timing).saturating_add(unmeasured);
        let varies = self.variation.saturating_mul(4).max(self.smoothed / 4).max(TICK);
        if self.smoothed == 0 { most } else { self.smoothed.saturating_add(varies).min(most) }
    }

    /// Returns half of the shortest round trip, 0 until measured: no answer to a packet sent now comes
    /// sooner.
    pub(crate) fn soonest(&self) -> u32 {
        self.least / 2
    }

    pub(crate) fn raised(&self) -> RaisedFloor {
        self.raised
    }

    /// Starts with the raised floor of the peer's last transfer.
    pub(crate) fn raise(&mut self, raised: RaisedFloor) {
        self.raised = raised;
    }

    /// Prepares for packets on another scale: measures again, but remembers the shortest round trip.
    pub(crate) fn restart(&mut self) {
        self.basis = Basis::Anew;
    }

    /// Prepares for windows after the exact measurement of a packet: as [`Rtt::restart`], but their first RTO follows
    /// from that and from the time that a window takes on the wire.
    pub(crate) fn restart_with_windows(&mut self) {
        self.basis = Basis::Packet;
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
        for _ in 0..200 {
            rtt.learn_floor(200, true, 1, &timing);
        }
        assert_eq!(rtt.timeout(&timing, 0), 2_000);
        for _ in 0..50 {
            rtt.sample(65_000);
        }
        assert!((65_000..90_000).contains(&rtt.timeout(&timing, 0)), "{}", rtt.timeout(&timing, 0));
    }

    /// Three blocks of a window of 512 have arrived, and their ACK comes a second after the loss of the rest:
    /// the client waited for its own time-out.
    #[test]
    fn a_small_part_of_a_large_window_does_not_tell_of_minutes() {
        let timing = Timing::default();
        let mut rtt = Rtt::default();
        rtt.sample(65_000);
        (0..8).for_each(|_| rtt.sample_part(1_065_000, 3, 512, 1_000_000));
        assert!(rtt.timeout(&timing, 0) < 8_000_000, "{}", rtt.timeout(&timing, 0));
    }

    #[test]
    fn a_steady_path_leaves_room_for_a_small_delay() {
        let timing = Timing::default();
        let mut rtt = Rtt::default();
        (0..500).for_each(|_| rtt.sample(65_000));
        assert!(rtt.timeout(&timing, 0) >= 70_000, "{}", rtt.timeout(&timing, 0));
    }

    #[test]
    fn the_handshake_tells_the_shortest_round_trip_even_when_windows_take_longer() {
        let timing = Timing::default();
        let mut rtt = Rtt::default();
        rtt.sample(200);
        rtt.restart_with_windows();
        assert_eq!(rtt.timeout(&timing, 70_000), 80_200, "the rest is the window's time on the wire");
        assert!(rtt.ack_timing(&timing, 70_000).surely > 70_000, "nor answered before it is on the wire");
        rtt.sample(73_000);
        assert_eq!(rtt.ack_timing(&timing, 0).earliest, 100);
        assert_eq!(rtt.smoothed(), Some(73_000));
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
    fn the_timeout_option_rules_until_measured_and_caps_ever_after() {
        let timing = Timing::default().with_timeout_option(2_000_000);
        let mut rtt = Rtt::default();
        assert_eq!(rtt.timeout(&timing, 0), 2_000_000);
        rtt.sample(1_000);
        assert_eq!(rtt.timeout(&timing, 0), 20_000);
        (0..12).for_each(|_| rtt.back_off());
        assert_eq!(rtt.timeout(&timing, 0), 2_000_000);
    }

    #[test]
    fn a_long_timeout_option_does_not_slow_down_a_measured_path() {
        let timing = Timing::default().with_timeout_option(255_000_000);
        let mut rtt = Rtt::default();
        assert_eq!(rtt.timeout(&timing, 0), 255_000_000);
        rtt.sample(1_000);
        (0..12).for_each(|_| rtt.back_off());
        assert_eq!(rtt.timeout(&timing, 0), 4_000_000);
    }
}
