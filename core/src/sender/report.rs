//! Whether an ACK from inside of a window reports a gap.
//!
//! RFC 7440 section 4: it does, and the sender goes back to the gap at once. But some receivers acknowledge each block,
//! or each duplicate that the network makes, and then nothing is missing: the rest of the window is in flight. Going back
//! costs a window, whose copies are acknowledged again. Both kinds of ACK look alike; what follows tells them apart. If
//! nothing is missing, the blocks that were in flight are acknowledged without being sent again. So the sender goes
//! back at once while the reports of its peer are right, and waits for one round trip once they are not. As in TCP, three
//! more ACKs of the same block end the wait.

use super::{Repeated, Sender};
use crate::bottleneck::AckSample;
use crate::time::{Recent, Time};

/// Doubts after a report that was wrong. Each report that is right takes one of them back.
const DOUBTS: u8 = 3;

/// The first ACK of a peer that acknowledges every block names the first block of a window. In windows of so many blocks
/// or more, a gap there is rare enough to wait for the next ACK.
const LARGE: u16 = 8;

/// A peer with this score acknowledges each block: one for each block that it acknowledged alone, less three for each that
/// it acknowledged together with others. A peer that reports gaps acknowledges all blocks before a gap at once.
const SINGLES: u8 = 8;

/// After so many ACKs in a row that came after a time-out, or so many microseconds after the block, the peer does not
/// acknowledge each block.
const LATE: u8 = 3;
pub(super) const LATE_MICROS: u32 = 250_000;

/// Duplicates of an ACK that end the wait.
const DUPLICATES: u8 = 3;

/// What the sender thinks of its peer's reports. Most transfers have none.
#[derive(Debug, Clone, Default)]
#[cfg_attr(test, derive(Hash))]
pub(super) struct Reports {
    /// How many reports must be right before the next one is believed at once.
    doubts: u8,
    /// Whether a report was right.
    proven: bool,
    /// The last block that had been sent when the sender went back, until the answer shows whether the report was right;
    /// 0 if it did.
    back_from: u64,
    /// The score of blocks that were acknowledged alone, although others of their window had been sent: see [`SINGLES`].
    singles: u8,
    /// Whether blocks are sent one by one although windows were granted, because the peer acknowledges each.
    pub(super) one_by_one: bool,
    /// Whether blocks were sent one by one in error: the peer did not acknowledge each.
    misled: bool,
    /// How many ACKs with news in a row came late.
    pub(super) late: u8,
    /// Whether a report was wrong by the looks of it.
    hinted: bool,
    /// How often the sender went back since the last ACK with news.
    pub(super) repairs: u8,
    /// Whether a duplicate ACK was ignored since then.
    pub(super) ignored: bool,
    /// The block that the peer acknowledges for each copy, if all that was in flight had arrived; 0 if unknown.
    copied_to: u64,
    waiting: Option<Box<Waiting>>,
    /// Blocks of probes since the last ACK with news, and the microseconds between two steps of a walk.
    pub(super) probes: u8,
    pub(super) pause: u32,
    /// Whether the peer of the last time-out is a client.
    pub(super) to_client: bool,
}

/// The peer acknowledges blocks inside of windows, and nothing is sent again until a gap is certain.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(Hash))]
struct Waiting {
    /// When the gap is certain.
    due: Time,
    /// ACKs of the same block.
    duplicates: u8,
    /// The last block that had been sent at `since`.
    mark: u64,
    since: Time,
    /// Whether none of these had been sent twice: if all arrive, there was no gap.
    telling: bool,
    /// The ACK, while there was one alone: several say nothing about the place where a window was cut off.
    sample: Option<AckSample>,
}

impl Reports {
    fn are_trusted(&self, ahead: u16, window: u16) -> bool {
        let waits = self.waiting.as_ref().is_some_and(|waiting| waiting.telling);
        !waits && self.doubts == 0 && (self.proven || ahead > 1 || window < LARGE)
    }

    fn were_right(&mut self) {
        (self.proven, self.hinted, self.doubts) = (true, false, self.doubts.saturating_sub(1));
    }

