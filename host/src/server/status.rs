//! How the server is, for whoever asks: `tuffet status`, and what else will.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// The state of the server. Cheap to clone; all clones are one.
#[derive(Debug, Clone)]
pub(crate) struct Status(Arc<Mutex<Report>>);

/// The state at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// Whether what serves is what is configured: not so from a reload that was refused to one that was not.
    pub(crate) ready: bool,
    /// The configuration that serves; 1 is the one that the server started with.
    pub(crate) generation: u64,
    /// Since when, in seconds since 1970.
    pub(crate) since_unix: u64,
    /// Why the last reload was refused, one reason each.
    pub(crate) refused: Vec<String>,
}

impl Status {
    pub(crate) fn new() -> Status {
        let report = Report { ready: true, generation: 1, since_unix: now(), refused: Vec::new() };
        Status(Arc::new(Mutex::new(report)))
    }

    pub(crate) fn report(&self) -> Report {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn reloaded(&self, generation: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            Report { ready: true, generation, since_unix: now(), refused: Vec::new() };
    }

    pub(super) fn refused(&self, reasons: Vec<String>) {
        let mut report = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (report.ready, report.refused) = (false, reasons);
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
