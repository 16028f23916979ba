//! Transfers with a rate, or a share of one. A low rate means smaller blocks and windows. In an upload, an ACK waits until
//! the rate covers the bytes that it acknowledges.
//!
//! The receiving side cannot pace its peer in any other way (RFC 1350: a sender waits for the ACK). Downloads
//! with a rate are paced by the sender (`core/src/pacer.rs`).

use super::{DuePacket, Output, Pace, Phase, Transfer};
use crate::block::DEFAULT_BLKSIZE;
use crate::limits::Limits;
use crate::options::OptionSet;
use crate::time::Time;
use core::time::Duration;

/// With a rate, a block takes at most a quarter of a second, and a window half a second. The shortest timers of
/// clients take a second, and pacing must not make them expire.
const BLOCKS_PER_SECOND: u32 = 4;
const WINDOWS_PER_SECOND: u32 = 2;

impl Limits {
    /// Returns the limits, with block and window sizes lowered for the rate, or the share of one. A transfer applies this
    /// itself.
    #[must_use]
    pub fn within_rate(self, requested: &OptionSet) -> Limits {
        let share = self.total_rate.as_ref().map(|total| total.share(self.client));
        let Some(rate) = self.rate.into_iter().chain(share).min() else { return self };
        let most =
            self.total_rate.as_ref().map_or(self.blksize, |total| total.largest_block().min(self.blksize));
        let blksize = (rate / BLOCKS_PER_SECOND).max(DEFAULT_BLKSIZE.into()).min(most.into()) as u16;
        let limits = Limits { blksize, ..self };
        let block = OptionSet::grant(requested, &limits, None).block_size();
        let window = rate / WINDOWS_PER_SECOND / u32::from(block);
        let windowsize = window.clamp(1, limits.windowsize.max(1).into()) as u16;
        Limits { windowsize, ..limits }
    }
}

impl Pace {
    pub(super) fn has_rate(&self) -> bool {
        self.rate.is_some() || self.shared.is_some()
    }
}

impl Transfer {
    /// Waits for the rest of a paced window.
    #[cold]
    pub(super) fn paused(&mut self, now: Time, resumes: Time) -> Output {
        if let Phase::Sending(sender) = &mut self.phase {
            let waits = sender.member().map_or(0, |member| member.take_wait());
            // The peer is not silent: there is nothing to answer. And while blocks wait for those of others, no time passes
            // for it, nor for a client that repeats its request meanwhile.
            let heard = if sender.owes_blocks() { self.heard.max(now) } else { self.heard };
            self.heard = heard.after(waits);
        }
        Output::Timeout(resumes)
    }

    /// Returns how long it has waited since the last call because others took the rate that it shares. The wait for what
    /// is sent next counts as a whole.
    pub fn take_held_back(&mut self) -> Duration {
        let member = match &mut self.phase {
            Phase::Sending(sender) => sender.member(),
            Phase::Receiving(receiver) => receiver.member(),
            _ => None,
        };
        Duration::from_micros(member.map_or(0, |member| member.take_held_back()).into())
    }

    /// Returns whether a server has not answered yet, because its first answer waits for a rate.
    pub fn is_held_back(&self) -> bool {
        match &self.phase {
            Phase::Sending(sender) => sender.high() == 0 && sender.owes_blocks(),
            Phase::Receiving(receiver) => receiver.holds_opening(),
            _ => false,
        }
    }

    /// Holds back the first answer to an upload, until it is its turn.
    pub(super) fn hold_opening(&mut self, now: Time) {
        let Phase::Receiving(receiver) = &mut self.phase else { return };
        let Some(due) = receiver.hold_opening(now) else { return };
        self.due.packet = DuePacket::None;
        self.deadline = due;
    }

    /// Holds back an ACK that is due, if the rate does not cover it yet.
    pub(super) fn hold_ack(&mut self, now: Time) {
        let Phase::Receiving(receiver) = &mut self.phase else { return };
        let Some(due) = receiver.hold_ack(now) else { return };
        self.due.packet = DuePacket::None;
        self.deadline = due;
    }

    /// Sends the ACK that was held back, if its time has come; the peer had nothing to answer meanwhile. Returns
    /// whether such an ACK was due.
    pub(super) fn release_ack(&mut self, now: Time) -> bool {
        let Phase::Receiving(receiver) = &mut self.phase else { return false };
        let opens = receiver.holds_opening() && !self.options.is_empty();
        match receiver.release_ack(now) {
            None => return false,
            Some(Some(due)) => self.deadline = due,
            Some(None) => {
                self.due.packet = if opens { DuePacket::Oack } else { DuePacket::Ack };
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
    use crate::total_rate::{Member, TotalRate};
    use std::sync::Arc;

    #[test]
    fn many_that_share_a_rate_get_small_blocks_and_windows() {
        let total = Arc::new(TotalRate::new(1_000_000));
        let requested = OptionSet { blksize: Some(65_464), windowsize: Some(64), ..OptionSet::default() };
        let limits = Limits { total_rate: Some(Arc::clone(&total)), client: u128::MAX, ..Limits::default() };
        let granted = || {
            let granted = OptionSet::grant(&requested, &limits.clone().within_rate(&requested), None);
            (granted.block_size(), granted.window_size())
        };
        assert_eq!(granted(), (2_500, 64), "a block takes 2.5 ms");
        let members: Vec<_> = (1..100).map(|_| Member::alone(Arc::clone(&total), 512)).collect();
        assert_eq!(granted(), (2_500, 2));
        let more: Vec<_> = (100..1_000).map(|_| Member::alone(Arc::clone(&total), 512)).collect();
        assert_eq!(granted(), (512, 1));
        drop((members, more));
        let both = Limits { rate: Some(4_096), ..limits.clone() }.within_rate(&requested);
        assert_eq!((both.blksize, both.windowsize), (1_024, 2), "the lower one counts");
        let small = Limits { total_rate: Some(Arc::new(TotalRate::new(65_536))), ..limits };
        assert_eq!(small.within_rate(&requested).blksize, 1_468, "a packet");
    }

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
