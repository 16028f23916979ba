//! The state of the server for `tuffet status` and other views.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::privileges::Left;
use tuffet_policy::PolicyRuntime;
use tuffet_policy::sinks::SinkCounted;

/// The state of the server. Cheap to clone; all clones are one.
#[derive(Debug, Clone)]
pub(crate) struct Status {
    report: Arc<Mutex<Report>>,
    runtime: PolicyRuntime,
    left: Arc<Left>,
}

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
    /// What each sink has done and has still to do, by name.
    #[serde(default)]
    pub(crate) sinks: Vec<SinkCounted>,
    /// The id of the process, in its own namespace.
    #[serde(default)]
    pub(crate) process: u32,
    /// Who it is and what it may do beyond that.
    #[serde(default)]
    pub(crate) privileges: Left,
}

impl Status {
    pub(crate) fn new(runtime: PolicyRuntime, left: Left) -> Status {
        Status { report: Arc::new(Mutex::new(Report::ready(1))), runtime, left: Arc::new(left) }
    }

    /// How it is now.
    pub(crate) fn report(&self) -> Report {
        let report = self.lock().clone();
        Report {
            sinks: self.runtime.sinks().counted(),
            process: std::process::id(),
            privileges: Left::clone(&self.left),
            ..report
        }
    }

    pub(crate) fn reloaded(&self, generation: u64) {
        *self.lock() = Report::ready(generation);
    }

    pub(crate) fn refused(&self, reasons: Vec<String>) {
        let mut report = self.lock();
        (report.ready, report.refused) = (false, reasons);
    }

    fn lock(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Report {
    fn ready(generation: u64) -> Report {
        Report {
            ready: true,
            generation,
            since_unix: now(),
            refused: Vec::new(),
            sinks: Vec::new(),
            process: 0,
            privileges: Left::default(),
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
