//! Files in the roots that are granted: `files/ROOT`.

pub use crate::bindings::files::tuffet::policy::files::{Error, Metadata};

#[cfg(target_family = "wasm")]
use crate::bindings::files::tuffet::policy::files as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::files as host;

/// Size and time of change of a file; `None` where there is none.
///
/// # Errors
/// The root is not granted, the path leads out of it, it is no regular file, or the disk failed.
pub fn stat(root: &str, path: &str) -> Result<Option<Metadata>, Error> {
    host::stat(root, path)
}

/// A whole file of at most `limit` bytes; `None` where there is none. A call of a hook may read 64 MiB.
///
/// What is read is one content, never a mixture of two.
///
/// # Errors
/// As [`stat`]; [`Error::TooLarge`] where the file has more; [`Error::Unavailable`] also where it changed each of
/// the four times that it was read.
pub fn read(root: &str, path: &str, limit: u64) -> Result<Option<Vec<u8>>, Error> {
    host::read(root, path, limit)
}
