//! What the chains answer.

use std::sync::Arc;

use super::content::PluginContent;
use super::opinion::Target;
use tuffet_request::{Denial, SessionProfile};

/// A plugin in a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainedPlugin {
    /// The hook of the chain.
    pub hook: &'static str,
    /// Its name.
    pub plugin: Arc<str>,
    /// Whether its verdicts are only recorded.
    pub monitored: bool,
}

/// The result of the `authorize` chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// The verdict.
    pub verdict: Verdict,
    /// The plugin that decided; of several that allowed, the first. `None` if the default decided.
    pub by: Option<Arc<str>>,
    /// The number of plugin calls.
    pub calls: u32,
}

/// The verdict on a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is allowed, with this profile.
    Allow(SessionProfile),
    /// It is refused with an ERROR.
    Deny(Denial),
    /// It is dropped, for this reason.
    Drop(String),
    /// Dropped, because a plugin is overloaded, for this reason. The client repeats the request.
    Overloaded(String),
}

/// The result of the `resolve` chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// The answer.
    pub answer: ResolveAnswer,
    /// The plugin that answered; `None` if all abstained.
    pub by: Option<Arc<str>>,
    /// The number of plugin calls.
    pub calls: u32,
    /// Where the chain goes on if none of the files exists.
    pub next: Option<ChainPosition>,
    /// What the plugins so far say about how it is sent.
    pub profile: Option<SessionProfile>,
}

/// Where the `resolve` chain of a listener goes on. Holds for the policy that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainPosition {
    /// The place of a plugin.
    pub(super) plugin: usize,
    /// What that plugin answered already, for the case that none of its files exists.
    pub(super) fallback: Option<FallbackContent>,
}

/// Content in place of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FallbackContent {
    Content(Arc<PluginContent>),
    /// The content that the plugin makes for this key.
    Rendering(Arc<str>),
}

impl ChainPosition {
    /// The first plugin.
    pub const START: ChainPosition = ChainPosition { plugin: 0, fallback: None };
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolveAnswer {
    /// The requested path, looked up in the roots in order.
    Abstain,
    /// The first of these that exists; for a write request, the first. Never empty; every root is a
    /// configured one, every path relative and without empty parts, `.` and `..`.
    Files(Vec<Target>),
    /// The content itself. Never for a write request.
    Content(Arc<PluginContent>),
    /// A denial.
    Deny(Denial),
    /// It is dropped, for this reason.
    Drop(String),
    /// Dropped, because a plugin is overloaded, for this reason. The client repeats the request.
    Overloaded(String),
}
