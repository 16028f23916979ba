//! How the blocks of a window leave, and the trials that choose it.
//!
//! A receiver with a small buffer, or with a handful of descriptors, loses the blocks that come faster than it reads. The
//! sender cannot see why a window was cut off, but it can see what helps. It knows four manners, from rough to gentle: a
//! window leaves as a whole; singly, so that a fast receiver reads while blocks still come; in bursts of a few blocks, a
//! millisecond apart; or one block in several milliseconds.
//!
//! **The rule.** The score of a manner is the number of blocks that arrive per microsecond, times the part of the sent
//! blocks that arrives. When a window was cut off, the next gentler manner is tried for a few windows, and stays if its
//! score is better by an eighth. Time alone proves nothing on a busy machine, so single datagrams must also be cut off a
//! third as often as the windows before; and where a cut costs no time they are tried only if most windows are cut off.
//! Losses by chance, which no manner changes, thus slow nothing down. If no gentler manner is better, four times as many
//! windows must be cut off before the next trial. After a while, rougher manners are tried by the same score, and stay also
//! if no window is cut off meanwhile; a failed trial is repeated after 16 times its duration. Bursts take time, so they are
//! tried only if they can be better at all, and if the losses look like those of a full receiver: frequent, and never far
//! behind their usual place.

/// How the blocks of a window leave, from rough to gentle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Manner {
    /// At once, and segmented by the kernel where it can.
    #[default]
    Whole,
    /// At once, as single datagrams.
    Singly,
    /// So many blocks in each millisecond, segmented by the kernel where it can: a burst fits into the receiver.
    Bursts(u16),
    /// One block in so many milliseconds: a receiver that looks seldom has room for one or two.
    Slowly(u8),
    /// One block for each answer: an earlier transfer has shown that the receiver has no room for windows, so none is granted.
    Lockstep,
}

/// The milliseconds of the gentlest manner, beyond which lockstep is no slower.
const SLOWEST: u8 = 16;

/// See [`Trials::silent`].
const STUCK: u8 = 2;

/// After so many windows in a row whose loss only a time-out revealed, the peer has no room for windows.
const TIMED_OUT: u8 = 6;

/// As a walk through an unanswered window.
const WALK: u8 = 8;

/// The manner that suits a peer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KnownManner {
    /// The manner; [`Manner::Whole`] if nothing is known against it.
    pub manner: Manner,
    /// Milliseconds of sending before a rougher manner is tried.
    pub rest_ms: u16,
}

/// The windows of a trial.
const TRIAL_WINDOWS: u32 = 3;

/// By what factor the score of a manner on trial must be better.
const BETTER: f64 = 1.125;

/// Single datagrams stay if they are cut off a third as often, over as many blocks as usually have six cuts.
const CUT_LESS: u64 = 3;
const TELLING_CUTS: u64 = 6;

/// Windows that must be cut off before single datagrams are tried for the sake of the blocks sent in vain alone.
const OFTEN: u32 = 3;

/// A failed trial of a rougher manner is repeated after this many times its duration, but no more than this.
const REST: u64 = 16;
const MOST_REST_MICROS: u64 = 250_000;

/// The rest after a failed trial of a rougher manner than single blocks, and how often further failures double it at most.
const FALL_REST_MICROS: u64 = 2_000_000;
const MOST_FALLS: u8 = 1;

/// How often a further slow-down doubles the rest after it at most: a link that others have filled is free a moment later.
const MOST_SLOWED: u8 = 3;

/// The scores are those of the last windows: from this number on, older ones count half.
const REMEMBERED_WINDOWS: u32 = 32;

/// If no gentler manner helped, this shift of the number of cut windows before the next trial is added.
const RARER: u32 = 2;
const RAREST: u32 = 8;

/// If so many more windows of at least `TELLING_WINDOW` blocks were cut off at one place than elsewhere, the receiver counts.
const SAME_PLACE: u16 = 8;
const TELLING_WINDOW: u16 = 8;