    fn acknowledged_together(&mut self, blocks: u16) {
        let less = u8::try_from(blocks.saturating_mul(3)).unwrap_or(u8::MAX);
        self.singles = self.singles.saturating_sub(less);
    }

    fn were_wrong(&mut self) {
        self.doubts = DOUBTS;
    }

    #[cfg(test)]
    pub(super) fn shift(&mut self, to: &dyn Fn(Time) -> Time) {
        if let Some(waiting) = &mut self.waiting {
            (waiting.due, waiting.since) = (to(waiting.due), to(waiting.since));
        }
    }
}

impl Sender {
    /// Returns whether ACKs come from inside of windows, so that no burst is answered as a whole.
    pub(super) fn awaits_gap(&self) -> bool {
        self.gap_due().is_some()
    }

    /// Returns when the gap that is waited for is certain.
    pub(super) fn gap_due(&self) -> Option<Time> {
        Some(self.rare.as_ref()?.reports.waiting.as_ref()?.due)
    }

    /// Returns whether the peer may repeat its ACK because of blocks that were sent twice.
    pub(super) fn is_at_copies(&self) -> bool {
        let Some(rare) = &self.rare else { return false };
        let copied_to = rare.reports.copied_to;
        rare.copied > 0 || (copied_to > 0 && copied_to == self.acked)
    }

    /// Handles an ACK of `ahead` blocks after the sender went back: was the report right? `earliest`: half of the shortest
    /// round trip.
    #[inline]
    pub(super) fn judge_report(&mut self, now: Time, ahead: u16, earliest: u32) {
        // Nearly a round trip: not enough for an answer to the copies.
        let soon = !self.waited(now, earliest.saturating_add(earliest / 4 * 3));
        let (position, is_inside) = (self.acked + u64::from(ahead), ahead < self.sent);
        let Some(rare) = &mut self.rare else { return };
        let reports = &mut rare.reports;
        let from = reports.back_from;
        if from == 0 {
            return;
        }
        if soon && position >= from {
            reports.doubts = DOUBTS;
        } else if soon {
            // The block arrived, but maybe late and behind others, which the peer does not keep.
            reports.doubts = reports.doubts.max(u8::from(!reports.proven));
        } else if position == from && is_inside {
            // No window ends there. It looks as if all that was in flight had arrived, and the first copy showed it; or
            // the next block was lost.
            if core::mem::replace(&mut reports.hinted, true) {
                reports.doubts = DOUBTS;
            }
        } else if position > from {
            reports.were_right();
        } else {
            // Another gap, maybe among the copies.
            return;
        }
        reports.back_from = 0;
    }

    /// Handles an ACK with news from inside of a window, `ahead` of the one before. `soon`: it comes too soon to answer
    /// what was sent last.
    pub(super) fn on_inside(
        &mut self,
        now: Time,
        ahead: u16,
        sample: AckSample,
        soon: bool,
        settled: impl FnOnce() -> u32,
    ) {
        let window = self.window;
        let reports = self.reports();
        match ahead {
            1 => reports.singles = reports.singles.saturating_add(1),
            _ => reports.acknowledged_together(ahead),
        }
        if !soon && self.reports().are_trusted(ahead, window) {
            let in_vain = self.in_vain();
            self.go_back();
            self.tell_pacer(now, sample, in_vain);
        } else {
            self.wait_for_gap(now, Some(sample), settled());
        }
    }

    /// Handles a repeated ACK that may report the loss of the first block in flight. Returns whether it does.
    pub(super) fn on_repeated_report(&mut self, now: Time, settled: u32) -> bool {
        let reports = self.reports();
        match &mut reports.waiting {
            None if reports.doubts == 0 => {
                // The place of a repair that is lost as well says nothing about the receiver.
                if reports.repairs == 0 {
                    self.nothing_arrived(now);
                }
                self.go_back();
                true
            }
            None => {
                self.wait_for_gap(now, None, settled);
                false
            }
            Some(waiting) => {
                waiting.duplicates += 1;
                let certain = waiting.duplicates >= DUPLICATES;
                if certain {
                    self.gap_is_certain(now);
                }
                certain
            }
        }
    }

