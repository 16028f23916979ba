//! The client's side of a group: a member, its blocks and its ACKs.

use super::MAX_BLOCKS;
use super::option::{Membership, NAME};
use crate::options::{OptionSet, Options};
use crate::time::Time;
use core::time::Duration;

/// A member that is not the master repeats an unanswered packet this many times more slowly than the master.
const PATIENCE: u32 = 3;

/// How long a member may get no block while the server still answers, as a multiple of `give_up`: several silent
/// masters may precede it.
const WITHOUT_BLOCKS: u32 = 4;

/// An action that a reader requests from its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReaderOutput {
    /// Send the request, again if it was sent before.
    Request,
    /// Send an ACK with this number to the server.
    Ack(u16),
    /// All blocks have arrived: store them, then call [`Reader::handle_stored`]. The server gets the last ACK after
    /// that, and again as often as it asks.
    Complete {
        /// Bytes of the file.
        size: u64,
    },
    /// Nothing has arrived for too long.
    TimedOut,
    /// Nothing to do before this time.
    Timeout(Time),
}

/// What an OACK means to a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// This client is a member.
    Member,
    /// The server grants no group: this client reads the file alone, or has another membership already.
    Alone,
    /// The group or an option is malformed, was not requested, or is larger than requested.
    Refused,
}

/// A client that reads a file as a member of a group.
#[derive(Debug)]
pub struct Reader {
    requested: OptionSet,
    options: OptionSet,
    membership: Option<Membership>,
    /// One bit for each block, from block 1 on.
    have: Vec<u64>,
    /// Bytes so far.
    bytes: u64,
    /// The last block before the first missing one.
    acked: u64,
    /// The largest number of a block.
    highest: u64,
    /// The last block, once it has arrived, and the length of its payload.
    last: Option<(u64, u16)>,
    complete: bool,
    stored: bool,
    due_ack: bool,
    due_request: bool,
    due_complete: bool,
    repeat: Duration,
    give_up: Duration,
    heard: Time,
    /// When the last block came, or the membership began.
    fed: Time,
    deadline: Time,
}

impl Reader {
    /// Creates a reader that requests these options; its first output is the request. It repeats its last packet after
    /// `repeat` (as a member that is not the master: after three times as long), and gives up after `give_up` without
    /// a packet, or without a block as the master.
    pub fn new(now: Time, requested: OptionSet, repeat: Duration, give_up: Duration) -> Self {
        Reader {
            requested,
            options: OptionSet::default(),
            membership: None,
            have: Vec::new(),
            bytes: 0,
            acked: 0,
            highest: 0,
            last: None,
            complete: false,
            stored: false,
            due_ack: false,
            due_request: true,
            due_complete: false,
            repeat,
            give_up,
            heard: now,
            fed: now,
            deadline: now + repeat,
        }
    }

    /// Handles an OACK.
    pub fn handle_oack(&mut self, now: Time, options: Options<'_>) -> Answer {
        if !options.asks_for_multicast() {
            return Answer::Alone;
        }
        let Some(membership) = options.membership() else { return Answer::Refused };
        match &mut self.membership {
            Some(present) => {
                // A master without blocks gives up, however often it is offered the lead.
                let news = present.master != membership.master || !membership.master;
                present.master = membership.master;
                if news {
                    self.heard = now;
                }
            }
            None => {
                let granted = OptionSet::verify_beside(&self.requested, options, Some(NAME));
                let (Some(granted), Some(_)) = (granted, membership.group) else { return Answer::Refused };
                (self.options, self.membership) = (granted, Some(membership));
                (self.heard, self.fed) = (now, now);
            }
        }
        self.wait(now);
        self.due_ack = if self.complete { self.stored } else { membership.master };
        Answer::Member
    }

