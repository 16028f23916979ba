//! Lines of an observer that a full sink has refused.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The unsent lines of a plugin that wants empty batches.
#[derive(Debug)]
pub struct Unsent {
    /// Whether a sink was full, or more lines may remain than one call sends.
    waits: AtomicBool,
    /// Whether a sink accepted a line since the last check.
    sent: AtomicBool,
}

impl Default for Unsent {
    fn default() -> Self {
        Unsent::new()
    }
}

impl Unsent {
    /// Waits at first: a sink may have room now for lines of an earlier process.
    pub fn new() -> Unsent {
        Unsent { waits: AtomicBool::new(true), sent: AtomicBool::new(false) }
    }

    /// Returns whether there may be unsent lines.
    pub fn waits(&self) -> bool {
        self.waits.load(Relaxed)
    }

    /// Returns whether to call it without events now.
    pub fn is_due(&self) -> bool {
        self.sent.store(false, Relaxed);
        self.waits.swap(false, Relaxed)
    }

    /// Records a call without events: it may not have sent everything.
    pub fn called(&self) {
        if self.sent.load(Relaxed) {
            self.waits.store(true, Relaxed);
        }
    }

    /// Records whether a sink accepted a line.
    pub fn record_result(&self, taken: bool) {
        if taken { &self.sent } else { &self.waits }.store(true, Relaxed);
    }
}
