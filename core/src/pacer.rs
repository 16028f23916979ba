//! The pacer: how many blocks of a window are sent at once.
//!
//! RFC 7440 fixes the window when the transfer begins, and a receiver acknowledges nothing before a window is
//! complete, so a sender cannot shrink it. It can pace it instead. A small receiver (a boot loader with a
//! handful of descriptors, a short queue on the path) drops the packets beyond a certain number per
//! millisecond, window after window at the same place. The pacer recognises this; losses at random places
//! slow nothing down. [`BottleneckEstimator`] recognises a path with a low rate. An [`Allowance`] keeps a rate that
//! the server sets.

use crate::allowance::Allowance;
use crate::bottleneck::{AckSample, BottleneckEstimator};
use crate::time::Time;

/// The suspicion at which the pacer slows down. A window that was cut off at the same place as the one before
/// adds two, or [`SURE`] if its end is missing; one that arrived subtracts one.
const SUSPICIOUS: u8 = 6;
const SURE: u8 = 3;

/// A gap that is reported within so many microseconds is no reason to slow down: bursts are a millisecond apart, so a window
/// that goes on sooner carries more than a burst that ends there.
const PROMPT: u32 = 500;

/// A report is late if it comes so many microseconds after the round trip: somebody waited for a time-out, or the path is so
/// slow that bursts cost nothing.
const LATE: u32 = 20_000;

/// Windows without a loss before the burst is raised by a quarter. The number doubles each time the burst had
/// to be lowered again.
const CALM: u16 = 8;
const MOST_DOUBLINGS: u8 = 5;
const MOST_DOUBTS: u8 = 4;

/// If so many more windows are cut off than arrive after the burst was raised, it was too much. The places do not tell:
/// a window that goes on in the middle of a burst is cut off elsewhere.
const TRIAL: u8 = 2;

/// The least distance of two bursts in microseconds. With timers of a millisecond, as all timers of the host
/// are, bursts are then a millisecond apart.
const APART: u64 = 700;
const TICK: u64 = 1_000;

/// Bytes in the first millisecond of a transfer. A socket's receive buffer has 208 KiB by default, and the
/// kernel counts more than the payload.
const FIRST_BURST: u32 = 128 * 1024;

/// No limit: a window is one burst. With a rate, bursts are always limited.
const UNLIMITED: u16 = u16::MAX;

/// What is known of the blocks that a peer takes in a millisecond.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KnownBurst {
    /// Their number; 0 if the peer takes whatever was sent.
    pub blocks: u16,
    /// How many windows in a row arrived that way. After some the server tries more: in one transfer, or over several
    /// short ones.
    pub calm: u16,
}

/// When the peer reported that a window was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Report {
    /// At once, because of the blocks after the gap: it was chance, or the receiver takes what it can anyway.
    Prompt,
    Usual,
    /// After a pause, without half of the window.
    Late,
    /// When it was asked: it saw no block beyond the gap. Losses by chance leave such blocks.
    Silent,
}

impl Report {
    fn of(sample: AckSample, window: u16, silently: bool) -> Report {
        match () {
            () if silently => Report::Silent,
            () if sample.least == 0 => Report::Usual,
            () if sample.took < PROMPT => Report::Prompt,
            () if sample.beyond() > LATE && sample.arrived <= u32::from(window) / 2 => Report::Late,
            () => Report::Usual,
        }
    }
}

/// Paces the windows of one transfer. Most transfers have no limit and lose nothing: they have no state.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(Hash))]
pub(crate) struct Pacer(Option<Box<State>>);

/// What a pacer knows once something is limited, or was lost.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(Hash))]
struct State {
    /// The time of the next burst, once this one is used up.
    next: Time,
    /// Blocks in a burst, and the remaining ones of the present burst.
    burst: u16,
    left: u16,
    /// The upper bound of `burst`.
    most: u16,
    /// Where the last window was cut off, in blocks; 0 if unknown.
    cut: u16,
    /// Evidence that the receiver overflows at `cut`.
    suspicion: u8,
    /// How often the evidence turned out to be chance.
    doubts: u8,
    /// How often the burst was lowered, and where windows were cut off the last time.
    lowered: u8,
    lowered_at: u16,
    /// Windows that were cut off, and that arrived, since then.
    cuts: u16,
    arrived: u16,
    /// Windows that arrived since the burst last changed.
    calm: u16,
    /// The burst before it was last raised, until that turned out well or not; 0 if none is on trial. And how many more
    /// windows were cut off since than arrived.
    proven: u16,
    trial: u8,
    /// Whether a time-out passed since a window was last cut off.
    waited: bool,
    /// Whether the first bursts are still limited.
    opening: bool,
    bottleneck: BottleneckEstimator,
    /// What the rate allows, if there is one.
    rate: Option<Box<Rate>>,
}

