//! The pacer: how many blocks of a window are sent at once.
//!
//! RFC 7440 fixes the window when the transfer begins, and a receiver acknowledges nothing before a window is
//! complete, so a sender cannot shrink it. It can pace it instead. Several limits apply, and the smallest one counts:
//! the configured burst; the first windows, which an unknown receiver must have the time to read; the rate of a narrow
//! path, from the [`BottleneckEstimator`]; and the manner that suits the receiver, from [`Trials`]. An [`Allowance`] keeps
//! a rate that the server sets, a [`Member`] one that transfers share. Most transfers have no limit and lose nothing: they
//! have no state.

use crate::allowance::Allowance;
use crate::bottleneck::{AckSample, BottleneckEstimator};
use crate::manner::{KnownManner, Manner, Outcome, Trials};
use crate::time::Time;
use crate::total_rate::Member;

/// The least distance of two bursts. With timers of a millisecond, as all timers of the host are, bursts are then a
/// millisecond apart.
const APART_MICROS: u64 = 700;
const TICK_MICROS: u64 = 1_000;

/// Bytes in the first millisecond of a transfer. A socket's receive buffer has 208 KiB by default, and the
/// kernel counts more than the payload.
const FIRST_BURST_BYTES: u32 = 128 * 1024;

/// What a window takes beyond its sending and this is a time-out, and its length says nothing about the receiver.
const MOST_MICROS: u32 = 20_000;

/// No limit: a window is one burst.
const UNLIMITED: u16 = u16::MAX;

/// Paces the windows of one transfer.
#[derive(Debug, Clone, Default)]
#[cfg_attr(test, derive(Hash))]
pub(crate) struct Pacer(Option<Box<State>>);

/// What a pacer knows once something is limited, or was lost.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(Hash))]
struct State {
    /// The time of the next burst, once this one is used up, and the remaining blocks of this one.
    next: Time,
    left: u16,
    /// The limits in blocks per burst: the configured one, that of the first windows, that of a narrow path.
    most: u16,
    opening: u16,
    narrow: u16,
    bottleneck: BottleneckEstimator,
    trials: Trials,
    /// When the window before was acknowledged, `NEVER` if it is not known.
    heard: Time,
    /// What the rates allow, if there are any.
    rate: Option<Box<Rate>>,
}

#[derive(Debug, Clone)]
#[cfg_attr(test, derive(Hash))]
pub(crate) struct Rate {
    own: Option<Allowance>,
    shared: Option<Box<Member>>,
    blksize: u16,
    /// When they cover the next burst.
    covered: Time,
}

impl Rate {
    /// Keeps both, in blocks of `blksize` bytes.
    pub(crate) fn new(own: Option<Allowance>, shared: Option<Box<Member>>, blksize: u16) -> Self {
        Rate { own, shared, blksize, covered: Time::default() }
    }

    /// Returns when they cover the next burst, after a call of [`Rate::take`].
    pub(crate) fn covered(&self) -> Time {
        self.covered
    }

    /// Takes up to `wanted` blocks; returns their number.
    // A block in lockstep costs 17 instructions more otherwise.
    #[inline(always)]
    pub(crate) fn take(&mut self, now: Time, wanted: u32) -> u32 {
        let own = match &mut self.own {
            Some(allowance) => {
                let (own, covered) = allowance.take(now, wanted, self.blksize);
                self.covered = covered;
                own
            }
            None => {
                self.covered = now;
                wanted
            }
        };
        let Some(member) = self.shared.as_mut().filter(|_| own > 0) else { return own };
        let (taken, covered) = member.take(now, own);
        if let Some(allowance) = &mut self.own {
            allowance.give_back((own - taken).into(), self.blksize);
        }
        self.covered = if taken == own { self.covered } else { covered };
        taken
    }
}

impl Pacer {
    /// Creates a pacer of at most `most` blocks per millisecond. Lockstep is not limited: each block waits
    /// for an answer.
    pub(crate) fn new(most: Option<u16>, window: u16, blksize: u16) -> Self {
        let most = most.filter(|_| window > 1).unwrap_or(UNLIMITED).max(1);
        let first = (FIRST_BURST_BYTES / u32::from(blksize.max(1))).clamp(1, UNLIMITED.into()) as u16;
        let opening = if window > first { first } else { UNLIMITED };
        let limited = opening.min(most) != UNLIMITED;
        Pacer(limited.then(|| State::of(most, opening)))
    }

