//! The term of a master: how it begins, is judged and ends.

use super::member::{Member, MemberId};
use super::stream::Acked;
use super::{Group, JUDGED_EVERY, Leadership};
use crate::time::Time;
use crate::transfer::Finish;
use core::time::Duration;

/// The fewest time-outs after which a master counts as silent.
const SILENT_TIMEOUTS: u8 = 3;

/// Clients without a term do not interrupt a master that brings the group this many bytes per second: they receive
/// the blocks as well, and each of them would request the first ones again.
const STEADY_BYTES_PER_SECOND: u64 = 500_000;

#[derive(Debug)]
pub(super) struct Term {
    pub(super) master: MemberId,
    /// When it began.
    pub(super) began: Time,
    /// Since when others have waited.
    contested: Time,
    /// When it last acknowledged something new, and the time-outs since then.
    heard: Time,
    pub(super) timeouts: u8,
    pub(super) deadline: Time,
    /// Blocks acknowledged since others have waited.
    progress: u64,
    /// Until when it has paid, and the blocks acknowledged since then.
    pub(super) settled: Time,
    fresh: u64,
}

impl Term {
    fn new(now: Time, master: MemberId) -> Self {
        Term {
            master,
            began: now,
            contested: now,
            heard: now,
            timeouts: 0,
            deadline: Time::NEVER,
            progress: 0,
            settled: now,
            fresh: 0,
        }
    }

    /// Excludes time for which the master was not responsible.
    pub(super) fn pause(&mut self, waited: Duration) {
        for time in [&mut self.contested, &mut self.heard, &mut self.settled] {
            *time = *time + waited;
        }
    }
}

impl Group {
    /// Makes a member the master, in place of the present one. `handshake`: microseconds since its only offer.
    pub(super) fn begin_term(&mut self, now: Time, id: MemberId, position: u64, handshake: Option<u32>) {
        self.end_term(now);
        let Some(member) = self.members.get_mut(&id) else { return };
        self.turns.begin(member);
        self.stream.begin_term(position, member.options.window_size(), member.timing, handshake);
        self.leadership = Leadership::Led(Term::new(now, id));
        // Earlier waits for the disk do not count for this term.
        self.stalled = self.stalled.map(|_| now);
    }

    /// Makes the master an ordinary member, the last among equals.
    fn end_term(&mut self, now: Time) {
        let Leadership::Led(term) = &self.leadership else { return };
        let (id, progress, silent) = (term.master, term.progress, now.micros_since(term.heard));
        self.settle(now);
        let turn = self.members.values().map(|member| member.turn).max().unwrap_or(0) + 1;
        if let Some(master) = self.members.get_mut(&id) {
            master.turn = turn;
            master.ends_term(progress, silent);
        }
        self.oack(id, false);
    }

    pub(super) fn on_masters_ack(&mut self, now: Time, position: u64, news: u64) {
        let Leadership::Led(term) = &mut self.leadership else { return };
        let Some(master) = self.members.get_mut(&term.master) else { return };
        match self.stream.on_ack(now, position) {
            Acked::Ignored => {}
            Acked::Duplicate => master.stats.duplicates += 1,
            Acked::Progress(blocks) => {
                (term.timeouts, term.deadline) = (0, Time::NEVER);
                let blocks = blocks.min(news);
                if blocks > 0 {
                    master.idle = 0;
                    term.heard = now;
                    term.progress += blocks;
                    term.fresh += blocks;
                }
                self.judge(now);
            }
        }
    }

    /// Offers the lead to waiting members if the master is slow, silent, or has led for long. Ends a master that is
    /// silent for too long.
    pub(super) fn judge(&mut self, now: Time) {
        let Leadership::Led(term) = &mut self.leadership else { return };
        let id = term.master;
        let Some(master) = self.members.get(&id) else { return };
        let silent = now.micros_since(term.heard);
        if silent.saturating_add(master.idle) >= master.timing.give_up() {
            return self.end(now, id, Finish::TimedOut);
        }
        if now.micros_since(term.settled) < JUDGED_EVERY {
            return;
        }
        if !self.members.values().any(|other| other.id != id && other.may_be_offered()) {
            // Time is free while no other member waits.
            (term.contested, term.progress, term.settled, term.fresh) = (now, 0, now, 0);
            self.turns.uncontested();
            return;
        }
        let is_silent = silent >= master.may_be_silent() && term.timeouts >= SILENT_TIMEOUTS;
        let is_long = now.micros_since(term.contested) >= master.floor();
        let is_steady = self.settle(now);
        let Some(master) = self.members.get(&id) else { return };
        let follows = |other: &&Member| {
            let is_due = is_silent
                || (!is_steady && self.turns.is_new(other, master))
                || (is_long && self.turns.is_behind(other, master));
            is_due && other.id != id && other.may_be_offered() && other.is_rested(now)
        };
        // One member that has answered before, and one that has not: forged requests do not delay the former.
        let first = |answered: bool| {
            let found = self.members.values().filter(|other| other.proven == answered).filter(follows);
            found.min_by_key(|other| self.turns.rank(other)).map(|other| other.id)
        };
        let (client, found) = (master.client, [first(true), first(false)]);
        for found in found.into_iter().flatten() {
            if let Some(member) = self.members.get_mut(&found) {
                if member.has_offer() {
                    self.turns.passes(member.client, client);
                }
                member.offered(now);
            }
            self.oack(found, true);
        }
    }

    /// Charges the master for the time since it was last charged. Returns whether its pace in this time was steady.
    fn settle(&mut self, now: Time) -> bool {
        self.turns.level(self.members.values());
        let best = self.members.values().map(|member| member.rate).max().unwrap_or(0);
        let Leadership::Led(term) = &mut self.leadership else { return false };
        let Some(master) = self.members.get_mut(&term.master) else { return false };
        let (span, lasted) = (now.micros_since(term.settled), now.micros_since(term.contested));
        self.turns.charge(master, best, span, term.fresh, (lasted, term.progress));
        let rate = term.progress.saturating_mul(1_000_000) / u64::from(lasted.max(JUDGED_EVERY));
        master.rate = master.rate.max(rate);
        let bytes = term.fresh.saturating_mul(self.blksize.into());
        let is_steady = bytes.saturating_mul(1_000_000) >= STEADY_BYTES_PER_SECOND * u64::from(span);
        (term.settled, term.fresh) = (now, 0);
        is_steady
    }
}