#[derive(Debug, Clone)]
#[cfg_attr(test, derive(Hash))]
struct Rate {
    allowance: Allowance,
    blksize: u16,
    /// When it covers the next burst.
    covered: Time,
}

impl Pacer {
    /// Creates a pacer of at most `most` blocks per millisecond. Lockstep is not limited: each block waits
    /// for an answer. Large first windows are limited, too, so that they do not overflow the receive buffer
    /// of an unknown client: it must read meanwhile.
    pub(crate) fn new(most: Option<u16>, window: u16, blksize: u16) -> Self {
        let most = most.filter(|_| window > 1).unwrap_or(UNLIMITED).max(1);
        let first = (FIRST_BURST / u32::from(blksize.max(1))).clamp(1, UNLIMITED.into()) as u16;
        let opening = window > first && most > first;
        let limited = opening || most != UNLIMITED;
        Pacer(limited.then(|| State::of(most, if opening { first } else { most }, opening)))
    }

    /// Limits the rate to what `allowance` says, for blocks of `blksize` bytes.
    pub(crate) fn limit_rate(&mut self, allowance: Allowance, blksize: u16) {
        let state = self.state();
        state.most = state.most.min(UNLIMITED - 1);
        state.set(state.burst.min(state.most));
        state.rate = Some(Box::new(Rate { allowance, blksize, covered: Time::default() }));
    }

    /// Returns whether the rate is limited.
    pub(crate) fn has_rate(&self) -> bool {
        self.limited_rate().is_some()
    }

    /// Returns how many of `wanted` blocks may be sent now.
    pub(crate) fn take(&mut self, now: Time, wanted: u32) -> u32 {
        match &mut self.0 {
            Some(state) if state.burst != UNLIMITED => state.take_limited(now, wanted),
            _ => wanted,
        }
    }

    /// Returns when more blocks may be sent, if the present burst is used up.
    pub(crate) fn resumes(&self, now: Time) -> Option<Time> {
        let state = self.0.as_ref().filter(|state| state.burst != UNLIMITED)?;
        state.limit_ends(now)
    }

    /// Returns the limit of the rate in bytes per second, if there is one.
    pub(crate) fn rate(&self) -> Option<u32> {
        self.limited_rate().map(|rate| rate.allowance.rate())
    }

    /// Returns the blocks that the rate allows at once.
    pub(crate) fn burst_of_rate(&self) -> u64 {
        self.limited_rate().map_or(u64::MAX, |rate| rate.allowance.burst(rate.blksize).into())
    }

    /// Handles blocks that were taken but not sent.
    pub(crate) fn unsent(&mut self, blocks: u64) {
        if let Some(rate) = self.0.as_mut().and_then(|state| state.rate.as_mut()) {
            rate.allowance.give_back(blocks, rate.blksize);
        }
    }

    /// Returns where windows were cut off, in blocks, if the burst was lowered for that; else 0.
    pub(crate) fn overflows_after(&self) -> u16 {
        self.0.as_ref().filter(|state| state.lowered > 0).map_or(0, |state| state.lowered_at)
    }

    /// Starts with the burst that the last transfer of the peer learnt, if it did. A larger one is tried as if both were
    /// one transfer.
    pub(crate) fn start_with(&mut self, known: KnownBurst, window: u16) {
        if known.blocks == 0 || window <= known.blocks {
            return;
        }
        let state = self.state();
        state.opening = false;
        state.set(known.blocks.min(state.burst));
        (state.lowered, state.calm) = (1, known.calm);
    }

    /// Returns the burst for the next transfer of the peer: the present one if it was lowered and windows arrived since,
    /// or the one that it was started with if this transfer says nothing.
    pub(crate) fn learnt(&self, known: KnownBurst) -> KnownBurst {
        let Some(state) = &self.0 else { return known };
        let helps = state.arrived > 0 && u32::from(state.arrived) >= 2 * u32::from(state.cuts);
        match state.lowered {
            // Bursts do not cause its losses.
            0 if state.doubts > 0 => KnownBurst::default(),
            1.. if state.burst == state.most => KnownBurst::default(),
            1.. if helps && state.trial > 0 && state.proven > 0 => {
                KnownBurst { blocks: state.proven, calm: 0 }
            }
            1.. if helps => KnownBurst { blocks: state.burst, calm: state.calm.min(CALM) },
            _ => known,
        }
    }

