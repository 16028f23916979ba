//! A call of a hook.

use parking_lot::Mutex;
use std::sync::Arc;

use tokio::time::Instant;

use super::chain_deadline::ChainDeadline;
use super::freshness::Freshness;
use super::memo::Memo;
use tuffet_request::{ClientKey, Label, Traced};

/// A call of a hook: what it is made for, and what may become of its answer.
#[derive(Debug, Clone)]
pub struct HookCall {
    pub(crate) client: ClientKey,
    pub(crate) traced: Option<Traced>,
    pub(crate) deadline: Option<ChainDeadline>,
    pub(crate) wanted: Option<Instant>,
    pub(crate) probes: bool,
    pub(crate) rehearsal: Option<Lines>,
    pub(crate) freshness: Option<Freshness>,
    pub(crate) memo: Memo,
    pub(crate) label: Arc<Mutex<Option<Label>>>,
}

/// Log lines of a rehearsal.
pub type Lines = Arc<Mutex<Vec<String>>>;

impl HookCall {
    /// Whether it must have no effect: an operator asks how the server would decide a request.
    pub fn is_rehearsal(&self) -> bool {
        self.rehearsal.is_some()
    }

    /// Gives the request a label, if the hook answers: later hooks, observers and people see it. The last one counts.
    pub fn label(&self, label: Label) {
        *self.label.lock() = Some(label);
    }

    /// Adds a line to the explanation of the request, if this is a rehearsal.
    pub fn note(&self, line: impl Into<String>) {
        if let Some(lines) = &self.rehearsal {
            lines.lock().push(line.into());
        }
    }
}

/// For implementations in this workspace.
#[doc(hidden)]
impl HookCall {
    /// A call by the server itself, for no request and without a deadline.
    pub fn of_server() -> HookCall {
        HookCall {
            client: ClientKey::SERVER,
            traced: None,
            deadline: None,
            wanted: None,
            probes: false,
            rehearsal: None,
            freshness: None,
            memo: Memo::default(),
            label: Arc::default(),
        }
    }

    /// The same call with this deadline; `None` if only the limits of the plugin apply.
    #[must_use]
    pub fn within(self, deadline: Option<ChainDeadline>) -> HookCall {
        HookCall { deadline, ..self }
    }

    /// The client that the call counts for.
    pub fn client(&self) -> ClientKey {
        self.client
    }

    /// The trace of the request, for log lines.
    pub fn traced(&self) -> Option<Traced> {
        self.traced
    }

    /// The deadline of the chain; `None` if only the limits of the plugin apply.
    pub fn deadline(&self) -> Option<ChainDeadline> {
        self.deadline
    }

    /// When the call was wanted, before any wait for the answer to an equal request; `None`: when it is made.
    pub fn wanted(&self) -> Option<Instant> {
        self.wanted
    }

    /// Whether this call probes a failed plugin. Such a call precedes all others.
    pub fn probes(&self) -> bool {
        self.probes
    }

    /// Set for a rehearsal: collects its log lines.
    pub fn lines(&self) -> Option<&Lines> {
        self.rehearsal.as_ref()
    }

    /// Set if the answer may be kept for other requests: how long it may.
    pub fn freshness(&self) -> Option<&Freshness> {
        self.freshness.as_ref()
    }

    /// What the members of the chain derive from the request.
    pub fn memo(&self) -> &Memo {
        &self.memo
    }
}
