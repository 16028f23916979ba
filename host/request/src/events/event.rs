//! The events that observers receive.

use super::{CompactRecord, DecisionRecord, Summary};
use crate::request::RequestId;
use std::sync::Arc;
use std::time::SystemTime;

/// An event. Cheap to clone; clones share its facts.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its number among the events of the process, from 1; 0 until it is assigned.
    pub sequence: u64,
    /// The time of the event.
    pub at: SystemTime,
    /// The kind of event.
    pub what: EventKind,
}

/// The events of a request.
#[derive(Debug, Clone)]
pub enum EventKind {
    /// A request was granted.
    Started {
        /// The request and its decision.
        record: Arc<DecisionRecord>,
        /// The compact record, with the progress of the worker.
        #[doc(hidden)]
        open: Arc<CompactRecord>,
    },
    /// A transfer made progress.
    Progressed {
        /// The request.
        id: RequestId,
        /// The name of its listener.
        listener: Arc<str>,
        /// Bytes that have arrived.
        bytes: u64,
        /// Bytes on the wire, if known.
        size: Option<u64>,
    },
    /// A request has ended.
    Finished(Arc<Summary>),
}

impl EventKind {
    /// Returns the name of the listener of its request.
    pub fn listener(&self) -> &str {
        match self {
            EventKind::Started { record, .. } => &record.request.listener,
            EventKind::Progressed { listener, .. } => listener,
            EventKind::Finished(summary) => &summary.record.request.listener,
        }
    }
}
