//! The schema of a plugin's settings: JSON Schema, carried in its component beside the manifest.
//!
//! A component from outside is not believed. Its schema is bounded in size and depth, references lead to its own
//! definitions only and never in a circle, and nothing in it is an expression that the server would evaluate.
//! Reading resolves the references, and keeps the [checked keywords](read) alone.

mod names;
mod outline;
mod read;

use serde::Serialize;
use serde_json::Value;

use super::bundled;
use super::grant::Grant;
use super::plugin_secrets::PluginSecrets;
use super::schema::{PLUGIN, schema};
use super::shape;
use super::source::Finding;
pub use names::SettingNames;
pub(super) use names::{name_problems, named_grants};
pub use outline::Setting;
use read::Reader;

/// Returns the [schema] of the configuration with the settings of further plugins: each with its component as the file
/// names it.
pub fn schema_with(plugins: &[(String, SettingsSchema)]) -> Value {
    let mut schema = schema();
    if let Some(Value::Array(branches)) = schema.pointer_mut(&format!("{PLUGIN}/allOf")) {
        branches.extend(plugins.iter().map(|(component, settings)| {
            let mut branch = bundled::branch(component, settings.value().clone());
            bundled::loosen(&mut branch);
            branch
        }));
    }
    schema
}

/// The schema of a plugin's settings, without references.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingsSchema(Value);

impl SettingsSchema {
    /// The largest schema in bytes.
    pub const MAX_BYTES: usize = 64 << 10;

    /// Reads the schema of a component. Unknown keywords are ignored, because a newer SDK may have them.
    ///
    /// # Errors
    /// It is too large, not a schema, or has references that cannot be resolved.
    pub fn read(json: &[u8]) -> Result<SettingsSchema, String> {
        if json.len() > SettingsSchema::MAX_BYTES {
            return Err(format!("it has {} bytes: {} are allowed", json.len(), SettingsSchema::MAX_BYTES));
        }
        let written: Value =
            serde_json::from_slice(json).map_err(|error| format!("it is not JSON: {error}"))?;
        let read = Reader::new(&written).schema().map_err(|(pointer, message)| match &*pointer {
            "" => message,
            pointer => format!("at {pointer}: {message}"),
        })?;
        Ok(SettingsSchema(read))
    }

    /// Returns the schema of `builtin:NAME`.
    pub fn of_builtin(name: &str) -> Option<SettingsSchema> {
        bundled::settings_schema(name).map(SettingsSchema)
    }

    /// Returns the problems of a schema for its author: JSON pointers and messages. A mistyped keyword, which a server
    /// would ignore, is one.
    pub fn problems(written: &Value) -> Vec<(String, String)> {
        let mut reader = Reader::new(written);
        match reader.schema() {
            Ok(_) => reader.remarks,
            Err(fatal) => vec![fatal],
        }
    }

    /// Returns the schema for editors.
    pub fn value(&self) -> &Value {
        &self.0
    }

    /// Checks settings with their secrets: their shape, and the listeners, roots and sinks that they name. Nothing
    /// shows the value of a secret.
    pub fn check(
        &self,
        settings: &Value,
        secrets: &PluginSecrets,
        grants: &[Grant],
        names: &SettingNames,
    ) -> Vec<Finding> {
        let (all, masked) = (secrets.reveal_in(settings), secrets.mask_in(settings));
        let mut findings = self.shape_problems(&all);
        if findings.is_empty() {
            findings = name_problems(&self.0, &all, "", grants, names);
            for finding in findings.iter_mut().filter(|its| secrets.name_of(&its.pointer).is_some()) {
                finding.message =
                    "the configuration lacks what this secret names, or the plugin may not use it; \
                                   define it, and add it to the plugin's `grants`, such as `http/HOST:PORT`"
                        .into();
            }
            return findings;
        }
        // A message about a mapping or a list shows the values in it.
        let without_secrets = self.shape_problems(&masked);
        for finding in findings.iter_mut().filter(|finding| secrets.are_within(&finding.pointer)) {
            let same = without_secrets.iter().find(|its| its.pointer == finding.pointer);
            finding.message = match same.filter(|_| secrets.name_of(&finding.pointer).is_none()) {
                Some(same) => same.message.clone(),
                None => "the plugin's schema asks for something else than this secret, a text; correct its value, or \
                         write the key below `settings` if it is no text"
                    .into(),
            };
        }
        findings
    }

    /// Returns the texts among settings that the schema calls secret, and that stand in the configuration itself.
    pub fn misplaced_secrets(&self, settings: &Value) -> Vec<Finding> {
        let places = names::secret_places(&self.0, settings);
        places
            .into_iter()
            .map(|pointer| {
                let name = pointer.strip_prefix('/').filter(|name| !name.contains(['/', '~']));
                let name = name.unwrap_or(&pointer);
                let message = format!(
                    "this is a secret, and the configuration must not contain it: write it below `secrets` of the plugin, as \
                     `{name}: ${{NAME}}` for an environment variable or `{name}: {{ file: PATH }}`"
                );
                Finding::value(pointer.clone(), message)
            })
            .collect()
    }

    /// Checks the shape of settings alone.
    pub(super) fn shape_problems(&self, settings: &Value) -> Vec<Finding> {
        let mut findings = Vec::new();
        shape::check_settings(&self.0, settings, &mut findings);
        findings
    }

    /// Returns the settings of the top level.
    pub fn settings(&self) -> Vec<Setting<'_>> {
        Setting::all(&self.0)
    }
}

#[cfg(test)]
mod tests;