    /// Handles a window that was cut off after a part of it arrived. `silently`: the peer saw no block beyond the
    /// gap, or it would have reported it without a time-out.
    pub(crate) fn cut(&mut self, window: u16, sample: AckSample, silently: bool) {
        if window > 1 {
            self.state().cut(window, sample, silently);
        }
    }

    /// Handles a window of `window` blocks that was cut off after `arrived` of them; 0 if unknown.
    pub(crate) fn cut_off(&mut self, arrived: u32, window: u16) {
        if window > 1 {
            self.state().cut_off(arrived, window, Report::Usual);
        }
    }

    /// Handles a time-out: maybe nothing of a window arrived.
    pub(crate) fn timed_out(&mut self) {
        if let Some(state) = &mut self.0 {
            state.waited = true;
        }
    }

    /// Handles a window that arrived as a whole.
    pub(crate) fn went_well(&mut self, window: u16, sample: AckSample) {
        if let Some(state) = &mut self.0 {
            state.went_well(window, sample);
        }
    }

    fn limited_rate(&self) -> Option<&Rate> {
        self.0.as_ref()?.rate.as_deref()
    }

    fn state(&mut self) -> &mut State {
        self.0.get_or_insert_with(|| State::of(UNLIMITED, UNLIMITED, false))
    }
}

impl State {
    fn of(most: u16, burst: u16, opening: bool) -> Box<State> {
        Box::new(State {
            next: Time::default(),
            burst,
            left: burst,
            opening,
            most,
            cut: 0,
            suspicion: 0,
            doubts: 0,
            lowered: 0,
            lowered_at: 0,
            cuts: 0,
            arrived: 0,
            calm: 0,
            proven: 0,
            trial: 0,
            waited: false,
            bottleneck: BottleneckEstimator::default(),
            rate: None,
        })
    }

