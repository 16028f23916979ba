//! The events that observers receive.

use super::Summary;
use crate::progress::Progress;
use crate::request::{Request, RequestId};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// An event.
#[derive(Debug)]
pub struct Event {
    /// The time of the event.
    pub at: SystemTime,
    /// The kind of event.
    pub what: Happening,
}

/// The events of a request.
#[derive(Debug)]
pub enum Happening {
    /// A request was granted.
    Started {
        /// The request.
        request: Arc<Request>,
        /// The file: `ROOT:PATH`, or `content` if a plugin generated it.
        resolved: Option<Arc<str>>,
        /// The plugin that decided; `None` if the configuration did.
        verdict_by: Option<Arc<str>>,
        /// Bytes on the wire, if known.
        size: Option<u64>,
        /// From the request to the decision.
        decided_after: Duration,
        /// The worker's count of the bytes that have arrived.
        progress: Arc<Progress>,
    },
    /// A transfer made progress.
    Progressed {
        /// The request.
        id: RequestId,
        /// Bytes that have arrived.
        bytes: u64,
        /// Bytes on the wire, if known.
        size: Option<u64>,
    },
    /// A request has ended.
    Finished(Box<Summary>),
}