/// Losses by chance hardly ever cut off each of several windows of at most so many blocks.
const SMALL: u16 = 8;

/// What became of a window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    /// Blocks that arrived in order, and those sent behind a gap: 0 if there was none.
    pub(crate) arrived: u32,
    pub(crate) in_vain: u32,
    /// Microseconds from sending the first of them until the ACK.
    pub(crate) micros: u32,
    /// Blocks in the window.
    pub(crate) window: u16,
}

#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(test, derive(Hash, PartialEq))]
struct Tally {
    windows: u32,
    cuts: u32,
    arrived: u64,
    sent: u64,
    /// What they took in all, and the slowest of them.
    micros: u64,
    slowest: u64,
    /// The most blocks of one window that arrived.
    largest: u64,
}

/// The manner of one transfer, and what is known in its favour.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(Hash))]
pub(crate) struct Trials {
    manner: Manner,
    tally: Tally,
    /// The manner before, while the present one is on trial.
    rival: Option<(Manner, Tally)>,
    /// Windows that were cut off since the last trial, and how often in a row no gentler manner helped.
    cuts: u32,
    failed: u32,
    /// Microseconds of sending before a rougher manner is tried, and whether the last rougher one was better.
    rest: u64,
    climbs: bool,
    /// How often in a row a rougher manner than one block in some milliseconds was worse.
    falls: u8,
    /// How often it was slowed down without a trial.
    slowed: u8,
    /// Windows in a row that did not arrive whole, and whose loss was not reported.
    stuck: u8,
    /// Windows in a row that were cut off, and whose loss only a time-out revealed.
    timed_out: u8,
    /// Where windows were cut off, in blocks, when bursts helped; else 0.
    overflow: u16,
    /// A place where windows were cut off, and by how many more than elsewhere.
    place: u16,
    votes: u16,
}

impl Manner {
    /// Returns the most blocks in a millisecond; `None` for any number.
    pub(crate) fn burst(self) -> Option<u16> {
        match self {
            Manner::Bursts(blocks) => Some(blocks),
            Manner::Slowly(_) | Manner::Lockstep => Some(1),
            Manner::Whole | Manner::Singly => None,
        }
    }

    /// Returns the milliseconds between two bursts.
    pub(crate) fn apart(self) -> u8 {
        if let Manner::Slowly(millis) = self { millis } else { 1 }
    }

    /// Returns the next gentler manner, after windows of `window` blocks of which `arrived` arrived between two cuts.
    fn gentler(self, arrived: u64, window: u16) -> Option<Manner> {
        let seen = (arrived - arrived / 8).clamp(1, u16::MAX.into()) as u16;
        let less = |of: u16| of - of.div_ceil(4);
        match self {
            Manner::Whole => Some(Manner::Singly),
            Manner::Singly => Some(Manner::Bursts(seen.min(less(window)).max(1))),
            Manner::Bursts(1) => Some(Manner::Slowly(2)),
            Manner::Bursts(blocks) => Some(Manner::Bursts(seen.min(less(blocks)).max(1))),
            Manner::Slowly(millis) => (millis < SLOWEST).then_some(Manner::Slowly(millis * 2)),
            Manner::Lockstep => None,
        }
    }

    /// Returns the next rougher manner: a quarter more, or twice as much.
    fn rougher(self, window: u16, doubled: bool) -> Manner {
        let blocks = match self {
            Manner::Whole | Manner::Singly => return Manner::Whole,
            Manner::Slowly(..=2) => return Manner::Bursts(1),
            Manner::Slowly(millis) => return Manner::Slowly(millis / 2),
            Manner::Lockstep => return Manner::Slowly(WALK),
            Manner::Bursts(blocks) => blocks,
        };
        let more = blocks.saturating_add(if doubled { blocks } else { (blocks / 4).max(1) });
        if more < window { Manner::Bursts(more) } else { Manner::Singly }
    }

