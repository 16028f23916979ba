//! Plugins in the mode `monitor`: they are called, and their verdicts are logged without effect.
//!
//! They are called beside the chain, not in it: no request waits for them.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use super::content::PluginContent;
use super::member::Member;
use super::memo::Memo;
use super::opinion::{Found, Opinion, Otherwise, Selection, UploadOpinion};
use super::patience::Patience;
use super::upload::ReceivedUpload;
use super::weighty::Weighty;
use tuffet_request::{Denial, Request};

/// What is left to wait for: nothing, unless the request is only explained.
type Waits = Option<Pin<Box<dyn Future<Output = ()> + Send>>>;

pub(super) fn authorize(plugin: &Arc<Member>, request: &Request) -> Waits {
    let (plugin, request) = (Arc::clone(plugin), request.clone());
    beside(request.is_rehearsal(), async move {
        let (mut memo, patience) = (Memo::default(), Patience::of(plugin.wall));
        let opinion = plugin.verdict(&request, &mut memo, patience).await;
        plugin.note("authorize", &request, opinion.ok().flatten().map(Said::Verdict));
    })
}

pub(super) fn resolve(plugin: &Arc<Member>, request: &Request) -> Waits {
    let (plugin, request) = (Arc::clone(plugin), request.clone());
    beside(request.is_rehearsal(), async move {
        let (mut memo, patience) = (Memo::default(), Patience::of(plugin.wall));
        let found = plugin.resolution(&request, &mut memo, patience).await;
        let found = found.ok().flatten();
        let said = match &found {
            // A rendering that stands for files is not made: whether they exist is not looked up here.
            Some(Found::Serve(Selection { files, otherwise: Otherwise::Rendering(key), .. }))
                if files.is_empty() =>
            {
                let made = plugin.rendering(&request, key, patience).await;
                made.ok().flatten().map(Said::Rendering)
            }
            _ => found.map(Said::Resolution),
        };
        plugin.note("resolve", &request, said);
    })
}

/// Carries out a call in a task of its own, unless its result is waited for.
fn beside(waits: bool, call: impl Future<Output = ()> + Send + 'static) -> Waits {
    if waits {
        return Some(Box::pin(call));
    }
    drop(tokio::spawn(call));
    None
}

pub(super) fn accept_upload(plugin: &Arc<Member>, request: &Request, upload: &ReceivedUpload) {
    let (plugin, request, upload) = (Arc::clone(plugin), request.clone(), upload.clone());
    tokio::spawn(async move {
        let (mut memo, patience) = (Memo::default(), Patience::of(plugin.wall));
        let opinion = plugin.acceptance(&request, &mut memo, &upload, patience).await;
        plugin.note("accept-upload", &request, opinion.ok().flatten().map(Said::Acceptance));
    });
}

impl Member {
    /// Logs the verdict that the plugin would have given, unless it abstained.
    fn note(&self, hook: &'static str, request: &Request, said: Option<Said>) {
        if request.is_rehearsal() {
            return;
        }
        if let Some(said) = said.filter(|_| self.notes.take()) {
            tracing::info!(
                target: "tuffet::policy",
                plugin = %self.name,
                hook,
                request = %request.id,
                client = %request.client,
                path = %request.path,
                would = %said,
                "monitored"
            );
        }
        // A call that is counted has its line, also where the server ends now.
        self.counters.monitor();
    }
}

/// An opinion, for the log.
enum Said {
    Verdict(Opinion),
    Resolution(Found),
    Rendering(Result<Arc<PluginContent>, Denial>),
    Acceptance(UploadOpinion),
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Verdict(Opinion::Allow(_)) => f.write_str("allow"),
            Said::Verdict(Opinion::Drop(reason)) | Said::Resolution(Found::Drop(reason))
                if reason.is_empty() =>
            {
                f.write_str("drop")
            }
            Said::Verdict(Opinion::Drop(reason)) | Said::Resolution(Found::Drop(reason)) => {
                write!(f, "drop: {reason}")
            }
            Said::Resolution(found @ Found::Serve(Selection { files, otherwise, .. })) => match otherwise {
                Otherwise::Content(_) if files.is_empty() => write!(f, "content of {}", found.detail()),
                _ => write!(f, "{} {}", found.word(), found.detail()),
            },
            Said::Rendering(rendered @ Ok(_)) => write!(f, "content of {}", rendered.detail()),
            Said::Acceptance(UploadOpinion::Accept) => f.write_str("accept"),
            Said::Acceptance(renamed @ UploadOpinion::Rename(_)) => {
                write!(f, "rename to {}", renamed.detail())
            }
            Said::Verdict(Opinion::Deny(denial))
            | Said::Resolution(Found::Deny(denial))
            | Said::Rendering(Err(denial))
            | Said::Acceptance(UploadOpinion::Deny(denial)) => deny(f, denial),
        }
    }
}

fn deny(f: &mut fmt::Formatter<'_>, denial: &Denial) -> fmt::Result {
    write!(f, "deny: {}", if denial.reason.is_empty() { &denial.message } else { &denial.reason })
}
