//! What observers are told.

use super::{DecisionRecord, Summary};
use crate::progress::Progress;
use crate::request::RequestId;
use std::sync::Arc;
use std::time::SystemTime;

/// Something that happened.
#[derive(Debug)]
pub struct Event {
    /// When it happened.
    pub at: SystemTime,
    /// What it was.
    pub what: Happening,
}

/// What can happen to a request.
#[derive(Debug)]
pub enum Happening {
    /// A request was granted.
    Started {
        /// The request and how it was decided.
        record: Arc<DecisionRecord>,
        /// Where the worker writes how many bytes have arrived.
        progress: Arc<Progress>,
    },
    /// A transfer has come so far.
    Progressed {
        /// The request.
        id: RequestId,
        /// Bytes that have arrived.
        bytes: u64,
        /// Bytes on the wire, where they are known.
        size: Option<u64>,
    },
    /// A request has ended.
    Finished(Arc<Summary>),
}
