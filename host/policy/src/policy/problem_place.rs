//! The place of a plugin's problem in the configuration.

use super::spec::{LoadProblem, LoadProblemKind};
use tuffet_config::{Config, join_pointer};

impl LoadProblem {
    /// Returns the problem as one of this configuration: the JSON pointer of its place, and its message.
    pub fn in_config(&self, config: &Config) -> (String, String) {
        (self.pointer_in(config), format!("plugin `{}`: {}", self.plugin, self.message))
    }

    fn pointer_in(&self, config: &Config) -> String {
        let plugin = join_pointer("/plugins", &self.plugin);
        match self.kind {
            LoadProblemKind::Settings => self.pointer_of_settings(config, plugin),
            LoadProblemKind::Grant | LoadProblemKind::Sink
                if config.position(&format!("{plugin}/grants")).is_some() =>
            {
                format!("{plugin}/grants")
            }
            LoadProblemKind::Digest => format!("{plugin}/sha256"),
            LoadProblemKind::Hook(hook) => {
                self.pointer_in_chain(config, hook).unwrap_or_else(|| format!("{plugin}/component"))
            }
            _ => format!("{plugin}/component"),
        }
    }

    /// The place in the settings, or the secret that is the value there.
    fn pointer_of_settings(&self, config: &Config, plugin: String) -> String {
        let settings = format!("{plugin}/settings");
        let its = config.policy.plugins.iter().find(|its| its.name == self.plugin);
        let secret = its.and_then(|its| its.secrets.name_of(self.pointer.as_deref()?));
        if let Some(name) = secret {
            join_pointer(&format!("{plugin}/secrets"), name)
        } else if config.position(&settings).is_some() {
            settings + self.pointer.as_deref().unwrap_or_default()
        } else {
            plugin
        }
    }

    /// The place in the chain of a hook: the server's chain, else that of a listener.
    fn pointer_in_chain(&self, config: &Config, hook: &str) -> Option<String> {
        let policy = &config.policy;
        let chain = match hook {
            "authorize" => &policy.authorize,
            "resolve" => &policy.resolve,
            "accept-upload" => &policy.accept_upload,
            _ => &policy.observe,
        };
        let index_in = |chain: &[String]| chain.iter().position(|name| *name == self.plugin);
        if let Some(index) = index_in(chain) {
            return Some(format!("/policy/{hook}/{index}"));
        }
        config.listeners.iter().enumerate().find_map(|(number, listener)| {
            let (_, chain) = listener.chains.written().find(|(key, _)| *key == hook)?;
            Some(format!("/listeners/{number}/policy/{hook}/{}", index_in(chain)?))
        })
    }
}
