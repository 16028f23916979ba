//! A member of chains: an implementation of hooks, with the guards of its calls.

use std::sync::Arc;
use std::time::Duration;

use super::answers::{Resolution, Verdict};
use super::breaker::Breaker;
use super::counters::Counters;
use super::decision_cache::DecisionCache;
use super::hooks::Hooks;
use super::line_rate::LineRate;
use super::overload::Overload;
use super::renderings::Renderings;
use super::turns::Occupancy;
use tuffet_request::settings::OnError;
use tuffet_store::{Scope, SourceOpener};

/// A member of chains.
pub struct Member {
    /// Its name, for logs and metrics.
    pub name: Arc<str>,
    /// What messages call it: `plugin`, or `hook` of a program.
    pub noun: &'static str,
    /// The implemented hooks.
    pub hooks: Hooks,
    /// How its failures are treated.
    pub on_error: OnError,
    /// Whether its verdicts are only recorded.
    pub monitors: bool,
    /// The time limit of a call.
    pub wall: Duration,
    /// Whether a call is ended here at its time limit, and its panic caught: the runtime of plugins does both itself.
    pub is_guarded: bool,
    /// Opens what it supplies, if it is a hook of the program.
    pub sources: Option<(SourceOpener, Scope)>,
    /// The prefix length that identifies an IPv6 client.
    pub ipv6_prefix: u8,
    /// Whether it wants to know where requests arrive.
    pub wants_local: bool,
    /// Whether its verdicts depend on declared facts alone, the path among them. It then also judges the paths of files
    /// that `resolve` names: asking it again has no effect.
    pub judges_paths: bool,
    /// Stops calls while it fails.
    pub breaker: Arc<Breaker>,
    /// Its running and waiting calls, if they take turns.
    pub turns: Option<Arc<dyn Occupancy>>,
    /// Logs calls that got no turn.
    pub overload: Arc<Overload>,
    /// Its counters.
    pub counters: Arc<Counters>,
    /// The rate of log lines about its calls.
    pub log_rate: Arc<LineRate>,
    /// The decision cache of `authorize`; `None` without a cache.
    pub verdicts: Option<DecisionCache<Verdict>>,
    /// The decision cache of `resolve`; `None` without a cache.
    pub resolutions: Option<DecisionCache<Resolution>>,
    /// Content that it rendered, by key.
    pub renderings: Arc<Renderings>,
}

/// The current state of a plugin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PluginState {
    /// Whether its breaker is open.
    pub breaker_open: bool,
    /// Running calls.
    pub running: u64,
    /// Calls waiting for an instance.
    pub waiting: u64,
}

impl Member {
    pub(super) fn state(&self) -> PluginState {
        let (running, waiting) = self.turns.as_ref().map(|turns| turns.counts()).unwrap_or_default();
        PluginState { breaker_open: self.breaker.is_open(), running, waiting }
    }
}
