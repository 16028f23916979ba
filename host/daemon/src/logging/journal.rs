//! Detects the journal of systemd at standard error.

use rustix::fs::fstat;
use std::env;
use std::os::fd::AsFd;

/// Returns whether JOURNAL_STREAM names this file as `DEVICE:INODE` (systemd.exec(5)). The variable alone proves
/// nothing: a process with redirected output inherits it, too.
pub(super) fn is_journal(output: impl AsFd) -> bool {
    let Ok(stream) = env::var("JOURNAL_STREAM") else { return false };
    let Ok(found) = fstat(output) else { return false };
    let named = stream.split_once(':').map(|(device, inode)| (device.parse(), inode.parse()));
    matches!(named, Some((Ok(device), Ok(inode))) if (device, inode) == (found.st_dev, found.st_ino))
}
