//! Files in granted roots: `files/ROOT`.

pub use crate::Error;
pub use crate::bindings::files::tuffet::policy::files::Metadata;

#[cfg(target_family = "wasm")]
use crate::bindings::files::tuffet::policy::files as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::files as host;

/// Returns the size, modification time and version of a file, or `None` if it does not exist.
///
/// # Errors
/// The root is not granted, the path leaves the root, the file is not a regular file, or the disk failed.
pub fn stat(root: &str, path: &str) -> Result<Option<Metadata>, Error> {
    host::stat(root, path)
}

/// Reads a whole file of at most `limit` bytes; `None` if it does not exist. One call of a hook may read 64
/// MiB.
///
/// The result is one version of the file, never a mixture of two.
///
/// # Errors
/// As [`stat`]. Also [`TOO_LARGE`](crate::code::TOO_LARGE) if the file is longer than `limit`, and
/// [`CHANGED`](crate::code::CHANGED) if it changed during each of four attempts to read it.
pub fn read(root: &str, path: &str, limit: u64) -> Result<Option<Vec<u8>>, Error> {
    host::read(root, path, limit)
}

/// Reads bytes of this [version](Metadata) of a file, fewer than `length` where it ends: what is too large for memory is
/// read in parts, which belong together.
///
/// # Errors
/// As [`stat`]. Also [`CHANGED`](crate::code::CHANGED) if the file has another version or is gone.
pub fn read_at(root: &str, path: &str, version: &str, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
    host::read_at(root, path, version, offset, length)
}
