//! The opinions of plugins on requests and uploads, apart from abstaining.

use std::sync::Arc;

use super::content::PluginContent;
use tuffet_request::{Denial, SessionProfile};
use tuffet_store::Destination;

/// The maximum number of files in an answer.
pub const MAX_CANDIDATES: usize = 64;

/// A verdict other than abstain.
#[derive(Debug, Clone)]
pub enum Opinion {
    /// Allowed, with this profile.
    Allow(SessionProfile),
    /// Refused with an ERROR.
    Deny(Denial),
    /// Dropped; the reason is for the log.
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
    /// Content to be rendered for this key.
    Rendering(Arc<str>),
}

/// Files to serve: the first that exists.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The candidates, in order.
    pub files: Vec<Target>,
    /// What follows if none of them exists.
    pub fallback: Fallback,
    /// The session profile.
    pub profile: Option<SessionProfile>,
}

/// A resolution other than abstain.
#[derive(Debug, Clone)]
pub enum ResolveOpinion {
    /// Served.
    Serve(Selection),
    /// Refused with an ERROR.
    Deny(Denial),
    /// Dropped; the reason is for the log.
    Drop(String),
}

/// A decision about an upload.
#[derive(Debug, Clone)]
pub enum UploadOpinion {
    /// Published.
    Accept,
    /// Published under this name.
    Rename(Destination),
    /// Refused with an ERROR.
    Deny(Denial),
}
