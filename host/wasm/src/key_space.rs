//! The keys of a plugin for operators: in the store that a running server has open, or opened for a configuration.

use std::sync::Arc;

use super::engine::PolicyRuntime;
use super::open_access::{location, namespace};
use super::resources::KeySpace;
use tuffet_config::{Config, Grant, PluginConfig};
use tuffet_kv::{KvOpenError, KvStore};

impl PolicyRuntime {
    /// Returns the keys of a plugin of this name, or those that plugins share for `shared/NAME`; `None` if no plugin uses
    /// such keys.
    pub fn key_space(&self, name: &str) -> Option<KeySpace> {
        self.shared().resources.key_spaces().into_iter().find(|space| *space.namespace.name == *name)
    }

    /// Returns the names of all keys that plugins use.
    pub fn key_space_names(&self) -> Vec<String> {
        let spaces = self.shared().resources.key_spaces();
        spaces.iter().map(|space| space.namespace.name.to_string()).collect()
    }
}

impl PolicyRuntime {
    /// Counts the stored keys of each plugin, for its records. A store that is away keeps its last count.
    pub async fn count_keys(&self) {
        for KeySpace { store, namespace } in self.shared().resources.key_spaces() {
            let is_shared = namespace.name.contains('/');
            if let Some((keys, bytes)) = store.usage(&namespace).await.ok().filter(|_| !is_shared) {
                self.counters_of(&namespace.name).stores(keys, bytes);
            }
        }
    }
}

/// Opens the keys of a plugin of this configuration; `None` if no plugin has the grant for them.
///
/// # Errors
/// The store cannot be opened.
pub fn open_keys(config: &Config, name: &str) -> Result<Option<KeySpace>, KvOpenError> {
    let named = |(plugin, shared): (&PluginConfig, Option<&str>)| {
        let namespace = namespace(config.kv.as_ref(), plugin, shared);
        (*namespace.name == *name).then_some(namespace)
    };
    let Some(namespace) = granted(config).find_map(named) else { return Ok(None) };
    let store = Arc::new(KvStore::open(&location(config.kv.as_ref(), &config.state))?);
    store.join(&namespace);
    Ok(Some(KeySpace { store, namespace }))
}

/// Returns the names of all keys that plugins of this configuration may use.
pub fn key_names(config: &Config) -> Vec<String> {
    let name = |(plugin, shared)| namespace(config.kv.as_ref(), plugin, shared).name.to_string();
    let mut names: Vec<String> = granted(config).map(name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the plugins with keys, each with the name of those that it shares, or `None` for its own.
fn granted(config: &Config) -> impl Iterator<Item = (&PluginConfig, Option<&str>)> {
    config.policy.plugins.iter().flat_map(|plugin| {
        plugin.grants.iter().filter_map(move |grant| match grant {
            Grant::Kv => Some((plugin, None)),
            Grant::SharedKv(shared) => Some((plugin, Some(shared.as_str()))),
            _ => None,
        })
    })
}
