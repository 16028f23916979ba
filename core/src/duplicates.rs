//! How a client takes a second copy of a DATA packet in lockstep.
//!
//! A receiver that follows RFC 1350 compares block numbers, so a copy does no harm. Some small receivers do not: they count
//! each DATA packet as the next block, and a copy makes their file too long. Servers with fixed timers of a second hardly
//! ever send one, so the fault went unnoticed. A quick time-out is therefore only for clients that are known to bear copies,
//! or have shown it.
//!
//! A client shows it after a time-out: the server waits for a moment before it sends the next block. A client that counts
//! packets acknowledges that block meanwhile, although it was not sent. One that compares numbers does not.

/// What is known of a client, in evidence. Kept for its next transfers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Duplicates(u8);

impl Duplicates {
    /// Nothing is known: most clients of most networks.
    pub const UNKNOWN: Duplicates = Duplicates(0);
    /// The client counts each DATA packet as the next block.
    pub const COUNTED: Duplicates = Duplicates(u8::MAX);

    /// The evidence that is enough.
    const ENOUGH: u8 = 8;
    /// A client that acknowledged a block twice soon after its copy has got both. Two such cases are enough, since the
    /// network may have doubled an ACK.
    const ANSWERED_TWICE: u8 = 4;
    /// If an answer follows a repetition, either the block or its ACK was lost, and only in the second case the client got
    /// a copy. Eight such cases are enough: a client that counts would have been found out with near certainty.
    const REPAIRED: u8 = 1;

    /// Restores what [`Duplicates::evidence`] returned.
    pub fn from_evidence(evidence: u8) -> Self {
        if evidence == u8::MAX { Self::COUNTED } else { Duplicates(evidence.min(Self::ENOUGH)) }
    }

    /// Returns it as a number, to keep it.
    pub fn evidence(self) -> u8 {
        self.0
    }

    /// Returns whether the client has shown that it bears copies.
    pub fn are_borne(self) -> bool {
        self.0 >= Self::ENOUGH && self != Self::COUNTED
    }

    /// Returns whether the client has counted a copy as a block.
    pub fn are_counted(self) -> bool {
        self == Self::COUNTED
    }

    pub(crate) fn answered_twice(&mut self) {
        self.add(Self::ANSWERED_TWICE);
    }

    pub(crate) fn repaired(&mut self) {
        self.add(Self::REPAIRED);
    }

    fn add(&mut self, evidence: u8) {
        if !self.are_counted() {
            self.0 = self.0.saturating_add(evidence).min(Self::ENOUGH);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_adds_up_and_a_counted_copy_outweighs_all() {
        let mut known = Duplicates::UNKNOWN;
        known.answered_twice();
        (0..3).for_each(|_| known.repaired());
        assert!(!known.are_borne());
        known.repaired();
        assert!(known.are_borne());
        assert_eq!(Duplicates::from_evidence(known.evidence()), known);
        let mut counted = Duplicates::COUNTED;
        (0..20).for_each(|_| counted.answered_twice());
        assert!(counted.are_counted() && !counted.are_borne());
        assert_eq!(Duplicates::from_evidence(200), known, "no number is out of range");
    }
}
