//! A group of clients that read one file from one stream (RFC 2090), the server's side.
//!
//! One member is the master: it acknowledges blocks, and so drives the stream that all members receive. When it has
//! the whole file, or goes silent, an OACK makes the next member master. That one requests the blocks that it lacks:
//! its ACK names the block before the first missing one.
//!
//! # The rule of use
//! As for a [`Transfer`](crate::Transfer): after every `handle_*` call, call [`Group::poll`] until it returns
//! [`Output::Timeout`] or [`Output::Closed`].
//!
//! # No client pays for another
//! - Nothing is sent to the group before a master has answered from its address. A member that has not answered gets
//!   at most five OACKs.
//! - Client addresses share the time as master, and a slow master pays more for it (`turns.rs`).
//! - A client without a term replaces a slow master after 50 ms.
//! - A master leads until another member answers: an unanswered offer costs it nothing. While there is no master,
//!   offers go to one member after the other without waiting for each to give up.

mod member;
mod option;
mod queries;
mod reader;
mod stream;
mod term;
mod turns;

use crate::options::OptionSet;
use crate::rtt::Timing;
use crate::sender::Blocks;
use crate::time::Time;
use crate::transfer::{Finish, Stats};
use crate::types::ErrorCode;
use core::time::Duration;
use member::Member;
pub use member::{ClientId, MemberId};
pub use option::Membership;
pub use reader::{Answer, Reader, ReaderOutput};
use std::collections::{BTreeMap, VecDeque};
use stream::Stream;
use term::Term;
use turns::Turns;

/// The largest file of a group in blocks: RFC 2090 has no roll-over, since an ACK may name any block of the file.
pub const MAX_BLOCKS: u64 = 65_535;

/// How often a master is judged while others wait, in microseconds: many round trips of a local network.
const JUDGED_EVERY: u32 = 50_000;

/// Microseconds between offers to different members.
const OFFERS_APART: u32 = 50_000;

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

