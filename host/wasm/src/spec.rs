//! A configured policy.

use std::path::PathBuf;
use std::sync::Arc;

use super::stage::Stage;
use tuffet_config::sinks::SinkSpec;
use tuffet_config::{Config, KvBucket, PolicyConfig, SettingNames};
use tuffet_registry::Registries;
use tuffet_store::Roots;

/// A configured policy, with everything needed to load it.
#[derive(Debug, Clone)]
pub struct PolicySpec {
    /// The chains and the plugins. Plugins outside of chains are loaded and checked, too.
    pub config: PolicyConfig,
    /// The names of the configured roots. A plugin that names another one has failed.
    pub roots: Vec<String>,
    /// The opened roots. Plugins must not name private ones in answers.
    pub open_roots: Roots,
    /// The names that settings of plugins may refer to.
    pub names: SettingNames,
    /// The configured sinks.
    pub sinks: Vec<SinkSpec>,
    /// The folder for persistent state.
    pub state: PathBuf,
    /// The registries of components.
    pub registries: Registries,
    /// The bucket of the keys; `None` for a file in `state`.
    pub kv: Option<KvBucket>,
    /// Whether the policy will run. Otherwise it is only checked, and neither sinks nor the file of keys are opened,
    /// because the running server uses them.
    pub live: bool,
    /// Whether nothing remains to be checked about the folder for persistent state: root creates it for the server.
    pub root_makes_state: bool,
    /// The IPv6 prefix length that identifies a client, for fair shares of plugins.
    pub ipv6_prefix: u8,
    /// The replacement for the host in a trial; `None` in a server.
    pub stage: Option<Arc<Stage>>,
}

impl PolicySpec {
    /// Returns the policy of a configuration, with its opened roots. `live`: whether it will run.
    pub fn of(config: &Config, roots: &Roots, live: bool) -> PolicySpec {
        PolicySpec {
            config: config.policy.clone(),
            roots: config.roots.iter().map(|root| root.name.clone()).collect(),
            open_roots: roots.clone(),
            registries: Registries::of(config, live),
            names: SettingNames::of(config),
            sinks: config.sinks.clone(),
            state: config.state.clone(),
            kv: config.kv.clone(),
            live,
            root_makes_state: false,
            ipv6_prefix: config.bounds().ipv6_prefix,
            stage: None,
        }
    }

    /// Returns the roots that an answer may name.
    pub fn served_roots(&self) -> Vec<String> {
        self.roots.iter().filter(|root| !self.open_roots.is_private(root)).cloned().collect()
    }
}