    /// Returns the score that it has at best.
    fn best_score(self) -> f64 {
        let per_micro = |blocks| f64::from(blocks) / 1_000.0 / f64::from(self.apart());
        self.burst().map_or(f64::INFINITY, |blocks| per_micro(blocks) * self.preference())
    }

    fn roughness(self) -> u32 {
        match self {
            Manner::Whole => u32::MAX,
            Manner::Singly => u32::from(u16::MAX) + 256,
            Manner::Bursts(blocks) => u32::from(blocks) + 255,
            Manner::Slowly(millis) => u32::from(u8::MAX - millis),
            Manner::Lockstep => 0,
        }
    }

    /// Returns the factor of its score: a window as a whole costs less processor time, bursts occupy a timer.
    fn preference(self) -> f64 {
        match self {
            Manner::Whole => 1.25,
            Manner::Singly => 1.0,
            Manner::Bursts(_) | Manner::Slowly(_) | Manner::Lockstep => 0.75,
        }
    }
}

impl Tally {
    fn add(&mut self, outcome: Outcome) {
        if self.windows >= REMEMBERED_WINDOWS {
            self.windows /= 2;
            self.cuts /= 2;
            self.arrived /= 2;
            self.sent /= 2;
            self.micros /= 2;
            self.slowest /= 2;
            self.largest = 0;
        }
        self.windows += 1;
        self.cuts += u32::from(outcome.in_vain > 0);
        self.arrived += u64::from(outcome.arrived);
        self.sent += u64::from(outcome.arrived) + u64::from(outcome.in_vain);
        self.micros += u64::from(outcome.micros.max(1));
        self.slowest = self.slowest.max(outcome.micros.into());
        self.largest = self.largest.max(outcome.arrived.into());
    }

    fn with(mut self, other: Tally) -> Tally {
        self.windows += other.windows;
        self.cuts += other.cuts;
        self.arrived += other.arrived;
        self.sent += other.sent;
        self.micros += other.micros;
        self.slowest = self.slowest.max(other.slowest);
        self.largest = self.largest.max(other.largest);
        self
    }

    /// Returns the score. One window of several may be slow by chance.
    fn score(&self, manner: Manner) -> f64 {
        let (windows, arrived) = (f64::from(self.windows.max(1)), self.arrived as f64);
        let micros = match self.windows {
            0 | 1 => self.micros as f64,
            _ => self.micros.saturating_sub(self.slowest) as f64 * windows / (windows - 1.0),
        };
        manner.preference() * arrived / micros.max(1.0) * (arrived / self.sent.max(1) as f64)
    }

    /// Returns whether the losses look like those of a full receiver: it often loses blocks, and never takes many more
    /// than usual. Losses by chance let some windows pass.
    fn looks_full(&self, window: u16) -> bool {
        self.cuts * 3 >= self.windows
            && self.between_cuts() >= 2
            && 4 * self.between_cuts() <= 5 * u64::from(window)
            && 2 * self.largest * u64::from(self.cuts) <= 5 * self.arrived
    }

    /// Returns whether windows of this many blocks are usually cut off.
    fn is_often_cut(&self, window: u16) -> bool {
        self.cuts >= OFTEN && 8 * self.between_cuts() <= 7 * u64::from(window)
    }

    /// Returns how many cuts there usually are among so many blocks.
    fn usual_cuts(&self, blocks: u64) -> u64 {
        blocks * u64::from(self.cuts) / self.arrived.max(1)
    }

    /// Returns how many blocks arrived for each window that was cut off.
    fn between_cuts(&self) -> u64 {
        self.arrived / u64::from(self.cuts.max(1))
    }
}

impl Trials {
    /// Begins with what is known of the peer.
    pub(crate) fn new(known: KnownManner) -> Self {
        // A client that chooses its windows itself (`msftwindow`) has them all the same.
        let manner = if known.manner == Manner::Lockstep { Manner::Slowly(WALK) } else { known.manner };
        Trials {
            manner,
            tally: Tally::default(),
            rival: None,
            cuts: 0,
            failed: 0,
            rest: u64::from(known.rest_ms) * 1_000,
            climbs: false,
            falls: 0,
            slowed: 0,
            stuck: 0,
            timed_out: 0,
            overflow: 0,
            place: 0,
            votes: 0,
        }
    }