    /// Handles a DATA packet with a payload of `length` bytes. Returns the offset of the payload if it is new.
    pub fn handle_data(&mut self, now: Time, block: u16, length: usize) -> Option<u64> {
        let position = u64::from(block);
        let membership = self.membership?;
        let blksize = usize::from(self.blksize());
        // A file has one end.
        let beyond = self.last.is_some_and(|(last, _)| position > last)
            || (length < blksize && position < self.highest);
        if position == 0 || position > MAX_BLOCKS || length > blksize || beyond || self.complete {
            return None;
        }
        (self.heard, self.fed) = (now, now);
        self.wait(now);
        let (word, bit) = ((position / 64) as usize, position % 64);
        if self.have.len() <= word {
            self.have.resize(word + 1, 0);
        }
        let new = self.have[word] & 1 << bit == 0;
        self.have[word] |= 1 << bit;
        if new {
            self.bytes += length as u64;
        }
        self.highest = self.highest.max(position);
        if length < blksize {
            self.last = Some((position, length as u16));
        }
        while self.has(self.acked + 1) {
            self.acked += 1;
        }
        self.due_ack |= membership.master;
        if self.last.is_some_and(|(last, _)| self.acked == last) {
            (self.complete, self.due_complete, self.due_ack) = (true, true, false);
        }
        new.then(|| (position - 1) * u64::from(self.blksize()))
    }

    /// Records that the file is stored: the server may hear of it.
    pub fn handle_stored(&mut self) {
        (self.stored, self.due_ack) = (self.complete, self.complete);
    }

    /// Handles the expiry of [`ReaderOutput::Timeout`].
    pub fn handle_timeout(&mut self, now: Time) {
        if now < self.deadline || self.complete {
            return;
        }
        match self.membership {
            Some(Membership { master: true, .. }) => self.due_ack = true,
            _ => self.due_request = true,
        }
        self.wait(now);
    }

    /// Returns the next action. Call until [`ReaderOutput::Timeout`] or [`ReaderOutput::TimedOut`].
    pub fn poll(&mut self, now: Time) -> ReaderOutput {
        let end = self.end();
        if !self.complete && now >= end {
            return ReaderOutput::TimedOut;
        }
        if core::mem::take(&mut self.due_request) {
            return ReaderOutput::Request;
        }
        if core::mem::take(&mut self.due_complete) {
            return ReaderOutput::Complete { size: self.size() };
        }
        if core::mem::take(&mut self.due_ack) {
            return ReaderOutput::Ack(self.acked as u16);
        }
        ReaderOutput::Timeout(if self.complete { Time::NEVER } else { self.deadline.min(end) })
    }

    /// Returns the group, once the server has named it.
    pub fn membership(&self) -> Option<Membership> {
        self.membership
    }

    /// Returns the granted options, without the option `multicast`.
    pub fn options(&self) -> &OptionSet {
        &self.options
    }

    /// Returns the bytes in a block.
    pub fn blksize(&self) -> u16 {
        self.options.block_size()
    }

    /// Returns how many bytes of the file have arrived.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn size(&self) -> u64 {
        self.last.map_or(0, |(last, length)| (last - 1) * u64::from(self.blksize()) + u64::from(length))
    }

    fn has(&self, position: u64) -> bool {
        let word = self.have.get((position / 64) as usize);
        word.is_some_and(|word| word & 1 << (position % 64) != 0)
    }

    /// When to give up.
    fn end(&self) -> Time {
        let silent = self.heard + self.give_up;
        if self.membership.is_some() { silent.min(self.fed + self.give_up * WITHOUT_BLOCKS) } else { silent }
    }

    fn wait(&mut self, now: Time) {
        let waits = self.membership.is_some_and(|membership| !membership.master);
        self.deadline = now + self.repeat * if waits { PATIENCE } else { 1 };
    }
}