    /// Returns whether something is limited, or was.
    pub(crate) fn has_state(&self) -> bool {
        self.0.is_some()
    }

    /// Limits the rate to what both allow, for blocks of `blksize` bytes.
    pub(crate) fn limit_rate(&mut self, own: Option<Allowance>, shared: Option<Box<Member>>, blksize: u16) {
        self.state().rate = Some(Box::new(Rate::new(own, shared, blksize)));
    }

    /// Returns whether the rate is limited.
    pub(crate) fn has_rate(&self) -> bool {
        self.limited_rate().is_some()
    }

    /// Returns how many of `wanted` blocks may be sent now.
    pub(crate) fn take(&mut self, now: Time, wanted: u32) -> u32 {
        match &mut self.0 {
            Some(state) if state.is_limited() => state.take_limited(now, wanted),
            _ => wanted,
        }
    }

    /// Returns whether blocks leave as single datagrams, even where the kernel can segment: the receiver reads some while
    /// others still come.
    pub(crate) fn sends_singly(&self) -> bool {
        self.0.as_ref().is_some_and(|state| state.trials.manner() == Manner::Singly)
    }

    /// Returns when more blocks may be sent, if the present burst is used up.
    pub(crate) fn resumes(&self, now: Time) -> Option<Time> {
        self.0.as_ref().filter(|state| state.is_limited())?.limit_ends(now)
    }

    /// Returns the limit of its own rate in bytes per second, if there is one.
    pub(crate) fn rate(&self) -> Option<u32> {
        self.limited_rate()?.own.as_ref().map(Allowance::rate)
    }

    /// Returns the member of the rate that it shares, if there is one.
    pub(crate) fn member(&mut self) -> Option<&mut Member> {
        self.0.as_mut()?.rate.as_mut()?.shared.as_deref_mut()
    }

    /// Returns the blocks that the rates allow at once.
    pub(crate) fn burst_of_rate(&self) -> u64 {
        let Some(Rate { own, shared, blksize, .. }) = self.limited_rate() else { return u64::MAX };
        let own = own.as_ref().map_or(u32::MAX, |allowance| allowance.burst(*blksize));
        own.min(shared.as_ref().map_or(u32::MAX, |member| member.burst())).into()
    }

    /// Handles blocks that were taken but not sent.
    pub(crate) fn unsent(&mut self, blocks: u64) {
        let Some(rate) = self.0.as_mut().and_then(|state| state.rate.as_mut()) else { return };
        if let Some(allowance) = &mut rate.own {
            allowance.give_back(blocks, rate.blksize);
        }
        if let Some(member) = &mut rate.shared {
            member.give_back(blocks);
        }
    }

    /// Returns where windows were cut off, in blocks, if the receiver overflows there; else 0.
    pub(crate) fn overflows_after(&self) -> u16 {
        self.0.as_ref().map_or(0, |state| state.trials.overflows_after())
    }

    /// Starts with the manner that the last transfer of the peer learnt, if windows of this size need one.
    pub(crate) fn start_with(&mut self, known: KnownManner, window: u16) {
        if known.manner != Manner::Whole && window > known.manner.burst().unwrap_or(1) {
            let state = self.state();
            (state.trials, state.opening) = (Trials::new(known), UNLIMITED);
            state.left = state.burst();
        }
    }

    /// Returns the manner for the next transfer of the peer; `known` is the one that this transfer was offered.
    pub(crate) fn learnt(&self, known: KnownManner, window: u16) -> KnownManner {
        let fits = window <= known.manner.burst().unwrap_or(1);
        self.0.as_ref().filter(|_| !fits).map_or(known, |state| state.trials.learnt())
    }

    /// Handles a part of a window that arrived, with `in_vain` blocks sent behind it: 0 if the window is complete. A part
    /// without a block, and so without a sample of the path, is possible.
    pub(crate) fn arrived(&mut self, now: Time, window: u16, sample: AckSample, in_vain: u32) {
        if in_vain > 0 && window > 1 {
            self.state().arrived(now, window, sample, in_vain);
        } else if let Some(state) = &mut self.0 {
            state.arrived(now, window, sample, 0);
        }
    }

