//! Makes the names in a folder durable.

use rustix::fs::fsync;
use rustix::io::Errno;
use std::os::fd::AsFd;

/// Makes the names in a folder durable.
///
/// # Errors
/// Those of fsync(2), but for file systems over a network or in a program that do not sync folders.
pub(super) fn sync_folder(folder: impl AsFd) -> Result<(), Errno> {
    match fsync(folder) {
        Err(Errno::INVAL) => Ok(()),
        done => done,
    }
}
