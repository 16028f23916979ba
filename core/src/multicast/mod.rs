//! A group of clients that read one file from one stream (RFC 2090), the server's side.
//!
//! One member is the master: it acknowledges blocks, and so drives the stream that all members receive. When it has
//! the whole file, or goes silent, the next member becomes master by an OACK, and requests what it lacks: its ACK
//! names the block before the first missing one.
//!
//! # The rule of use
//! As for a [`Transfer`](crate::Transfer): after every `handle_*` call, call [`Group::poll`] until it returns
//! [`Output::Timeout`] or [`Output::Closed`].
//!
//! # Nobody pays for another
//! - Nothing is sent to the group before a master has answered from its address. A member that has not answered gets
//!   at most five OACKs.
//! - A master that is silent for a second while others wait is replaced. So is one that is four times slower than
//!   the fastest, after [`TERM`]; any master after [`LONG_TERM`]. Members that were silent or slow are asked last.
//! - While no member answers, the offer goes to one after the other without waiting for each to give up.

mod facts;
mod member;
mod option;
mod reader;
mod stream;

use crate::options::OptionSet;
use crate::rtt::Timing;
use crate::sender::Blocks;
use crate::time::Time;
use crate::transfer::{Finish, Stats};
use crate::types::ErrorCode;
use core::time::Duration;
use member::Member;
pub use member::MemberId;
pub use option::Membership;
pub use reader::{Answer, Reader, ReaderOutput};
use std::collections::{BTreeMap, VecDeque};
use stream::{Acked, Stream};

/// The largest file of a group in blocks: RFC 2090 has no roll-over, since an ACK may name any block of the file.
pub const MOST_BLOCKS: u64 = 65_535;

/// Time-outs of a master that counts as silent, at least.
const SILENT_TIMEOUTS: u8 = 3;

/// How often a master's rate is compared with the best one, in microseconds.
const TERM: u32 = 2_000_000;
/// How long a member is master at most while others wait, in microseconds.
const LONG_TERM: u32 = 10_000_000;
/// A master is slow if it is this many times slower than the fastest.
const SLOW: u64 = 4;

/// Microseconds between offers to different members.
const OFFERS_APART: u32 = 100_000;

/// An action that a group requests from its caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Send these blocks to the group.
    Send(Blocks),
    /// Send an OACK to this member: see [`Group::encode_oack`].
    Oack {
        /// The receiver.
        member: MemberId,
        /// Its options.
        options: OptionSet,
        /// Whether it is to acknowledge blocks.
        master: bool,
    },
    /// Send an ERROR to this member; it ends at once.
    Error {
        /// The receiver.
        member: MemberId,
        /// The code.
        code: ErrorCode,
        /// The text.
        text: &'static str,
    },
    /// A member has ended, with this report; it is forgotten.
    Finished {
        /// The member.
        member: MemberId,
        /// How it ended.
        report: Report,
    },
    /// Nothing to do before this time.
    Timeout(Time),
    /// The last member has ended.
    Closed,
}

/// What is known of a member that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// How it ended: complete only if it acknowledged the last block.
    pub finish: Finish,
    /// Its options.
    pub options: OptionSet,
    /// Blocks that it is known to have.
    pub blocks: u64,
    /// Bytes that it is known to have.
    pub bytes: u64,
    /// When it first acknowledged a block.
    pub first_block: Option<Time>,
    /// Repetitions and time-outs while it was master.
    pub stats: Stats,
    /// Whether it ever answered from its address.
    pub proven: bool,
    /// The smoothed RTT, if it was the master.
    pub rtt: Option<Duration>,
}

#[derive(Debug)]
enum Phase {
    /// Offers are out, and nobody has answered. The next offer is due at this time.
    Seeking { next_offer: Time },
    /// This member is the master.
    Led(Term),
}

#[derive(Debug)]
struct Term {
    master: MemberId,
    began: Time,
    /// When it last acknowledged something new, and the time-outs since then.
    heard: Time,
    timeouts: u8,
    deadline: Time,
    /// The start of the present comparison, and the blocks acknowledged since then.
    compared: Time,
    progress: u64,
}

/// A group as a state machine.
#[derive(Debug)]
pub struct Group {
    size: u64,
    blksize: u16,
    timing: Timing,
    stream: Stream,
    members: BTreeMap<MemberId, Member>,
    next: u64,
    phase: Phase,
    /// The best rate of a master, in blocks per second.
    best_rate: u64,
    stalled: Option<Time>,
    due: VecDeque<Output>,
}

