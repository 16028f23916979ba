//! Results of the chains.

use std::sync::Arc;

use super::answers::{Fallback, Resolution, UploadVerdict, Verdict};
use tuffet_request::SessionProfile;

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

/// What a chain answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainAnswer<A> {
    /// The answer.
    pub answer: Result<A, NoAnswer>,
    /// The member that decided. `None` if all abstained.
    pub by: Option<Arc<str>>,
    /// The number of calls.
    pub calls: u32,
}

/// The result of the chain `authorize`: never [`Verdict::Abstain`], since the default decides then. Of several that
/// allowed, the first counts as the one that decided.
pub type Authorization = ChainAnswer<Verdict>;

/// The result of the chain `accept-upload`. Of several that accepted, the one that renamed decided, else the first.
pub type UploadDecision = ChainAnswer<UploadVerdict>;

/// No answer, for this reason. A request is dropped, so that its client repeats it. An upload is refused, since its client
/// would have to send everything again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// A plugin is overloaded, and may answer later; neither `on-error` nor the breaker applies.
    Overloaded(String),
    /// A hook failed.
    Failed(String),
}

impl NoAnswer {
    /// The reason.
    pub fn reason(self) -> String {
        match self {
            NoAnswer::Overloaded(reason) | NoAnswer::Failed(reason) => reason,
        }
    }
}

/// The result of the chain `resolve`.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The answer. Its files, of which every path is relative and has no empty parts, `.` or `..`, are in configured roots.
    /// Without files, it has content: never for a write request, and made or opened already.
    pub chain: ChainAnswer<Resolution>,
    /// Where the chain continues if none of the files exists.
    pub next: Option<ChainPosition>,
    /// The combined session profile of the members so far.
    pub profile: Option<SessionProfile>,
}

/// A position in the `resolve` chain of a listener; valid for the policy that returned it.
#[derive(Debug, Clone)]
pub struct ChainPosition {
    /// The index of a member in the chain.
    pub(super) member: usize,
    /// The content that this member returned, in case none of its files exists.
    pub(super) fallback: Option<Fallback>,
}

impl ChainPosition {
    /// The first member.
    pub const START: ChainPosition = ChainPosition { member: 0, fallback: None };

    /// Returns whether no member has been asked yet.
    pub(super) fn is_start(&self) -> bool {
        self.member == 0 && self.fallback.is_none()
    }
}
