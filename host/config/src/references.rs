//! Checks the listeners, roots, sinks, classes and hosts that settings of bundled plugins name. Those of other plugins are
//! checked when their components are loaded.

use serde_json::Value;

use super::bundled;
use super::component::ComponentSource;
use super::grant::Grant;
use super::plugins::{PluginConfig, ReferableNames};
use super::resolver::Resolver;
use super::settings_schema::{SettingNames, name_problems, named_grants};

impl Resolver<'_> {
    /// Checks that the settings of a bundled plugin name listeners, roots and sinks that exist, and that it may use
    /// them.
    pub(crate) fn references(&mut self, pointer: &str, plugin: &PluginConfig, named: ReferableNames<'_>) {
        let ComponentSource::Builtin(builtin) = &plugin.component else { return };
        let Some(schema) = bundled::settings_schema(builtin) else { return };
        let names = SettingNames::known(named, self.source);
        let problems = name_problems(&schema, &plugin.settings, pointer, &plugin.grants, &names);
        self.findings.extend(problems);
    }
    /// Returns the given grants, and those that a bundled plugin cannot do without: it is a part of the server, so nobody
    /// has to give them. They are the roots, sinks and servers that its settings name, and what its purpose needs. Grants
    /// of which a configuration may leave one out are not among them, such as MAC addresses for an observer, which tells
    /// others.
    pub(crate) fn with_needed_grants(&self, plugin: &PluginConfig) -> Vec<Grant> {
        let mut grants = plugin.grants.clone();
        let ComponentSource::Builtin(builtin) = &plugin.component else { return grants };
        let Some(schema) = bundled::settings_schema(builtin) else { return grants };
        let settings = &plugin.settings;
        let mut needed = named_grants(&schema, settings);
        match builtin.as_str() {
            "acl" if has_macs(settings) => needed.push(Grant::ClientMac),
            "audit" => needed.push(Grant::Kv),
            "mac-map" => needed.push(Grant::ClientMac),
            "ask" if settings["when-away"] == "last" => needed.push(Grant::Kv),
            // Its rules may depend on which files exist.
            "remap" => {
                needed.extend(settings["root"].as_str().map(|root| Grant::Files(root.to_owned())));
                needed.extend((settings["unique-root"] == "mac").then_some(Grant::ClientMac));
            }
            _ => {}
        }
        for grant in needed {
            if !grants.contains(&grant) {
                grants.push(grant);
            }
        }
        grants
    }
}

/// Returns whether a rule of `acl` has a condition about MAC addresses.
fn has_macs(settings: &Value) -> bool {
    let mut rules = ["deny", "allow"].into_iter().filter_map(|key| settings[key].as_array()).flatten();
    rules.any(|rule| ["macs", "except-macs"].iter().any(|key| !rule[*key].is_null()))
}