    #[cold]
    fn take_limited(&mut self, now: Time, wanted: u32) -> u32 {
        if now >= self.next {
            self.left = self.burst;
            let earliest = now.as_micros() + APART;
            self.next = Time::from_micros(earliest.next_multiple_of(TICK));
        }
        let mut taken = wanted.min(u32::from(self.left));
        if let Some(rate) = &mut self.rate {
            (taken, rate.covered) = rate.allowance.take(now, taken, rate.blksize);
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

    fn cut(&mut self, window: u16, sample: AckSample, silently: bool) {
        self.opening = false;
        if let Some(rate) = self.bottleneck.overflowed(self.burst, window, sample) {
            self.set(rate.min(self.most));
            return;
        }
        self.cut_off(sample.arrived, window, Report::of(sample, window, silently));
        self.widen(window, sample, false);
    }

    fn cut_off(&mut self, arrived: u32, window: u16, report: Report) {
        self.opening = false;
        if core::mem::take(&mut self.waited) || report != Report::Prompt {
            self.suspect(arrived.min(u32::from(window)) as u16, report);
        }
        self.cuts = self.cuts.saturating_add(1);
        self.trial = self.trial.saturating_add(1);
        if self.proven > 0 && self.trial >= TRIAL {
            self.lowered = self.lowered.saturating_add(1);
            (self.suspicion, self.calm) = (0, 0);
            return self.set(self.proven);
        }
        if self.suspicion >= SUSPICIOUS << self.doubts {
            self.lower(window);
        }
    }

    fn suspect(&mut self, arrived: u16, report: Report) {
        let again = arrived == 0 || self.cut == 0 || near(arrived, self.cut, 4, 2);
        self.suspicion = match report {
            Report::Late => self.suspicion + SURE,
            Report::Silent if again => self.suspicion + SURE,
            _ if again => self.suspicion + 2,
            _ => self.suspicion.saturating_sub(1).max(1),
        };
        if arrived > 0 {
            self.cut = arrived;
        }
    }

    fn went_well(&mut self, window: u16, sample: AckSample) {
        if self.opening {
            let more = self.burst.saturating_mul(4);
            self.opening = more < window;
            self.burst = if self.opening { more.min(self.most) } else { self.most };
            return;
        }
        if self.widen(window, sample, true) {
            return;
        }
        self.suspicion = self.suspicion.saturating_sub(1);
        self.trial = self.trial.saturating_sub(1);
        if self.burst == self.most {
            return;
        }
        self.arrived = self.arrived.saturating_add(1);
        self.calm += 1;
        if self.calm >= CALM << self.lowered.min(MOST_DOUBLINGS) {
            (self.calm, self.proven, self.trial) = (0, self.burst, 0);
            self.burst = self.burst.saturating_add((self.burst / 4).max(1)).min(self.most);
        }
    }

    /// Applies the rate of the bottleneck estimator; returns whether there is one.
    fn widen(&mut self, window: u16, sample: AckSample, whole: bool) -> bool {
        let Some(rate) = self.bottleneck.arrived(self.burst, window, sample, whole) else { return false };
        self.set(if rate < window { rate.min(self.most) } else { self.most });
        true
    }

    fn set(&mut self, burst: u16) {
        (self.burst, self.proven) = (burst, 0);
        self.left = self.left.min(burst);
    }

    fn lower(&mut self, window: u16) {
        self.bottleneck.end();
        let helped = self.lowered == 0 || u32::from(self.arrived) >= 2 * u32::from(self.cuts);
        if helped || near(self.cut, self.lowered_at, 8, 1) {
            let present = self.burst.min(window);
            let lower = present - present.div_ceil(4);
            let seen = if self.cut > 0 { self.cut - self.cut / 8 } else { present / 2 };
            self.set(lower.min(seen).max(1));
            self.lowered = self.lowered.saturating_add(1);
            self.lowered_at = self.cut;
        } else {
            // The losses moved elsewhere: bursts do not cause them.
            self.burst = self.most;
            self.lowered = 0;
            self.doubts = (self.doubts + 1).min(MOST_DOUBTS);
        }
        (self.suspicion, self.calm, self.cut, self.cuts, self.arrived) = (0, 0, 0, 0, 0);
    }
}

#[cfg(test)]
impl Pacer {
    /// Shifts all remembered times to another clock.
    pub(crate) fn shift(&mut self, to: &dyn Fn(Time) -> Time) {
        let Some(state) = &mut self.0 else { return };
        state.next = to(state.next);
        if let Some(rate) = &mut state.rate {
            rate.covered = to(rate.covered);
            rate.allowance.shift(to);
        }
    }
}

/// Returns whether two places differ by at most one `part`th, or by `least`.
fn near(place: u16, other: u16, part: u16, least: u16) -> bool {
    place.abs_diff(other) <= (other / part).max(least)
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
    fn a_receiver_that_overflows_at_the_same_place_is_recognised() {
        let mut pacer = Pacer::new(None, 64, 512);
        pacer.cut_off(16, 64);
        pacer.cut_off(0, 64);
        assert_eq!(pacer.take(at(0), 64), 64, "twice may be chance");
        pacer.cut_off(17, 64);
        assert_eq!(pacer.take(at(1_000), 64), 15);
        for _ in 0..16 {
            pacer.went_well(64, ANY);
        }
        assert_eq!(pacer.take(at(9_000), 64), 18, "it tries more, later");
        for _ in 0..2 {
            pacer.cut_off(17, 64);
        }
        assert_eq!(pacer.take(at(20_000), 64), 15);
        for _ in 0..31 {
            pacer.went_well(64, ANY);
        }
        assert_eq!(pacer.take(at(30_000), 64), 15, "more cautiously each time");
        for _ in 0..3 {
            pacer.cut_off(14, 64);
        }
        assert_eq!(pacer.take(at(40_000), 64), 11, "it takes less than it did");
    }

    #[test]
    fn large_first_windows_give_the_receiver_time_to_read() {
        let mut pacer = Pacer::new(None, 64, 8_192);
        for (at_millis, taken) in [(0, 16), (10, 64)] {
            assert_eq!(pacer.take(at(at_millis * 1_000), 64), taken);
            pacer.went_well(64, ANY);
        }
        assert_eq!(pacer.resumes(at(20_000)), None);
        assert_eq!(Pacer::new(None, 64, 1_428).take(at(0), 64), 64, "it fits");
        assert_eq!(Pacer::new(Some(4), 64, 8_192).take(at(0), 64), 4, "limited anyway");
    }

    #[test]
    fn losses_at_random_places_do_not_slow_down() {
        let mut pacer = Pacer::new(None, 64, 512);
        for place in [3, 40, 12, 60, 20, 33, 1, 50] {
            pacer.cut_off(place, 64);
            assert_eq!(pacer.take(at(0), 64), 64);
            pacer.went_well(64, ANY);
        }
    }

    #[test]
    fn a_gap_that_is_reported_at_once_is_no_reason_to_slow_down() {
        let prompt = AckSample { arrived: 16, took: 300, sending: 0, least: 200 };
        let mut pacer = Pacer::new(None, 64, 512);
        for _ in 0..50 {
            pacer.cut(64, prompt, false);
        }
        assert_eq!(pacer.take(at(0), 64), 64);
        for _ in 0..3 {
            pacer.timed_out();
            pacer.cut(64, prompt, false);
        }
        assert_eq!(pacer.take(at(1_000), 64), 14, "between two of them, whole windows were lost");
    }

    #[test]
    fn half_a_window_that_nobody_missed_is_telling_wherever_it_was() {
        let sample = |arrived, took| AckSample { arrived, took, sending: 0, least: 200 };
        let mut pacer = Pacer::new(None, 64, 512);
        let mut late = |arrived| {
            pacer.cut(64, sample(arrived, 40_000), false);
            pacer.cut(64, sample(1, 300), false);
            pacer.take(at(u64::from(arrived) * 1_000), 64)
        };
        assert_eq!([60, 40, 61, 41].map(&mut late), [64; 4], "the end of a window");
        assert_eq!([30, 6].map(&mut late), [64, 6]);
    }

    #[test]
    fn the_next_transfer_begins_with_the_burst_that_was_learnt() {
        let known = |blocks, calm| KnownBurst { blocks, calm };
        let nothing = KnownBurst::default();
        let mut pacer = Pacer::new(None, 64, 512);
        for _ in 0..3 {
            pacer.cut_off(16, 64);
        }
        assert_eq!(pacer.learnt(nothing), nothing, "whether that helps is not known yet");
        pacer.went_well(64, ANY);
        assert_eq!(pacer.learnt(nothing), known(14, 1));
        let mut next = Pacer::new(None, 64, 512);
        next.start_with(known(14, 1), 64);
        assert_eq!((next.take(at(1_000), 64), next.learnt(known(14, 1))), (14, known(14, 1)));
        for _ in 0..15 {
            next.went_well(64, ANY);
        }
        assert_eq!(
            (next.take(at(9_000), 64), next.learnt(known(14, 1))),
            (17, known(17, 0)),
            "it tries more"
        );
        next.cut_off(16, 64);
        assert_eq!(next.learnt(known(14, 1)), known(14, 0), "whether it is too much is not known yet");
        let mut small = Pacer::new(None, 8, 512);
        small.start_with(known(14, 1), 8);
        assert_eq!((small.take(at(0), 8), small.learnt(known(14, 1))), (8, known(14, 1)), "windows that fit");
        let mut limited = Pacer::new(Some(4), 64, 512);
        limited.start_with(known(14, 1), 64);
        assert_eq!(limited.take(at(0), 64), 4);
    }

    #[test]
    fn a_burst_that_was_raised_too_far_is_taken_back_wherever_windows_are_cut_off() {
        let mut pacer = Pacer::new(None, 64, 512);
        for _ in 0..3 {
            pacer.cut_off(32, 64);
        }
        for _ in 0..16 {
            pacer.went_well(64, ANY);
        }
        assert_eq!(pacer.take(at(1_000), 64), 35);
        pacer.cut_off(44, 64);
        assert_eq!(pacer.take(at(2_000), 64), 35, "once may be chance");
        pacer.cut_off(3, 64);
        assert_eq!(pacer.take(at(3_000), 64), 28);
        for _ in 0..31 {
            pacer.went_well(64, ANY);
        }
        assert_eq!(pacer.take(at(4_000), 64), 28, "it is tried again, later");
        pacer.went_well(64, ANY);
        assert_eq!(pacer.take(at(5_000), 64), 35);
    }

    #[test]
    fn any_number_of_losses_can_be_counted() {
        let mut pacer = Pacer::new(None, 64, 512);
        for _ in 0..3 {
            pacer.cut_off(16, 64);
        }
        for loss in 0..70_000 {
            pacer.cut_off([1, 60, 20, 45][loss % 4], 64);
            pacer.went_well(64, ANY);
        }
        for _ in 0..100 {
            pacer.cut_off(16, 64);
        }
        assert!(pacer.take(at(1_000_000), 64) >= 1);
    }

    #[test]
    fn it_never_stops_and_never_passes_its_limit() {
        let mut pacer = Pacer::new(Some(4), 8, 512);
        for _ in 0..200 {
            pacer.cut_off(1, 8);
        }
        assert_eq!(pacer.take(at(1_000_000), 8), 1);
        for _ in 0..10_000 {
            pacer.went_well(64, ANY);
        }
        assert_eq!(pacer.take(at(2_000_000), 8), 4);
    }
}
