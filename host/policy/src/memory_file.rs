//! Files in memory.

use rustix::fs::{MemfdFlags, memfd_create};
use std::fs::File;
use std::io;

/// Creates an empty file without a name.
pub(crate) fn create() -> io::Result<File> {
    Ok(memfd_create("tuffet-content", MemfdFlags::CLOEXEC)?.into())
}
