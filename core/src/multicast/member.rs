//! A member of a group: its offers and answers, and its terms as the master.

use super::JUDGED_EVERY;
use crate::options::OptionSet;
use crate::rtt::Timing;
use crate::time::Time;
use crate::transfer::Stats;

/// OACKs in total for a member that has not proven its address: the answer to its request, a repetition if it repeats
/// the request, and [`UNPROVEN_OFFERS`].
pub(super) const UNPROVEN_OACKS: u8 = 5;

/// Offers that a member may leave unanswered.
const UNPROVEN_OFFERS: u8 = 3;
const PROVEN_OFFERS: u8 = 5;

/// How long a master may acknowledge nothing new while others wait, in its first term, in microseconds.
const SILENT: u32 = 1_000_000;

/// The longest term that is protected from members that have paid less, in microseconds.
const LONGEST_FLOOR: u32 = 2_000_000;

/// Microseconds between two OACKs that tell a former master, which still sends ACKs, that it is none.
const REMIND: u32 = 100_000;

/// Identifies a member of a group; not reused by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId(pub(super) u64);

/// A client, which may have several members: the caller numbers them, by address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ClientId(pub u64);

#[derive(Debug)]
pub(super) struct Member {
    pub(super) id: MemberId,
    pub(super) options: OptionSet,
    pub(super) timing: Timing,
    /// Members of one client share its turns.
    pub(super) client: ClientId,
    /// Its turn among members of the same rank; grows each time that it loses the lead.
    pub(super) turn: u64,
    /// The price of its terms so far.
    pub(super) paid: u64,
    /// Its terms, and how many of them were without progress.
    pub(super) terms: u32,
    idle_terms: u8,
    /// Microseconds for which it was master since it last acknowledged something new, in earlier terms.
    pub(super) idle: u32,
    /// Blocks per second in its fastest term: in a short one, one loss is much.
    pub(super) rate: u64,
    /// Whether it has answered from its address.
    pub(super) proven: bool,
    /// OACKs so far.
    pub(super) oacks: u8,
    /// Offers to become master that it has not answered, and when the first was sent.
    unanswered: u8,
    unanswered_since: Time,
    /// When the last offer was sent.
    pub(super) offered_at: Time,
    reminded_at: Time,
    /// The last block that it acknowledged.
    pub(super) acked: u64,
    pub(super) first_block: Option<Time>,
    pub(super) stats: Stats,
}

impl Member {
    pub(super) fn new(id: MemberId, client: ClientId, options: OptionSet, timing: Timing) -> Self {
        let timing = options.retransmission().map_or(timing, |micros| timing.with_timeout_option(micros));
        Member {
            id,
            options,
            timing,
            client,
            turn: id.0,
            paid: 0,
            terms: 0,
            idle_terms: 0,
            idle: 0,
            rate: 0,
            proven: false,
            oacks: 0,
            unanswered: 0,
            unanswered_since: Time::NEVER,
            offered_at: Time::NEVER,
            reminded_at: Time::NEVER,
            acked: 0,
            first_block: None,
            stats: Stats::default(),
        }
    }

    /// Whether it may get another offer.
    pub(super) fn may_be_offered(&self) -> bool {
        let most = if self.proven { PROVEN_OFFERS } else { UNPROVEN_OFFERS };
        self.unanswered < most && (self.proven || self.oacks < UNPROVEN_OACKS)
    }

    pub(super) fn has_offer(&self) -> bool {
        self.unanswered > 0
    }

    /// Offers that it has not answered.
    pub(super) fn unanswered(&self) -> u8 {
        self.unanswered
    }

    /// How long to wait for its answer to the next offer, if there is no other candidate, in microseconds.
    pub(super) fn patience(&self) -> u32 {
        self.doubled(self.timing.initial().max(self.options.retransmission().unwrap_or(0)))
    }

    /// Doubles microseconds for each offer that it has not answered.
    pub(super) fn doubled(&self, micros: u32) -> u32 {
        micros.saturating_mul(1 << self.unanswered.min(6))
    }

    /// Whether the time to answer the last offer is over.
    pub(super) fn is_rested(&self, now: Time) -> bool {
        self.unanswered == 0 || now.micros_since(self.offered_at) >= self.patience() / 2
    }

    pub(super) fn offered(&mut self, now: Time) {
        if self.unanswered == 0 {
            self.unanswered_since = now;
        }
        self.unanswered += 1;
        self.offered_at = now;
    }

    /// Microseconds for which it may be silent as the master while others wait. They double with each term without
    /// progress: a client that is slower than all its terms would never get a block.
    pub(super) fn may_be_silent(&self) -> u32 {
        SILENT.saturating_mul(1 << self.idle_terms.min(10)).min(self.timing.give_up())
    }

    /// Microseconds for which it is master at least, if each other client has had a term.
    pub(super) fn floor(&self) -> u32 {
        JUDGED_EVERY.saturating_mul(1 << self.idle_terms.min(10)).min(LONGEST_FLOOR)
    }

    /// Records the end of a term with this many acknowledged blocks. `silent`: microseconds without progress.
    pub(super) fn ends_term(&mut self, progress: u64, silent: u32) {
        self.idle = self.idle.saturating_add(silent);
        self.idle_terms = self.idle_terms.saturating_add(u8::from(progress == 0));
    }

    /// Records an answer. Returns microseconds since its only offer.
    pub(super) fn answered(&mut self, now: Time) -> Option<u32> {
        let exact = self.unanswered == 1 && self.offered_at != Time::NEVER;
        let rtt = exact.then(|| now.micros_since(self.offered_at));
        (self.unanswered, self.unanswered_since) = (0, Time::NEVER);
        self.proven = true;
        rtt
    }

    /// When a member without remaining offers expires.
    pub(super) fn expires(&self) -> Time {
        if self.unanswered_since == Time::NEVER || self.may_be_offered() {
            return Time::NEVER;
        }
        let patience = if self.proven { self.timing.give_up() } else { self.timing.unproven() };
        let answer = self.offered_at.after(self.timing.initial().saturating_mul(2));
        self.unanswered_since.after(patience).max(answer)
    }

    /// Whether to tell it that it is not the master.
    pub(super) fn needs_reminder(&mut self, now: Time) -> bool {
        let due = self.reminded_at == Time::NEVER || now.micros_since(self.reminded_at) >= REMIND;
        if due {
            self.reminded_at = now;
        }
        due
    }
}