    /// Handles an ACK. `silent`: the peer did not get the window whole, and did not report what it lacks.
    pub(crate) fn silent(&mut self, silent: bool) {
        if silent {
            self.state().trials.silent();
        } else if let Some(state) = &mut self.0 {
            state.trials.not_silent();
        }
    }

    /// Handles a window; `is_so`: it was cut off, and only a time-out revealed that.
    pub(crate) fn timed_out(&mut self, is_so: bool) {
        if is_so {
            self.state().trials.timed_out(true);
        } else if let Some(state) = &mut self.0 {
            state.trials.timed_out(false);
        }
    }

    fn limited_rate(&self) -> Option<&Rate> {
        self.0.as_ref()?.rate.as_deref()
    }

    fn state(&mut self) -> &mut State {
        self.0.get_or_insert_with(|| State::of(UNLIMITED, UNLIMITED))
    }
}

impl State {
    fn of(most: u16, opening: u16) -> Box<State> {
        Box::new(State {
            next: Time::default(),
            left: most.min(opening),
            most,
            opening,
            narrow: UNLIMITED,
            bottleneck: BottleneckEstimator::default(),
            trials: Trials::new(KnownManner::default()),
            heard: Time::NEVER,
            rate: None,
        })
    }

    /// Returns the most blocks in a burst.
    fn burst(&self) -> u16 {
        let manner = self.trials.manner().burst().unwrap_or(UNLIMITED);
        self.most.min(self.opening).min(self.narrow).min(manner)
    }

    /// Grows with smaller bursts, and with longer pauses between them.
    fn gentleness(&self) -> (u16, u8) {
        (UNLIMITED - self.burst(), self.trials.manner().apart())
    }

    /// Returns when the burst after one at `now` may be sent.
    fn next_burst(&self, now: Time) -> Time {
        let more = u64::from(self.trials.manner().apart() - 1) * TICK_MICROS;
        Time::from_micros((now.as_micros() + APART_MICROS).next_multiple_of(TICK_MICROS) + more)
    }

    fn is_limited(&self) -> bool {
        self.rate.is_some() || self.burst() != UNLIMITED
    }

    #[cold]
    fn take_limited(&mut self, now: Time, wanted: u32) -> u32 {
        if now >= self.next {
            self.left = self.burst();
            self.next = self.next_burst(now);
        }
        let mut taken = wanted.min(u32::from(self.left));
        if let Some(rate) = &mut self.rate {
            taken = rate.take(now, taken);
        }
        self.left -= taken as u16;
        taken
    }

    #[cold]
    fn limit_ends(&self, now: Time) -> Option<Time> {
        let burst = (self.left == 0).then_some(self.next);
        let rate = self.rate.as_ref().map(|rate| rate.covered);
        burst.max(rate).filter(|time| now < *time)
    }

    fn arrived(&mut self, now: Time, window: u16, sample: AckSample, in_vain: u32) {
        let before = self.gentleness();
        let opening = core::mem::replace(&mut self.opening, UNLIMITED);
        if opening != UNLIMITED && in_vain == 0 {
            let more = opening.saturating_mul(4);
            self.opening = if more < window { more } else { UNLIMITED };
            return;
        }
        if !self.is_narrow(window, sample, in_vain) {
            let AckSample { arrived, took, sending, .. } = sample;
            // With the wait for the first of its bursts.
            let micros = if self.heard == Time::NEVER { took } else { now.micros_since(self.heard) };
            let micros = micros.min(sending.saturating_add(MOST_MICROS));
            self.trials.window(Outcome { arrived, in_vain, micros, window: window.min(self.most) });
        }
        self.heard = now;
        if self.gentleness() > before {
            // The receiver may still be full.
            self.left = 0;
            self.next = self.next_burst(now);
        }
    }

    /// Applies the rate of the bottleneck estimator; returns whether there is one.
    fn is_narrow(&mut self, window: u16, sample: AckSample, in_vain: u32) -> bool {
        if sample.arrived == 0 {
            return self.narrow != UNLIMITED;
        }
        let (present, whole) = (self.burst(), in_vain == 0);
        let overflowed = if whole { None } else { self.bottleneck.overflowed(present, window, sample) };
        let rate = overflowed.or_else(|| self.bottleneck.arrived(present, window, sample, whole));
        self.narrow = rate.filter(|rate| *rate < window).unwrap_or(UNLIMITED);
        rate.is_some()
    }
}

