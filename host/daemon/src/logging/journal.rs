//! Whether standard error leads to the journal of systemd.

use rustix::fs::fstat;
use std::env;
use std::os::fd::AsFd;

/// Whether JOURNAL_STREAM names this file, as `DEVICE:INODE` (systemd.exec(5)): the variable alone may be inherited by a
/// process whose output was redirected since.
pub(super) fn leads_there(output: impl AsFd) -> bool {
    let Ok(stream) = env::var("JOURNAL_STREAM") else { return false };
    let Ok(found) = fstat(output) else { return false };
    let named = stream.split_once(':').map(|(device, inode)| (device.parse(), inode.parse()));
    matches!(named, Some((Ok(device), Ok(inode))) if (device, inode) == (found.st_dev, found.st_ino))
}