#[cfg(test)]
#[allow(clippy::octal_escapes)] // an option's value follows a NUL
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;

    fn at(seconds: u64) -> Time {
        Time::from_micros(seconds * SECOND)
    }

    fn requested() -> OptionSet {
        OptionSet { tsize: Some(0), blksize: Some(512), windowsize: Some(16), ..OptionSet::default() }
    }

    fn oack(master: u8) -> Vec<u8> {
        format!("tsize\01300\0blksize\0512\0multicast\0239.255.0.1,1758,{master}\0").into_bytes()
    }

    /// A member; its request is sent.
    fn member(master: u8) -> Reader {
        let mut reader = Reader::new(at(0), requested(), Duration::from_secs(1), Duration::from_secs(10));
        assert_eq!(reader.poll(at(0)), ReaderOutput::Request);
        assert_eq!(reader.handle_oack(at(0), Options::new(&oack(master))), Answer::Member);
        reader
    }

    #[test]
    fn a_late_member_requests_its_missing_blocks() {
        let mut reader = member(0);
        assert_eq!(reader.handle_data(at(0), 2, 512), Some(512));
        assert_eq!(reader.handle_data(at(0), 3, 276), Some(1024));
        assert!(matches!(reader.poll(at(0)), ReaderOutput::Timeout(_)), "only the master acknowledges");
        reader.handle_oack(at(1), Options::new(&oack(1)));
        assert_eq!(reader.poll(at(1)), ReaderOutput::Ack(0));
        assert_eq!(reader.handle_data(at(1), 1, 512), Some(0));
        assert_eq!(reader.poll(at(1)), ReaderOutput::Complete { size: 1300 });
        assert!(matches!(reader.poll(at(1)), ReaderOutput::Timeout(_)), "it is not stored yet");
        reader.handle_stored();
        assert_eq!(reader.poll(at(1)), ReaderOutput::Ack(3));
        assert_eq!(reader.bytes(), 1300);
        // The last ACK was lost.
        reader.handle_oack(at(2), Options::new(&oack(1)));
        assert_eq!(reader.poll(at(2)), ReaderOutput::Ack(3));
    }

    #[test]
    fn a_repeated_block_is_acknowledged_and_not_new() {
        let mut reader = member(1);
        assert_eq!(reader.poll(at(0)), ReaderOutput::Ack(0));
        assert_eq!(reader.handle_data(at(0), 1, 512), Some(0));
        assert_eq!(reader.poll(at(0)), ReaderOutput::Ack(1));
        assert_eq!(reader.handle_data(at(0), 1, 512), None);
        assert_eq!(reader.poll(at(0)), ReaderOutput::Ack(1));
        assert_eq!(reader.handle_data(at(0), 0, 512), None);
        assert_eq!(reader.handle_data(at(0), 2, 513), None);
        assert_eq!(reader.bytes(), 512);
        // A file has one end.
        assert_eq!(reader.handle_data(at(0), 4, 512), Some(1536));
        assert_eq!(reader.handle_data(at(0), 3, 100), None);
        assert_eq!(reader.handle_data(at(0), 5, 100), Some(2048));
        assert_eq!(reader.handle_data(at(0), 6, 100), None);
    }

    #[test]
    fn answers_that_form_no_group() {
        let answer = |text: &[u8]| {
            let mut reader = Reader::new(at(0), requested(), Duration::from_secs(1), Duration::from_secs(9));
            reader.handle_oack(at(0), Options::new(text))
        };
        assert_eq!(answer(b"blksize\0512\0"), Answer::Alone);
        assert_eq!(answer(b"blksize\0512\0multicast\0239.255.0.1,1758,0\0"), Answer::Member);
        for refused in [
            &b"blksize\0513\0multicast\0239.255.0.1,1758,0\0"[..],
            b"windowsize\017\0multicast\0239.255.0.1,1758,0\0",
            b"timeout\03\0multicast\0239.255.0.1,1758,0\0",
            b"multicast\0,,1\0",
            b"multicast\010.0.0.1,1758,1\0",
            b"multicast\0239.255.0.1,1758,0\0more\01\0",
        ] {
            assert_eq!(answer(refused), Answer::Refused, "{}", refused.escape_ascii());
        }
    }

    #[test]
    fn a_member_repeats_and_gives_up() {
        let mut reader = member(0);
        let ReaderOutput::Timeout(time) = reader.poll(at(0)) else { panic!("a time-out was due") };
        assert_eq!(time, at(3));
        reader.handle_timeout(at(3));
        assert_eq!(reader.poll(at(3)), ReaderOutput::Request);
        assert!(matches!(reader.poll(at(9)), ReaderOutput::Timeout(_)));
        assert_eq!(reader.poll(at(10)), ReaderOutput::TimedOut);
        // The server answers, and blocks never come.
        let mut reader = member(0);
        for second in 0..40 {
            reader.handle_oack(at(second), Options::new(&oack(0)));
            assert!(matches!(reader.poll(at(second)), ReaderOutput::Timeout(_)), "{second}");
        }
        assert_eq!(reader.poll(at(40)), ReaderOutput::TimedOut);
    }

    #[test]
    fn a_master_without_blocks_gives_up() {
        let mut reader = member(1);
        for second in 0..10 {
            reader.handle_oack(at(second), Options::new(&oack(1)));
            assert_eq!(reader.poll(at(second)), ReaderOutput::Ack(0));
        }
        assert_eq!(reader.poll(at(10)), ReaderOutput::TimedOut);
    }
}
