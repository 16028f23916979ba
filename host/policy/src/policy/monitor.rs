//! Plugins in the mode `monitor`: they are called, and their verdicts are logged without effect.
//!
//! They are called beside the chain, not in it: no request waits for them.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use super::ask::Patience;
use super::convert::{Found, Inputs, Opinion, UploadOpinion};
use super::decisions::Weighty;
use super::plugin::Plugin;
use super::upload::UploadInput;
use tuffet_request::{Denial, Request};

/// What is left to wait for: nothing, unless the request is only explained.
type Waits = Option<Pin<Box<dyn Future<Output = ()> + Send>>>;

pub(super) fn authorize(plugin: &Arc<Plugin>, request: &Request) -> Waits {
    let (plugin, request) = (Arc::clone(plugin), request.clone());
    beside(request.is_rehearsal(), async move {
        let (mut inputs, patience) = (Inputs::new(&request), Patience::of(plugin.limits.wall));
        let opinion = plugin.verdict(&request, &mut inputs, patience).await;
        plugin.note("authorize", &request, opinion.ok().flatten().map(Said::Verdict));
    })
}

pub(super) fn resolve(plugin: &Arc<Plugin>, request: &Request, roots: &Arc<[String]>) -> Waits {
    let (plugin, request, roots) = (Arc::clone(plugin), request.clone(), Arc::clone(roots));
    beside(request.is_rehearsal(), async move {
        let (mut inputs, patience) = (Inputs::new(&request), Patience::of(plugin.limits.wall));
        let found = plugin.resolution(&request, &mut inputs, &roots, patience).await;
        let said = match found.ok().flatten() {
            Some(Found::Rendered(key)) => {
                let made = plugin.rendering(&request, &key, patience).await;
                made.ok()
                    .flatten()
                    .map(|made| Said::Resolution(made.map_or_else(Found::Deny, Found::Content)))
            }
            found => found.map(Said::Resolution),
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

pub(super) fn accept_upload(plugin: &Arc<Plugin>, request: &Request, upload: &UploadInput) {
    let (plugin, request, upload) = (Arc::clone(plugin), request.clone(), upload.clone());
    tokio::spawn(async move {
        let (mut inputs, patience) = (Inputs::new(&request), Patience::of(plugin.limits.wall));
        let opinion = plugin.acceptance(&request, inputs.by(&plugin), &upload, patience).await;
        plugin.note("accept-upload", &request, opinion.ok().flatten().map(Said::Acceptance));
    });
}

impl Plugin {
    /// Logs the verdict that the plugin would have given, unless it abstained.
    fn note(&self, hook: &'static str, request: &Request, said: Option<Said>) {
        if request.is_rehearsal() {
            return;
        }
        if let Some(said) = said.filter(|_| self.access.notes.take()) {
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
    Acceptance(UploadOpinion),
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Verdict(Opinion::Allow(_)) => f.write_str("allow"),
            Said::Verdict(Opinion::Drop) => f.write_str("drop"),
            Said::Resolution(found @ Found::Files { files, .. }) => {
                f.write_str(found.word())?;
                files.iter().try_for_each(|file| write!(f, " {}:{}", file.root, file.path))
            }
            Said::Resolution(found @ Found::Content(_)) => write!(f, "content of {}", found.detail()),
            Said::Resolution(found @ Found::Rendered(_)) => write!(f, "rendered {}", found.detail()),
            Said::Acceptance(UploadOpinion::Accept) => f.write_str("accept"),
            Said::Acceptance(UploadOpinion::Rename(path)) => write!(f, "rename to {path}"),
            Said::Verdict(Opinion::Deny(denial))
            | Said::Resolution(Found::Deny(denial))
            | Said::Acceptance(UploadOpinion::Deny(denial)) => deny(f, denial),
        }
    }
}

fn deny(f: &mut fmt::Formatter<'_>, denial: &Denial) -> fmt::Result {
    write!(f, "deny: {}", if denial.reason.is_empty() { &denial.message } else { &denial.reason })
}
