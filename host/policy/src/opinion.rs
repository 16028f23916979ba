//! The opinions of plugins on requests and uploads, apart from abstaining.

use std::sync::Arc;

use super::content::PluginContent;
use tuffet_request::{Denial, SessionProfile};

/// A verdict other than abstain.
#[derive(Debug, Clone)]
pub enum Opinion {
    /// It is allowed, with this profile.
    Allow(SessionProfile),
    /// It is refused with an ERROR.
    Deny(Denial),
    /// It is dropped; the reason is for the log.
    Drop(String),
}

/// A file in a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The name of a configured root.
    pub root: String,
    /// A path in it.
    pub path: String,
}

/// What follows if none of the files exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fallback {
    /// The request is refused.
    NotFound,
    /// The next plugin of the chain decides.
    Next,
    /// This content.
    Content(Arc<PluginContent>),
    /// The content that the plugin makes for this key.
    Rendering(Arc<str>),
}

/// What is served: the first of the files that exists.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The candidates, in order.
    pub files: Vec<Target>,
    /// What follows if none of them exists.
    pub fallback: Fallback,
    /// How it is sent.
    pub profile: Option<SessionProfile>,
}

/// A resolution other than abstain.
#[derive(Debug, Clone)]
pub enum ResolveOpinion {
    /// It is served.
    Serve(Selection),
    /// It is refused with an ERROR.
    Deny(Denial),
    /// It is dropped; the reason is for the log.
    Drop(String),
}

/// A decision about an upload.
#[derive(Debug, Clone)]
pub enum UploadOpinion {
    /// It becomes visible.
    Accept,
    /// It becomes visible under this name.
    Rename(Destination),
    /// It is refused with an ERROR.
    Deny(Denial),
}

/// The name that an upload gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// A path in its root.
    pub path: String,
    /// Whether it gets the next free name beside a file that has this one.
    pub next_free: bool,
}
