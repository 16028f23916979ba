//! A sender and a receiver, and the links between them.

use super::fate::{Fate, Job};
use super::{ACK_TIMING, BLKSIZE, ROUND_TRIP};
use crate::receiver::{Received, Receiver};
use crate::sender::{Acked, Sender};
use crate::time::Time;
use std::collections::VecDeque;

/// Both sides and the datagrams in flight between them, by their true position.
pub struct Path {
    job: Job,
    now: Time,
    sender: Sender,
    receiver: Receiver,
    pub data: VecDeque<u64>,
    acks: VecDeque<u64>,
    /// Blocks sent in total, the rollback positions of the sender, the block after the last one sent, and
    /// whether each side has finished.
    pub sent: u64,
    pub rollbacks: Vec<u64>,
    next: u64,
    pub received: bool,
    acknowledged: bool,
}

impl Path {
    pub fn new(job: Job) -> Path {
        let size = (job.base + job.blocks - 1) * u64::from(BLKSIZE) + u64::from(job.rest);
        let mut path = Path {
            job,
            now: Time::from_micros(1_000_000),
            sender: Sender::new(size, BLKSIZE, job.window, job.rollover, None).at(job.base),
            receiver: Receiver::new(BLKSIZE, job.window, job.rollover).at(job.base),
            data: VecDeque::new(),
            acks: VecDeque::new(),
            sent: 0,
            rollbacks: Vec::new(),
            next: job.base + 1,
            received: false,
            acknowledged: false,
        };
        path.pump();
        path
    }

    fn total(&self) -> u64 {
        self.job.base + self.job.blocks
    }

    fn pump(&mut self) {
        while !self.acknowledged {
            let high = self.sender.high();
            let Some(blocks) = self.sender.poll(self.now) else {
                // The first windows are paced; the wait passes here.
                match self.sender.resumes(self.now) {
                    Some(later) => self.now = later,
                    None => return,
                }
                continue;
            };
            let last = blocks.first + u64::from(blocks.count) - 1;
            let most = (self.sender.acked() + u64::from(self.job.window)).min(self.total());
            assert!(blocks.first > self.sender.acked() && last <= most, "{blocks:?} were not granted");
            assert!(blocks.first <= high + 1, "{blocks:?} leave blocks out");
            if blocks.first < self.next {
                self.rollbacks.push(blocks.first);
            }
            self.next = last + 1;
            self.sent += u64::from(blocks.count);
            self.data.extend(blocks.first..=last);
        }
    }

    /// Returns whether a number of this age may still be in flight: one that is a whole period behind looks
    /// new. No path delays datagrams for that long.
    fn is_young(&self, position: u64, newest: u64) -> bool {
        newest.saturating_sub(position) + u64::from(self.job.window) < self.job.rollover.period()
    }

    fn data_arrives(&mut self, position: u64) {
        if !self.is_young(position, self.receiver.acked()) {
            return;
        }
        let wire = self.job.rollover.wire(position);
        let length = usize::from(if position == self.total() { self.job.rest } else { BLKSIZE });
        if self.received {
            if self.receiver.on_late_data(self.now, wire, ACK_TIMING.earliest) {
                self.acks.push_back(self.receiver.acked());
            }
            return;
        }
        let before = self.receiver.acked();
        match self.receiver.on_data(self.now, wire, length, ACK_TIMING.earliest) {
            Received::Next { ack, end, .. } => {
                assert_eq!(position, before + 1, "another block was taken for the next");
                let taken = self.receiver.take_accepted();
                assert_eq!(taken, Some((before * u64::from(BLKSIZE), length as u16)));
                assert_eq!(end, position == self.total());
                self.received = end;
                if ack {
                    self.receiver.ack_sent(self.now, false);
                    self.acks.push_back(position);
                }
            }
            Received::Repeat => {
                self.receiver.ack_sent(self.now, true);
                self.acks.push_back(before);
            }
            Received::Ignored => assert_ne!(position, before + 1, "the next block was not taken"),
            Received::TooLong => panic!("no block here is too long"),
        }
    }

    fn ack_arrives(&mut self, position: u64) {
        if self.acknowledged || !self.is_young(position, self.sender.acked()) {
            return;
        }
        let acked =
            self.sender
                .on_ack(self.now, self.job.rollover.wire(position), ACK_TIMING.earliest, |_| ACK_TIMING);
        assert!(
            self.sender.acked() <= self.receiver.acked(),
            "the sender believes in blocks that did not arrive"
        );
        self.acknowledged = matches!(acked, Acked::Finished { .. });
        assert!(!self.acknowledged || self.received);
        self.pump();
    }

    pub fn all_data_arrives(&mut self) {
        while let Some(position) = self.data.pop_front() {
            self.data_arrives(position);
        }
    }

    pub fn all_acks_arrive(&mut self) {
        for position in std::mem::take(&mut self.acks) {
            self.ack_arrives(position);
        }
    }

    fn times_out(&mut self) {
        self.wait(200_000);
        if !self.acknowledged {
            self.sender.on_timeout(ROUND_TRIP as u32, true);
            self.pump();
        }
    }

    fn receiver_times_out(&mut self) {
        if !self.received {
            self.receiver.ack_sent(self.now, true);
            self.acks.push_back(self.receiver.acked());
        }
    }

    pub fn wait(&mut self, micros: u64) {
        self.now = Time::from_micros(self.now.as_micros() + micros);
    }

    pub fn suffers(&mut self, fate: Fate) {
        match fate {
            Fate::Data(count) => {
                for position in self.data.drain(..usize::from(count).min(self.data.len())).collect::<Vec<_>>()
                {
                    self.data_arrives(position);
                }
            }
            Fate::Acks(count) => {
                for position in self.acks.drain(..usize::from(count).min(self.acks.len())).collect::<Vec<_>>()
                {
                    self.ack_arrives(position);
                }
            }
            Fate::LoseData(count) => drop(self.data.drain(..usize::from(count).min(self.data.len()))),
            Fate::LoseAck => drop(self.acks.pop_front()),
            Fate::DoubleData => self.data.extend(self.data.front().copied()),
            Fate::DoubleAck => self.acks.extend(self.acks.front().copied()),
            Fate::HoldData => self.data.rotate_left(self.data.len().min(1)),
            Fate::HoldAck => self.acks.rotate_left(self.acks.len().min(1)),
            Fate::Timeout => self.times_out(),
            Fate::LateTimeout => self.receiver_times_out(),
            Fate::Wait(micros) => self.wait(u64::from(micros)),
        }
    }

    /// Makes the path good from here on. Returns the number of time-outs until both sides have finished.
    pub fn recovers(&mut self) -> u64 {
        let mut timeouts = 0;
        while !self.acknowledged {
            self.wait(ROUND_TRIP);
            self.pump();
            self.all_data_arrives();
            self.all_acks_arrive();
            // A paced window continues without a time-out.
            let spread = self.sender.resumes(self.now).is_some();
            if !spread && self.data.is_empty() && self.acks.is_empty() && !self.acknowledged {
                timeouts += 1;
                assert!(timeouts <= 2 * self.job.blocks + 4, "no progress: {:?}", self.job);
                self.times_out();
                if timeouts % 2 == 0 {
                    self.receiver_times_out();
                }
            }
        }
        timeouts
    }
}