impl Group {
    /// Creates a group without members for a file of `size` bytes.
    pub fn new(now: Time, size: u64, blksize: u16, timing: Timing) -> Self {
        Group {
            size,
            blksize,
            timing,
            stream: Stream::new(size, blksize, timing),
            members: BTreeMap::new(),
            next: 0,
            phase: Phase::Seeking { next_offer: now },
            best_rate: 0,
            stalled: None,
            due: VecDeque::new(),
        }
    }

    /// Returns whether a file of this size can be read by a group.
    pub fn fits(size: u64, blksize: u16) -> bool {
        stream::total(size, blksize) <= MOST_BLOCKS
    }

    /// Adds a member with these granted options, without the option `multicast`.
    pub fn handle_join(&mut self, now: Time, options: OptionSet) -> MemberId {
        let id = MemberId(self.next);
        self.next += 1;
        let member = Member::new(id, options, self.timing);
        self.members.insert(id, member);
        match &mut self.phase {
            // Nobody else may be asked.
            Phase::Seeking { next_offer } if self.members.len() == 1 || *next_offer == Time::NEVER => {
                self.offer(id, now);
            }
            Phase::Seeking { next_offer } => {
                *next_offer = (*next_offer).min(now.after(OFFERS_APART));
                self.oack(id, false);
            }
            Phase::Led(_) => self.oack(id, false),
        }
        id
    }

    /// Handles a repeated request of a member: its OACK may have been lost.
    pub fn handle_repeated_request(&mut self, id: MemberId) {
        let leads = matches!(&self.phase, Phase::Led(term) if term.master == id);
        let Some(member) = self.members.get_mut(&id) else { return };
        member.stats.duplicates += 1;
        let seeking = matches!(self.phase, Phase::Seeking { .. });
        let offered = seeking && member.has_offer();
        self.oack(id, leads || offered);
    }

    /// Handles an ACK of a member.
    pub fn handle_ack(&mut self, now: Time, id: MemberId, block: u16) {
        let position = u64::from(block);
        let total = self.stream.total();
        // Nobody has a block that was never sent.
        if position > total || (position == total && !self.stream.is_all_sent()) {
            return;
        }
        let Some(member) = self.members.get_mut(&id) else { return };
        let had_offer = member.has_offer();
        let handshake = member.answered(now);
        if position > 0 {
            member.first_block.get_or_insert(now);
        }
        if position == total {
            member.acked = total;
            return self.end(now, id, Finish::Complete);
        }
        member.acked = member.acked.max(position);
        let window = member.options.window_size();
        match &self.phase {
            Phase::Seeking { .. } if had_offer => {
                let timing = member.timing;
                self.stream.begin_term(position, window, timing, handshake);
                self.phase = Phase::Led(Term {
                    master: id,
                    began: now,
                    heard: now,
                    timeouts: 0,
                    deadline: Time::NEVER,
                    compared: now,
                    progress: 0,
                });
            }
            Phase::Led(term) if term.master == id => self.on_masters_ack(now, position),
            // It still believes that it is the master.
            _ if member.is_to_be_reminded(now) => self.oack(id, false),
            _ => {}
        }
    }

    /// Handles an ERROR of a member, which ends its membership.
    pub fn handle_error(&mut self, now: Time, id: MemberId, code: u16) {
        self.end(now, id, Finish::PeerError(code));
    }

    /// Ends a membership with an ERROR.
    pub fn expel(&mut self, now: Time, id: MemberId, code: ErrorCode, text: &'static str) {
        if self.members.contains_key(&id) {
            self.due.push_back(Output::Error { member: id, code, text });
            self.end(now, id, Finish::Failed(code));
        }
    }

    /// Ends a membership silently: its client no longer wants the file.
    pub fn leave(&mut self, now: Time, id: MemberId) {
        self.end(now, id, Finish::PeerError(0));
    }

    /// Ends all memberships with an ERROR: the file cannot be read, or the server stops.
    pub fn fail(&mut self, now: Time, code: ErrorCode, text: &'static str) {
        self.due.clear();
        for id in self.ids() {
            self.due.push_back(Output::Error { member: id, code, text });
            self.finish(id, Finish::Failed(code));
        }
        self.phase = Phase::Seeking { next_offer: now };
    }

    /// Ends all memberships silently.
    pub fn abandon(&mut self, now: Time) {
        self.due.clear();
        for id in self.ids() {
            self.finish(id, Finish::TimedOut);
        }
        self.phase = Phase::Seeking { next_offer: now };
    }

