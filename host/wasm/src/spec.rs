//! A configured policy.

use std::path::PathBuf;
use std::sync::Arc;

use super::stage::Stage;
use tuffet_config::sinks::SinkSpec;
use tuffet_config::{KvBucket, PolicyConfig};
use tuffet_registry::Registries;
use tuffet_store::Roots;

/// A configured policy, with everything that loading it needs.
#[derive(Debug, Clone)]
pub struct PolicySpec {
    /// The chains and the plugins. A plugin in no chain is loaded and checked all the same.
    pub config: PolicyConfig,
    /// The names of the configured roots. Naming any other root is a failure of the plugin.
    pub roots: Vec<String>,
    /// The opened roots, which know which of them are private; no answer may name those either.
    pub open_roots: Roots,
    /// The configured sinks.
    pub sinks: Vec<SinkSpec>,
    /// The folder for persistent state.
    pub state: PathBuf,
    /// How components are had from registries.
    pub registries: Registries,
    /// The bucket with the keys; `None` for a file in `state`.
    pub kv: Option<KvBucket>,
    /// Whether the policy is to run. Otherwise it is only checked, and neither sinks nor the file of keys are
    /// opened: the running server uses them.
    pub live: bool,
    /// Prefix length that identifies a client in IPv6, for the shares of plugins.
    pub ipv6_prefix: u8,
    /// The replacement for the host in a trial; `None` in a server.
    pub stage: Option<Arc<Stage>>,
}

impl PolicySpec {
    /// Returns the roots that an answer may name.
    pub fn served_roots(&self) -> Vec<String> {
        self.roots.iter().filter(|root| !self.open_roots.is_private(root)).cloned().collect()
    }
}
