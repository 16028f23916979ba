//! The side that sends DATA: the server of a read, the client of a write.
//!
//! Knows which blocks are acknowledged and which may go out next; the bytes stay with the caller.

use crate::block::Rollover;
use crate::time::Time;

/// A run of blocks to send: `first`, `first + 1`, … (`count` of them).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks {
    /// The position of the first; 1 is the first block of the file.
    pub first: u64,
    /// How many, at least 1.
    pub count: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct Sender {
    /// Blocks of the whole transfer, the final short (maybe empty) one included.
    total: u64,
    /// Bytes of the whole transfer.
    size: u64,
    /// The last block that the peer has, with all before it.
    acked: u64,
    /// The next block to send.
    next: u64,
    /// The last block that was ever sent.
    high: u64,
    /// When the first block after `acked` was last sent.
    burst_at: Time,
    /// The block whose round trip is being measured, 0 for none, and when it was sent.
    sampled: u64,
    sampled_at: Time,
    window: u16,
    blksize: u16,
    rollover: Rollover,
    /// One rollback for a gap: a peer may report one loss with an ACK for every later block.
    rolled_back: bool,
}

/// When answers to a packet arrive, in microseconds after it was sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Answers {
    /// None comes sooner.
    pub(crate) earliest: u32,
    /// All but stray ones are there.
    pub(crate) surely: u32,
}

/// What an ACK meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Acked {
    /// Old, repeated or impossible: nothing changes.
    Ignored,
    /// New blocks have arrived; the round trip in microseconds where it could be measured.
    Progress { rtt: Option<u32> },
    /// The peer misses the block after the one it named: sending goes on there.
    Gap,
    /// Everything has arrived.
    Finished { rtt: Option<u32> },
}

impl Sender {
    pub(crate) fn new(size: u64, blksize: u16, window: u16, rollover: Rollover) -> Self {
        Sender {
            total: size / u64::from(blksize.max(1)) + 1,
            size,
            blksize,
            acked: 0,
            next: 1,
            high: 0,
            burst_at: Time::default(),
            sampled: 0,
            sampled_at: Time::default(),
            // A window of the whole period could not tell an ACK of all from an ACK of none.
            window: window.clamp(1, (rollover.period() - 1).min(65_535) as u16),
            rollover,
            rolled_back: false,
        }
    }

    pub(crate) fn on_ack(&mut self, now: Time, wire: u16, answers: Answers) -> Acked {
        let Some(ahead) = self.rollover.ahead(self.acked, wire) else { return Acked::Ignored };
        let position = self.acked + ahead;
        if position > self.high {
            return Acked::Ignored;
        }
        if ahead == 0 {
            return self.on_duplicate(now, answers);
        }
        let rtt = (self.sampled != 0 && position >= self.sampled).then(|| now.micros_since(self.sampled_at));
        if rtt.is_some() {
            self.sampled = 0;
        }
        self.acked = position;
        if position >= self.total {
            return Acked::Finished { rtt };
        }
        // RFC 7440 section 4: an ACK inside the window tells of a gap; the next window starts after it.
        self.rolled_back = position + 1 < self.next;
        if self.rolled_back {
            self.sampled = 0;
        }
        self.next = position + 1;
        Acked::Progress { rtt }
    }

    /// Nothing was heard in time: the whole window goes out again (RFC 7440 section 4).
    pub(crate) fn on_timeout(&mut self) {
        self.next = self.acked + 1;
        self.rolled_back = false;
        self.sampled = 0;
    }

    /// The blocks that may go out now.
    pub(crate) fn poll(&mut self, now: Time) -> Option<Blocks> {
        let last = (self.acked + u64::from(self.window)).min(self.total);
        if self.next > last {
            return None;
        }
        let blocks = Blocks { first: self.next, count: (last - self.next + 1) as u32 };
        if blocks.first == self.acked + 1 {
            self.burst_at = now;
        }
        // Karn: only a block that goes out for the first time is measured, the last one of the window,
        // because it is the one that the peer answers.
        if self.sampled == 0 && blocks.first > self.high {
            self.sampled = last;
            self.sampled_at = now;
        }
        self.next = last + 1;
        self.high = self.high.max(last);
        Some(blocks)
    }

    /// The last block that was ever sent.
    pub(crate) fn high(&self) -> u64 {
        self.high
    }