    /// Records that the host has not sent the blocks from `first` on, of the `blocks` from the last `poll`: the disk
    /// has not delivered them yet. The group sends nothing until [`Group::handle_resumed`].
    pub fn handle_unsent(&mut self, now: Time, blocks: Blocks, first: u64) {
        self.stream.unsent(blocks, first);
        self.stalled = Some(now);
    }

    /// Continues after [`Group::handle_unsent`]. The wait counts against nobody.
    pub fn handle_resumed(&mut self, now: Time) {
        let Some(since) = self.stalled.take() else { return };
        if let Phase::Led(term) = &mut self.phase {
            let waited = now.since(since);
            for time in [&mut term.began, &mut term.heard, &mut term.compared] {
                *time = *time + waited;
            }
            term.deadline = now.after(self.stream.timeout(now));
        }
    }

    /// Returns whether the group waits for the host's disk.
    pub fn is_stalled(&self) -> bool {
        self.stalled.is_some()
    }

    /// Handles the expiry of [`Output::Timeout`]. Does nothing if called early.
    pub fn handle_timeout(&mut self, now: Time) {
        self.expire(now);
        match &mut self.phase {
            Phase::Seeking { next_offer } => {
                if now >= *next_offer {
                    self.offer_next(now);
                }
            }
            Phase::Led(_) if self.stalled.is_some() => {}
            Phase::Led(term) => {
                if now >= term.deadline {
                    term.deadline = Time::NEVER;
                    if self.stream.on_timeout(now) {
                        term.timeouts = term.timeouts.saturating_add(1);
                        if let Some(member) = self.members.get_mut(&term.master) {
                            member.stats.timeouts += 1;
                        }
                    }
                }
                self.judge(now);
            }
        }
    }

    /// Returns the next action.
    pub fn poll(&mut self, now: Time) -> Output {
        if let Some(output) = self.due.pop_front() {
            return output;
        }
        if self.members.is_empty() {
            return Output::Closed;
        }
        let expires = self.members.values().map(Member::expires).min().unwrap_or(Time::NEVER);
        match &mut self.phase {
            Phase::Seeking { next_offer } => Output::Timeout(expires.min(*next_offer)),
            Phase::Led(_) if self.stalled.is_some() => Output::Timeout(expires),
            Phase::Led(term) => {
                let resent = self.stream.resent;
                if let Some(blocks) = self.stream.poll(now) {
                    let again = self.stream.resent - resent;
                    if let Some(member) = self.members.get_mut(&term.master) {
                        member.stats.retransmissions =
                            member.stats.retransmissions.saturating_add(again as u32);
                    }
                    term.deadline = now.after(self.stream.timeout(now));
                    return Output::Send(blocks);
                }
                if term.deadline == Time::NEVER {
                    term.deadline = now.after(self.stream.timeout(now));
                }
                let others = self.members.len() > 1;
                let compare = if others { term.compared.after(TERM) } else { Time::NEVER };
                Output::Timeout(term.deadline.min(compare).min(expires))
            }
        }
    }

    fn on_masters_ack(&mut self, now: Time, position: u64) {
        let Phase::Led(term) = &mut self.phase else { return };
        match self.stream.on_ack(now, position) {
            Acked::Ignored => {}
            Acked::Duplicate => {
                if let Some(member) = self.members.get_mut(&term.master) {
                    member.stats.duplicates += 1;
                }
            }
            Acked::Progress(blocks) => {
                term.progress += blocks;
                (term.heard, term.timeouts, term.deadline) = (now, 0, Time::NEVER);
                self.judge(now);
            }
        }
    }

    /// Replaces the master if it is silent or slow and others wait; ends it if it is silent for too long.
    fn judge(&mut self, now: Time) {
        let Phase::Led(term) = &mut self.phase else { return };
        let (id, silent) = (term.master, now.micros_since(term.heard));
        let Some(master) = self.members.get(&id) else { return };
        if silent >= master.timing.give_up() {
            return self.end(now, id, Finish::TimedOut);
        }
        let allowance = master.may_be_silent();
        let others = self.members.values().any(|other| other.id != id && other.may_be_offered());
        if !others {
            (term.compared, term.progress) = (now, 0);
            return;
        }
        if silent >= allowance && term.timeouts >= SILENT_TIMEOUTS {
            let heard = term.heard;
            return self.depose(now, |master| master.fell_silent(heard));
        }
        let span = now.micros_since(term.compared);
        if span < TERM {
            return;
        }
        let rate = term.progress.saturating_mul(1_000_000) / u64::from(span.max(1));
        (term.compared, term.progress) = (now, 0);
        let long = now.micros_since(term.began) >= LONG_TERM;
        self.best_rate = self.best_rate.max(rate);
        if rate.saturating_mul(SLOW) < self.best_rate {
            self.depose(now, |master| master.strikes = master.strikes.saturating_add(1));
        } else if long {
            self.depose(now, |_| ());
        }
    }

