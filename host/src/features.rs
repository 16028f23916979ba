//! What this build has, and how to get what it leaves out.
//!
//! A configuration is always parsed as a whole; what uses a part that is left out is an error at its place.

use tuffet_config::sinks::SinkTarget;
use tuffet_config::{ComponentSource, Config, ConfigError};

/// A part of the server that a build may leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Feature {
    name: &'static str,
    what: &'static str,
    built: bool,
}

const NATS: Feature = Feature { name: "nats", what: "NATS", built: cfg!(feature = "nats") };
pub(crate) const OTLP: Feature =
    Feature { name: "otlp", what: "export over OTLP", built: cfg!(feature = "otlp") };
const ORIGINS: Feature =
    Feature { name: "origins", what: "roots that live elsewhere", built: cfg!(feature = "origins") };
pub(crate) const ADMIN: Feature =
    Feature { name: "admin", what: "the admin listener", built: cfg!(feature = "admin") };

pub(crate) const REGISTRIES: Feature =
    Feature { name: "registries", what: "plugins from registries", built: cfg!(feature = "registries") };

impl Feature {
    /// That it is left out, and what to do.
    pub(crate) fn missing(self) -> String {
        let Feature { name, what, .. } = self;
        format!("this build of tuffet leaves out {what}; {}", how_to_get(name))
    }
}

/// How to get a feature that is left out.
pub(crate) fn how_to_get(name: &str) -> String {
    format!("build it with the feature `{name}` (`cargo build --release --features {name}`; docs/build.md)")
}

/// Refuses a configuration that uses what this build leaves out.
///
/// # Errors
/// Each use, at its place.
pub(crate) fn check(config: &Config) -> Result<(), ConfigError> {
    let missing = uses(config).into_iter().filter(|(_, feature)| !feature.built);
    let problems: Vec<_> =
        missing.map(|(pointer, feature)| (pointer, feature.missing() + ", or remove this")).collect();
    if problems.is_empty() { Ok(()) } else { Err(config.error(problems)) }
}

/// The features that a configuration uses, with the place of each.
fn uses(config: &Config) -> Vec<(String, Feature)> {
    let mut uses = Vec::new();
    for plugin in &config.policy.plugins {
        if let ComponentSource::Registry(_) = plugin.component {
            let name = plugin.name.replace('~', "~0").replace('/', "~1");
            uses.push((format!("/plugins/{name}/component"), REGISTRIES));
        }
    }
    for sink in &config.sinks {
        let feature = match sink.target {
            SinkTarget::Nats(_) => NATS,
            SinkTarget::Otlp(_) => OTLP,
            _ => continue,
        };
        let name = sink.name.replace('~', "~0").replace('/', "~1");
        uses.push((format!("/sinks/{name}/{}", feature.name), feature));
    }
    let elsewhere = config.roots.iter().enumerate().filter(|(_, root)| root.elsewhere.is_some());
    uses.extend(elsewhere.map(|(number, _)| (format!("/roots/{number}/url"), ORIGINS)));
    uses.extend(config.kv.iter().map(|_| ("/kv/nats".to_owned(), NATS)));
    uses.extend(config.events.iter().map(|_| ("/events/nats".to_owned(), NATS)));
    uses.extend(config.admin.iter().map(|_| ("/admin".to_owned(), ADMIN)));
    uses.extend(config.telemetry.iter().map(|_| ("/telemetry".to_owned(), OTLP)));
    uses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_use_is_found_at_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tuffet.yaml");
        let text = format!(
            "listeners: [{{ address: \"127.0.0.1:6969\" }}]\nroots: [{{ name: a, path: {} }}, {{ name: b, url: \"s3://b\", cache: {{ path: c }} }}]\n\
             policy: {{ authorize: [acl] }}\nplugins: {{ acl: {{ component: \"oci://localhost:5000/acl\" }} }}\nsinks:\n  plain: {{ file: a.jsonl }}\n  bus: {{ nats: {{ url: \"nats://127.0.0.1:4222\", subject: a }} }}\n\
             \x20 logs:\n    otlp: {{ endpoint: \"http://127.0.0.1:4318\" }}\nadmin: {{ address: \"127.0.0.1:0\" }}\ntelemetry: {{}}\n",
            folder.path().join("a").display()
        );
        std::fs::write(&file, text).unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        let config = Config::load(&file).unwrap();
        let places = uses(&config).into_iter().map(|(pointer, feature)| {
            let position = config.position(&pointer).unwrap();
            (pointer, feature.name, position.line)
        });
        assert_eq!(
            places.collect::<Vec<_>>(),
            [
                ("/plugins/acl/component".to_owned(), "registries", 4),
                ("/sinks/bus/nats".to_owned(), "nats", 7),
                ("/sinks/logs/otlp".to_owned(), "otlp", 9),
                ("/roots/1/url".to_owned(), "origins", 2),
                ("/admin".to_owned(), "admin", 10),
                ("/telemetry".to_owned(), "otlp", 11),
            ]
        );
        let built = [NATS, OTLP, ORIGINS, ADMIN, REGISTRIES].iter().all(|feature| feature.built);
        assert_eq!(check(&config).is_ok(), built);
    }

    #[test]
    fn what_is_left_out_says_how_to_get_it() {
        let text = ADMIN.missing();
        assert!(
            text.contains("leaves out the admin listener") && text.contains("--features admin"),
            "{text}"
        );
    }
}
