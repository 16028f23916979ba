//! The content of the upload that [`Accept`](crate::Accept) decides about: the grant `upload`.

pub use crate::Error;

#[cfg(target_family = "wasm")]
use crate::bindings::upload_content::tuffet::policy::upload_content as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::upload_content as host;

/// Returns bytes of the file on disk, whose size is [`Upload::size`](crate::Upload); fewer where the file ends.
///
/// # Errors
/// It is not granted, there is no upload outside of `accept_upload`, the call would have read more than 8 MiB in all
/// ([`TOO_LARGE`](crate::code::TOO_LARGE)), or the disk failed.
pub fn read(offset: u64, length: u32) -> Result<Vec<u8>, Error> {
    host::read(offset, length)
}
