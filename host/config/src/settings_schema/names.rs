//! Settings that name listeners, roots and sinks. Each target must exist, and the plugin needs the grant to use it.

use serde_json::Value;

use crate::config::Config;
use crate::grant::Grant;
use crate::plugins::ReferableNames;
use crate::shape;
use crate::source::{Finding, Source};
use crate::suggest::{closest, unknown};
use crate::tree::join;

/// The names that settings may refer to; `None` if any is allowed.
#[derive(Debug, Clone, Default)]
pub struct SettingNames {
    /// The listeners.
    pub listeners: Option<Vec<String>>,
    /// The roots.
    pub roots: Option<Vec<String>>,
    /// The sinks.
    pub sinks: Option<Vec<String>>,
}

impl SettingNames {
    /// Returns the names in a configuration. A flag may replace the roots and listeners that the file refers to; then
    /// any is allowed.
    pub fn of(config: &Config) -> SettingNames {
        let Config { listeners, roots, sinks, .. } = config;
        SettingNames::known(ReferableNames { listeners, roots, sinks }, &config.source)
    }

    pub(crate) fn known(named: ReferableNames<'_>, source: &Source) -> SettingNames {
        let ReferableNames { listeners, roots, sinks } = named;
        let known = |section: &str, names: Vec<String>| Some(names).filter(|_| !source.is_replaced(section));
        SettingNames {
            listeners: known("/listeners", listeners.iter().map(|its| its.name.to_string()).collect()),
            roots: known("/roots", roots.iter().map(|its| its.name.to_string()).collect()),
            sinks: known("/sinks", sinks.iter().map(|its| its.name.to_string()).collect()),
        }
    }

    /// Returns what a text of this format names. `None` if it names nothing in the configuration.
    fn target(&self, format: &str, name: &str) -> Option<Target<'_>> {
        let name = name.to_owned();
        let (kind, known, grant) = match format {
            "listener-name" => ("listener", &self.listeners, None),
            "root-name" => ("root", &self.roots, None),
            "granted-root-name" => ("root", &self.roots, Some(Grant::Files(name))),
            "granted-sink-name" => ("sink", &self.sinks, Some(Grant::Sinks(name))),
            _ => return None,
        };
        Some((kind, known.as_deref(), grant))
    }
}

/// What a text names: the kind, the known names, and the grant for this one.
type Target<'a> = (&'static str, Option<&'a [String]>, Option<Grant>);

/// A setting that names another part of the configuration.
struct Reference<'a> {
    format: &'a str,
    name: &'a str,
    pointer: String,
}

/// Returns the problems of names in settings: pointers below `pointer`, and messages.
pub(crate) fn name_problems(
    schema: &Value,
    settings: &Value,
    pointer: &str,
    grants: &[Grant],
    names: &SettingNames,
) -> Vec<Finding> {
    let mut references = Vec::new();
    find(schema, settings, pointer, &mut references);
    let problem = |Reference { format, name, pointer }: Reference<'_>| {
        let (kind, known, grant) = names.target(format, name)?;
        // The plugin itself refuses an empty name.
        if name.is_empty() {
            return None;
        }
        let message = match (known, grant) {
            (Some(known), _) if !known.iter().any(|known| known == name) => {
                let known = || known.iter().map(String::as_str);
                unknown(kind, name, closest(name, known()), known())
            }
            (_, Some(grant)) if !grants.contains(&grant) => {
                format!("the plugin may not use {kind} `{name}`; add `{grant}` to its `grants`")
            }
            _ => return None,
        };
        Some(Finding::value(pointer, message))
    };
    references.into_iter().filter_map(problem).collect()
}

/// Adds the references in `value`. Its schema marks them with a format `…-name`.
fn find<'a>(schema: &'a Value, value: &'a Value, pointer: &str, found: &mut Vec<Reference<'a>>) {
    let branches = schema["anyOf"].as_array().into_iter().flatten();
    for branch in branches.filter(|branch| fits(branch, value)) {
        find(branch, value, pointer, found);
    }
    match value {
        Value::String(name) => {
            if let Some(format) = schema["format"].as_str() {
                found.push(Reference { format, name, pointer: pointer.to_owned() });
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find(&schema["items"], item, &join(pointer, &index.to_string()), found);
            }
        }
        Value::Object(object) => {
            for (key, value) in object {
                let property = schema["properties"].get(key).unwrap_or(&schema["additionalProperties"]);
                find(property, value, &join(pointer, key), found);
            }
        }
        _ => {}
    }
}

fn fits(schema: &Value, value: &Value) -> bool {
    let mut findings = Vec::new();
    shape::check(schema, value, "", &mut findings);
    findings.is_empty()
}
