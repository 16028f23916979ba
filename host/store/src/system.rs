//! Calls that Linux alone has, and not for every file system. Callers do without them where they fail.

use rustix::fs::{
    FallocateFlags, Mode, OFlags, RenameFlags, ResolveFlags, fallocate, openat, openat2, renameat_with,
};
use rustix::io::{Errno, ReadWriteFlags, preadv2};
use std::io::IoSliceMut;
use std::os::fd::{AsFd, OwnedFd};

/// How to open a folder that is only to be entered: this requires no permission to read it.
pub(super) const TO_ENTER: OFlags = OFlags::PATH;

/// Opens a file below a folder, in the same mount, if the kernel knows all parts of its path (`RESOLVE_CACHED`): it waits for no
/// disk then.
///
/// # Errors
/// `AGAIN` if it does not know them; `INVAL` or `NOSYS` if it is too old.
pub(super) fn open_cached(folder: impl AsFd, path: &str) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let resolve =
        ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV | ResolveFlags::CACHED;
    openat2(folder, path, flags, Mode::empty(), resolve)
}

/// Reads what is in the page cache (`RWF_NOWAIT`).
///
/// # Errors
/// `AGAIN` if nothing is; `OPNOTSUPP` if the file system lacks it, `NOSYS` if the kernel does.
pub(super) fn read_cached(
    file: impl AsFd,
    buffers: &mut [IoSliceMut<'_>],
    offset: u64,
) -> Result<usize, Errno> {
    preadv2(file, buffers, offset, ReadWriteFlags::NOWAIT)
}

/// Renames a file unless the new name is taken.
///
/// # Errors
/// `EXIST` if it is; `INVAL` or `NOSYS` without support.
pub(super) fn rename_to_free_name(from: (impl AsFd, &str), to: (impl AsFd, &str)) -> Result<(), Errno> {
    renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE)
}

/// Allocates room for this many bytes, and leaves content and size as they are. File systems that cannot do so succeed.
///
/// # Errors
/// `NOSPC`, `DQUOT`, `FBIG`, `IO`.
pub(super) fn preallocate(file: impl AsFd, size: u64) -> Result<(), Errno> {
    if size == 0 {
        return Ok(());
    }
    match fallocate(file, FallocateFlags::KEEP_SIZE, 0, size) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL | Errno::NODEV | Errno::PERM) => Ok(()),
        done => done,
    }
}

/// Creates a file without a name in this folder.
///
/// # Errors
/// `OPNOTSUPP`, `ISDIR`, `NOENT` or `INVAL` without support: open(2).
pub(super) fn open_unnamed(folder: impl AsFd, mode: Mode) -> Result<OwnedFd, Errno> {
    openat(folder, ".", OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode)
}