#[cfg(test)]
impl Pacer {
    /// Shifts all remembered times to another clock.
    pub(crate) fn shift(&mut self, to: &dyn Fn(Time) -> Time) {
        let Some(state) = &mut self.0 else { return };
        (state.next, state.heard) = (to(state.next), to(state.heard));
        if let Some(rate) = &mut state.rate {
            rate.covered = to(rate.covered);
            if let Some(allowance) = &mut rate.own {
                allowance.shift(to);
            }
            if let Some(member) = &mut rate.shared {
                member.shift(to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: AckSample = AckSample { arrived: 1, took: 0, sending: 0, least: 0 };

    fn at(micros: u64) -> Time {
        Time::from_micros(micros)
    }

    #[test]
    fn without_a_limit_a_window_is_one_burst() {
        let mut pacer = Pacer::new(None, 64, 512);
        assert_eq!(pacer.take(at(5), 64), 64);
        assert_eq!((pacer.take(at(5), 64), pacer.resumes(at(5))), (64, None));
    }

    #[test]
    fn a_limit_spreads_a_window_over_milliseconds() {
        let mut pacer = Pacer::new(Some(16), 64, 512);
        assert_eq!((pacer.take(at(10_050), 64), pacer.take(at(10_060), 48)), (16, 0));
        assert_eq!(pacer.resumes(at(10_060)), Some(at(11_000)));
        assert_eq!((pacer.take(at(11_060), 10), pacer.take(at(11_070), 38)), (10, 6));
        assert_eq!(pacer.take(at(11_999), 32), 0);
        assert_eq!(pacer.take(at(12_000), 32), 16);
        assert_eq!(Pacer::new(Some(1), 1, 512).take(at(0), 1), 1);
        assert_eq!(Pacer::new(Some(1), 1, 512).resumes(at(0)), None, "lockstep");
    }

    #[test]
    fn large_first_windows_give_the_receiver_time_to_read() {
        let mut pacer = Pacer::new(None, 64, 8_192);
        for (at_millis, taken) in [(0, 16), (10, 64)] {
            assert_eq!(pacer.take(at(at_millis * 1_000), 64), taken);
            pacer.arrived(at(0), 64, ANY, 0);
        }
        assert_eq!(pacer.resumes(at(20_000)), None);
        assert_eq!(Pacer::new(None, 64, 1_428).take(at(0), 64), 64, "it fits");
        assert_eq!(Pacer::new(Some(4), 64, 8_192).take(at(0), 64), 4, "limited anyway");
    }

    #[test]
    fn the_next_transfer_begins_with_the_manner_that_was_learnt() {
        let known = KnownManner { manner: Manner::Bursts(14), rest_ms: 100 };
        let mut next = Pacer::new(None, 64, 512);
        next.start_with(known, 64);
        assert_eq!((next.take(at(1_000), 64), next.learnt(known, 64)), (14, known));
        let mut small = Pacer::new(None, 8, 512);
        small.start_with(known, 8);
        small.arrived(at(0), 8, ANY, 3);
        assert_eq!((small.take(at(0), 8), small.learnt(known, 8)), (8, known), "windows that fit");
        let mut limited = Pacer::new(Some(4), 64, 512);
        limited.start_with(known, 64);
        assert_eq!(limited.take(at(0), 64), 4);
    }

    #[test]
    fn any_number_of_losses_can_be_counted() {
        for most in [None, Some(1), Some(4)] {
            let mut pacer = Pacer::new(most, 64, 512);
            for loss in 0..70_000 {
                let arrived = [1, 60, 20, 45, 0][loss % 5];
                let sample = AckSample { arrived, took: u32::MAX, sending: 0, least: 0 };
                pacer.arrived(at(0), 64, sample, u32::MAX);
                pacer.arrived(at(0), 64, sample, 0);
            }
            assert!(pacer.take(at(u64::MAX / 2), 64) >= 1);
        }
    }
}