    /// Returns the present manner.
    pub(crate) fn manner(&self) -> Manner {
        self.manner
    }

    /// Returns the manner for the next transfer: not one whose trial has not ended.
    pub(crate) fn learnt(&self) -> KnownManner {
        let manner = match self.rival.map_or(self.manner, |(manner, _)| manner) {
            Manner::Slowly(_) if self.slowed > 0 => Manner::Lockstep,
            manner => manner,
        };
        KnownManner { manner, rest_ms: (self.rest / 1_000).min(u16::MAX.into()) as u16 }
    }

    /// Returns where windows were cut off, in blocks, if bursts helped or if it was always the same place; else 0.
    pub(crate) fn overflows_after(&self) -> u16 {
        match self.learnt().manner {
            Manner::Bursts(_) | Manner::Slowly(_) if self.overflow > 0 => self.overflow,
            _ if self.votes >= SAME_PLACE => self.place,
            _ => 0,
        }
    }

    /// Handles a window that only came by copies, or whose loss the peer did not report until its own time-out. That ends the
    /// trial of a rougher manner. A few of them in a row show that the peer has no room for windows: blocks come one by one
    /// then, without a trial. It may have been held up during one of them.
    pub(crate) fn silent(&mut self) {
        self.stuck = self.stuck.saturating_add(1);
        match self.rival {
            Some((rival, its)) if self.manner.roughness() > rival.roughness() => self.fall(rival, its),
            _ if self.stuck.is_multiple_of(STUCK) => self.slow_down(),
            _ => {}
        }
    }

    /// Handles a window that arrived whole, or whose loss the peer reported.
    pub(crate) fn not_silent(&mut self) {
        self.stuck = 0;
    }

    /// Counts the windows in a row that were cut off, and whose loss only a time-out revealed; any other window ends the count.
    /// Chance seldom takes the end of several windows in a row, and a peer can report every other loss.
    pub(crate) fn timed_out(&mut self, is_so: bool) {
        self.timed_out = if is_so { self.timed_out.saturating_add(1) } else { 0 };
        if self.timed_out >= TIMED_OUT {
            self.timed_out = 0;
            self.slow_down();
        }
    }

    fn slow_down(&mut self) {
        let manner = self.rival.take().map_or(self.manner, |(rival, _)| rival);
        let millis = if let Manner::Slowly(millis) = manner { millis.saturating_mul(2) } else { WALK };
        self.manner = Manner::Slowly(millis.clamp(WALK, SLOWEST));
        // What was tried since the last time was too rough.
        self.rest = MOST_REST_MICROS << self.slowed.min(MOST_SLOWED);
        (self.tally, self.cuts, self.climbs) = (Tally::default(), 0, false);
        self.slowed = self.slowed.saturating_add(1);
    }

    /// Gives up the trial of a rougher manner.
    fn fall(&mut self, rival: Manner, its: Tally) {
        self.rest = (self.tally.micros * REST).min(MOST_REST_MICROS);
        if let Manner::Slowly(_) = rival {
            // Without reports of gaps, such a trial costs time-outs.
            self.rest = FALL_REST_MICROS << self.falls.min(MOST_FALLS);
            self.falls = self.falls.saturating_add(1);
        }
        self.climbs = false;
        (self.rival, self.manner, self.tally) = (None, rival, its);
    }

    /// Handles the outcome of a window.
    pub(crate) fn window(&mut self, outcome: Outcome) {
        self.tally.add(outcome);
        if outcome.in_vain > 0 {
            self.cuts = self.cuts.saturating_add(1);
            self.vote(outcome);
        }
        match self.rival {
            Some((manner, tally)) => self.judge(manner, tally, outcome.window),
            None => self.consider(outcome),
        }
    }

