//! What is retransmitted of a window without an answer.

use super::{Blocks, Sender};
use crate::time::Time;

/// The part of an unanswered window that is retransmitted.
///
/// RFC 7440 section 4 retransmits the whole window. But a stalled peer still has the earlier copies in its
/// receive buffers, and small ones overflow: U-Boot's virtio driver has 32 and then never receives again. One
/// block makes a receiver report what it lacks, if it is the last one: it completes the window, or shows a
/// gap, or repeats an accepted block, and each of these is acknowledged at once. The ACK decides what is sent
/// next. A receiver that has reported the gap before is silent, though, until the gap closes; and some do not
/// report gaps. So the probe begins with the first block where a gap was reported before, and the second one does
/// anyway. If that has no answer, either, the gap may be anywhere: the third probe walks through the whole window, in
/// [`STEPS`] steps, each of which may close it. The last block follows again, since a receiver whose report was lost
/// counts its window from there. The peer gets one window and a few blocks, and the next walk comes seconds later.
///
/// In the first window of a transfer all probes begin with the first blocks: U-Boot starts over when a block
/// other than 1 comes first. They are few, since nothing proves yet that the peer receives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Hash))]
pub(super) enum Probe {
    None,
    Leading,
    Last,
    /// A walk, with so many blocks behind.
    Walk(u16),
}

/// Steps of a walk, and after how many time-outs the first one comes. Another one comes each time that their number has
/// doubled: a forged ACK must not make a silent victim get window after window.
const STEPS: u16 = 16;
const FIRST_WALK: u8 = 3;

/// A peer that reports gaps has answered one of so many probes.
const SILENT: u8 = FIRST_WALK;

/// The shortest time-out of clients, in microseconds.
const OWN_TIMEOUT: u32 = 450_000;

/// The blocks that fit into the smallest receivers. Where more of a window arrived, a queue on the way was full.
pub(super) const FEW: u16 = 4;

/// Steps of the walks after the first one: the peer may have no room for two blocks.
const MORE_STEPS: u16 = 128;

impl Sender {
    /// Chooses the probe for a time-out. `pause`: microseconds between two steps of a walk. Returns whether it is one.
    pub(super) fn choose_probe(&mut self, pause: u32, after_gap: bool) -> bool {
        let due = self.timeouts.is_multiple_of(FIRST_WALK) && (self.timeouts / FIRST_WALK).is_power_of_two();
        let walks = self.acked > 0 && due;
        let is_first = self.acked == 0;
        let timeouts = self.timeouts;
        let rare = self.rare();
        rare.reports.pause = pause;
        rare.probe = match () {
            () if walks => Probe::Walk(0),
            () if is_first || after_gap || timeouts == 2 => Probe::Leading,
            () => Probe::Last,
        };
        walks
    }

    /// Returns when the next step of a walk is due, if that is later.
    pub(super) fn next_step(&self, now: Time) -> Option<Time> {
        let rare = self.rare.as_ref()?;
        match rare.probe {
            Probe::Walk(1..) => Some(rare.resent_at.after(rare.reports.pause)).filter(|at| now < *at),
            _ => None,
        }
    }

    /// Returns whether a walk is going on that has not come to the last of `ahead` blocks, which are acknowledged: the peer
    /// was held up, and has all that was sent.
    pub(super) fn is_needless(&self, ahead: u16) -> bool {
        matches!(self.probe(), Probe::Walk(walked) if ahead > walked)
    }

    /// Returns whether the peer acknowledges `ahead` blocks more after it was silent for long: it got no window whole, and
    /// reports no gaps. Either the probes of several time-outs brought it the blocks, or its own time-out caused the ACK.
    pub(super) fn was_silent(&self, now: Time, ahead: u16, earliest: u32) -> bool {
        let is_own_timeout = || {
            let sending = self.rare.as_ref().map_or(0, |rare| rare.spread);
            let wait = OWN_TIMEOUT.max(earliest.saturating_mul(4)).saturating_add(sending);
            (1..=FEW).contains(&ahead) && ahead < self.sent && earliest > 0 && self.waited(now, wait)
        };
        self.rare.as_ref().is_some_and(|rare| rare.reports.to_client)
            && self.window > 1
            && !self.is_needless(ahead)
            && (self.timeouts >= SILENT || is_own_timeout())
    }

    /// Returns how many ACKs the probes may still cause, now that `ahead` blocks are acknowledged. A peer that was held up
    /// acknowledges each copy. One that lacks blocks has been silent in a walk; of the other probes at most the first and
    /// every second had two blocks.
    pub(super) fn take_echoes(&mut self, ahead: u16) -> u8 {
        let sent = self.rare.as_mut().map_or(0, |rare| core::mem::take(&mut rare.reports.probes));
        match core::mem::take(&mut self.timeouts) {
            0 => 0,
            timeouts if self.window == 1 => timeouts,
            _ if ahead >= self.sent => sent,
            timeouts => timeouts.saturating_add(timeouts.div_ceil(2)),
        }
    }

    /// Takes as much of the probe as the pacer allows; the rest follows later.
    pub(super) fn take_probe(&mut self, now: Time) -> Option<Blocks> {
        let (first, last) = (self.acked + 1, self.next() - 1);
        if last < first {
            self.rare().probe = Probe::None;
            return None;
        }
        if self.next_step(now).is_some() {
            return None;
        }
        let probe = core::mem::replace(&mut self.rare().probe, Probe::None);
        let mut blocks = match probe {
            Probe::None => return None,
            Probe::Leading => {
                let doublings = u32::from(self.timeouts.saturating_sub(1) / 2).min(15);
                let doubled = if self.acked == 0 { 1 << doublings } else { 1 };
                let count = doubled.min(last.saturating_sub(self.acked)) as u32;
                if self.acked + u64::from(count) < last {
                    self.rare().probe = Probe::Last;
                }
                Blocks { first, count }
            }
            Probe::Last => Blocks { first: last, count: 1 },
            Probe::Walk(walked) => {
                let first = (first + u64::from(walked)).min(last);
                let steps = if self.timeouts == FIRST_WALK { STEPS } else { MORE_STEPS };
                let count = u64::from(self.window.div_ceil(steps)).min(last - first + 1) as u32;
                Blocks { first, count }
            }
        };
        let (acked, rare) = (self.acked, self.rare());
        blocks.count = rare.pacer.take(now, blocks.count);
        if blocks.count == 0 {
            rare.probe = probe;
            return None;
        }
        rare.reports.probes = rare.reports.probes.saturating_add(blocks.count.min(u8::MAX.into()) as u8);
        let end = blocks.first + u64::from(blocks.count) - 1;
        if matches!(probe, Probe::Walk(before) if acked + u64::from(before) < last) {
            rare.probe = Probe::Walk((end - acked) as u16);
        }
        Some(blocks)
    }

    /// Handles a probe of which the blocks from `first` on were not sent.
    pub(super) fn probe_again(&mut self, first: u64) {
        let walked = first.saturating_sub(self.acked + 1) as u16;
        let rare = self.rare();
        rare.probe = match rare.probe {
            Probe::Walk(_) => Probe::Walk(walked),
            _ => Probe::Leading,
        };
    }
}
