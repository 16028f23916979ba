//! The `accept-upload` chain: decides whether a complete upload becomes visible, and under which path.

use std::sync::Arc;

use super::answers::UploadVerdict;
use super::chain_deadline::ChainDeadline;
use super::chain_results::{NoAnswer, UploadDecision};
use super::member::Member;
use super::memo::Memo;
use super::monitor::{AcceptsUpload, Asked, MemberAnswers};
use super::policy::Policy;
use super::upload::ReceivedUpload;
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
        let upload = ReceivedUpload {
            root: upload.root().into(),
            path: upload.path().into(),
            size: sealed.bytes,
            sha256: sealed.sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
            content: upload.content(),
        };
        let asked = Asked::all(&self.of(&request.listener).accept_upload);
        let mut said = MemberAnswers::of(asked);
        let decided = decide(asked, request, &upload, self.deadline(), &mut said).await;
        let happened = (&decided.answer, decided.by.as_ref());
        // A rehearsal has no upload.
        let _ = said.compare_with(asked, happened, request, AcceptsUpload(upload));
        decided
    }
}

async fn decide(
    asked: Asked<'_>,
    request: &Request,
    upload: &ReceivedUpload,
    deadline: ChainDeadline,
    said: &mut MemberAnswers<UploadVerdict>,
) -> UploadDecision {
    let memo = Memo::default();
    let (mut verdict, mut by, mut calls) = (UploadVerdict::Abstain, None, 0);
    for (place, member) in asked.counting() {
        calls += 1;
        let its = Some(Arc::clone(&member.name));
        let answer = patiently(member, request, &memo, upload, deadline).await;
        if let Ok(answer) = &answer {
            said.keep(place, answer);
        }
        match (answer, &verdict) {
            (Ok(UploadVerdict::Abstain), _) => {}
            (Ok(UploadVerdict::Accept), UploadVerdict::Abstain) => {
                (verdict, by) = (UploadVerdict::Accept, its);
            }
            (Ok(UploadVerdict::Rename(to)), UploadVerdict::Abstain | UploadVerdict::Accept) => {
                (verdict, by) = (UploadVerdict::Rename(to), its);
            }
            // An earlier member has accepted it, or named a path.
            (Ok(UploadVerdict::Accept | UploadVerdict::Rename(_)), _) => {}
            (answer @ (Ok(UploadVerdict::Deny(_)) | Err(_)), _) => {
                return UploadDecision { answer, by: its, calls };
            }
        }
    }
    UploadDecision { answer: Ok(verdict), by, calls }
}

/// Calls the plugin until it answers. Each attempt has the time limit of a chain.
///
/// # Errors
/// It gave no answer, for this reason, so that it is unknown whether it would accept the upload.
async fn patiently(
    member: &Member,
    request: &Request,
    memo: &Memo,
    upload: &ReceivedUpload,
    mut deadline: ChainDeadline,
) -> Result<UploadVerdict, NoAnswer> {
    let mut why = String::new();
    for _ in 0..ATTEMPTS {
        match member.accept_upload(request, upload, memo, deadline).await {
            Err(NoAnswer::Overloaded(reason)) => why = reason,
            // Another attempt would fail as well.
            answer => return answer,
        }
        // A full queue refuses at once: wait for the deadline before the next attempt.
        tokio::time::sleep_until(deadline.until()).await;
        deadline = ChainDeadline::of(deadline.limit());
    }
    Err(NoAnswer::Overloaded(format!("{why}, {ATTEMPTS} times")))
}
