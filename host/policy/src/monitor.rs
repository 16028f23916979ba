//! Plugins in the mode `monitor`: their verdicts are logged and have no effect.
//!
//! They run beside the chain: no request waits for them.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use super::chain_deadline::ChainDeadline;
use super::content::PluginContent;
use super::hook_answer::HookAnswer;
use super::member::Member;
use super::memo::Memo;
use super::opinion::{Fallback, Opinion, ResolveOpinion, Selection, UploadOpinion};
use super::upload::ReceivedUpload;
use tuffet_request::{Denial, Request};

/// A call to wait for, in a rehearsal; `None` if it runs in the background.
type MonitorCall = Option<Pin<Box<dyn Future<Output = ()> + Send>>>;

pub(super) fn authorize(plugin: &Arc<Member>, request: &Request) -> MonitorCall {
    let (plugin, request) = (Arc::clone(plugin), request.clone());
    run_beside(request.is_rehearsal(), async move {
        let (mut memo, deadline) = (Memo::default(), ChainDeadline::of(plugin.wall));
        let opinion = plugin.verdict(&request, &mut memo, deadline).await;
        plugin.log_verdict("authorize", &request, opinion.ok().flatten().map(MonitoredAnswer::Verdict));
    })
}

pub(super) fn resolve(plugin: &Arc<Member>, request: &Request) -> MonitorCall {
    let (plugin, request) = (Arc::clone(plugin), request.clone());
    run_beside(request.is_rehearsal(), async move {
        let (mut memo, deadline) = (Memo::default(), ChainDeadline::of(plugin.wall));
        let found = plugin.resolution(&request, &mut memo, deadline).await;
        let found = found.ok().flatten();
        let answer = match &found {
            // With files before it, the rendering is not made: whether they exist is not checked here.
            Some(ResolveOpinion::Serve(Selection { files, fallback: Fallback::Rendering(key), .. }))
                if files.is_empty() =>
            {
                let rendered = plugin.rendering(&request, key, deadline).await;
                rendered.ok().flatten().map(MonitoredAnswer::Rendering)
            }
            _ => found.map(MonitoredAnswer::Resolution),
        };
        plugin.log_verdict("resolve", &request, answer);
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

pub(super) fn accept_upload(plugin: &Arc<Member>, request: &Request, upload: &ReceivedUpload) {
    let (plugin, request, upload) = (Arc::clone(plugin), request.clone(), upload.clone());
    tokio::spawn(async move {
        let (mut memo, deadline) = (Memo::default(), ChainDeadline::of(plugin.wall));
        let opinion = plugin.acceptance(&request, &mut memo, &upload, deadline).await;
        plugin.log_verdict(
            "accept-upload",
            &request,
            opinion.ok().flatten().map(MonitoredAnswer::Acceptance),
        );
    });
}

impl Member {
    /// Logs the verdict that the plugin would have given, unless it abstained.
    fn log_verdict(&self, hook: &'static str, request: &Request, answer: Option<MonitoredAnswer>) {
        if request.is_rehearsal() {
            return;
        }
        if let Some(answer) = answer.filter(|_| self.log_rate.take()) {
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

/// An opinion, for the log.
enum MonitoredAnswer {
    Verdict(Opinion),
    Resolution(ResolveOpinion),
    Rendering(Result<Arc<PluginContent>, Denial>),
    Acceptance(UploadOpinion),
}

impl fmt::Display for MonitoredAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MonitoredAnswer::Verdict(Opinion::Allow(_)) => f.write_str("allow"),
            MonitoredAnswer::Verdict(Opinion::Drop(reason))
            | MonitoredAnswer::Resolution(ResolveOpinion::Drop(reason))
                if reason.is_empty() =>
            {
                f.write_str("drop")
            }
            MonitoredAnswer::Verdict(Opinion::Drop(reason))
            | MonitoredAnswer::Resolution(ResolveOpinion::Drop(reason)) => {
                write!(f, "drop: {reason}")
            }
            MonitoredAnswer::Resolution(found @ ResolveOpinion::Serve(Selection { files, fallback, .. })) => {
                match fallback {
                    Fallback::Content(_) if files.is_empty() => write!(f, "content of {}", found.detail()),
                    _ => write!(f, "{} {}", found.word(), found.detail()),
                }
            }
            MonitoredAnswer::Rendering(rendered @ Ok(_)) => write!(f, "content of {}", rendered.detail()),
            MonitoredAnswer::Acceptance(UploadOpinion::Accept) => f.write_str("accept"),
            MonitoredAnswer::Acceptance(renamed @ UploadOpinion::Rename(_)) => {
                write!(f, "rename to {}", renamed.detail())
            }
            MonitoredAnswer::Verdict(Opinion::Deny(denial))
            | MonitoredAnswer::Resolution(ResolveOpinion::Deny(denial))
            | MonitoredAnswer::Rendering(Err(denial))
            | MonitoredAnswer::Acceptance(UploadOpinion::Deny(denial)) => deny(f, denial),
        }
    }
}

fn deny(f: &mut fmt::Formatter<'_>, denial: &Denial) -> fmt::Result {
    write!(f, "deny: {}", if denial.reason.is_empty() { &denial.message } else { &denial.reason })
}
