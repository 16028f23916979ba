//! The events that observers receive.

use super::{DecisionRecord, Summary};
use crate::progress::Progress;
use crate::request::RequestId;
use std::sync::Arc;
use std::time::SystemTime;

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
        /// The request and its decision.
        record: Arc<DecisionRecord>,
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
    Finished(Arc<Summary>),
}
