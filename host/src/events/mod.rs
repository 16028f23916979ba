//! What happened: each request ends in exactly one [`Outcome`], told once in a [`Summary`].
//!
//! Summaries leave the workers through a bounded queue. A request is only admitted with a place in that
//! queue already reserved for its summary, so none is ever lost and no transfer ever waits to report:
//! when the queue is full, it is new requests that wait.

mod flood;
mod kinds;
mod log;
mod observers;
mod outcome;

pub(crate) use kinds::{Kind, Kinds};
pub(crate) use log::log_summaries;
pub(crate) use observers::{Event, Happening, Observers};
pub(crate) use outcome::{Ending, Outcome, outcome_of};

use crate::request::Request;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tuffet_core::{Oack, Stats};

/// What was answered to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answered {
    /// It was granted.
    Granted,
    /// It was refused with an ERROR.
    Refused,
    /// It was not answered.
    Dropped,
    /// It ended before the decision reached it.
    Undecided,
}

impl Answered {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Answered::Granted => "granted",
            Answered::Refused => "refused",
            Answered::Dropped => "dropped",
            Answered::Undecided => "undecided",
        }
    }
}

/// How a transfer ended whose client had not answered once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// Its time was over.
    TimedOut,
    /// It made room for another.
    GaveWay,
}

/// All that is known of a request when it has ended.
#[derive(Debug)]
pub(crate) struct Summary {
    /// What was asked, and by whom.
    pub(crate) request: Arc<Request>,
    /// The options in the request that the protocol knows.
    pub(crate) asked: Oack,
    /// How it ended.
    pub(crate) ending: Ending,
    /// Whether that was before the client of a transfer had answered once, and how.
    pub(crate) unanswered: Option<Unanswered>,
    /// What was answered.
    pub(crate) decision: Answered,
    /// What the request became: `ROOT:PATH`, or `content` where a plugin made it.
    pub(crate) resolved: Option<Arc<str>>,
    /// The plugin that decided; `None` where the configuration did.
    pub(crate) verdict_by: Option<Arc<str>>,
    /// How many plugins were called.
    pub(crate) plugin_calls: u32,
    /// Options as negotiated.
    pub(crate) options: Oack,
    /// Bytes on the wire, where they are known: of the file that is read, or as the client announced.
    pub(crate) size: Option<u64>,
    /// Bytes that arrived, as they appear on the wire.
    pub(crate) bytes: u64,
    /// Blocks that arrived.
    pub(crate) blocks: u64,
    /// Retransmissions, duplicates and time-outs.
    pub(crate) stats: Stats,
    /// The smoothed round-trip time, where it was measured.
    pub(crate) rtt: Option<Duration>,
    /// From the request to the decision.
    pub(crate) decided_after: Option<Duration>,
    /// From the request to the first block that is known to have arrived: for a read the first ACK of one,
    /// for a write the block itself. `None` where none did.
    pub(crate) first_block_after: Option<Duration>,
    /// From the request to the end.
    pub(crate) duration: Duration,
}

/// A place in the queue of summaries.
pub(crate) type Place = tokio::sync::mpsc::OwnedPermit<Summary>;
