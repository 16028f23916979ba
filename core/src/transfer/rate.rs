//! Uploads with a rate: an ACK waits until the rate covers the bytes that it acknowledges.
//!
//! The receiving side cannot pace its peer in any other way (RFC 1350: a sender waits for the ACK). Downloads
//! with a rate are paced by the sender (`core/src/pacer.rs`).

use super::{Phase, Transfer};
use crate::time::Time;

impl Transfer {
    /// Holds back an ACK that is due, if the rate does not cover it yet.
    pub(super) fn hold_ack(&mut self, now: Time) {
        let Phase::Receiving(receiver) = &mut self.phase else { return };
        let Some(due) = receiver.hold_ack(now) else { return };
        self.due.ack = false;
        self.deadline = due;
    }

    /// Sends the ACK that was held back, if its time has come. The peer had nothing to answer meanwhile. Returns
    /// whether the time was that of such an ACK.
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