    /// Decides whether it is time for a trial.
    fn consider(&mut self, outcome: Outcome) {
        self.rest = self.rest.saturating_sub(outcome.micros.into());
        if outcome.in_vain > 0 && self.cuts >= 1 << (RARER * self.failed).min(RAREST) {
            self.cuts = 0;
            self.try_gentler(self.manner, self.tally, outcome.window);
        } else if self.manner != Manner::Whole && self.rest == 0 && self.tally.windows >= TRIAL_WINDOWS {
            let rougher = self.manner.rougher(outcome.window, self.climbs);
            self.rival = Some((self.manner, self.tally));
            (self.manner, self.tally) = (rougher, Tally::default());
        }
    }

    /// Tries what is gentler than the present manner, if it can be better than `rival`.
    fn try_gentler(&mut self, rival: Manner, tally: Tally, window: u16) {
        // A burst of another size is no remedy if the first one was none, unless no window ever arrives whole.
        let never_whole = window <= SMALL && tally.windows >= TRIAL_WINDOWS && tally.cuts == tally.windows;
        let tried = self.manner != rival && self.manner.burst().is_some() && !never_whole;
        let gentler = self.manner.gentler(tally.between_cuts(), window).filter(|_| !tried);
        // A cut costs so much time that even bursts could be faster.
        let costs_time = |bursts: Manner| bursts.best_score() >= tally.score(rival) * BETTER;
        let may_help = |gentler: Manner| match gentler {
            Manner::Bursts(_) | Manner::Slowly(_) | Manner::Lockstep => {
                costs_time(gentler) && tally.looks_full(window)
            }
            _ => {
                let bursts = Manner::Singly.gentler(tally.between_cuts(), window);
                tally.is_often_cut(window) || bursts.is_some_and(costs_time)
            }
        };
        match gentler.filter(|gentler| may_help(*gentler)) {
            Some(gentler) => {
                self.rival = Some((rival, tally));
                (self.manner, self.tally) = (gentler, Tally::default());
            }
            None => {
                (self.rival, self.manner, self.tally) = (None, rival, tally);
                self.failed += 1;
            }
        }
    }

    /// Decides whether the manner on trial stays. One that does worse at once is given up at once.
    fn judge(&mut self, rival: Manner, its: Tally, window: u16) {
        if self.manner.roughness() > rival.roughness() {
            self.judge_rougher(rival, its);
        } else {
            self.judge_gentler(rival, its, window);
        }
    }

    fn judge_rougher(&mut self, rival: Manner, its: Tally) {
        let (score, its_score) = (self.tally.score(self.manner), its.score(rival));
        let has_ended = self.tally.windows >= TRIAL_WINDOWS;
        if !has_ended && (score >= its_score || self.tally.cuts == 0) {
            return;
        }
        if score >= its_score * BETTER || (has_ended && self.tally.cuts == 0) {
            self.stay(rival, its, true);
        } else {
            self.fall(rival, its);
        }
    }

    fn judge_gentler(&mut self, rival: Manner, its: Tally, window: u16) {
        let usual_cuts = its.usual_cuts(self.tally.arrived);
        let cuts = u64::from(self.tally.cuts);
        let (is_cut_less, is_told) = match self.manner {
            Manner::Bursts(_) | Manner::Slowly(_) | Manner::Lockstep => (true, true),
            _ => (CUT_LESS * cuts <= usual_cuts, usual_cuts >= TELLING_CUTS),
        };
        let has_ended = is_told && self.tally.windows >= TRIAL_WINDOWS.max(its.windows / 2);
        if !is_cut_less || self.tally.score(self.manner) < its.score(rival) * BETTER {
            // More blocks of a window may arrive in bursts than at once.
            let largest = if self.manner.burst().is_some() { its.largest } else { u64::MAX };
            let tally = its.with(self.tally);
            self.try_gentler(rival, Tally { largest: tally.largest.min(largest), ..tally }, window);
        } else if has_ended && self.manner == Manner::Singly && its.cuts == 1 {
            // One cut may be chance.
            (self.rival, self.manner, self.tally) = (None, rival, its);
        } else if has_ended {
            self.stay(rival, its, false);
        }
    }