    /// Makes the master an ordinary member, the last in order.
    fn depose(&mut self, now: Time, note: impl FnOnce(&mut Member)) {
        let Phase::Led(term) = &self.phase else { return };
        let id = term.master;
        let turn = self.members.values().map(|member| member.turn).max().unwrap_or(0) + 1;
        if let Some(master) = self.members.get_mut(&id) {
            master.turn = turn;
            note(master);
        }
        self.oack(id, false);
        self.seek(now);
    }

    /// Looks for another master.
    fn seek(&mut self, now: Time) {
        self.phase = Phase::Seeking { next_offer: now };
        self.offer_next(now);
    }

    fn offer_next(&mut self, now: Time) {
        let best = self.members.values().filter(|member| member.may_be_offered()).min_by_key(|it| it.merit());
        match best.map(|member| member.id) {
            Some(id) => self.offer(id, now),
            // Only patience is left.
            None => self.phase = Phase::Seeking { next_offer: Time::NEVER },
        }
    }

    fn offer(&mut self, id: MemberId, now: Time) {
        let alone = self.members.values().filter(|member| member.may_be_offered()).count() <= 1;
        let Some(member) = self.members.get_mut(&id) else { return };
        let doublings = u32::from(member.merit().0).min(6);
        member.offered(now);
        let mut wait = self.timing.initial();
        if let Some(named) = member.options.retransmission() {
            wait = wait.max(named);
        }
        let wait = if alone {
            wait.saturating_mul(1 << doublings)
        } else {
            // Rounds become longer, so that the slowest member has time to answer.
            wait.min(OFFERS_APART).saturating_mul(1 << doublings)
        };
        self.phase = Phase::Seeking { next_offer: now.after(wait) };
        self.oack(id, true);
    }

    /// Sends an OACK, within the bounds for a member that has not proven its address.
    fn oack(&mut self, id: MemberId, master: bool) {
        let Some(member) = self.members.get_mut(&id) else { return };
        if !member.proven && member.oacks >= member::UNPROVEN_OACKS {
            return;
        }
        member.oacks = member.oacks.saturating_add(1);
        self.due.push_back(Output::Oack { member: id, options: member.options, master });
    }

    /// Ends members whose patience is over.
    fn expire(&mut self, now: Time) {
        let late = |member: &&Member| member.expires() <= now;
        let late: Vec<MemberId> = self.members.values().filter(late).map(|member| member.id).collect();
        for id in late {
            self.end(now, id, Finish::TimedOut);
        }
    }

    /// Ends a membership, and looks for another master if it was the master.
    fn end(&mut self, now: Time, id: MemberId, finish: Finish) {
        let led = matches!(&self.phase, Phase::Led(term) if term.master == id);
        let offered = self.members.get(&id).is_some_and(Member::has_offer);
        if !self.finish(id, finish) {
            return;
        }
        let seeking = matches!(self.phase, Phase::Seeking { .. });
        if led || (seeking && (offered || finish == Finish::Complete)) {
            self.seek(now);
        }
    }

    fn finish(&mut self, id: MemberId, finish: Finish) -> bool {
        let led = matches!(&self.phase, Phase::Led(term) if term.master == id);
        let rtt = self.stream.rtt().smoothed().filter(|_| led);
        let Some(member) = self.members.remove(&id) else { return false };
        let blocks = member.acked;
        let report = Report {
            finish,
            options: member.options,
            blocks,
            bytes: self.size.min(blocks * u64::from(self.blksize)),
            first_block: member.first_block,
            stats: member.stats,
            proven: member.proven,
            rtt: rtt.map(|micros| Duration::from_micros(micros.into())),
        };
        self.due.push_back(Output::Finished { member: id, report });
        true
    }

    fn ids(&self) -> Vec<MemberId> {
        self.members.keys().copied().collect()
    }
}

#[cfg(test)]
mod tests;
