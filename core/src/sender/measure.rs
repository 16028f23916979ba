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
    pub(super) fn measure(&mut self, now: Time, ahead: u16) -> Measured {
        if self.sampled == 0 || ahead < self.sampled {
            return Measured::Not;
        }
        let micros = self.sampled_at.micros_until(now);
        let first = core::mem::take(&mut self.sampled);
        match self.repeated {
            Repeated::Not => {}
            Repeated::Gap | Repeated::Asked => return Measured::AtMost(micros),
            Repeated::Timeout => {
                let last = if self.is_needless(ahead) { micros } else { now.micros_since(self.resent_at()) };
                return Measured::AfterTimeout { first: micros, last, gap: ahead < self.sent };
            }
        }
        let behind = self.rare.as_ref().map_or(0, |rare| rare.sampled_behind);
        let part = u32::from(ahead - first) + 1 + u32::from(behind);
        Measured::Exactly { micros, part, whole: u32::from(self.sampled_of).max(part) }
    }

    /// Returns the timing of so many blocks, whose ACK has just arrived.
    #[inline]
    pub(super) fn ack_sample(&self, now: Time, ahead: u16, earliest: u32) -> AckSample {
        let spread = self.rare.as_ref().map_or(0, |rare| rare.spread);
        // In lockstep, and if the window was one burst, the sending takes no time.
        let sending = if spread == 0 {
            0
        } else if self.has_rate() {
            // Blocks of one burst are acknowledged with the next.
            spread
        } else {
            (u64::from(spread) * u64::from(ahead) / u64::from(self.sent.max(ahead))) as u32
        };
        AckSample {
            arrived: ahead.into(),
            took: now.micros_since(self.burst_at),
            sending,
            // An ACK that a probe caused says nothing about the rate, nor does one of blocks from several bursts.
            least: if self.timeouts > 0 || self.awaits_gap() { 0 } else { earliest.saturating_mul(2) },
        }
    }
}
