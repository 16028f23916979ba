//! What lies on disk while two servers use it: keys, spools, caches, temporary files.

use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use tuffet::generation::CurrentGeneration;
use tuffet::origins::Origins;
use tuffet_wasm::PolicyRuntime;

/// How often a server looks whether the other one has let go of everything.
const INTERVAL: Duration = Duration::from_secs(1);

/// The state on disk. Cheap to clone.
#[derive(Clone)]
pub(super) struct SharedState {
    pub(super) runtime: PolicyRuntime,
    pub(super) origins: Origins,
    pub(super) generation: CurrentGeneration,
}

impl SharedState {
    /// Lets another server use it, too. Blocks on the disk.
    pub(super) fn share(&self) {
        self.runtime.share_state();
        self.origins.share_state();
    }

    /// Takes it for this server alone, once the other one has ended or could not start.
    pub(super) async fn own(self) {
        loop {
            let SharedState { runtime, origins, .. } = self.clone();
            let owned = spawn_blocking(move || {
                let state = runtime.own_state();
                origins.own_state() && state
            });
            if owned.await.unwrap_or(true) {
                return;
            }
            sleep(INTERVAL).await;
        }
    }

    /// As [`SharedState::own`], after another server has ended.
    pub(super) async fn take_over(self) {
        self.generation.get().files.roots.take_over_in_background();
        self.own().await;
    }
}
