//! Hands the folder of a cache over to another process of the same server, for a restart without a gap.
//!
//! The successor reads the index and goes on with the cache. The predecessor keeps the contents that its transfers read
//! and fetch open, and changes no name in the folder any more. Both may fetch the same part of the same version: they
//! write the same bytes. A content that the predecessor begins afterwards has no record, so the next start removes it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::fs::{FlockOperation, flock};

use super::{Cache, Entry, OPEN_CACHES};

/// Hands over all caches of this process.
pub(crate) fn hand_over_all() {
    open_caches().iter().for_each(|cache| cache.hand_over());
}

/// Takes back all caches of this process whose successor is gone. Returns whether it has all of them.
pub(crate) fn take_back_all() -> bool {
    open_caches().iter().filter(|cache| !cache.take_back()).count() == 0
}

fn open_caches() -> Vec<Arc<Cache>> {
    OPEN_CACHES.get_or_init(Default::default).lock().values().filter_map(std::sync::Weak::upgrade).collect()
}

impl Cache {
    /// Leaves the folder to another process.
    pub fn hand_over(&self) {
        let _entries = self.lock();
        if !self.handed_over.swap(true, Ordering::AcqRel) {
            // It cannot fail: the file is open.
            let _ = flock(&self.lock, FlockOperation::Unlock);
        }
    }

    /// Takes the folder back; returns false if another process has it.
    pub fn take_back(&self) -> bool {
        if !self.is_handed_over() {
            return true;
        }
        if flock(&self.lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            return false;
        }
        let entries: Vec<Arc<Entry>> = {
            let entries = self.lock();
            self.handed_over.store(false, Ordering::Release);
            entries.values().cloned().collect()
        };
        for entry in entries {
            // The other process may have removed its content, or replaced its record.
            if !entry.is_there() {
                self.remove(&entry);
            } else if entry.is_perhaps_replaced() {
                self.doubt(&entry);
            } else {
                // Without a record, the file is fetched again after the next start.
                let _ = self.save(&entry);
            }
        }
        true
    }

    pub(super) fn is_handed_over(&self) -> bool {
        self.handed_over.load(Ordering::Acquire)
    }
}
