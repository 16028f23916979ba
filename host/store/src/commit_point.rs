//! The commit point of an upload: until then it can be stopped. A server that shuts down must tell its client the truth.
//!
//! Either the stop comes first, and the upload never becomes visible; or the upload becomes visible first, and its client is
//! told what became of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const OPEN: u8 = 0;
const STOPPED: u8 = 1;
const PASSED: u8 = 2;

/// The commit point of an upload, shared by the thread that stores it and the one that may stop it.
#[derive(Debug, Clone, Default)]
pub struct CommitPoint(Arc<AtomicU8>);

impl CommitPoint {
    /// Stops the upload: it does not become visible. Returns whether this came in time.
    pub fn stop(&self) -> bool {
        self.turn(STOPPED)
    }

    /// Begins to make the upload visible. Returns whether it may: it was not stopped.
    pub(super) fn pass(&self) -> bool {
        self.turn(PASSED)
    }

    fn turn(&self, into: u8) -> bool {
        let turned = self.0.compare_exchange(OPEN, into, Ordering::AcqRel, Ordering::Acquire);
        turned.is_ok() || turned == Err(into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_both_counts() {
        let point = CommitPoint::default();
        assert!(point.stop() && point.stop() && !point.clone().pass());
        let point = CommitPoint::default();
        // It is tried again with another name.
        assert!(point.clone().pass() && point.pass() && !point.stop());
    }
}
