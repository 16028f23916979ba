//! The retransmission time-out: RFC 6298 in spirit, with a floor in milliseconds instead of one second.
//!
//! Fixed timers of a second or more make TFTP crawl on a lossy path: each lost packet costs a second. This
//! time-out follows the measured round trip, and doubles while the peer is silent.

use crate::sender::AckTiming;
use crate::time::micros;
use core::time::Duration;

/// The time-outs of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    floor: u32,
    initial: u32,
    /// The `timeout` option of the client, 0 if none.
    named: u32,
    cap: u32,
    give_up: u32,
    /// How long a server waits for a client that has not answered at all.
    unproven: u32,
    dally: u32,
}

/// The divisor of `give_up` for a client that has not answered at all.
const UNPROVEN_PART: u32 = 4;

impl Timing {
    /// `floor`: the shortest RTO (default 2 ms), for peers whose round trips have proved short and steady; for
    /// others it is ten times as long, but not longer than `initial`. `initial`: the RTO before a round trip is measured (250
    /// ms). `cap`: the longest RTO after back-off (4 s). `give_up`: how long the peer may be silent, or only
    /// repeat itself, before the transfer ends (30 s); a server gives up after a quarter of it if the client
    /// has not answered at all, or after three time-outs if these are longer. `dally`: how long a receiver
    /// stays to repeat its last ACK (5 s, RFC 1350 section 6).
    ///
    /// Each is limited to 71 minutes; `initial` and `cap` are raised to `floor` if they are lower.
    pub fn new(
        floor: Duration,
        initial: Duration,
        cap: Duration,
        give_up: Duration,
        dally: Duration,
    ) -> Self {
        let (floor, give_up) = (micros(floor).max(1), micros(give_up));
        let initial = micros(initial).max(floor);
        Timing {
            floor,
            initial,
            named: 0,
            cap: micros(cap).max(floor),
            give_up,
            unproven: unproven(initial, give_up),
            dally: micros(dally),
        }
    }

    /// RFC 2349: the client names the seconds to wait before a retransmission. They are the RTO until a round
    /// trip is measured, and afterwards its cap unless `cap` is lower. `give_up` grows to three of them, but
    /// not for a client that has not answered at all: an unproven address cannot demand minutes of attention.
    /// tftp-hpa's `utimeout` means the same in microseconds.
    pub(crate) fn with_timeout_option(mut self, micros: u32) -> Self {
        let timeout_us = micros.max(self.floor);
        self.named = timeout_us;
        self.unproven = unproven(timeout_us, self.give_up);
        self.cap = self.cap.min(timeout_us);
        self.give_up = self.give_up.max(timeout_us.saturating_mul(3));
        self
    }

    /// The longest time-out after doubling.
    pub fn cap(&self) -> Duration {
        Duration::from_micros(self.cap.into())
    }

    pub(crate) fn give_up(&self) -> u32 {
        self.give_up
    }

    pub(crate) fn initial(&self) -> u32 {
        self.initial
    }

    pub(crate) fn unproven(&self) -> u32 {
        self.unproven
    }

    pub(crate) fn dally(&self) -> u32 {
        self.dally
    }
}

/// Long enough for both retransmissions of a first answer, which come after `timeout` microseconds or a few.
fn unproven(timeout: u32, give_up: u32) -> u32 {
    (give_up / UNPROVEN_PART).max(timeout.saturating_mul(3)).min(give_up)
}

impl Default for Timing {
    fn default() -> Self {
        let ms = Duration::from_millis;
        Timing::new(ms(2), ms(250), ms(4_000), ms(30_000), ms(5_000))
    }
}

/// An answer that comes later than a `HELD_UP`th of the floor beyond the smoothed RTT is unusual if round
/// trips vary less.
const HELD_UP: u32 = 4;

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
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(test, derive(Hash))]
enum Basis {
    /// A measurement.
    #[default]
    Exact,
    /// An upper bound. The next exact measurement replaces it.
    Bound,
    /// A measurement on another scale. The next measurement, even an upper bound, replaces it.
    Anew,
}

/// How far the RTO floor is raised for a peer; kept for its next transfer. For a peer of which nothing is known,
/// to ten times the configured floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RaisedFloor {
    /// In quarter doublings: a needless retransmission doubles the floor; a repaired loss takes a quarter of
    /// that back, but no more than was added; and so do [`STEADY`] short round trips, down to nothing.
    quarters: u8,
}

/// Round trips, each shorter than a [`SHORT`]th of the floor, that lower the floor by a quarter doubling; doubled by
/// each needless retransmission, [`MOST_WARY`] times at most, and halved by each repaired loss.
const STEADY: u16 = 8;
const MOST_WARY: u8 = 7;
const SHORT: u32 = 8;
/// A round trip longer than this part of the floor raises it, if it was lowered.
const LONG: u32 = 4;

impl Default for RaisedFloor {
    fn default() -> Self {
        RaisedFloor { quarters: 3 * Self::DOUBLED + 1 }
    }
}

impl RaisedFloor {
    const DOUBLED: u8 = 4;
    const MOST: u8 = 16 * Self::DOUBLED;

    /// Returns twice the floor, up to 2^16 times the configured one.
    pub fn doubled(self) -> Self {
        RaisedFloor { quarters: (self.quarters + Self::DOUBLED).min(Self::MOST) }
    }

