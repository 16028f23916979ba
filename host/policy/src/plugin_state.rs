//! The current state of a policy's plugins.

use std::sync::Arc;

use super::member::Member;
use super::policy::Policy;

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

impl Policy {
    /// The plugins in the chains, by name; a plugin in several chains appears several times.
    pub fn plugin_states(&self) -> impl Iterator<Item = (Arc<str>, PluginState)> + '_ {
        let chains =
            self.all().flat_map(|its| [&its.authorize, &its.resolve, &its.accept_upload, &its.observe]);
        chains.flatten().map(|member| (Arc::clone(&member.name), member.state()))
    }
}

impl Member {
    fn state(&self) -> PluginState {
        let (running, waiting) = self.turns.as_ref().map(|turns| turns.counts()).unwrap_or_default();
        PluginState { breaker_open: self.breaker.is_open(), running, waiting }
    }
}
