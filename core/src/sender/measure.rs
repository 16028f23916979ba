//! What an ACK reveals: a round trip, and the pace at which a window arrived.

use super::Sender;
use crate::bottleneck::AckSample;
use crate::time::Time;

/// A round trip, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measured {
    Not,
    /// It took `micros` until this `part` of a `whole` window was acknowledged, in blocks.
    Exactly {
        micros: u32,
        part: u32,
        whole: u32,
    },
    /// An upper bound: which of several packets was answered is unknown (Karn).
    AtMost(u32),
    /// The answer came after a time-out: microseconds since the packet was first sent, and since the last
    /// retransmission; and whether it says that later blocks of the window are missing.
    AfterTimeout {
        first: u32,
        last: u32,
        gap: bool,
    },
}

/// Whether, and why, the block whose round trip is measured was retransmitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(test, derive(Hash))]
pub(super) enum Repeated {
    Not,
    /// A time-out.
    Timeout,
    /// The peer reported a gap.
    Gap,
    /// The peer repeated its last ACK: it may have repeated the next one as well (Karn).
    Asked,
}

impl Sender {
    #[inline]
    pub(super) fn measure(&mut self, now: Time, acked: u64) -> Measured {
        if self.sampled == 0 || acked < self.sampled {
            return Measured::Not;
        }
        let micros = now.micros_since(self.sampled_at);
        let first = core::mem::take(&mut self.sampled);
        match self.repeated {
            Repeated::Not => {}
            Repeated::Gap | Repeated::Asked => return Measured::AtMost(micros),
            Repeated::Timeout => {
                let last = if self.is_needless(acked) { micros } else { now.micros_since(self.resent_at) };
                return Measured::AfterTimeout { first: micros, last, gap: acked + 1 < self.next };
            }
        }
        let part = (acked - first + 1) as u32 + u32::from(self.sampled_behind);
        Measured::Exactly { micros, part, whole: u32::from(self.sampled_of).max(part) }
    }

    /// Returns the timing of the blocks up to `position`, whose ACK has just arrived.
    #[inline]
    pub(super) fn ack_sample(&self, now: Time, position: u64, earliest: u32) -> AckSample {
        let ahead = position - self.acked;
        // In lockstep, and if the window was one burst, the sending takes no time.
        let sending = if self.spread == 0 {
            0
        } else if self.pacer.has_rate() {
            // Blocks of one burst are acknowledged with the next.
            self.spread
        } else {
            let sent = (self.next - 1).saturating_sub(self.acked).max(ahead);
            (u64::from(self.spread) * ahead / sent) as u32
        };
        AckSample {
            arrived: ahead as u32,
            took: now.micros_since(self.burst_at),
            sending,
            // An ACK that a probe caused says nothing about the rate, nor does one of blocks from several bursts.
            least: if self.timeouts > 0 || self.awaits_gap() { 0 } else { earliest.saturating_mul(2) },
        }
    }
}
