//! Versions of a file distinguish its contents.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The version of a file, as its origin names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Version {
    /// A strong ETag: equal bytes.
    Strong(String),
    /// A weak ETag. It serves only to revalidate, because equal ETags may have different bytes.
    Weak(String),
    /// No ETag: the modification time in milliseconds since 1970, and the size. It serves only to revalidate, because
    /// two versions may appear within one second.
    Modified(u64, u64),
    /// Neither: a random number for this download. It is never joined with another one.
    Unknown(u64),
}

impl Version {
    /// Its name in the metadata of open files.
    pub fn name(&self) -> Arc<str> {
        match self {
            Version::Strong(etag) | Version::Weak(etag) => etag.as_str().into(),
            Version::Modified(ms, size) => format!("modified-{ms}-{size}").into(),
            Version::Unknown(number) => format!("unknown-{number:016x}").into(),
        }
    }

    /// Returns whether answers with this version have the same bytes, so that their parts may be joined
    /// (<https://www.rfc-editor.org/rfc/rfc9110#section-13.1.5>). Otherwise the file must come from one answer.
    pub fn joins(&self) -> bool {
        matches!(self, Version::Strong(_))
    }

    /// Returns whether the origin can revalidate this version.
    pub fn is_known(&self) -> bool {
        !matches!(self, Version::Unknown(_))
    }
}
