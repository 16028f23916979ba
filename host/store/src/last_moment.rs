//! The last moment in which an upload can be stopped: a server that shuts down must tell its client the truth.
//!
//! Either the stop comes first, and the upload never becomes visible; or the upload becomes visible first, and its client is
//! told what became of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const OPEN: u8 = 0;
const STOPPED: u8 = 1;
const PASSED: u8 = 2;

/// The last moment of an upload, shared by the thread that stores it and the one that may stop it.
#[derive(Debug, Clone, Default)]
pub struct LastMoment(Arc<AtomicU8>);

impl LastMoment {
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
        turned.is_ok_and(|_| true) || turned == Err(into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_both_counts() {
        let moment = LastMoment::default();
        assert!(moment.stop() && moment.stop() && !moment.clone().pass());
        let moment = LastMoment::default();
        // It is tried again with another name.
        assert!(moment.clone().pass() && moment.pass() && !moment.stop());
    }
}