/// The result of a membership.
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
enum Leadership {
    /// No member has answered an offer yet. The next offer is due at this time.
    Seeking { next_offer: Time },
    /// This member is the master.
    Led(Term),
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
    leadership: Leadership,
    turns: Turns,
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
            leadership: Leadership::Seeking { next_offer: now },
            turns: Turns::default(),
            stalled: None,
            due: VecDeque::new(),
        }
    }

    /// Returns whether a file of this size can be read by a group.
    pub fn fits(size: u64, blksize: u16) -> bool {
        stream::total(size, blksize) <= MAX_BLOCKS
    }

    /// Adds a member of this client with these granted options, without the option `multicast`.
    pub fn handle_join(&mut self, now: Time, client: ClientId, options: OptionSet) -> MemberId {
        let id = MemberId(self.next);
        self.next += 1;
        let member = Member::new(id, client, options, self.timing);
        self.turns.join(client);
        self.members.insert(id, member);
        match &mut self.leadership {
            // There is no other candidate.
            Leadership::Seeking { next_offer } if self.members.len() == 1 || *next_offer == Time::NEVER => {
                self.offer(id, now);
            }
            Leadership::Seeking { next_offer } => {
                *next_offer = (*next_offer).min(now.after(OFFERS_APART));
                self.oack(id, false);
            }
            Leadership::Led(_) => self.oack(id, false),
        }
        id
    }

    /// Handles a repeated request of a member: its OACK may have been lost.
    pub fn handle_repeated_request(&mut self, id: MemberId) {
        let leads = matches!(&self.leadership, Leadership::Led(term) if term.master == id);
        if let Some(member) = self.members.get_mut(&id) {
            member.stats.duplicates += 1;
        }
        let Some(member) = self.members.get(&id) else { return };
        let offered = member.has_offer() && self.is_open(member.offered_at);
        self.oack(id, leads || offered);
    }

    /// Handles an ACK of a member.
    pub fn handle_ack(&mut self, now: Time, id: MemberId, block: u16) {
        let position = u64::from(block);
        let total = self.stream.total();
        // No member has a block that was never sent.
        if position > total || (position == total && !self.stream.is_all_sent()) {
            return;
        }
        let Some(member) = self.members.get_mut(&id) else { return };
        let (had_offer, offered_at) = (member.has_offer(), member.offered_at);
        let handshake = member.answered(now);
        if position > 0 {
            member.first_block.get_or_insert(now);
        }
        if position == total {
            member.acked = total;
            return self.end(now, id, Finish::Complete);
        }
        // Blocks that it has not acknowledged in any term: repeating earlier ACKs is no progress.
        let news = position.saturating_sub(member.acked);
        member.acked = member.acked.max(position);
        match &self.leadership {
            Leadership::Led(term) if term.master == id => self.on_masters_ack(now, position, news),
            _ if had_offer && self.is_open(offered_at) => self.begin_term(now, id, position, handshake),
            // A former master that still acknowledges blocks.
            _ => self.remind(now, id),
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
        self.leadership = Leadership::Seeking { next_offer: now };
    }

    /// Ends all memberships silently.
    pub fn abandon(&mut self, now: Time) {
        self.due.clear();
        for id in self.ids() {
            self.finish(id, Finish::TimedOut);
        }
        self.leadership = Leadership::Seeking { next_offer: now };
    }

    /// Records that the host has not sent the blocks from `first` on, of the `blocks` from the last `poll`: the disk
    /// has not delivered them yet. The group sends nothing until [`Group::handle_resumed`].
    pub fn handle_unsent(&mut self, now: Time, blocks: Blocks, first: u64) {
        self.stream.unsent(blocks, first);
        self.stalled = Some(now);
    }

    /// Continues after [`Group::handle_unsent`]. The wait counts against no member.
    pub fn handle_resumed(&mut self, now: Time) {
        let Some(since) = self.stalled.take() else { return };
        if let Leadership::Led(term) = &mut self.leadership {
            term.pause(now.since(since));
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
        match &mut self.leadership {
            Leadership::Seeking { next_offer } => {
                if now >= *next_offer {
                    self.offer_next(now);
                }
            }
            Leadership::Led(_) if self.stalled.is_some() => {}
            Leadership::Led(term) => {
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
        match &mut self.leadership {
            Leadership::Seeking { next_offer } => Output::Timeout(expires.min(*next_offer)),
            Leadership::Led(_) if self.stalled.is_some() => Output::Timeout(expires),
            Leadership::Led(term) => {
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
                let judged = if others { term.settled.after(JUDGED_EVERY) } else { Time::NEVER };
                Output::Timeout(term.deadline.min(judged).min(expires))
            }
        }
    }

    /// Looks for another master.
    fn seek(&mut self, now: Time) {
        self.leadership = Leadership::Seeking { next_offer: now };
        self.offer_next(now);
    }

    fn offer_next(&mut self, now: Time) {
        let candidates = self.members.values().filter(|member| member.may_be_offered());
        match candidates.min_by_key(|member| self.turns.rank(member)).map(|member| member.id) {
            Some(id) => self.offer(id, now),
            // No member may get another offer: their time-outs are awaited.
            None => self.leadership = Leadership::Seeking { next_offer: Time::NEVER },
        }
    }

    /// Returns whether an answer to an offer of this time makes a master: offers of an earlier search are void.
    fn is_open(&self, offered_at: Time) -> bool {
        match &self.leadership {
            Leadership::Seeking { .. } => true,
            Leadership::Led(term) => offered_at >= term.began,
        }
    }

    fn offer(&mut self, id: MemberId, now: Time) {
        let alone = self.members.values().filter(|member| member.may_be_offered()).count() <= 1;
        let Some(member) = self.members.get_mut(&id) else { return };
        let (wait, round) = (member.patience(), member.doubled(OFFERS_APART));
        member.offered(now);
        // Rounds become longer, so that the slowest member has time to answer.
        let wait = if alone { wait } else { wait.min(round) };
        self.leadership = Leadership::Seeking { next_offer: now.after(wait) };
        self.oack(id, true);
    }

    /// Tells a member from time to time that it is not the master.
    fn remind(&mut self, now: Time, id: MemberId) {
        if self.members.get_mut(&id).is_some_and(|member| member.needs_reminder(now)) {
            self.oack(id, false);
        }
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

    /// Ends members that have timed out.
    fn expire(&mut self, now: Time) {
        let late = |member: &&Member| member.expires() <= now;
        let late: Vec<MemberId> = self.members.values().filter(late).map(|member| member.id).collect();
        for id in late {
            self.end(now, id, Finish::TimedOut);
        }
    }

    /// Ends a membership, and looks for another master if it was the master.
    fn end(&mut self, now: Time, id: MemberId, finish: Finish) {
        let led = matches!(&self.leadership, Leadership::Led(term) if term.master == id);
        let offered = self.members.get(&id).is_some_and(Member::has_offer);
        if !self.finish(id, finish) {
            return;
        }
        let seeking = matches!(self.leadership, Leadership::Seeking { .. });
        if led || (seeking && (offered || finish == Finish::Complete)) {
            self.seek(now);
        }
    }

    fn finish(&mut self, id: MemberId, finish: Finish) -> bool {
        let led = matches!(&self.leadership, Leadership::Led(term) if term.master == id);
        let rtt = self.stream.rtt().smoothed().filter(|_| led);
        let Some(member) = self.members.remove(&id) else { return false };
        self.turns.leave(member.client);
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
