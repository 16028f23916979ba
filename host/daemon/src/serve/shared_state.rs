//! The state on disk, which two processes of a server use while one succeeds the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;
use tuffet::origins::Origins;
use tuffet_wasm::PolicyRuntime;

/// The pause between two attempts to take the state for this process alone. The other process has just ended, or is one
/// of several whose transfers end one after the other.
const PAUSE: Duration = Duration::from_millis(500);

/// Keys, spools and caches. Clones share it.
#[derive(Clone)]
pub(super) struct SharedState {
    runtime: PolicyRuntime,
    origins: Origins,
    /// How often it was shared.
    shared: Arc<AtomicU64>,
}

impl SharedState {
    pub(super) fn new(runtime: PolicyRuntime, origins: Origins) -> SharedState {
        SharedState { runtime, origins, shared: Arc::default() }
    }

    /// Lets the next server use it. Blocks on the disk.
    pub(super) fn share(&self) {
        self.shared.fetch_add(1, Ordering::AcqRel);
        self.runtime.share_state();
        self.origins.share_state();
    }

    /// Takes it for this process alone, as soon as no other one has a part of it; gives up when it is shared again. Blocks.
    pub(super) fn own(&self) {
        let shared = self.shared.load(Ordering::Acquire);
        while shared == self.shared.load(Ordering::Acquire) {
            // Both, whatever the first one says.
            let (runtime, origins) = (self.runtime.own_state(), self.origins.own_state());
            if runtime && origins {
                return;
            }
            thread::sleep(PAUSE);
        }
    }
}
