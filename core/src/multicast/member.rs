//! A member of a group, and its place in the order of masters.

use crate::options::OptionSet;
use crate::rtt::Timing;
use crate::time::Time;
use crate::transfer::Stats;

/// OACKs in total for a member that has not proven its address: the answer to its request, a repetition if it repeats
/// the request, and [`UNPROVEN_OFFERS`].
pub(super) const UNPROVEN_OACKS: u8 = 5;

/// Offers that a member may leave unanswered before its patience counts.
const UNPROVEN_OFFERS: u8 = 3;
const PROVEN_OFFERS: u8 = 5;

/// How long a master may acknowledge nothing new while others wait, the first time, in microseconds.
const SILENT: u32 = 1_000_000;

/// Microseconds between two OACKs that tell a former master, which still sends ACKs, that it is none.
const REMIND: u32 = 100_000;

/// Identifies a member of a group; not reused by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId(pub(super) u64);

#[derive(Debug)]
pub(super) struct Member {
    pub(super) id: MemberId,
    pub(super) options: OptionSet,
    pub(super) timing: Timing,
    /// Its turn among members of the same merit; grows each time that it gives up being master.
    pub(super) turn: u64,
    /// Whether it has answered from its address.
    pub(super) proven: bool,
    /// OACKs so far.
    pub(super) oacks: u8,
    /// Offers to become master that it has not answered, and when the first was sent.
    unanswered: u8,
    unanswered_since: Time,
    /// When the last offer was sent.
    pub(super) offered_at: Time,
    /// How often it was master and far slower than another, or silent.
    pub(super) strikes: u8,
    silences: u8,
    reminded_at: Time,
    /// The last block that it acknowledged.
    pub(super) acked: u64,
    pub(super) first_block: Option<Time>,
    pub(super) stats: Stats,
}

impl Member {
    pub(super) fn new(id: MemberId, options: OptionSet, timing: Timing) -> Self {
        let timing = options.retransmission().map_or(timing, |micros| timing.with_timeout_option(micros));
        Member {
            id,
            options,
            timing,
            turn: id.0,
            proven: false,
            oacks: 0,
            unanswered: 0,
            unanswered_since: Time::NEVER,
            offered_at: Time::NEVER,
            strikes: 0,
            silences: 0,
            reminded_at: Time::NEVER,
            acked: 0,
            first_block: None,
            stats: Stats::default(),
        }
    }

    /// The member with the smallest merit becomes master first: those that answer, then those that are fast, then
    /// those that have waited longest.
    pub(super) fn merit(&self) -> (u8, u8, u64) {
        (self.unanswered, self.strikes, self.turn)
    }

    /// Whether it may get another offer.
    pub(super) fn may_be_offered(&self) -> bool {
        let most = if self.proven { PROVEN_OFFERS } else { UNPROVEN_OFFERS };
        self.unanswered < most && (self.proven || self.oacks < UNPROVEN_OACKS)
    }

    pub(super) fn has_offer(&self) -> bool {
        self.unanswered > 0
    }

    pub(super) fn offered(&mut self, now: Time) {
        if self.unanswered == 0 {
            self.unanswered_since = now;
        }
        self.unanswered += 1;
        self.offered_at = now;
    }

    /// Microseconds for which it may be silent as the master while others wait. They double each time: a client that
    /// is slower than all its terms would never get a block.
    pub(super) fn may_be_silent(&self) -> u32 {
        SILENT.saturating_mul(1 << self.silences.min(10)).min(self.timing.give_up())
    }

    /// Records that it was master and went silent.
    pub(super) fn fell_silent(&mut self, since: Time) {
        self.silences = self.silences.saturating_add(1);
        self.strikes = self.strikes.saturating_add(1);
        self.unanswered = self.unanswered.max(PROVEN_OFFERS - 2);
        self.unanswered_since = self.unanswered_since.min(since);
    }

    /// Records an answer. Returns microseconds since its only offer.
    pub(super) fn answered(&mut self, now: Time) -> Option<u32> {
        let exact = self.unanswered == 1 && self.offered_at != Time::NEVER;
        let rtt = exact.then(|| now.micros_since(self.offered_at));
        (self.unanswered, self.unanswered_since) = (0, Time::NEVER);
        self.proven = true;
        rtt
    }

    /// When it is given up, once it may get no more offers.
    pub(super) fn expires(&self) -> Time {
        if self.unanswered_since == Time::NEVER || self.may_be_offered() {
            return Time::NEVER;
        }
        let patience = if self.proven { self.timing.give_up() } else { self.timing.unproven() };
        let answer = self.offered_at.after(self.timing.initial().saturating_mul(2));
        self.unanswered_since.after(patience).max(answer)
    }

    /// Whether to tell it that it is not the master.
    pub(super) fn is_to_be_reminded(&mut self, now: Time) -> bool {
        let due = self.reminded_at == Time::NEVER || now.micros_since(self.reminded_at) >= REMIND;
        if due {
            self.reminded_at = now;
        }
        due
    }
}
