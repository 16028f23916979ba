//! The caller of a hook.

use std::sync::{Arc, Mutex};

use super::chain_deadline::ChainDeadline;
use tuffet_request::{ClientKey, Traced};

/// The caller of a hook.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The client whose share of the plugin the call takes.
    pub client: ClientKey,
    /// The trace of the request, for log lines.
    pub traced: Option<Traced>,
    /// The time limit of the chain; `None` if only the plugin's own limits apply.
    pub deadline: Option<ChainDeadline>,
    /// Whether this call probes a failed plugin. Such a call precedes all others.
    pub probes: bool,
    /// Nothing that the plugin does may have an effect; its log lines are collected here.
    pub rehearsal: Option<Lines>,
}

/// Log lines of a rehearsal.
pub type Lines = Arc<Mutex<Vec<String>>>;

impl CallContext {
    /// The server itself.
    pub const SERVER: CallContext = CallContext {
        client: ClientKey::SERVER,
        traced: None,
        deadline: None,
        probes: false,
        rehearsal: None,
    };
}
