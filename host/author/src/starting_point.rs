//! The configuration to begin with, for `tuffet plugin inspect`: a plugin in its chains, with the grants that it
//! requests and the settings that it needs. What the operator has to fill in is empty, or a word in capitals.
//!
//! Everything that the component says is a comment on one line, or quoted: its texts cannot add keys.

use std::fmt::Write;

use serde_json::Value;

use tuffet_config::{GrantKind, Setting};
use tuffet_policy::text;
use tuffet_wasm::ComponentInfo;

/// The longest text of a plugin in a comment, in bytes.
const MAX_COMMENT: usize = 200;

/// Returns the YAML for a component, as its configuration names it.
pub(crate) fn configuration(info: &ComponentInfo, component: &str) -> String {
    let name = if is_plain(&info.name) { &info.name } else { "plugin" };
    let mut yaml = String::from("policy:\n");
    // Writing to a string cannot fail.
    for hook in &info.hooks {
        let _ = writeln!(yaml, "  {hook}: [{name}]");
    }
    let _ = writeln!(yaml, "plugins:\n  {name}:\n    component: {}", quoted(component));
    let grants: Vec<Entry> = info
        .grants
        .iter()
        .map(|grant| Entry {
            text: format!("- {}{}", grant.grant, example(&grant.grant)),
            comment: if grant.optional {
                format!("optional: {}", grant.reason)
            } else {
                grant.reason.clone()
            },
            needed: !grant.optional,
        })
        .collect();
    section(&mut yaml, "grants", &grants);
    match &info.settings_schema {
        Some(schema) => {
            let (secrets, settings): (Vec<Setting<'_>>, Vec<Setting<'_>>) =
                schema.settings().into_iter().partition(|setting| setting.secret);
            let settings: Vec<Entry> = settings.into_iter().map(Entry::of_setting).collect();
            section(&mut yaml, "settings", &settings);
            let secrets: Vec<Entry> = secrets.into_iter().map(Entry::of_secret).collect();
            section(&mut yaml, "secrets", &secrets);
        }
        None => yaml += "    # settings: {} # as the plugin documents them\n",
    }
    yaml
}

/// A line of a section.
struct Entry {
    text: String,
    comment: String,
    needed: bool,
}

impl Entry {
    /// The value is in an environment variable, and never in the file.
    fn of_secret(setting: Setting<'_>) -> Entry {
        let variable: String = setting
            .name
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' })
            .collect();
        let comment = format!("{}, or {{ file: PATH }}: {}", setting.kind, setting.summary);
        let text = format!("{}: ${{{variable}}}", quoted(setting.name));
        Entry { text, comment: comment.trim_end_matches(": ").to_owned(), needed: setting.required }
    }

    fn of_setting(setting: Setting<'_>) -> Entry {
        let default = setting.default.map(Value::to_string).filter(|text| text.len() <= MAX_COMMENT);
        let value = default.map_or_else(String::new, |default| format!(" {}", on_one_line(&default)));
        let kind = match setting.summary.as_str() {
            "" => setting.kind,
            summary => format!("{}: {summary}", setting.kind),
        };
        Entry { text: format!("{}:{value}", quoted(setting.name)), comment: kind, needed: setting.required }
    }
}

/// Adds a section. What is not needed is commented out.
fn section(yaml: &mut String, key: &str, entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    let empty = !entries.iter().any(|entry| entry.needed);
    let _ = writeln!(yaml, "    {}{key}:", if empty { "# " } else { "" });
    for Entry { text, comment, needed } in entries {
        let mark = if *needed { "" } else { "# " };
        let _ = writeln!(yaml, "      {mark}{text} # {}", on_one_line(comment));
    }
}

/// Returns the rest of a grant that the operator names.
fn example(grant: &str) -> &'static str {
    match GrantKind::ALL.into_iter().find(|kind| kind.word() == grant) {
        Some(GrantKind::Files) => "/ROOT",
        Some(GrantKind::Sinks) => "/NAME",
        Some(GrantKind::Http) => "/HOST:PORT",
        _ => "",
    }
}

/// Returns a text as YAML, in quotes unless every reader of YAML takes it for this text.
fn quoted(text: &str) -> String {
    if is_plain(text) || is_path(text) {
        return text.to_owned();
    }
    on_one_line(&Value::from(text).to_string())
}

fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.len() <= 64
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

fn is_path(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || "./".contains(first))
        && text.contains(['/', '.', ':'])
        && !text.ends_with(':')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./:@".contains(letter))
}

/// Also without the line breaks that some readers of YAML see.
fn on_one_line(text: &str) -> String {
    text::one_line(&text.replace(['\u{2028}', '\u{2029}'], " "), 2 * MAX_COMMENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_config::SettingsSchema;
    use tuffet_wasm::GrantInfo;

    fn info(name: &str, reason: &str, schema: &str) -> ComponentInfo {
        let grant =
            |grant: &str, optional| GrantInfo { grant: grant.into(), reason: reason.into(), optional };
        ComponentInfo {
            name: name.into(),
            hooks: vec!["authorize", "observe"],
            grants: vec![grant("sinks", false), grant("kv", true)],
            settings_schema: SettingsSchema::read(schema.as_bytes()).ok(),
            ..ComponentInfo::default()
        }
    }

    #[test]
    fn it_has_what_the_plugin_needs_and_comments_on_the_rest() {
        let schema = r#"{ "type": "object", "required": ["sink"], "properties": {
            "days": { "type": "integer", "default": 7 },
            "sink": { "type": "string", "format": "granted-sink-name", "description": "Where lines go. Always." } } }"#;
        assert_eq!(
            configuration(&info("audit-2", "writes lines", schema), "./a.wasm"),
            "policy:\n  authorize: [audit-2]\n  observe: [audit-2]\nplugins:\n  audit-2:\n    component: ./a.wasm\n    \
             grants:\n      - sinks/NAME # writes lines\n      # - kv # optional: writes lines\n    settings:\n      \
             sink: # a granted sink: Where lines go\n      # days: 7 # whole number\n"
        );
    }

    #[test]
    fn secrets_stand_below_secrets() {
        let schema = r#"{ "type": "object", "required": ["api-token"], "properties": {
            "api-token": { "type": "string", "format": "secret", "description": "The login. Always." },
            "other": { "type": "string", "format": "secret" } } }"#;
        let yaml = configuration(&info("quota", "x", schema), "./a.wasm");
        let expected = "    secrets:\n      api-token: ${API_TOKEN} # a secret, or { file: PATH }: The login\n      # other: ${OTHER} # a \
                        secret, or { file: PATH }\n";
        assert!(yaml.ends_with(expected) && !yaml.contains("settings:"), "{yaml}");
    }

    #[test]
    fn texts_of_a_component_add_no_keys() {
        let schema = r#"{ "type": "object", "required": ["x: 1, y", "no"], "properties": {
            "x: 1, y": { "type": "string", "description": "a\n  evil: 1" }, "no": { "default": "a\u2028b: c" } } }"#;
        let yaml = configuration(&info("a\nb: c", "why\n    verify: {}", schema), "a b\n.wasm");
        let value: Value = serde_yaml::from_str(&yaml).unwrap();
        let plugin = &value["plugins"]["plugin"];
        let keys: Vec<&String> = plugin.as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), 3, "{yaml}");
        assert_eq!(plugin["component"], "a b\n.wasm");
        assert_eq!(plugin["settings"].as_object().unwrap().len(), 2, "{yaml}");
        assert!(value.as_object().unwrap().len() == 2 && yaml.contains("\"no\":"), "{yaml}");
    }
}
