//! The blocks of a group: a window after the last block that the master has acknowledged.
//!
//! It differs from the sender of a single client. A master acknowledges each block that it gets, so an ACK inside the
//! window is no report of a gap. And an ACK may jump ahead: the master has the blocks that earlier masters requested.

use crate::rtt::{Rtt, Timing};
use crate::sender::Blocks;
use crate::time::Time;
use crate::transfer::unmeasured;

/// The most bytes in flight. Only the master can slow the stream down, and the default receive buffer of a socket on
/// Linux holds 208 KiB, in the kernel's accounting.
pub(super) const MAX_IN_FLIGHT: u32 = 64 << 10;

/// The shortest wait for the ACKs of blocks in flight, in microseconds.
const MIN_PATIENCE: u32 = 2_000;

#[derive(Debug)]
pub(super) struct Stream {
    total: u64,
    blksize: u16,
    window: u16,
    /// The last block that the master has acknowledged, and the next one to send.
    acked: u64,
    next: u64,
    /// The last block that was ever sent, to any master, and its value before the last call of `poll`.
    high: u64,
    high_before: u64,
    /// Whether to send the block after `acked` again, and when that last happened, `NEVER` if not since the last ACK
    /// with news.
    probe: bool,
    probed_at: Time,
    /// Duplicate ACKs count again once this block is acknowledged: until then the retransmission itself may cause
    /// some.
    recover: u64,
    /// When the blocks after `acked` are taken for lost, `NEVER` if there is no reason to.
    lost_at: Time,
    /// The block used to measure the round trip, 0 for none, and when it was sent.
    sampled: u64,
    sampled_at: Time,
    /// When the block after `acked` was last sent.
    sent_at: Time,
    rtt: Rtt,
    timing: Timing,
    /// Blocks that were sent, and those among them that had been sent before.
    pub(super) sent: u64,
    pub(super) resent: u64,
}

/// The effect of an ACK of the master.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Acked {
    Ignored,
    Duplicate,
    /// The number of acknowledged blocks that were in flight.
    Progress(u64),
}

