//! The form of lines, which a reload may change.

use parking_lot::RwLock;
use std::sync::Arc;
use tuffet_config::{LogFormat, LogSpec, LogTarget};
use tuffet_observe::dialect::Dialect;

/// The form of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) format: LogFormat,
    /// Each line begins with its priority: for the journal, which reads it (sd-daemon(3)), and for syslog.
    pub(super) prioritised: bool,
    /// Whether lines may have colours, if standard error is a terminal.
    pub(super) colours: bool,
}

/// The current form.
#[derive(Clone)]
pub(super) struct CurrentForm(Arc<RwLock<Form>>);

impl Form {
    /// Returns the form of lines for this target. `journal` is whether standard error is the journal.
    pub(super) fn of(spec: &LogSpec, journal: bool) -> Form {
        let (prioritised, colours) = match spec.to {
            LogTarget::Stderr => (journal, true),
            LogTarget::Syslog(_) => (true, false),
            LogTarget::File(_) => (false, false),
        };
        Form { format: spec.format, prioritised, colours }
    }

    pub(super) fn is_json(self) -> bool {
        self.format == LogFormat::Json
    }

    pub(super) fn dialect(self) -> Option<Dialect> {
        match self.format {
            LogFormat::Json => None,
            LogFormat::Text => Some(Dialect::People),
            LogFormat::TftpHpa => Some(Dialect::TftpHpa),
            LogFormat::Dnsmasq => Some(Dialect::Dnsmasq),
        }
    }
}

impl CurrentForm {
    pub(super) fn new(form: Form) -> CurrentForm {
        CurrentForm(Arc::new(RwLock::new(form)))
    }

    pub(super) fn get(&self) -> Form {
        *self.0.read()
    }

    pub(super) fn set(&self, form: Form) {
        *self.0.write() = form;
    }
}
