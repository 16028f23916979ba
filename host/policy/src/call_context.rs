//! The context of a call: the client, the trace, the deadline.

use parking_lot::Mutex;
use std::sync::Arc;

use tokio::time::Instant;

use super::chain_deadline::ChainDeadline;
use super::freshness::Freshness;
use tuffet_request::{ClientKey, Traced};

/// The context of a call.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The client that the call counts for.
    pub client: ClientKey,
    /// The trace of the request, for log lines.
    pub traced: Option<Traced>,
    /// The deadline of the chain; `None` if only the limits of the plugin apply.
    pub deadline: Option<ChainDeadline>,
    /// When the call was wanted, before any wait for the answer to an equal request; `None`: when it is made.
    pub wanted: Option<Instant>,
    /// Whether this call probes a failed plugin. Such a call precedes all others.
    pub probes: bool,
    /// Set for a rehearsal: the call must have no effect, and its log lines are collected here.
    pub rehearsal: Option<Lines>,
    /// Set if the answer may be kept for other requests: how long it may.
    pub freshness: Option<Freshness>,
}

/// Log lines of a rehearsal.
pub type Lines = Arc<Mutex<Vec<String>>>;

impl CallContext {
    /// Calls by the server itself.
    pub const SERVER: CallContext = CallContext {
        client: ClientKey::SERVER,
        traced: None,
        deadline: None,
        wanted: None,
        probes: false,
        rehearsal: None,
        freshness: None,
    };
}
