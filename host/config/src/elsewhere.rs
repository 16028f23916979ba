//! Unknown keys that belong elsewhere: one level up or down, into a section, or on the command line.

use serde_json::{Map, Value};

use super::form::flow;
use super::kinds::has_type;

/// The longest value that a message shows, in bytes.
const MAX_SHOWN: usize = 80;

/// A mapping around the value that is checked.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub properties: &'a Map<String, Value>,
    pub pointer: &'a str,
    pub above: Option<&'a Around<'a>>,
    /// Whether the top level is that of the configuration, and not of a plugin's settings.
    pub in_configuration: bool,
}

/// Returns where the key belongs and in which form, if the schema or this list knows.
pub(super) fn belongs(key: &str, value: &Value, here: &Around<'_>) -> Option<String> {
    if here.pointer.is_empty()
        && here.in_configuration
        && let Some((_, advice)) = TOP.iter().find(|(words, _)| words.contains(&key))
    {
        return Some(format!("there is no section `{key}`; {advice}"));
    }
    up(key, value, here).or_else(|| down(key, value, here))
}

/// What people write at the top level, and what it is.
const TOP: [(&[&str], &str); 5] = [
    (
        &["https", "web", "dashboard", "ui", "api", "metrics", "prometheus"],
        "the page and the metrics are at the admin listener: write `admin: { address: 127.0.0.1:6980 }`",
    ),
    (
        &[
            "logs",
            "logging",
            "log-level",
            "loglevel",
            "log-format",
            "log-file",
            "logfile",
            "syslog",
            "verbose",
            "verbosity",
        ],
        "the log has the section `log`: write `log: { level: info, format: json }`; `to: { file: PATH }` or `to: syslog` \
         in it say where it goes",
    ),
    (
        &["listen", "listener", "bind", "port", "ip", "interface"],
        "write `listeners: [{ address: \"0.0.0.0:69\" }]`",
    ),
    (
        &["root-dir", "directory", "dir", "folder", "tftp-root", "tftproot"],
        "write `roots: [{ name: boot, path: /srv/tftp }]`",
    ),
    (&["include", "includes", "import"], "the configuration is one file: write its content here"),
];

fn up(key: &str, value: &Value, here: &Around<'_>) -> Option<String> {
    let mut around = here.above;
    while let Some(frame) = around {
        if let Some(schema) = frame.properties.get(key).filter(|schema| suits(schema, value)) {
            let place = named(here.pointer);
            if frame.pointer.is_empty() && frame.in_configuration {
                return Some(format!(
                    "`{key}` is a section, not a key of `{place}`: begin its line at the left edge, without spaces"
                ));
            }
            let beside = here.pointer[frame.pointer.len()..].split('/').nth(1).unwrap_or_default();
            let owner = if frame.pointer.is_empty() { "settings".to_owned() } else { named(frame.pointer) };
            return Some(match short(schema, value) {
                Some(value) => format!(
                    "`{key}` is a key of `{owner}`, not of `{place}`: write `{key}: {value}` beside `{beside}`"
                ),
                None => {
                    format!("`{key}` is a key of `{owner}`, not of `{place}`: move it up, beside `{beside}`")
                }
            });
        }
        around = frame.above;
    }
    None
}

fn down(key: &str, value: &Value, here: &Around<'_>) -> Option<String> {
    let found = here.properties.iter().filter_map(|(child, schema)| {
        let inner = |name: &str| schema.get(name).filter(|inner| inner.is_object());
        let (mapping, place, form): (_, _, fn(&str) -> String) =
            match (inner("properties"), inner("items"), inner("additionalProperties")) {
                (Some(properties), ..) => (properties, child.clone(), |entry| format!("{{ {entry} }}")),
                (None, Some(items), _) => {
                    (items.get("properties")?, format!("{child}[]"), |entry| format!("[{{ {entry} }}]"))
                }
                (None, None, Some(entry)) => (entry.get("properties")?, format!("{child}.NAME"), |entry| {
                    format!("{{ NAME: {{ {entry} }} }}")
                }),
                _ => return None,
            };
        let schema = mapping.get(key).filter(|schema| suits(schema, value))?;
        Some((child, place, form, schema))
    });
    let mut found: Vec<_> = found.collect();
    // A mapping that is there once is meant, not one of many.
    if found.iter().any(|(child, place, ..)| child == &place) {
        found.retain(|(child, place, ..)| child == &place);
    }
    let mut found = found.into_iter();
    let (child, place, form, schema) = found.next()?;
    let others: String = found.map(|(_, place, ..)| format!(", or of `{place}`")).collect();
    let own = match here.pointer {
        "" if here.in_configuration => "not a section but a key of".to_owned(),
        "" => "not a key of the settings but of".to_owned(),
        pointer => format!("not a key of `{}` but of", named(pointer)),
    };
    let write = short(schema, value).map(|value| {
        let line = form(&format!("{key}: {value}"));
        format!(": write `{child}: {line}`")
    });
    Some(format!(
        "`{key}` is {own} `{place}`{others}{}",
        write.unwrap_or_else(|| format!(": move it below `{child}`"))
    ))
}

/// Returns whether the value is of the kind that the key takes there.
fn suits(schema: &Value, value: &Value) -> bool {
    schema.as_object().is_none_or(|schema| has_type(schema, value))
}

/// Returns the value in one line, if it is short.
fn short(schema: &Value, value: &Value) -> Option<String> {
    let shown = flow(schema, value);
    (shown.len() <= MAX_SHOWN).then_some(shown)
}

/// Returns how the documentation names the place: `/roots/0/write` as `roots[].write`.
fn named(pointer: &str) -> String {
    let mut name = String::new();
    for part in pointer.split('/').skip(1) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            name.push_str("[]");
        } else {
            if !name.is_empty() {
                name.push('.');
            }
            name.push_str(&part.replace("~1", "/").replace("~0", "~"));
        }
    }
    name
}
