//! A policy: chains of plugins for each listener.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::chain_deadline::ChainDeadline;
use super::chain_results::ChainedPlugin;
use super::identity::PluginIdentity;
use super::load_problem::LoadProblem;
use super::member::{Member, PluginState};
use tuffet_request::settings::DefaultVerdict;

/// A loaded policy: one for each generation.
#[derive(Clone)]
pub struct Policy {
    pub(super) parts: PolicyParts,
    /// Whether any plugin wants the local address, interface and VLAN of requests.
    wants_local: bool,
}

/// The parts of a policy.
#[derive(Clone)]
pub struct PolicyParts {
    /// The verdict if every plugin of `authorize` abstains.
    pub default: DefaultVerdict,
    /// The chains of listeners that configure none.
    pub of_all: Chains,
    /// The chains of the other listeners, by name.
    pub of_listeners: HashMap<String, Chains>,
    /// The time limit of the chains for one request.
    pub time_limit: Duration,
    /// The warnings for the operator, which do not prevent the policy from running.
    pub warnings: Vec<LoadProblem>,
    /// The plugins and their components, in the order of the configuration.
    pub identities: Vec<PluginIdentity>,
}

/// The chains of a listener. A plugin may be in several of them.
#[derive(Clone, Default)]
pub struct Chains {
    /// The chain `authorize`.
    pub authorize: Vec<Arc<Member>>,
    /// The chain `resolve`.
    pub resolve: Vec<Arc<Member>>,
    /// The chain `accept-upload`.
    pub accept_upload: Vec<Arc<Member>>,
    /// The observers, in no order.
    pub observe: Vec<Arc<Member>>,
}

impl Chains {
    fn plugins(&self) -> impl Iterator<Item = &Arc<Member>> {
        [&self.authorize, &self.resolve, &self.accept_upload, &self.observe].into_iter().flatten()
    }
}

impl Policy {
    /// Returns the policy of these parts.
    pub fn new(parts: PolicyParts) -> Policy {
        let mut all = std::iter::once(&parts.of_all).chain(parts.of_listeners.values());
        let wants_local = all.any(|chains| chains.plugins().any(|plugin| plugin.wants_local));
        Policy { parts, wants_local }
    }

    /// Returns the parts of this policy.
    pub fn into_parts(self) -> PolicyParts {
        self.parts
    }

    /// Returns the warnings for the operator, which do not prevent the policy from running.
    pub fn warnings(&self) -> &[LoadProblem] {
        &self.parts.warnings
    }

    /// Returns its plugins and their components, in the order of the configuration.
    pub fn plugins(&self) -> &[PluginIdentity] {
        &self.parts.identities
    }

    /// Returns whether policy cannot affect a request at this listener: no plugin is in a chain, and the default
    /// allows.
    pub fn is_empty(&self, listener: &str) -> bool {
        let chains = self.of(listener);
        chains.authorize.is_empty()
            && chains.resolve.is_empty()
            && self.parts.default == DefaultVerdict::Allow
    }

    /// Returns whether a plugin of this listener is asked which file a request gets.
    pub fn resolves(&self, listener: &str) -> bool {
        !self.of(listener).resolve.is_empty()
    }

    /// Returns whether a plugin of this listener judges the paths of files that `resolve` names.
    pub fn judges_paths(&self, listener: &str) -> bool {
        self.of(listener).authorize.iter().any(|plugin| plugin.judges_paths)
    }

    /// Returns whether a plugin of this listener wants the local address, interface and VLAN of requests.
    pub fn wants_local(&self, listener: &str) -> bool {
        self.wants_local && self.of(listener).plugins().any(|plugin| plugin.wants_local)
    }

    /// The names of the listeners with chains of their own.
    pub fn listeners(&self) -> impl Iterator<Item = &str> {
        self.parts.of_listeners.keys().map(String::as_str)
    }

    /// The chains of a listener.
    pub(super) fn of(&self, listener: &str) -> &Chains {
        self.parts.of_listeners.get(listener).unwrap_or(&self.parts.of_all)
    }

    /// All chains: first those of `policy`.
    pub(super) fn all(&self) -> impl Iterator<Item = &Chains> {
        std::iter::once(&self.parts.of_all).chain(self.parts.of_listeners.values())
    }

    /// The plugins in the chains, by name; a plugin in several chains appears several times.
    pub fn plugin_states(&self) -> impl Iterator<Item = (Arc<str>, PluginState)> + '_ {
        let chains =
            self.all().flat_map(|its| [&its.authorize, &its.resolve, &its.accept_upload, &its.observe]);
        chains.flatten().map(|member| (Arc::clone(&member.name), member.state()))
    }

    /// Returns the default verdict in a word.
    pub fn default_word(&self) -> &'static str {
        match self.parts.default {
            DefaultVerdict::Allow => "allow",
            DefaultVerdict::Deny => "deny",
        }
    }

    /// Returns the plugins of a listener's chains except `observe`, in the order of calls.
    pub fn chained(&self, listener: &str) -> impl Iterator<Item = ChainedPlugin> + '_ {
        let its = self.of(listener);
        let chains =
            [("authorize", &its.authorize), ("resolve", &its.resolve), ("accept-upload", &its.accept_upload)];
        chains.into_iter().flat_map(|(hook, chain)| {
            chain.iter().map(move |plugin| ChainedPlugin {
                hook,
                plugin: Arc::clone(&plugin.name),
                monitored: plugin.monitors,
            })
        })
    }

    /// Starts the time limit of a request.
    pub fn deadline(&self) -> ChainDeadline {
        ChainDeadline::of(self.parts.time_limit)
    }
}
