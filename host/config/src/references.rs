//! Checks the listeners, roots, sinks, classes and hosts that settings of bundled plugins name. Those of other plugins are
//! checked when their components are loaded.

use super::bundled;
use super::component::ComponentSource;
use super::plugins::{PluginConfig, ReferableNames};
use super::resolver::Resolver;
use super::settings_schema::{SettingNames, name_problems};

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
}
