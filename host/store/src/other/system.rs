//! Calls that Linux alone has: callers do without them.

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::io::IoSliceMut;
use std::os::fd::{AsFd, OwnedFd};

/// How to open a folder that is only to be entered.
pub(super) const TO_ENTER: OFlags = OFlags::RDONLY;

/// # Errors
/// `NOSYS`: an open waits for the disk.
pub(super) fn open_cached(_: impl AsFd, _: &str) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// # Errors
/// `OPNOTSUPP`: a read waits for the disk, so threads of the disk read ahead.
pub(super) fn read_cached(_: impl AsFd, _: &mut [IoSliceMut<'_>], _: u64) -> Result<usize, Errno> {
    Err(Errno::OPNOTSUPP)
}

/// # Errors
/// `NOSYS`: a hard link fails, too, if the name is taken.
pub(super) fn rename_to_free_name(_: (impl AsFd, &str), _: (impl AsFd, &str)) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// Allocates nothing.
///
/// # Errors
/// None.
pub(super) fn preallocate(_: impl AsFd, _: u64) -> Result<(), Errno> {
    Ok(())
}

/// # Errors
/// `OPNOTSUPP`: a file that is removed at once has no name either.
pub(super) fn open_unnamed(_: impl AsFd, _: Mode) -> Result<OwnedFd, Errno> {
    Err(Errno::OPNOTSUPP)
}
