//! One process at a time calls the hook `observe` of a plugin with keys.
//!
//! Within a process, calls of `observe` follow each other, so a plugin may read a key, decide and write it, as `audit` does
//! with the end of its chain. During a restart without a gap, two processes of a server call it: they take turns, by a lock
//! on a file for each plugin in their common folder, wherever the keys are.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// The turns of a plugin.
#[derive(Debug)]
pub struct ObserverTurns {
    plugin: Arc<str>,
    file: PathBuf,
    /// Whether another process of the server has been there.
    shared: Arc<AtomicBool>,
    /// Whether the last attempt failed, which was logged.
    failed: AtomicBool,
}

/// The turn of this process. Ends when it is dropped.
#[derive(Debug)]
pub struct ObserverTurn {
    _lock: File,
}

impl ObserverTurns {
    /// Returns the turns of a plugin, whose name has no slash, by a lock in this folder of the server. Nobody waits for a
    /// turn until `shared` is set.
    pub fn new(folder: &Path, plugin: Arc<str>, shared: Arc<AtomicBool>) -> ObserverTurns {
        let file = folder.join(format!("observe-{plugin}.lock"));
        ObserverTurns { plugin, file, shared, failed: AtomicBool::new(false) }
    }

    /// Waits until no other process of this server calls the hook. `None` if there is no other process, if it has its turn
    /// for too long, or if the disk fails: the observer is called all the same, because its events matter more.
    pub async fn wait(&self, within: Duration) -> Option<ObserverTurn> {
        if !self.shared.load(Relaxed) {
            return None;
        }
        let locked = async {
            let lock = open(self.file.clone()).await?;
            loop {
                match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                    Ok(()) => return Ok(ObserverTurn { _lock: lock }),
                    Err(Errno::WOULDBLOCK) => sleep(PAUSE).await,
                    Err(error) => return Err(error.into()),
                }
            }
        };
        let locked: io::Result<ObserverTurn> =
            timeout(within, locked).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        let failed_before = self.failed.swap(locked.is_err(), Relaxed);
        if let Err(error) = &locked
            && !failed_before
        {
            tracing::warn!(
                target: "tuffet::kv", plugin = %self.plugin, file = %self.file.display(), %error,
                "the hook `observe` is called although another process of this server may call it, too; where the file \
                 cannot be written, let this user do so, or name another folder with `state:`"
            );
        }
        locked.ok()
    }
}

/// Opens or creates the file on a thread that may block.
async fn open(file: PathBuf) -> io::Result<File> {
    let open = move || OpenOptions::new().append(true).create(true).mode(0o600).open(file);
    spawn_blocking(open).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}
