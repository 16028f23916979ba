//! Limits the concurrent loads of files into memory.

use crate::open_file::Identity;
use parking_lot::Mutex;
use std::sync::Arc;

/// Concurrent loads. Each holds up to the largest file in memory in addition to the cache, and a thread; a
/// load from a hanging disk keeps its place until the disk answers.
pub(super) const MOST: usize = 2;

/// The running loads.
#[derive(Default)]
pub(super) struct Loads(Arc<Mutex<Vec<Identity>>>);

/// The place of one load, freed on drop.
pub(super) struct Place {
    identity: Identity,
    running: Arc<Mutex<Vec<Identity>>>,
}

impl Loads {
    /// Returns a place for a load, unless this file is being loaded or there is no place.
    pub(super) fn begin(&self, identity: Identity) -> Option<Place> {
        let mut running = self.0.lock();
        if running.len() >= MOST || running.contains(&identity) {
            return None;
        }
        running.push(identity);
        Some(Place { identity, running: Arc::clone(&self.0) })
    }

    #[cfg(test)]
    pub(super) fn running(&self) -> usize {
        self.0.lock().len()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut running = self.running.lock();
        running.retain(|identity| *identity != self.identity);
    }
}
