//! Limits the concurrent loads of files into memory.

use crate::identity::Identity;
use parking_lot::Mutex;
use std::sync::Arc;

/// The limit of concurrent loads. Each holds a thread, and a file in addition to the cache. A load from a hanging disk
/// keeps its slot until the disk answers.
pub(super) const MAX_LOADS: usize = 2;

/// The running loads.
#[derive(Default)]
pub(super) struct Loads(Arc<Mutex<Vec<Identity>>>);

/// Permission for one load, freed on drop.
pub(super) struct LoadSlot {
    identity: Identity,
    running: Arc<Mutex<Vec<Identity>>>,
}

impl Loads {
    /// Returns a slot for a load, unless this file is being loaded or all slots are taken.
    pub(super) fn begin(&self, identity: Identity) -> Option<LoadSlot> {
        let mut running = self.0.lock();
        if running.len() >= MAX_LOADS || running.contains(&identity) {
            return None;
        }
        running.push(identity);
        Some(LoadSlot { identity, running: Arc::clone(&self.0) })
    }

    #[cfg(test)]
    pub(super) fn running(&self) -> usize {
        self.0.lock().len()
    }
}

impl Drop for LoadSlot {
    fn drop(&mut self) {
        let mut running = self.running.lock();
        running.retain(|identity| *identity != self.identity);
    }
}
