//! What lies on disk while two servers use it: keys, spools, caches, temporary files.

use parking_lot::Mutex;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use tuffet_server::generation::CurrentGeneration;
use tuffet_server::origins::Origins;
use tuffet_wasm::PolicyRuntime;

/// How often a server looks whether the other one has let go of everything.
const INTERVAL: Duration = Duration::from_secs(1);

/// The file that a server locks while it shares its state: one that nobody told of it finds out at its start.
const MARK: &str = "shared";

/// The state on disk. Cheap to clone.
#[derive(Clone)]
pub(super) struct SharedState {
    /// The folder of `state`.
    pub(super) folder: PathBuf,
    pub(super) mark: Arc<Mutex<Option<OwnedFd>>>,
    pub(super) runtime: PolicyRuntime,
    pub(super) origins: Origins,
    pub(super) generation: CurrentGeneration,
}

impl SharedState {
    /// Lets another server use it, too. Blocks on the disk.
    pub(super) fn share(&self) {
        // Without a folder, this server has no state there.
        *self.mark.lock() = locked(&self.folder, OFlags::CREATE, FlockOperation::NonBlockingLockShared);
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
                *self.mark.lock() = None;
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

/// Returns whether another server shares the state in this folder.
pub(super) fn is_shared(folder: &Path) -> bool {
    let exists = open(folder.join(MARK), OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).is_ok();
    exists && locked(folder, OFlags::empty(), FlockOperation::NonBlockingLockExclusive).is_none()
}

/// Opens and locks the mark; `None` if that is impossible.
fn locked(folder: &Path, flags: OFlags, operation: FlockOperation) -> Option<OwnedFd> {
    let flags = flags | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mark = open(folder.join(MARK), flags, Mode::RUSR | Mode::WUSR).ok()?;
    flock(&mark, operation).ok()?;
    Some(mark)
}
