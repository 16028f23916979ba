//! Settings that name listeners, roots, sinks, classes of clients, and HTTP servers. Each target in the configuration must
//! exist, and the plugin needs the grant to use it.

use serde_json::Value;

use super::read::SECRET;
use crate::config::Config;
use crate::grant::{Grant, HttpHost};
use crate::plugins::ReferableNames;
use crate::shape;
use crate::source::{Finding, Source};
use crate::suggest::{closest, unknown};
use crate::tree::join;
use tuffet_request::ClientClass;

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
        let Config { roots, sinks, .. } = config;
        let listeners: Vec<String> = config.settings.rules().map(|(name, _)| name.to_owned()).collect();
        let listeners = &listeners;
        SettingNames::known(ReferableNames { listeners, roots, sinks }, &config.source)
    }

    pub(crate) fn known(named: ReferableNames<'_>, source: &Source) -> SettingNames {
        let ReferableNames { listeners, roots, sinks } = named;
        let known = |section: &str, names: Vec<String>| Some(names).filter(|_| !source.is_replaced(section));
        SettingNames {
            listeners: known("/listeners", listeners.to_vec()),
            roots: known("/roots", roots.iter().map(|its| its.name.to_string()).collect()),
            sinks: known("/sinks", sinks.iter().map(|its| its.name.to_string()).collect()),
        }
    }

    /// Returns what a text of this format names. `None` if it names nothing in the configuration.
    fn target(&self, format: &str, name: &str) -> Option<Target<'_>> {
        let name = name.to_owned();
        let (kind, known, grant) = match format {
            "class-name" => return Some(("class", Some(Known::Classes), None)),
            "listener-name" => ("listener", &self.listeners, None),
            "root-name" => ("root", &self.roots, None),
            "granted-root-name" => ("root", &self.roots, Some(Grant::Files(name))),
            "granted-sink-name" => ("sink", &self.sinks, Some(Grant::Sinks(name))),
            _ => return None,
        };
        Some((kind, known.as_deref().map(Known::Names), grant))
    }
}

/// What a text names: the kind, the known names, and the grant for this one.
type Target<'a> = (&'static str, Option<Known<'a>>, Option<Grant>);

/// The names that a setting may have.
enum Known<'a> {
    Names(&'a [String]),
    /// Those of classes of clients, which no section of the configuration defines.
    Classes,
}

impl<'a> Known<'a> {
    fn names(&self) -> Vec<&'a str> {
        match self {
            Known::Names(names) => names.iter().map(String::as_str).collect(),
            Known::Classes => {
                let mut names: Vec<&'a str> = ClientClass::all().map(|class| class.as_str()).collect();
                names.sort_unstable();
                names.dedup();
                names
            }
        }
    }
}

/// A setting that names another part of the configuration, or is a secret.
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
        if format == "granted-url" {
            return ungranted_host(name, grants).map(|message| Finding::value(pointer, message));
        }
        let (kind, known, grant) = names.target(format, name)?;
        // The plugin itself refuses an empty name.
        if name.is_empty() {
            return None;
        }
        let message = match (known.map(|known| known.names()), grant) {
            (Some(known), _) if !known.contains(&name) => {
                unknown(kind, name, closest(name, known.iter().copied()), known.iter().copied())
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

/// Returns the places of texts in settings that the schema calls secret.
pub(super) fn secret_places(schema: &Value, settings: &Value) -> Vec<String> {
    let mut references = Vec::new();
    find(schema, settings, "", &mut references);
    let secrets = references.into_iter().filter(|its| its.format == SECRET && !its.name.is_empty());
    secrets.map(|its| its.pointer).collect()
}

/// Returns the grants for the roots, sinks and servers that settings name.
pub(crate) fn named_grants(schema: &Value, settings: &Value) -> Vec<Grant> {
    let mut references = Vec::new();
    find(schema, settings, "", &mut references);
    let grant = |Reference { format, name, .. }: Reference<'_>| match format {
        _ if name.is_empty() => None,
        "granted-url" => host_of(name).map(|(_, host)| Grant::Http(host)),
        _ => SettingNames::default().target(format, name)?.2,
    };
    references.into_iter().filter_map(grant).collect()
}

/// Returns the scheme of a URL, and the host with the port if there is one. The plugin itself refuses what is no URL.
fn host_of(url: &str) -> Option<(&str, HttpHost)> {
    let (scheme, rest) = url.split_once("://")?;
    Some((scheme, rest.split(['/', '?', '#']).next().unwrap_or_default().parse().ok()?))
}

/// The problem of a URL whose host the plugin may not send requests to.
fn ungranted_host(url: &str, grants: &[Grant]) -> Option<String> {
    let (scheme, host) = host_of(url)?;
    let usual = if scheme == "https" { 443 } else { 80 };
    let port = |host: &HttpHost| host.port.unwrap_or(usual);
    let same = |its: &HttpHost| its.name == host.name && port(its) == port(&host);
    let is_granted = grants.iter().any(|grant| matches!(grant, Grant::Http(its) if same(its)));
    (!is_granted)
        .then(|| format!("the plugin may not send requests to `{host}`; add `http/{host}` to its `grants`"))
}

/// Adds the references in `value`. Its schema marks them with a format `…-name`, `granted-url` or [`SECRET`].
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
    schema.as_object().is_none_or(|schema| shape::fits(schema, value))
}
