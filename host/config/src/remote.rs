//! The remote source of a configuration.

use std::path::PathBuf;
use std::sync::Arc;

/// A configuration from a URL or a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// The URL, without secrets.
    pub source: String,
    /// The revision there: an ETag, or the revision of a key. `None` if the source names none.
    pub revision: Option<String>,
    /// The text.
    pub text: Arc<str>,
    /// The file with the copy of the last good text.
    pub kept: PathBuf,
    /// Whether the text is that copy, because the source was unavailable or invalid.
    pub stale: bool,
}
