//! One process at a time calls the hook `observe` of a plugin with keys.
//!
//! Within a process, calls of `observe` follow each other, so a plugin may read a key, decide and write it, as `audit` does
//! with the end of its chain. During a restart without a gap, two processes of a server call it: they take turns, by a lock
//! on a file for each plugin.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// The names of the files, around the name of the plugin, which has no slash.
const AFFIXES: (&str, &str) = ("observe-", ".lock");
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// The turn of this process. Ends when it is dropped.
#[derive(Debug)]
pub struct ObserverTurn {
    _lock: File,
}

/// Waits for a turn. `None` if the other process has it for too long, or the disk fails: the observer is called all the
/// same, because its events matter more.
pub(super) async fn wait(folder: PathBuf, plugin: &str, within: Duration) -> Option<ObserverTurn> {
    let path = folder.join(format!("{}{plugin}{}", AFFIXES.0, AFFIXES.1));
    let open = move || OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    let opened = tokio::task::spawn_blocking(open).await.unwrap_or_else(|error| Err(io::Error::other(error)));
    let failed = |error: &dyn std::fmt::Display| {
        tracing::warn!(
            target: "tuffet::kv", plugin, %error,
            "the hook `observe` is called although the other process of this server may call it, too"
        );
    };
    let lock = opened.inspect_err(|error| failed(error)).ok()?;
    let end = Instant::now() + within;
    loop {
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Some(ObserverTurn { _lock: lock }),
            Err(Errno::WOULDBLOCK) if Instant::now() < end => tokio::time::sleep(PAUSE).await,
            Err(error) => {
                failed(&error);
                return None;
            }
        }
    }
}

/// Removes the files, when no other process of the server is there.
pub(super) fn clean(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(AFFIXES.0) && name.ends_with(AFFIXES.1)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
