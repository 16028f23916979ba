//! What observers are told.

use super::Summary;
use crate::progress::Progress;
use crate::request::{Request, RequestId};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

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
        /// The request.
        request: Arc<Request>,
        /// What it became: `ROOT:PATH`, or `content` where a plugin made it.
        resolved: Option<Arc<str>>,
        /// The plugin that decided; `None` where the configuration did.
        verdict_by: Option<Arc<str>>,
        /// Bytes on the wire, where they are known.
        size: Option<u64>,
        /// From the request to the decision.
        decided_after: Duration,
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
    Finished(Box<Summary>),
}
