//! A complete upload, as the chain `accept-upload` sees it.

use tuffet_store::UploadContent;

/// A complete upload under its temporary name, as passed to the hook.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReceivedUpload {
    /// Its root.
    pub root: String,
    /// Its path in the root.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 digest: 64 hexadecimal digits.
    pub sha256: String,
    /// The received bytes.
    pub content: UploadContent,
}
