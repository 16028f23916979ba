//! The `accept-upload` chain: decides whether a complete upload becomes visible, and under which path.

use std::sync::Arc;

use super::call::NoAnswer;
use super::chain_deadline::ChainDeadline;
use super::member::Member;
use super::memo::Memo;
use super::monitor;
use super::opinion::UploadOpinion;
use super::policy::Policy;
use super::upload::{Acceptance, ReceivedUpload, UploadDecision};
use tuffet_request::Request;
use tuffet_store::Sealed;

/// Attempts to call an overloaded plugin for an upload. Dropping the request would cost the client the whole upload;
/// while it waits, it only repeats its last block.
const ATTEMPTS: u32 = 10;

impl Policy {
    /// Returns whether any plugin decides about uploads at this listener.
    pub fn gates_uploads(&self, listener: &str) -> bool {
        !self.of(listener).accept_upload.is_empty()
    }

    /// Calls the `accept-upload` chain: the first denial ends it, and so does a member without an answer; otherwise the
    /// first rename applies.
    pub async fn accept_upload(
        &self,
        request: &Request,
        upload: &tuffet_store::Upload,
        sealed: Sealed,
    ) -> UploadDecision {
        let deadline = self.deadline();
        let mut memo = Memo::default();
        let upload = ReceivedUpload {
            root: upload.root().into(),
            path: upload.path().into(),
            size: sealed.bytes,
            sha256: sealed.sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
            content: upload.content(),
        };
        let mut result = UploadDecision { acceptance: Acceptance::Accept, by: None, calls: 0 };
        for plugin in &self.of(&request.listener).accept_upload {
            if plugin.monitors {
                monitor::accept_upload(plugin, request, &upload);
                continue;
            }
            result.calls += 1;
            match patiently(plugin, request, &mut memo, &upload, deadline).await {
                Ok(None) => {}
                Ok(Some(UploadOpinion::Accept)) => {
                    result.by.get_or_insert_with(|| Arc::clone(&plugin.name));
                }
                Ok(Some(UploadOpinion::Rename(to))) if result.acceptance == Acceptance::Accept => {
                    result.acceptance = Acceptance::Rename(to);
                    result.by = Some(Arc::clone(&plugin.name));
                }
                // An earlier plugin has named a path.
                Ok(Some(UploadOpinion::Rename(_))) => {}
                Ok(Some(UploadOpinion::Deny(denial))) => {
                    let (acceptance, by) = (Acceptance::Deny(denial), Some(Arc::clone(&plugin.name)));
                    return UploadDecision { acceptance, by, ..result };
                }
                Err(reason) => {
                    let (acceptance, by) = (Acceptance::Failed(reason), Some(Arc::clone(&plugin.name)));
                    return UploadDecision { acceptance, by, ..result };
                }
            }
        }
        result
    }
}

/// Calls the plugin until it answers. Each attempt has the time limit of a chain.
///
/// # Errors
/// It gave no answer, for this reason, so that it is unknown whether it would accept the upload.
async fn patiently(
    plugin: &Member,
    request: &Request,
    memo: &mut Memo,
    upload: &ReceivedUpload,
    mut deadline: ChainDeadline,
) -> Result<Option<UploadOpinion>, String> {
    let mut why = String::new();
    for _ in 0..ATTEMPTS {
        match plugin.acceptance(request, memo, upload, deadline).await {
            Ok(opinion) => return Ok(opinion),
            // Another attempt would fail as well.
            Err(NoAnswer::Failed(reason)) => return Err(reason),
            Err(NoAnswer::Overloaded(reason)) => why = reason,
        }
        // A full queue refuses at once: wait for the deadline before the next attempt.
        tokio::time::sleep_until(deadline.until()).await;
        deadline = ChainDeadline::of(deadline.limit());
    }
    Err(format!("{why}, {ATTEMPTS} times"))
}
