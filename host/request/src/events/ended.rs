//! The report of a worker about an ended request.

use super::{Answered, CompactRecord, Ending, Summary, Unanswered};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tuffet_core::{OptionSet, Stats};

/// A [`Summary`] with a compact record. Expanding it is left to the receiver, to spare the worker.
#[derive(Debug, Clone)]
pub struct Ended {
    /// The request and its decision.
    pub record: Arc<CompactRecord>,
    /// The multicast group of the client; `None` for a unicast transfer.
    pub group: Option<SocketAddr>,
    /// Bytes on the wire, if known at the end.
    pub size: Option<u64>,
    /// How it ended.
    pub ending: Ending,
    /// How the transfer ended, if it was still half-open.
    pub unanswered: Option<Unanswered>,
    /// The decision.
    pub decision: Answered,
    /// The negotiated options.
    pub options: OptionSet,
    /// Bytes that arrived, counted as on the wire.
    pub bytes: u64,
    /// Blocks that arrived.
    pub blocks: u64,
    /// Retransmissions, duplicates and time-outs.
    pub stats: Stats,
    /// The smoothed round-trip time, if measured.
    pub rtt: Option<Duration>,
    /// As in [`Summary`].
    pub first_block_after: Option<Duration>,
    /// From the request to the end.
    pub duration: Duration,
}

impl From<Ended> for Summary {
    fn from(ended: Ended) -> Summary {
        let mut record = ended.record.expand();
        (record.group, record.size) = (ended.group, ended.size);
        Summary {
            record: Arc::new(record),
            ending: ended.ending,
            unanswered: ended.unanswered,
            hint: None,
            decision: ended.decision,
            options: ended.options,
            bytes: ended.bytes,
            blocks: ended.blocks,
            stats: ended.stats,
            rtt: ended.rtt,
            first_block_after: ended.first_block_after,
            duration: ended.duration,
        }
    }
}