    fn stay(&mut self, rival: Manner, its: Tally, is_rougher: bool) {
        (self.rival, self.cuts, self.failed, self.climbs) = (None, 0, 0, is_rougher);
        if is_rougher {
            self.falls = 0;
        }
        self.rest = if is_rougher {
            0
        } else if self.manner == Manner::Singly {
            its.micros / u64::from(its.cuts.max(1)) * REST
        } else {
            self.tally.micros * 2
        };
        self.rest = self.rest.min(MOST_REST_MICROS);
        if !is_rougher && self.manner.burst().is_some() && rival.burst().is_none() {
            self.overflow = its.between_cuts().min(u16::MAX.into()) as u16;
        }
    }

    /// Counts by majority vote whether windows are cut off at the same place.
    fn vote(&mut self, outcome: Outcome) {
        if outcome.arrived < 2 || outcome.window < TELLING_WINDOW {
            return;
        }
        let place = outcome.arrived.min(u16::MAX.into()) as u16;
        if self.votes == 0 {
            self.place = place;
        }
        self.votes = if self.place == place { self.votes.saturating_add(1) } else { self.votes - 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(trials: &mut Trials, arrived: u32, in_vain: u32, micros: u32) -> Manner {
        trials.window(Outcome { arrived, in_vain, micros, window: 64 });
        trials.manner()
    }

    #[test]
    fn a_small_receiver_gets_bursts_and_a_little_more_later() {
        let mut trials = Trials::new(KnownManner::default());
        assert_eq!(window(&mut trials, 16, 48, 20_000), Manner::Singly);
        assert_eq!(window(&mut trials, 16, 48, 20_000), Manner::Bursts(14), "single datagrams do not help");
        for _ in 0..3 {
            assert_eq!(window(&mut trials, 64, 0, 4_500), Manner::Bursts(14));
        }
        assert_eq!((trials.learnt().manner, trials.overflows_after()), (Manner::Bursts(14), 16));
        while trials.manner() == Manner::Bursts(14) {
            window(&mut trials, 64, 0, 4_500);
        }
        assert_eq!(trials.manner(), Manner::Bursts(17));
        window(&mut trials, 16, 1, 1_000);
        window(&mut trials, 16, 1, 1_000);
        assert_eq!(window(&mut trials, 16, 1, 1_000), Manner::Bursts(14), "that was too much");
    }

    #[test]
    fn a_fast_receiver_with_a_small_buffer_gets_single_datagrams() {
        let mut trials = Trials::new(KnownManner::default());
        for _ in 0..5 {
            assert_eq!(trials.manner(), Manner::Whole);
            window(&mut trials, 14, 50, 94);
        }
        for _ in 0..3 {
            assert_eq!(window(&mut trials, 64, 0, 340), Manner::Singly);
        }
        assert_eq!((trials.learnt().manner, trials.overflows_after()), (Manner::Singly, 0));
    }

    #[test]
    fn losses_by_chance_that_are_reported_at_once_cause_no_bursts() {
        let mut trials = Trials::new(KnownManner::default());
        for place in [3, 40, 12, 60, 20, 33, 1, 50].into_iter().cycle().take(500) {
            assert_eq!(window(&mut trials, place, 64 - place, 250).burst(), None);
            window(&mut trials, 64, 0, 250);
        }
    }

    #[test]
    fn a_receiver_that_is_always_cut_off_at_one_place_is_named() {
        let mut trials = Trials::new(KnownManner::default());
        for _ in 0..20 {
            window(&mut trials, 16, 48, 300);
        }
        assert_eq!(trials.overflows_after(), 16);
    }
}
