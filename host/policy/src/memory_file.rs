//! Files in memory, or on disk where the system has none in memory (macOS).

use std::fs::File;
use std::io;

/// Creates an empty file without a name.
#[cfg(not(target_vendor = "apple"))]
pub(crate) fn create() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};
    Ok(memfd_create("tuffet-content", MemfdFlags::CLOEXEC)?.into())
}

/// Creates an empty file without a name, in the folder for temporary files.
#[cfg(target_vendor = "apple")]
pub(crate) fn create() -> io::Result<File> {
    tuffet_store::unnamed_file(&std::env::temp_dir()).map_err(io::Error::other)
}
