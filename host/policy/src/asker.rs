//! The caller of a hook.

use std::sync::{Arc, Mutex};

use super::patience::Patience;
use tuffet_request::{ClientKey, Traced};

/// The caller of a hook.
#[derive(Debug, Clone)]
pub struct Asker {
    /// The client whose share of the plugin the call takes.
    pub client: ClientKey,
    /// The trace of the request, for log lines.
    pub traced: Option<Traced>,
    /// The time limit of the chain; `None` if only the plugin's own limits apply.
    pub patience: Option<Patience>,
    /// Whether this call probes a failed plugin. Such a call precedes all others.
    pub probes: bool,
    /// Nothing that the plugin does may have an effect; its log lines are collected here.
    pub rehearsal: Option<Lines>,
}

/// Log lines of a rehearsal.
pub type Lines = Arc<Mutex<Vec<String>>>;

impl Asker {
    /// The server itself.
    pub const SERVER: Asker =
        Asker { client: ClientKey::SERVER, traced: None, patience: None, probes: false, rehearsal: None };
}
