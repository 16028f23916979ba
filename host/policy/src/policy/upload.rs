//! The `accept-upload` chain: whether a complete upload becomes visible, and under which path.

use std::sync::Arc;

use super::bindings::exports::tuffet::policy::accept_upload::Upload;
use super::chain::Policy;
use super::convert::{self, UploadOpinion};
use super::monitor;
use tuffet_request::{Denial, Request};
use tuffet_store::Sealed;

/// The result of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The answer.
    pub acceptance: Acceptance,
    /// The plugin that decided; of several that accepted, the one that renamed, else the first. `None` when
    /// all abstained.
    pub by: Option<Arc<str>>,
    /// How many plugins were asked.
    pub calls: u32,
}

/// Whether an upload becomes visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acceptance {
    /// Yes, as it is.
    Accept,
    /// Yes, under this path of the same root.
    Rename(String),
    /// No, and the client is told.
    Deny(Denial),
}

impl Policy {
    /// Whether any plugin wants to be asked about uploads.
    pub fn gates_uploads(&self) -> bool {
        !self.accept_upload.is_empty()
    }

    /// Asks the `accept-upload` chain: the first deny ends it, the first rename stands otherwise.
    pub async fn accept_upload(&self, request: &Request, root: &str, path: &str, sealed: Sealed) -> Accepted {
        let patience = self.patience();
        let mut asked = convert::Asked::new(request);
        let upload = Upload {
            root: root.into(),
            path: path.into(),
            bytes: sealed.bytes,
            sha256: sealed.sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
        };
        let mut result = Accepted { acceptance: Acceptance::Accept, by: None, calls: 0 };
        for plugin in &self.accept_upload {
            if plugin.monitors {
                monitor::accept_upload(plugin, request, &upload);
                continue;
            }
            result.calls += 1;
            match plugin.acceptance(request, asked.by(&plugin.access), &upload, patience).await {
                None => {}
                Some(UploadOpinion::Accept) => {
                    result.by.get_or_insert_with(|| Arc::clone(&plugin.name));
                }
                Some(UploadOpinion::Rename(path)) if result.acceptance == Acceptance::Accept => {
                    result.acceptance = Acceptance::Rename(path);
                    result.by = Some(Arc::clone(&plugin.name));
                }
                // An earlier one has named a path.
                Some(UploadOpinion::Rename(_)) => {}
                Some(UploadOpinion::Deny(denial)) => {
                    let (acceptance, by) = (Acceptance::Deny(denial), Some(Arc::clone(&plugin.name)));
                    return Accepted { acceptance, by, ..result };
                }
            }
        }
        result
    }
}
