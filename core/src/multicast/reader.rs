//! A member of a group, the client's side: which blocks it has, and what it acknowledges.

use super::MOST_BLOCKS;
use super::option::Membership;
use crate::options::{DEFAULT_BLKSIZE, Options};
use crate::time::Time;
use core::time::Duration;

/// An action that a reader requests from its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReaderOutput {
    /// Send the request, again if it was sent before.
    Request,
    /// Send an ACK with this number to the server.
    Ack(u16),
    /// All blocks have arrived. The reader stays to repeat its last ACK.
    Complete {
        /// Bytes of the file.
        size: u64,
    },
    /// Nothing has arrived for too long.
    TimedOut,
    /// Nothing to do before this time.
    Timeout(Time),
}

/// A client that reads a file as a member of a group.
#[derive(Debug)]
pub struct Reader {
    blksize: u16,
    membership: Option<Membership>,
    /// One bit for each block, from block 1 on.
    have: Vec<u64>,
    /// The last block before the first missing one.
    acked: u64,
    /// The last block, once it has arrived, and the length of its payload.
    last: Option<(u64, u16)>,
    complete: bool,
    due_ack: bool,
    due_request: bool,
    due_complete: bool,
    repeat: Duration,
    give_up: Duration,
    heard: Time,
    deadline: Time,
}

impl Reader {
    /// Creates a reader; its first output is the request. It repeats its last packet after `repeat` (as a member that
    /// is not the master: after three times as long), and gives up after `give_up` without a packet.
    pub fn new(now: Time, repeat: Duration, give_up: Duration) -> Self {
        Reader {
            blksize: DEFAULT_BLKSIZE,
            membership: None,
            have: Vec::new(),
            acked: 0,
            last: None,
            complete: false,
            due_ack: false,
            due_request: true,
            due_complete: false,
            repeat,
            give_up,
            heard: now,
            deadline: now + repeat,
        }
    }

    /// Handles an OACK. Returns whether it admits this client to a group.
    pub fn handle_oack(&mut self, now: Time, options: Options<'_>) -> bool {
        let Some(membership) = options.membership() else { return false };
        match &mut self.membership {
            Some(present) => present.master = membership.master,
            None if membership.group.is_none() => return false,
            None => {
                self.membership = Some(membership);
                self.blksize = options.requested().block_size();
            }
        }
        self.hear(now);
        self.due_ack = membership.master || self.complete;
        true
    }

    /// Handles a DATA packet with a payload of `length` bytes. Returns the offset of the payload if it is new.
    pub fn handle_data(&mut self, now: Time, block: u16, length: usize) -> Option<u64> {
        let position = u64::from(block);
        let membership = self.membership?;
        if position == 0 || position > MOST_BLOCKS || length > usize::from(self.blksize) || self.complete {
            return None;
        }
        self.hear(now);
        let (word, bit) = ((position / 64) as usize, position % 64);
        if self.have.len() <= word {
            self.have.resize(word + 1, 0);
        }
        let new = self.have[word] & 1 << bit == 0;
        self.have[word] |= 1 << bit;
        if length < usize::from(self.blksize) {
            self.last = Some((position, length as u16));
        }
        while self.has(self.acked + 1) {
            self.acked += 1;
        }
        self.due_ack |= membership.master;
        if self.last.is_some_and(|(last, _)| self.acked == last) {
            (self.complete, self.due_complete, self.due_ack) = (true, true, true);
        }
        new.then(|| (position - 1) * u64::from(self.blksize))
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
        self.deadline = now + self.repeat;
    }

    /// Returns the next action. Call until [`ReaderOutput::Timeout`] or [`ReaderOutput::TimedOut`].
    pub fn poll(&mut self, now: Time) -> ReaderOutput {
        if !self.complete && now.since(self.heard) >= self.give_up {
            return ReaderOutput::TimedOut;
        }
        if core::mem::take(&mut self.due_request) {
            return ReaderOutput::Request;
        }
        if core::mem::take(&mut self.due_ack) {
            return ReaderOutput::Ack(self.acked as u16);
        }
        if core::mem::take(&mut self.due_complete) {
            return ReaderOutput::Complete { size: self.size() };
        }
        let end = self.heard + self.give_up;
        ReaderOutput::Timeout(if self.complete { Time::NEVER } else { self.deadline.min(end) })
    }

    /// Returns the group, once the server has named it.
    pub fn membership(&self) -> Option<Membership> {
        self.membership
    }

    /// Returns the bytes in a block.
    pub fn blksize(&self) -> u16 {
        self.blksize
    }

    fn size(&self) -> u64 {
        self.last.map_or(0, |(last, length)| (last - 1) * u64::from(self.blksize) + u64::from(length))
    }

    fn has(&self, position: u64) -> bool {
        let word = self.have.get((position / 64) as usize);
        word.is_some_and(|word| word & 1 << (position % 64) != 0)
    }

    fn hear(&mut self, now: Time) {
        self.heard = now;
        let master = self.membership.is_some_and(|membership| membership.master);
        self.deadline = now + self.repeat * if master { 1 } else { 3 };
    }
}
