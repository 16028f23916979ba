//! Locks among the processes of a server, and among servers on one machine that share a root: what [`super::name_locks`]
//! are for the uploads of one process.
//!
//! A restart without a gap has two processes that store uploads in the same folders. Renames alone keep an upload from
//! replacing another one that it must not replace. These locks are for steps that belong together: keeping a version and
//! renaming, looking for another spelling and renaming, and writing a file in place.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use super::temporary;

/// How long an upload waits. Another program may hold a lock for longer: then the upload goes on.
const PATIENCE: Duration = Duration::from_secs(5);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(1);

/// Keeps other processes out until it is dropped.
#[derive(Debug)]
pub(super) struct ProcessLock<F: AsFd>(Option<F>);

/// Locks a file or a folder. File systems without locks, and folders over NFS, cannot be locked.
pub(super) fn wait<F: AsFd>(of: F) -> ProcessLock<F> {
    let end = Instant::now() + PATIENCE;
    loop {
        match temporary::lock(&of) {
            Ok(true) => return ProcessLock(Some(of)),
            Ok(false) if Instant::now() < end => std::thread::sleep(PAUSE),
            Ok(false) | Err(_) => return ProcessLock(None),
        }
    }
}

impl<F: AsFd> Drop for ProcessLock<F> {
    fn drop(&mut self) {
        if let Some(locked) = &self.0 {
            let _ = flock(locked, FlockOperation::Unlock);
        }
    }
}
