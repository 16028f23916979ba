//! Members in the mode `monitor`: their verdicts are logged and have no effect.
//!
//! They run beside the chain: no request waits for them.

use std::pin::Pin;
use std::sync::Arc;

use super::answers::{Answer, Fallback, Resolution};
use super::chain_deadline::ChainDeadline;
use super::member::Member;
use super::memo::Memo;
use super::upload::ReceivedUpload;
use tuffet_request::Request;

/// A call to wait for, in a rehearsal; `None` if it runs in the background.
type MonitorCall = Option<Pin<Box<dyn Future<Output = ()> + Send>>>;

pub(super) fn authorize(member: &Arc<Member>, request: &Request) -> MonitorCall {
    let (member, request) = (Arc::clone(member), request.clone());
    run_beside(request.is_rehearsal(), async move {
        let verdict = member.authorize(&request, &Memo::default(), ChainDeadline::of(member.wall)).await;
        member.log_verdict("authorize", &request, verdict.ok().as_ref());
    })
}

pub(super) fn resolve(member: &Arc<Member>, request: &Request) -> MonitorCall {
    let (member, request) = (Arc::clone(member), request.clone());
    run_beside(request.is_rehearsal(), async move {
        let deadline = ChainDeadline::of(member.wall);
        let found = member.resolve(&request, &Memo::default(), deadline).await.ok();
        if let Some(Resolution::Serve(selection)) = &found
            // With files before it, the rendering is not made: whether they exist is not checked here.
            && selection.targets().is_empty()
            && let Fallback::Rendering(key) = selection.fallback()
        {
            let rendered = member.rendering(&request, key, deadline).await;
            return member.log_verdict("resolve", &request, rendered.ok().as_ref());
        }
        member.log_verdict("resolve", &request, found.as_ref());
    })
}

/// Spawns the call, unless the caller waits for it.
fn run_beside(waits: bool, call: impl Future<Output = ()> + Send + 'static) -> MonitorCall {
    if waits {
        return Some(Box::pin(call));
    }
    drop(tokio::spawn(call));
    None
}

pub(super) fn accept_upload(member: &Arc<Member>, request: &Request, upload: &ReceivedUpload) {
    let (member, request, upload) = (Arc::clone(member), request.clone(), upload.clone());
    tokio::spawn(async move {
        let deadline = ChainDeadline::of(member.wall);
        let verdict = member.accept_upload(&request, &upload, &Memo::default(), deadline).await;
        member.log_verdict("accept-upload", &request, verdict.ok().as_ref());
    });
}

impl Member {
    /// Logs the verdict that the member would have given, unless it abstained.
    fn log_verdict(&self, hook: &'static str, request: &Request, answer: Option<&impl Answer>) {
        if request.is_rehearsal() {
            return;
        }
        if let Some(answer) = answer.and_then(in_words).filter(|_| self.log_rate.take()) {
            tracing::info!(
                target: "tuffet::policy",
                plugin = %self.name,
                hook,
                request = %request.id,
                client = %request.client,
                path = %request.path,
                would = %answer,
                "monitored"
            );
        }
        // After the line, so that each counted call has one even if the server ends now.
        self.counters.monitor();
    }
}

/// An answer for the log; `None` for abstaining.
fn in_words(answer: &impl Answer) -> Option<String> {
    let (word, detail) = (answer.word(), answer.detail());
    Some(match word {
        "abstain" => return None,
        "allow" | "accept" => word.to_owned(),
        "drop" if detail.is_empty() => word.to_owned(),
        "deny" | "drop" => format!("{word}: {detail}"),
        "content" => format!("content of {detail}"),
        "rename" => format!("rename to {detail}"),
        _ => format!("{word} {detail}"),
    })
}
