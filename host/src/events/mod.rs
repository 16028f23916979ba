//! What happened: each request ends in exactly one [`Outcome`], told once in a [`Summary`].
//!
//! Summaries leave the workers through a bounded queue. A request is only admitted with a place in that
//! queue already reserved for its summary, so none is ever lost and no transfer ever waits to report:
//! when the queue is full, it is new requests that wait.

mod log;
mod observers;
mod outcome;

pub(crate) use log::log_summaries;
pub(crate) use observers::{Event, Happening, Observers};
pub(crate) use outcome::{Ending, Outcome, outcome_of};

use crate::request::Request;
use std::sync::Arc;
use std::time::Duration;
use tuffet_core::{Oack, Stats};

/// All that is known of a request when it has ended.
#[derive(Debug)]
pub(crate) struct Summary {
    /// What was asked, and by whom.
    pub(crate) request: Arc<Request>,
    /// How it ended.
    pub(crate) ending: Ending,
    /// What the request became: `ROOT:PATH`, or `content` where a plugin made it.
    pub(crate) resolved: Option<Arc<str>>,
    /// The plugin that decided; `None` where the configuration did.
    pub(crate) verdict_by: Option<Arc<str>>,
    /// How many plugins were called.
    pub(crate) plugin_calls: u32,
    /// Options as negotiated.
    pub(crate) options: Oack,
    /// Bytes that arrived, as they appear on the wire.
    pub(crate) bytes: u64,
    /// Retransmissions, duplicates and time-outs.
    pub(crate) stats: Stats,
    /// The smoothed round-trip time, where it was measured.
    pub(crate) rtt: Option<Duration>,
    /// From the request to the decision.
    pub(crate) decided_after: Option<Duration>,
    /// From the request to the end.
    pub(crate) duration: Duration,
}

/// A place in the queue of summaries.
pub(crate) type Place = tokio::sync::mpsc::OwnedPermit<Summary>;
