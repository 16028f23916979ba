//! The weight of an answer in the decision cache, and its form in traces and logs.

use std::sync::Arc;

use super::content::PluginContent;
use super::opinion::{Fallback, Opinion, ResolveOpinion, Selection, UploadOpinion};
use super::text::one_line;
use tuffet_request::{Denial, SessionProfile, SessionValues};

/// Bytes of content that weigh as much as one decision.
const CONTENT_UNIT: u64 = 1024;

/// An answer of a hook that can be cached and shown.
pub trait HookAnswer {
    /// Its weight in the cache, in units of one plain decision.
    fn weight(&self) -> u64;
    /// The decision in one word, for traces.
    fn word(&self) -> &'static str;
    /// Details beside the word.
    fn detail(&self) -> String;
}

impl HookAnswer for Opinion {
    fn weight(&self) -> u64 {
        1
    }

    fn word(&self) -> &'static str {
        match self {
            Opinion::Allow(_) => "allow",
            Opinion::Deny(_) => "deny",
            Opinion::Drop(_) => "drop",
        }
    }

    fn detail(&self) -> String {
        match self {
            Opinion::Allow(profile) => profile_of(profile),
            Opinion::Deny(denial) => reason_of(denial),
            Opinion::Drop(reason) => reason.clone(),
        }
    }
}

impl HookAnswer for UploadOpinion {
    fn weight(&self) -> u64 {
        1
    }

    fn word(&self) -> &'static str {
        match self {
            UploadOpinion::Accept => "accept",
            UploadOpinion::Rename(_) => "rename",
            UploadOpinion::Deny(_) => "deny",
        }
    }

    fn detail(&self) -> String {
        match self {
            UploadOpinion::Accept => String::new(),
            UploadOpinion::Rename(to) if to.next_free => format!("{}, or the next free name", to.path),
            UploadOpinion::Rename(to) => to.path.clone(),
            UploadOpinion::Deny(denial) => reason_of(denial),
        }
    }
}

impl HookAnswer for ResolveOpinion {
    fn weight(&self) -> u64 {
        match self {
            ResolveOpinion::Serve(Selection { files, fallback, .. }) => {
                let content = match fallback {
                    Fallback::Content(content) => content.len() / CONTENT_UNIT,
                    Fallback::NotFound | Fallback::Next | Fallback::Rendering(_) => 0,
                };
                1 + (files.len() / 8) as u64 + content
            }
            ResolveOpinion::Deny(_) | ResolveOpinion::Drop(_) => 1,
        }
    }

    fn word(&self) -> &'static str {
        match self {
            ResolveOpinion::Serve(Selection { files, fallback, .. }) => match fallback {
                Fallback::NotFound => "files",
                Fallback::Next => "files-else-next",
                Fallback::Content(_) if files.is_empty() => "content",
                Fallback::Content(_) => "files-else-content",
                Fallback::Rendering(_) if files.is_empty() => "rendered",
                Fallback::Rendering(_) => "files-else-rendered",
            },
            ResolveOpinion::Deny(_) => "deny",
            ResolveOpinion::Drop(_) => "drop",
        }
    }

    fn detail(&self) -> String {
        match self {
            ResolveOpinion::Serve(Selection { files, fallback, profile }) => {
                let mut parts: Vec<String> =
                    files.iter().map(|file| format!("{}:{}", file.root, file.path)).collect();
                match fallback {
                    Fallback::NotFound | Fallback::Next => {}
                    Fallback::Content(content) => parts.push(content_of(content)),
                    Fallback::Rendering(key) => parts.push(one_line(key, 200)),
                }
                let profile = profile.as_ref().map(profile_of).filter(|profile| !profile.is_empty());
                parts.extend(profile);
                parts.join(", ")
            }
            ResolveOpinion::Deny(denial) => reason_of(denial),
            ResolveOpinion::Drop(reason) => reason.clone(),
        }
    }
}

fn content_of(content: &PluginContent) -> String {
    match (content.len(), content.name()) {
        (bytes, None) => format!("{bytes} bytes"),
        (bytes, Some(name)) => format!("{bytes} bytes, {name}"),
    }
}

/// The result of a successful call of `render`.
impl HookAnswer for Result<Arc<PluginContent>, Denial> {
    fn weight(&self) -> u64 {
        1
    }

    fn word(&self) -> &'static str {
        if self.is_ok() { "content" } else { "deny" }
    }

    fn detail(&self) -> String {
        match self {
            Ok(content) => content_of(content),
            Err(denial) => reason_of(denial),
        }
    }
}

fn profile_of(profile: &SessionProfile) -> String {
    let each = |values: &SessionValues, word: &str| {
        values.iter().map(|(name, value)| format!("{name} {word} {value}")).collect::<Vec<_>>()
    };
    let mut parts = each(&profile.ceilings, "at most");
    parts.extend(profile.bytes.map(|bytes| format!("bytes at most {bytes}")));
    parts.extend(each(&profile.floors, "at least"));
    parts.extend(each(&profile.overrides, "overridden with"));
    parts.extend(profile.burst.map(|burst| format!("burst {burst}")));
    parts.extend(profile.rate.map(|rate| format!("rate at most {rate}")));
    parts.extend(profile.refused.names().map(|name| format!("no {name}")));
    parts.join(", ")
}

fn reason_of(denial: &Denial) -> String {
    if denial.reason.is_empty() { denial.message.clone() } else { denial.reason.clone() }
}