impl Stream {
    pub(super) fn new(size: u64, blksize: u16, timing: Timing) -> Self {
        Stream {
            total: total(size, blksize),
            blksize,
            window: 1,
            acked: 0,
            next: 1,
            high: 0,
            high_before: 0,
            probe: false,
            probed_at: Time::NEVER,
            recover: 0,
            lost_at: Time::NEVER,
            sampled: 0,
            sampled_at: Time::default(),
            sent_at: Time::default(),
            rtt: Rtt::default(),
            timing,
            sent: 0,
            resent: 0,
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn is_all_sent(&self) -> bool {
        self.high == self.total
    }

    pub(super) fn rtt(&self) -> &Rtt {
        &self.rtt
    }

    /// Continues after the block that a new master has acknowledged. `handshake`: microseconds since its OACK, if that
    /// was sent once.
    pub(super) fn begin_term(&mut self, acked: u64, window: u16, timing: Timing, handshake: Option<u32>) {
        let most = (MAX_IN_FLIGHT / u32::from(self.blksize.max(1))).clamp(1, u16::MAX.into()) as u16;
        self.window = window.clamp(1, most);
        (self.acked, self.next) = (acked, acked + 1);
        (self.probe, self.probed_at, self.recover, self.sampled) = (false, Time::NEVER, 0, 0);
        self.lost_at = Time::NEVER;
        (self.rtt, self.timing) = (Rtt::default(), timing);
        if let Some(rtt) = handshake {
            self.rtt.sample(rtt);
            // The round trip of a handshake does not predict that of a window.
            if self.window > 1 {
                self.rtt.restart();
            }
        }
    }

    pub(super) fn on_ack(&mut self, now: Time, position: u64) -> Acked {
        if position < self.acked || position > self.total {
            return Acked::Ignored;
        }
        if position == self.acked {
            // RFC 1123 section 4.2.3.1: in lockstep a duplicate ACK causes no DATA. Otherwise it reports a gap, once for
            // each window.
            let answers = now.micros_since(self.sent_at) >= self.rtt.soonest();
            if self.window > 1 && self.next > self.acked + 1 && self.acked >= self.recover && answers {
                self.probe();
            }
            return Acked::Duplicate;
        }
        if self.sampled > 0 && position >= self.sampled {
            // A jump answers another block than the sampled one.
            if position == self.sampled {
                self.rtt.sample(now.micros_since(self.sampled_at));
            }
            self.sampled = 0;
        }
        self.rtt.ease();
        let answered = position.min(self.next - 1).saturating_sub(self.acked);
        // A master that drops what follows a gap, as atftp does, acknowledges the repeated block alone. The answer to the
        // original is followed by others soon; one that keeps the blocks jumps to its next gap.
        let alone = position == self.acked + 1 && self.next > position + 1;
        let answers = self.probed_at != Time::NEVER && now.micros_since(self.probed_at) >= self.rtt.soonest();
        self.lost_at = if alone && answers { now.after(self.patience()) } else { Time::NEVER };
        self.acked = position;
        self.next = self.next.max(position + 1);
        (self.probe, self.probed_at) = (false, Time::NEVER);
        Acked::Progress(answered)
    }

    /// Handles a time-out. Returns whether the master is silent: otherwise it has dropped the rest of its window.
    pub(super) fn on_timeout(&mut self, now: Time) -> bool {
        if now >= core::mem::replace(&mut self.lost_at, Time::NEVER) {
            self.next = self.acked + 1;
            self.recover = self.high;
            return false;
        }
        self.rtt.back_off();
        self.probe();
        true
    }

    /// Returns the blocks that may be sent now.
    pub(super) fn poll(&mut self, now: Time) -> Option<Blocks> {
        if core::mem::take(&mut self.probe) && self.acked < self.total {
            self.probed_at = now;
            self.sent_at = now;
            self.sent += 1;
            self.resent += u64::from(self.acked < self.high);
            self.high_before = self.high;
            self.high = self.high.max(self.acked + 1);
            self.next = self.next.max(self.acked + 2);
            return Some(Blocks { first: self.acked + 1, count: 1 });
        }
        let last = (self.acked + u64::from(self.window)).min(self.total);
        if self.next > last {
            return None;
        }
        let blocks = Blocks { first: self.next, count: (last - self.next + 1) as u32 };
        if blocks.first == self.acked + 1 {
            self.sent_at = now;
        }
        // Karn: only blocks that were never sent before are measured.
        if self.sampled == 0 && last > self.high {
            (self.sampled, self.sampled_at) = (blocks.first.max(self.high + 1), now);
        }
        self.sent += u64::from(blocks.count);
        self.resent += (self.high + 1).saturating_sub(blocks.first).min(blocks.count.into());
        self.next = last + 1;
        self.high_before = self.high;
        self.high = self.high.max(last);
        Some(blocks)
    }

    /// Records that the host has sent none of `blocks` from `first` on: their bytes are not in memory yet.
    pub(super) fn unsent(&mut self, blocks: Blocks, first: u64) {
        let end = blocks.first + u64::from(blocks.count);
        self.sent = self.sent.saturating_sub(end.saturating_sub(first));
        self.next = self.next.min(first);
        self.high = self.high_before.max(first.saturating_sub(1)).min(self.high);
        self.sampled = 0;
    }

    /// Microseconds until the next time-out.
    pub(super) fn timeout(&self, now: Time) -> u32 {
        if self.lost_at != Time::NEVER {
            return self.lost_at.micros_since(now).max(1);
        }
        let window = self.next.saturating_sub(self.acked + 1);
        let slow = if self.rtt.is_measured() { 0 } else { unmeasured(&self.timing, self.blksize, window) };
        self.rtt.timeout(&self.timing, slow)
    }

    fn probe(&mut self) {
        self.probe = true;
        self.recover = self.next - 1;
        self.lost_at = Time::NEVER;
        self.sampled = 0;
    }

    /// Microseconds within which the ACKs of blocks in flight follow each other.
    fn patience(&self) -> u32 {
        self.rtt.smoothed().unwrap_or(0).saturating_mul(2).max(MIN_PATIENCE)
    }
}

/// Blocks of `size` bytes, the final short (maybe empty) one included.
pub(super) fn total(size: u64, blksize: u16) -> u64 {
    size / u64::from(blksize.max(1)) + 1
}
