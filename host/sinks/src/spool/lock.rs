//! The lock of a folder, which keeps other processes out.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::segment;

/// The name of the lock file in a folder.
pub(super) const NAME: &str = "lock";

/// Locks out other processes; `None` if one of them has the folder.
pub(super) fn try_lock(folder: &Path) -> io::Result<Option<File>> {
    let path = folder.join(NAME);
    let file = segment::open(&path)?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Ok(None),
        Err(errno) => return Err(errno.into()),
    }
    // The process that had the folder may have removed it.
    let id = |about: Metadata| (about.dev(), about.ino());
    let is_there = std::fs::metadata(&path).map(id).ok() == Some(id(file.metadata()?));
    Ok(is_there.then_some(file))
}