    /// Blocks that the peer has.
    pub(crate) fn acked(&self) -> u64 {
        self.acked
    }

    /// Bytes that the peer has.
    pub(crate) fn bytes(&self) -> u64 {
        (self.acked * u64::from(self.blksize)).min(self.size)
    }

    fn on_duplicate(&mut self, now: Time, answers: Answers) -> Acked {
        // RFC 1123 section 4.2.3.1, the Sorcerer's Apprentice: a duplicate ACK never triggers DATA in
        // lockstep. In a window it may tell that the first block was lost. After a rollback it is an
        // echo of the same gap (some peers send one for every later block), unless all that was sent
        // before the rollback must have been answered by now.
        let lockstep = self.window == 1;
        let nothing_out = self.next <= self.acked + 1;
        let least = if self.rolled_back { answers.surely } else { answers.earliest };
        if lockstep || nothing_out || now.micros_since(self.burst_at) < least {
            return Acked::Ignored;
        }
        self.rolled_back = true;
        self.sampled = 0;
        self.next = self.acked + 1;
        Acked::Gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Time {
        Time::from_micros(micros)
    }

    const ANY: Answers = Answers { earliest: 0, surely: 0 };

    fn sender(blocks: u64, window: u16) -> Sender {
        Sender::new((blocks - 1) * 512, 512, window, Rollover::Zero)
    }

    #[test]
    fn lockstep_never_answers_a_duplicate() {
        let mut sender = sender(3, 1);
        assert_eq!(sender.poll(at(0)), Some(Blocks { first: 1, count: 1 }));
        assert_eq!(sender.on_ack(at(5), 1, ANY), Acked::Progress { rtt: Some(5) });
        assert_eq!(sender.poll(at(5)), Some(Blocks { first: 2, count: 1 }));
        for _ in 0..10 {
            assert_eq!(sender.on_ack(at(500), 1, ANY), Acked::Ignored);
            assert_eq!(sender.poll(at(500)), None);
        }
    }

    #[test]
    fn one_rollback_for_a_gap_however_many_duplicates() {
        let answers = Answers { earliest: 5, surely: 20 };
        let mut sender = sender(100, 8);
        assert_eq!(sender.poll(at(0)), Some(Blocks { first: 1, count: 8 }));
        // Block 3 was lost: the peer answers 2 for each of 4 to 8.
        assert_eq!(sender.on_ack(at(10), 2, answers), Acked::Progress { rtt: None });
        assert_eq!(sender.poll(at(10)), Some(Blocks { first: 3, count: 8 }));
        for echo in 11..16 {
            assert_eq!(sender.on_ack(at(echo), 2, answers), Acked::Ignored);
        }
        assert_eq!(sender.on_ack(at(40), 2, answers), Acked::Gap, "block 3 was lost again");
        assert_eq!(sender.poll(at(40)), Some(Blocks { first: 3, count: 8 }));
        for echo in 41..46 {
            assert_eq!(sender.on_ack(at(echo), 2, answers), Acked::Ignored);
        }
        assert_eq!(sender.on_ack(at(60), 10, answers), Acked::Progress { rtt: None });
        assert_eq!(sender.poll(at(60)), Some(Blocks { first: 11, count: 8 }));
        assert_eq!(sender.on_ack(at(62), 10, answers), Acked::Ignored, "a doubled ACK of a whole window");
        assert_eq!(sender.on_ack(at(70), 10, answers), Acked::Gap, "block 11 was lost");
    }

    #[test]
    fn an_ack_for_a_future_or_old_block_changes_nothing() {
        let mut sender = sender(100, 4);
        sender.poll(at(0));
        assert_eq!(sender.on_ack(at(1), 5, ANY), Acked::Ignored);
        assert_eq!(sender.on_ack(at(1), 4, ANY), Acked::Progress { rtt: Some(1) });
        sender.poll(at(1));
        assert_eq!(sender.on_ack(at(2), 3, ANY), Acked::Ignored);
        assert_eq!(sender.on_ack(at(2), 60_000, ANY), Acked::Ignored);
    }

    #[test]
    fn the_last_block_of_a_multiple_is_empty() {
        assert_eq!(Sender::new(0, 512, 1, Rollover::Zero).total, 1);
        assert_eq!(Sender::new(511, 512, 1, Rollover::Zero).total, 1);
        assert_eq!(Sender::new(512, 512, 1, Rollover::Zero).total, 2);
    }
}
