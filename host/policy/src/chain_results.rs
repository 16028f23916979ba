//! Results of the chains.

use std::sync::Arc;

use super::content::PluginContent;
use super::opinion::Target;
use tuffet_request::{Denial, SessionProfile};

/// A plugin in a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainedPlugin {
    /// The hook of the chain.
    pub hook: &'static str,
    /// The name of the plugin.
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
    /// Allowed, with this profile.
    Allow(SessionProfile),
    /// Refused with an ERROR.
    Deny(Denial),
    /// Dropped, for this reason.
    Drop(String),
    /// Dropped, because a plugin is overloaded or a hook failed, for this reason. The client repeats the request.
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
    /// Where the chain continues if none of the files exists.
    pub next: Option<ChainPosition>,
    /// The combined session profile of the plugins so far.
    pub profile: Option<SessionProfile>,
}

/// A position in the `resolve` chain of a listener; valid for the policy that returned it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainPosition {
    /// The index of a plugin in the chain.
    pub(super) plugin: usize,
    /// The content that this plugin returned, in case none of its files exists.
    pub(super) fallback: Option<FallbackContent>,
}

/// Content that answers the request if no file exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FallbackContent {
    Content(Arc<PluginContent>),
    /// Content to be rendered for this key.
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
    /// The first existing file; for a write request, the first. Never empty; every root is configured, every path is
    /// relative and has no empty parts, `.` or `..`.
    Files(Vec<Target>),
    /// The content itself. Never for a write request.
    Content(Arc<PluginContent>),
    /// A denial.
    Deny(Denial),
    /// Dropped, for this reason.
    Drop(String),
    /// Dropped, because a plugin is overloaded or a hook failed, for this reason. The client repeats the request.
    Overloaded(String),
}
