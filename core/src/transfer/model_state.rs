//! The state of a transfer as the model compares it: without statistics that have no effect, and with times relative
//! to the present.

use super::{Phase, Transfer};
use crate::time::Time;
use core::hash::{Hash, Hasher};

impl Transfer {
    /// Shifts all remembered times to another clock.
    pub(crate) fn shift(&mut self, now: Time, to: &dyn Fn(Time) -> Time) {
        self.heard = to(self.heard);
        self.deadline = to(self.deadline);
        match &mut self.phase {
            Phase::Sending(sender) => sender.shift(now, to),
            Phase::Receiving(receiver) | Phase::Storing(receiver) | Phase::Dallying(receiver) => {
                receiver.shift(now, to);
            }
            Phase::Deciding | Phase::Requested { .. } | Phase::Offered { .. } | Phase::Ended(_) => {}
        }
    }
}

impl Hash for Transfer {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Transfer { phase, options, settings: _, rtt, heard, .. } = self;
        (phase, options, rtt, heard).hash(state);
        let Transfer { first_block: _, deadline, counts: _, repeats, server, operation, due, .. } = self;
        (deadline, repeats, server, operation, due).hash(state);
        (self.duplicates, self.caution).hash(state);
    }
}