    /// Returns the floor after this many `times` without news: each halves a raised floor, and doubles a lowered
    /// one, until it is the default.
    pub fn after(self, times: u32) -> Self {
        let quarters = times.saturating_mul(Self::DOUBLED.into()).min(u8::MAX.into()) as u8;
        let default = Self::default();
        if self > default {
            RaisedFloor { quarters: self.quarters.saturating_sub(quarters) }.max(default)
        } else {
            RaisedFloor { quarters: self.quarters.saturating_add(quarters) }.min(default)
        }
    }

    /// Returns whether the floor is higher than for an unknown peer.
    pub fn is_high(self) -> bool {
        self > Self::default()
    }

    fn lowered(self) -> Self {
        RaisedFloor { quarters: self.quarters.saturating_sub(1) }
    }

    /// Returns the floor in microseconds; at most the initial RTO.
    fn of(self, timing: &Timing) -> u32 {
        let quarters = u64::from(Self::DOUBLED + self.quarters % Self::DOUBLED);
        let raised = (u64::from(timing.floor) * quarters) << (self.quarters / Self::DOUBLED);
        (raised / u64::from(Self::DOUBLED)).min(timing.initial.into()) as u32
    }
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
        let most = match self.basis {
            // Whole windows took less.
            Basis::Exact if self.smoothed > 0 => self.smoothed.max(micros),
            _ => micros.saturating_add(unmeasured),
        };
        self.smooth(rtt.min(most));
        self.backoff = 0;
        self.seen(micros);
    }

    /// Learns the floor from the round trip of a block, or of a window of which `blocks` were acknowledged: short
    /// ones in a row lower it, a long one raises it again, if it is `exact` and no upper bound. Only for packets
    /// that the peer answers at once: what it sends by itself may be held up by its disk at any time.
    pub(crate) fn learn_floor(&mut self, micros: u32, exact: bool, blocks: u32, timing: &Timing) {
        let floor = self.floor(timing);
        if micros <= floor / SHORT {
            self.steady += blocks.min(STEADY.into()) as u16;
            if self.steady >= STEADY << self.wary {
                (self.steady, self.raised) = (0, self.raised.lowered());
            }
        } else if exact {
            self.steady = 0;
            if micros > floor / LONG && !self.raised.is_high() {
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
        // A peer that did not answer the quick repetition, either, is more likely held up than short of both.
        wait.max(self.doubled(RaisedFloor::default().of(timing), timing) / 2)
    }

    /// Returns the RTO without back-off.
    fn base(&self, timing: &Timing, unmeasured: u32) -> u32 {
        let floor = self.floor(timing);
        let base = if self.smoothed == 0 {
            let first = if timing.named == 0 { timing.initial } else { timing.named };
            first.max(unmeasured)
        } else if self.basis == Basis::Anew {
            timing.initial.max(self.spread(timing, floor).saturating_add(unmeasured))
        } else {
            self.spread(timing, floor)
        };
        base.max(floor)
    }

    /// Returns the floor for this peer, raised up to the initial RTO.
    fn floor(&self, timing: &Timing) -> u32 {
        self.raised.of(timing)
    }

    /// Returns the scale of differences between round trips that mean nothing: the floor, but not higher than for an
    /// unknown peer.
    fn slack(&self, timing: &Timing, floor: u32) -> u32 {
        if self.raised.is_high() { RaisedFloor::default().of(timing) } else { floor }
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
            Basis::Anew => true,
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
        let usual = self.variation.saturating_mul(4).max(self.slack(timing, self.floor(timing)) / HELD_UP);
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

    /// As [`Rtt::answered_after_timeout`] in lockstep, where all packets are alike: an answer that follows
    /// the last copy at once is taken for an answer to it, even if no round trip is known yet. If that is
    /// wrong, retransmissions prove needless and raise the floor.
    pub(crate) fn block_answered_after_timeout(&mut self, timing: &Timing, first: u32, last: u32) -> bool {
        let unknown = self.smoothed == 0 || self.basis != Basis::Exact;
        if unknown && last < RaisedFloor::default().of(timing) {
            self.sample(last);
            return false;
        }
        if self.basis == Basis::Bound && first > self.smoothed {
            // The path may really be that slow: the bound grows, at most twofold with each block.
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
        (self.wary, self.steady) = ((self.wary + 1).min(MOST_WARY), 0);
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
        self.smoothed != 0 && self.basis != Basis::Anew
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
            return AckTiming { earliest: 0, surely: timing.initial.max(unmeasured), echo: 0, late };
        }
        let more = if self.basis == Basis::Anew { unmeasured } else { 0 };
        AckTiming {
            earliest: self.least / 2,
            surely: self.doubled(self.spread(timing, self.floor(timing)).saturating_add(more), timing),
            echo: if self.basis == Basis::Exact { due } else { 0 },
            late,
        }
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
        rtt.restart();
        assert_eq!(rtt.timeout(&timing, 0), 250_000, "a window has not been measured");
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
    fn a_long_timeout_option_does_not_slow_down_what_was_measured() {
        let timing = Timing::default().with_timeout_option(255_000_000);
        let mut rtt = Rtt::default();
        assert_eq!(rtt.timeout(&timing, 0), 255_000_000);
        rtt.sample(1_000);
        (0..12).for_each(|_| rtt.back_off());
        assert_eq!(rtt.timeout(&timing, 0), 4_000_000);
    }
}
