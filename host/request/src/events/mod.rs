//! Events: each request ends in exactly one [`Outcome`], reported once in a [`Summary`].

mod compact;
mod decision_facts;
mod ended;
mod event;
mod fields;
mod kinds;
mod outcome;
mod recent_decisions;
mod record;
mod sample;
mod tried;

pub use compact::CompactRecord;
pub use decision_facts::DecisionFacts;
pub use ended::Ended;
pub use event::{Event, EventKind};
pub use fields::{FIELDS, Field, FieldValue, InEvent, InLine, InView};
pub use kinds::{Kind, Kinds};
pub use outcome::{Ending, LastError, Outcome, UNACKNOWLEDGED, outcome_of};
pub use recent_decisions::RecentDecisions;
pub use record::{DecisionRecord, resolved_file};
pub use tried::Tried;

use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
pub use tuffet_core::{OptionSet, Stats};

/// The decision on a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Answered {
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
    /// Returns the word in the log and for plugins.
    pub fn as_str(self) -> &'static str {
        match self {
            Answered::Granted => "granted",
            Answered::Refused => "refused",
            Answered::Dropped => "dropped",
            Answered::Undecided => "undecided",
        }
    }
}

/// How a half-open transfer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unanswered {
    /// It timed out.
    TimedOut,
    /// It was ended in favour of another transfer.
    GaveWay,
    /// Its client repeated the request from the same port, although it had been answered.
    AskedAgain,
}

impl Unanswered {
    /// Whether the client never sent anything else than this request.
    #[doc(hidden)]
    pub fn is_silent(self) -> bool {
        self != Unanswered::AskedAgain
    }
}

/// The facts of an ended request.
#[derive(Debug)]
pub struct Summary {
    /// The request and its decision.
    pub record: Arc<DecisionRecord>,
    /// How it ended.
    pub ending: Ending,
    /// How the transfer ended, if it was still half-open.
    pub unanswered: Option<Unanswered>,
    /// The usual meaning of its pattern, if known.
    pub hint: Option<String>,
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
    /// From the request to the confirmed arrival of the first block: for a read its ACK, for a write the block itself.
    /// `None` if no block arrived.
    pub first_block_after: Option<Duration>,
    /// From the request to the end.
    pub duration: Duration,
}

impl Summary {
    /// Creates the summary of a request that moved nothing and took no time.
    #[doc(hidden)]
    pub fn new(record: DecisionRecord, ending: impl Into<Ending>, decision: Answered) -> Summary {
        Summary {
            record: Arc::new(record),
            ending: ending.into(),
            unanswered: None,
            hint: None,
            decision,
            options: OptionSet::default(),
            bytes: 0,
            blocks: 0,
            stats: Stats::default(),
            rtt: None,
            first_block_after: None,
            duration: Duration::ZERO,
        }
    }
}
