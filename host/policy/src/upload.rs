//! A complete upload, and the decision of the `accept-upload` chain.

use std::sync::Arc;

use tuffet_request::Denial;
use tuffet_store::{Destination, UploadContent};

/// The result of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadDecision {
    /// The decision.
    pub acceptance: Acceptance,
    /// The plugin that decided; of several that accepted, the one that renamed, else the first. `None` if all
    /// abstained.
    pub by: Option<Arc<str>>,
    /// The number of plugin calls.
    pub calls: u32,
}

/// The decision about an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acceptance {
    /// Published.
    Accept,
    /// Published under this name in the same root.
    Rename(Destination),
    /// Refused with an ERROR.
    Deny(Denial),
    /// Not decided, for this reason: a hook failed, or a plugin stays overloaded. The client gets an ERROR, too, since
    /// it would have to send everything again.
    Failed(String),
}

/// A complete upload under its temporary name, as passed to the hook.
#[derive(Debug, Clone)]
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
