//! The ticket of a decided request, and the report of its end.

use super::clock::Clock;
use std::sync::Arc;
use tokio::sync::mpsc;
use tuffet_core::Transfer;
use tuffet_request::events::{Answered, CompactRecord, Ended, Ending, Outcome, Unanswered};

/// A reserved place in the queue of summaries.
pub type SummaryPermit = mpsc::OwnedPermit<Ended>;

/// The data of a request from its decision to its end.
pub struct Ticket {
    /// The request and its decision.
    pub record: Arc<CompactRecord>,
    /// The reserved place of its summary.
    pub place: SummaryPermit,
}

impl Ticket {
    /// Reports a request that was still undecided when the server stopped.
    pub(super) fn too_late(self) {
        let ending = Ending::new(Outcome::Failed, "the server was shut down before it was decided");
        self.report(Answered::Undecided, ending, None, None, Clock::start());
    }

    /// Sends the end of the request to its place in the queue of summaries. `answered`: the decision, if it took effect.
    /// `transfer`: its transfer, and the size of the content if that was found meanwhile. `clock`: that of the worker.
    pub(super) fn report(
        self,
        answered: Answered,
        ending: Ending,
        unanswered: Option<Unanswered>,
        transfer: Option<(&Transfer, Option<u64>)>,
        clock: Clock,
    ) {
        let Ticket { record, place } = self;
        let (core, size) = (transfer.map(|(core, _)| core), transfer.and_then(|(_, size)| size));
        let (received, size) = (record.received(), record.size().or(size));
        let first_block = core.and_then(Transfer::first_block);
        let first_block = first_block.map(|time| clock.instant_of(time));
        place.send(Ended {
            record,
            group: None,
            size,
            ending,
            unanswered,
            decision: answered,
            options: core.map(Transfer::options).unwrap_or_default(),
            bytes: core.map_or(0, Transfer::bytes),
            blocks: core.map_or(0, Transfer::blocks),
            stats: core.map(Transfer::stats).unwrap_or_default(),
            rtt: core.and_then(Transfer::rtt),
            first_block_after: first_block.map(|time| time.saturating_duration_since(received)),
            duration: clock.instant().saturating_duration_since(received),
        });
    }
}
