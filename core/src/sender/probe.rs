//! What is retransmitted of a window that nobody answers.

use super::{Blocks, Sender};
use crate::time::Time;

/// The part of an unanswered window that is retransmitted.
///
/// RFC 7440 section 4 retransmits the whole window. But a stalled peer still has the earlier copies in its
/// receive buffers, and small ones overflow: U-Boot's virtio driver has 32 and then never receives again. One
/// block makes a receiver report what it lacks, if it is the last one: it completes the window, or shows a
/// gap, or repeats an accepted block, and each of these is acknowledged at once. The ACK decides what is sent
/// next. A receiver that has reported the gap before is silent, though, until the gap closes; and some do not
/// report gaps. So the probe begins with the first block where a gap was reported before, and every second one
/// with the first blocks, twice as many each time. Not the first probe for a new window: U-Boot, which lost the
/// last block most often, takes the others for a gap.
///
/// In the first window of a transfer all probes begin with the first blocks: U-Boot starts over when a block
/// other than 1 comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Hash))]
pub(super) enum Probe {
    None,
    Leading,
    Last,
}

impl Sender {
    /// Takes as much of the probe as the pacer allows; the rest follows later.
    pub(super) fn take_probe(&mut self, now: Time) -> Option<Blocks> {
        let (first, last) = (self.acked + 1, self.next - 1);
        if last < first {
            self.probe = Probe::None;
            return None;
        }
        let probe = core::mem::replace(&mut self.probe, Probe::None);
        let mut blocks = match probe {
            Probe::None => return None,
            Probe::Leading => {
                let doublings = u32::from(self.timeouts.saturating_sub(1) / 2).min(15);
                let count = (1 << doublings).min(last.saturating_sub(self.acked)) as u32;
                if self.acked + u64::from(count) < last {
                    self.probe = Probe::Last;
                }
                Blocks { first, count }
            }
            Probe::Last => Blocks { first: last, count: 1 },
        };
        blocks.count = self.pacer.take(now, blocks.count);
        if blocks.count == 0 {
            self.probe = probe;
            return None;
        }
        Some(blocks)
    }
}
