//! Transfers with a rate. A low rate means smaller blocks and windows. In an upload, an ACK waits until the rate
//! covers the bytes that it acknowledges.
//!
//! The receiving side cannot pace its peer in any other way (RFC 1350: a sender waits for the ACK). Downloads
//! with a rate are paced by the sender (`core/src/pacer.rs`).

use super::{Output, Phase, Transfer};
use crate::block::DEFAULT_BLKSIZE;
use crate::limits::Limits;
use crate::options::OptionSet;
use crate::time::Time;

/// With a rate, a block takes at most a quarter of a second, and a window half a second. The shortest timers of
/// clients take a second, and pacing must not make them expire.
const BLOCKS_PER_SECOND: u32 = 4;
const WINDOWS_PER_SECOND: u32 = 2;

impl Limits {
    /// Returns the limits, with block and window sizes lowered for the rate. A transfer applies this itself.
    #[must_use]
    pub fn within_rate(self, requested: &OptionSet) -> Limits {
        let Some(rate) = self.rate else { return self };
        let blksize = (rate / BLOCKS_PER_SECOND).max(DEFAULT_BLKSIZE.into()).min(self.blksize.into()) as u16;
        let limits = Limits { blksize, ..self };
        let block = OptionSet::grant(requested, &limits, None).block_size();
        let window = rate / WINDOWS_PER_SECOND / u32::from(block);
        Limits { windowsize: window.clamp(1, self.windowsize.max(1).into()) as u16, ..limits }
    }
}

impl Transfer {
    /// Waits for the rest of a paced window.
    #[cold]
    pub(super) fn paused(&mut self, now: Time, resumes: Time) -> Output {
        if matches!(&self.phase, Phase::Sending(sender) if sender.owes_blocks()) {
            // The peer is not silent: there is nothing to answer.
            self.heard = now;
        }
        Output::Timeout(resumes)
    }

    /// Holds back an ACK that is due, if the rate does not cover it yet.
    pub(super) fn hold_ack(&mut self, now: Time) {
        let Phase::Receiving(receiver) = &mut self.phase else { return };
        let Some(due) = receiver.hold_ack(now) else { return };
        self.due.ack = false;
        self.deadline = due;
    }

    /// Sends the ACK that was held back, if its time has come; the peer had nothing to answer meanwhile. Returns
    /// whether such an ACK was due.
    pub(super) fn release_ack(&mut self, now: Time) -> bool {
        let Phase::Receiving(receiver) = &mut self.phase else { return false };
        match receiver.release_ack(now) {
            None => return false,
            Some(Some(due)) => self.deadline = due,
            Some(None) => {
                self.due.ack = true;
                self.heard = now;
                self.arm(now);
            }
        }
        true
    }

    /// Restores the timer of an ACK that is held back.
    pub(super) fn wait_for_held_ack(&mut self) {
        if let Phase::Receiving(receiver) = &self.phase
            && let Some(due) = receiver.held_ack()
        {
            self.deadline = due;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_takes_at_most_half_a_second() {
        let granted = |rate, blksize, windowsize| {
            let requested = OptionSet { blksize, windowsize: Some(windowsize), ..OptionSet::default() };
            let limits = Limits { rate: Some(rate), ..Limits::default() }.within_rate(&requested);
            let granted = OptionSet::grant(&requested, &limits, None);
            (granted.block_size(), granted.window_size())
        };
        assert_eq!(granted(1_000_000, Some(1_428), 64), (1_428, 64));
        assert_eq!(granted(100_000, Some(1_428), 64), (1_428, 35));
        assert_eq!(granted(100_000, Some(65_464), 64), (25_000, 2));
        assert_eq!(granted(1_000, Some(1_428), 64), (512, 1));
        assert_eq!(granted(1, None, 64), (512, 1), "not every client accepts smaller blocks");
        assert_eq!(granted(u32::MAX, Some(65_464), 64), (65_464, 64));
    }
}