    /// Goes back if it has waited long enough.
    #[inline]
    pub(super) fn settle(&mut self, now: Time) {
        if self.gap_due().is_some_and(|due| due <= now) {
            self.gap_is_certain(now);
        }
    }

    fn gap_is_certain(&mut self, now: Time) {
        let reports = self.reports();
        let Some(waiting) = reports.waiting.take() else { return };
        if waiting.telling {
            reports.were_right();
        }
        if let Some(sample) = waiting.sample {
            self.tell_pacer(now, sample, self.in_vain());
        }
        self.go_back();
        // What was sent before has arrived or is lost. So the answer to the copies shows how long a round trip takes at most;
        // that to anything else would contain the wait.
        (self.sampled, self.sampled_at, self.repeated) = (1, Recent::at(now), Repeated::Gap);
        self.sampled_of = 1;
        self.rare().sampled_behind = 0;
    }

    /// Handles the ACK of all that was sent.
    pub(super) fn nothing_is_missing(&mut self, ahead: u16) {
        let Some(rare) = &mut self.rare else { return };
        if ahead > 1 {
            rare.reports.acknowledged_together(ahead);
        }
        if rare.reports.waiting.take().is_some_and(|waiting| waiting.telling) {
            rare.reports.were_wrong();
        }
    }

    /// Returns whether the peer acknowledges each block, or nearly each.
    pub(crate) fn acknowledges_each(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.reports.singles >= SINGLES && !rare.reports.misled)
    }

    /// Returns whether blocks are sent one by one although windows were granted.
    pub(crate) fn has_left_windows(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.reports.one_by_one)
    }

    /// Sends blocks one by one from now on.
    pub(crate) fn leave_windows(&mut self) {
        self.set_window(1);
        self.reports().one_by_one = true;
    }

    /// Returns whether blocks that were sent one by one were acknowledged late, again and again.
    pub(crate) fn answers_late(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.reports.late >= LATE)
    }

    /// Grants windows again, to the end.
    pub(crate) fn return_to_windows(&mut self, blocks: u16) {
        self.set_window(blocks);
        let reports = self.reports();
        (reports.one_by_one, reports.misled) = (false, true);
    }

    fn wait_for_gap(&mut self, now: Time, sample: Option<AckSample>, settled: u32) {
        let (acked, total, sent) = (self.acked, self.total, self.next() - 1);
        let rare = self.rare();
        let (due, telling) = (now.after(settled), rare.copied == 0);
        let Some(waiting) = &mut rare.reports.waiting else {
            let waiting = Waiting { due, duplicates: 0, mark: sent, since: now, telling, sample };
            rare.reports.waiting = Some(Box::new(waiting));
            return;
        };
        (waiting.due, waiting.duplicates, waiting.sample) = (due, 0, None);
        if acked < waiting.mark.min(total) {
            return;
        }
        let was_telling = waiting.telling;
        // All that is in flight was sent since then.
        let since = core::mem::replace(&mut waiting.since, now);
        (waiting.mark, waiting.telling, rare.spread) = (sent, telling, 0);
        if was_telling {
            rare.reports.were_wrong();
        }
        self.burst_at = since;
        if let Some(sample) = sample {
            self.tell_pacer(now, sample, 0);
        }
    }

    /// Returns how many blocks behind the acknowledged ones were sent.
    pub(super) fn in_vain(&self) -> u32 {
        self.sent.into()
    }

    pub(super) fn go_back(&mut self) {
        let sent = self.next() - 1;
        let inside = self.sent < self.window;
        let reports = self.reports();
        (reports.waiting, reports.repairs) = (None, reports.repairs.saturating_add(1));
        if reports.back_from == 0 {
            reports.back_from = sent;
        }
        // At the end of a window another ACK reports a loss.
        reports.copied_to = if inside { sent } else { 0 };
        self.roll_back(Repeated::Gap);
    }
}
