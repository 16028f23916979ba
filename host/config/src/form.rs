//! What the value of a key looks like: a mistaken value in its right form, or an example from the schema.

use serde_json::{Map, Value, json};

use super::kinds::{choices, types};

/// Returns whether a value has no problem: the check against the schema, which calls this module.
pub(super) type Fits = fn(&Map<String, Value>, &Value) -> bool;

/// The longest value that a message shows, in bytes.
const MAX_SHOWN: usize = 120;

/// The limit of entries of a mistaken list or mapping that are tried in another form.
const MAX_ENTRIES: usize = 64;

/// Scalars belong to these keys of a mapping, if it has several that take them.
const USUAL: [&str; 4] = ["address", "path", "file", "url"];

/// The chains, which are lists of names of plugins.
const HOOKS: [&str; 4] = ["authorize", "resolve", "accept-upload", "observe"];

/// Returns how a message about a mistaken value at `key` ends: with the value in its right form, or with an example.
/// `None` if the schema has neither.
pub(super) fn advice(schema: &Map<String, Value>, value: &Value, key: &str, fits: Fits) -> Option<String> {
    let right = candidates(schema, value, fits).into_iter().find(|meant| fits(schema, meant));
    let line = |value: &Value| {
        let shown = flow(&Value::Object(schema.clone()), value);
        let line = if key.is_empty() { format!("- {shown}") } else { format!("{key}: {shown}") };
        (line.len() <= MAX_SHOWN).then_some(line)
    };
    if let Some(line) = right.as_ref().and_then(line) {
        return Some(format!(": write `{line}`"));
    }
    let example = example(schema, key, fits);
    let empty = example.is_null() || example.as_object().is_some_and(Map::is_empty);
    if empty { None } else { line(&example).map(|line| format!(", such as `{line}`")) }
}

/// Returns how a message about a mapping in a list of names ends: with the names, and with the section that defines them.
/// `None` if the place has no such list.
pub(super) fn names(pointer: &str, value: &Value, fits: Fits) -> Option<String> {
    let parts: Vec<&str> = pointer.split('/').skip(1).collect();
    let (section, key, entry) = match parts.as_slice() {
        ["listeners", _, "roots", entry @ ..] | ["http", "listeners", _, "roots", entry @ ..] => {
            ("roots", "roots", entry)
        }
        ["policy", hook, entry @ ..]
        | ["listeners", _, "policy", hook, entry @ ..]
        | ["http", "listeners", _, "policy", hook, entry @ ..]
            if HOOKS.contains(hook) =>
        {
            ("plugins", *hook, entry)
        }
        _ => return None,
    };
    let entries = value.as_object().filter(|entries| !entries.is_empty())?;
    let names: Vec<&str> = match entries.get("name").and_then(Value::as_str) {
        Some(name) => vec![name],
        None => entries.keys().map(String::as_str).collect(),
    };
    let list = flow(&json!({ "items": true }), &json!(names));
    let mut line = match (entry, names.as_slice()) {
        ([], _) => format!(": write `{key}: {list}`"),
        (_, [one]) => format!(": write `- {}`", scalar(&json!(one))),
        _ => return None,
    };
    if line.len() > MAX_SHOWN {
        return None;
    }
    if !entries.iter().any(|(key, value)| key != "name" && !value.is_null()) {
        return Some(line);
    }
    let schema = &super::schema::strict()["properties"][section];
    let own = schema.as_object()?;
    let mut meant = candidates(own, value, fits).into_iter().chain([value.clone()]);
    let defined = meant.find(|meant| fits(own, meant)).map(|meant| flow(schema, &meant));
    line += &match defined.filter(|defined| defined.len() <= MAX_SHOWN) {
        Some(defined) => format!(", and as a section, at the left edge, `{section}: {defined}`"),
        None => format!(", and define it in the section `{section}`"),
    };
    Some(line)
}

/// Returns what a value of the wrong type may mean.
fn candidates(schema: &Map<String, Value>, value: &Value, fits: Fits) -> Vec<Value> {
    let mut meant = Vec::new();
    for name in types(schema) {
        match name {
            "object" => as_mapping(schema, value, fits, &mut meant),
            "array" => as_list(schema, value, fits, &mut meant),
            "boolean" => meant.extend(value.as_str().and_then(|word| match word.to_lowercase().as_str() {
                "yes" | "on" | "true" => Some(Value::Bool(true)),
                "no" | "off" | "false" => Some(Value::Bool(false)),
                _ => None,
            })),
            _ => as_scalar(value, &mut meant),
        }
    }
    meant
}

fn as_mapping(schema: &Map<String, Value>, value: &Value, fits: Fits, meant: &mut Vec<Value>) {
    match value {
        Value::Array(items) if items.len() <= MAX_ENTRIES => {
            if let [one] = items.as_slice() {
                meant.push(one.clone());
            }
            meant.extend(by_name(items));
            meant.extend(bundled_by_name(items));
        }
        // `true` means: as by default.
        Value::Bool(true) => meant.push(json!({})),
        _ => {}
    }
    if value.is_array() || value.is_object() || value.is_null() {
        return;
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    let with_name = |key: &str| {
        let entry = (key.to_owned(), value.clone());
        let name = requires(schema, "name").then(|| ("name".to_owned(), json!("boot")));
        Value::Object(name.into_iter().chain([entry]).collect())
    };
    let own = |key: &&String| {
        // Any text fits one without a format.
        let schema = properties[key.as_str()].as_object();
        schema.is_some_and(|schema| !value.is_string() || schema.contains_key("format"))
    };
    let fitting: Vec<&String> =
        properties.keys().filter(own).filter(|key| fits(schema, &with_name(key))).collect();
    let usual = USUAL.iter().find(|usual| fitting.iter().any(|key| key == *usual));
    match (usual, fitting.as_slice()) {
        (Some(key), _) => meant.push(with_name(key)),
        (None, [key]) => meant.push(with_name(key)),
        _ => {}
    }
}

/// Returns a mapping of the entries by their names, if each has one.
fn by_name(items: &[Value]) -> Option<Value> {
    let entry = |item: &Value| {
        let item = item.as_object()?;
        let name = item.get("name")?.as_str()?.to_owned();
        let rest = item.iter().filter(|(key, _)| *key != "name");
        Some((name, rest.map(|(key, value)| (key.clone(), value.clone())).collect()))
    };
    items.iter().map(entry).collect::<Option<Map<String, Value>>>().map(Value::Object)
}

/// Returns bundled plugins by their names.
fn bundled_by_name(items: &[Value]) -> Option<Value> {
    let entry = |item: &Value| {
        let name = item.as_str()?;
        Some((name.to_owned(), json!({ "component": format!("builtin:{name}") })))
    };
    items.iter().map(entry).collect::<Option<Map<String, Value>>>().map(Value::Object)
}

fn as_list(schema: &Map<String, Value>, value: &Value, fits: Fits, meant: &mut Vec<Value>) {
    let Some(items) = schema.get("items").and_then(Value::as_object) else { return };
    if !value.is_null() {
        meant.push(json!([value]));
    }
    match value {
        Value::Object(entries) if entries.len() <= MAX_ENTRIES => {
            let named = |(name, value): (&String, &Value)| {
                let mut entry = Map::from_iter([("name".to_owned(), json!(name))]);
                match value {
                    Value::Object(rest) => entry.extend(rest.clone()),
                    Value::String(_) => {
                        let key = USUAL.iter().find(|key| has_property(items, key))?;
                        entry.insert((*key).to_owned(), value.clone());
                    }
                    _ => return None,
                }
                Some(Value::Object(entry))
            };
            meant.extend(entries.iter().map(named).collect::<Option<Vec<_>>>().map(Value::Array));
        }
        Value::String(_) | Value::Number(_) => {
            let mut inner = Vec::new();
            as_mapping(items, value, fits, &mut inner);
            meant.extend(inner.into_iter().map(|item| json!([item])));
        }
        _ => {}
    }
}

fn as_scalar(value: &Value, meant: &mut Vec<Value>) {
    match value {
        Value::Object(entries) if entries.len() == 1 => {
            // `{mac}` without quotes is a mapping.
            let only = entries.iter().next();
            meant.extend(only.map(|(key, value)| match value {
                Value::Null => json!(format!("{{{key}}}")),
                value => value.clone(),
            }));
        }
        Value::Array(items) if items.len() == 1 => meant.extend(items.first().cloned()),
        _ => {}
    }
}

fn has_property(schema: &Map<String, Value>, key: &str) -> bool {
    schema.get("properties").and_then(|properties| properties.get(key)).is_some()
}

fn requires(schema: &Map<String, Value>, key: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|required| required == key))
}

/// Returns a valid value for the key; null if the schema says too little.
pub(super) fn example(schema: &Map<String, Value>, key: &str, fits: Fits) -> Value {
    let default = schema.get("default").filter(|value| !value.is_array() && !value.is_object());
    if let Some(default) = default.filter(|value| !value.is_null()) {
        return default.clone();
    }
    if let Some(word) = choices(schema).and_then(|words| words.first().copied()) {
        return json!(word);
    }
    let bound = |key| schema.get(key).filter(|value| !value.is_null()).cloned();
    match schema.get("format").and_then(Value::as_str) {
        Some("address" | "admin-address") => return json!("0.0.0.0:69"),
        Some("path") => return json!(path(key)),
        Some("name" | "root-name") => return json!("boot"),
        Some("interface") => return json!("eth0"),
        Some("byte-count") => return bound("x-minimum").unwrap_or_else(|| json!("64MiB")),
        Some("time-span" | "fsync") => return bound("x-minimum").unwrap_or_else(|| json!("10s")),
        Some("network") => return json!("10.0.0.0/8"),
        Some("client-class") => return json!("u-boot"),
        Some("tid-ports") => return json!("30000-30063"),
        Some("max-blksize") => return json!("auto"),
        Some("grant") => return json!("clock"),
        Some("log-level") => return json!("info"),
        Some("log-target") => return json!("stderr"),
        Some("component") => return json!("builtin:acl"),
        Some("file-mode") => return json!("0640"),
        Some("secret") => return json!({ "file": path(key) }),
        Some("sha256") => return Value::Null,
        _ => {}
    }
    match types(schema).first().copied() {
        Some("boolean") => json!(true),
        Some("integer" | "number") => bound("minimum").unwrap_or_else(|| json!(1)),
        Some("array") => {
            let item = schema.get("items").and_then(Value::as_object).map(|items| example(items, key, fits));
            item.filter(|item| !item.is_null()).map_or(Value::Null, |item| json!([item]))
        }
        Some("object") => example_mapping(schema, fits),
        _ => Value::Null,
    }
}

/// Returns the required keys, or the first one that stands for itself.
fn example_mapping(schema: &Map<String, Value>, fits: Fits) -> Value {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        let entry = schema.get("additionalProperties").and_then(Value::as_object);
        let entry = entry.map(|schema| example(schema, "NAME", fits)).filter(|entry| !entry.is_null());
        return entry.map_or(Value::Null, |entry| json!({ "NAME": entry }));
    };
    let of = |key: &str| {
        let value = example(properties.get(key)?.as_object()?, key, fits);
        (!value.is_null()).then(|| (key.to_owned(), value))
    };
    let required: Vec<&str> =
        properties.keys().map(String::as_str).filter(|key| requires(schema, key)).collect();
    if required.is_empty() {
        let usual = USUAL.iter().copied().filter(|key| properties.contains_key(*key));
        let one = usual.chain(properties.keys().map(String::as_str)).find_map(|key| {
            let entry = Value::Object(Map::from_iter([of(key)?]));
            fits(schema, &entry).then_some(entry)
        });
        return one.unwrap_or(Value::Null);
    }
    let mut entries = required.into_iter().map(of).collect::<Option<Map<String, Value>>>();
    if let Some(entries) = &mut entries
        && requires(schema, "name")
    {
        entries.extend(USUAL.iter().find_map(|key| of(key)));
    }
    entries.map_or(Value::Null, Value::Object)
}

/// Returns a usual path for the key.
fn path(key: &str) -> String {
    match key {
        "path" => "/srv/tftp".into(),
        "file" => "/var/log/tuffet.jsonl".into(),
        "state" | "compiled" => format!("/var/lib/tuffet/{key}"),
        "control" => "/run/tuffet/control".into(),
        _ => format!("/etc/tuffet/{key}"),
    }
}

/// Writes a value in one line of YAML. Secrets, and what the schema does not know, become `…`.
pub(super) fn flow(schema: &Value, value: &Value) -> String {
    const HIDDEN: &str = "…";
    let schema = match schema {
        Value::Object(schema) if schema.get("format").is_none_or(|format| format != "secret") => schema,
        Value::Bool(true) => &Map::new(),
        // The place of a secret is none.
        _ if value.as_object().is_some_and(|object| object.contains_key("file") && object.len() == 1) => {
            return format!("{{ file: {} }}", scalar(&value["file"]));
        }
        _ => return HIDDEN.into(),
    };
    let none = Value::Bool(false);
    match value {
        Value::Object(object) => {
            let entry = |(key, value): (&String, &Value)| {
                let known = schema.get("properties").and_then(|properties| properties.get(key));
                let schema = known.or_else(|| schema.get("additionalProperties")).unwrap_or(&none);
                format!("{}: {}", scalar(&json!(key)), flow(schema, value))
            };
            let entries: Vec<String> = object.iter().map(entry).collect();
            if entries.is_empty() { "{}".into() } else { format!("{{ {} }}", entries.join(", ")) }
        }
        Value::Array(items) => {
            let schema = schema.get("items").unwrap_or(&none);
            format!("[{}]", items.iter().map(|item| flow(schema, item)).collect::<Vec<_>>().join(", "))
        }
        scalar_value => scalar(scalar_value),
    }
}

/// Writes text bare if YAML reads it as the same text, within braces, too.
fn scalar(value: &Value) -> String {
    let Value::String(text) = value else { return value.to_string() };
    let is_bare = text.starts_with(|c: char| c.is_alphanumeric() || "/._".contains(c))
        && text.chars().all(|c| c.is_alphanumeric() || "/._-+:@*%".contains(c))
        && !text.ends_with(':')
        // `022` is a number to some.
        && !text.bytes().all(|byte| byte.is_ascii_digit())
        && serde_yaml::from_str::<Value>(text).is_ok_and(|read| read == *value);
    if is_bare { text.clone() } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::strict;

    #[test]
    fn no_secret_is_shown() {
        let schema = strict();
        let registries = &schema["properties"]["registries"];
        let value = json!([{ "name": "r", "password": "hunter2", "unknown": "hunter3", "user": "u" }]);
        let meant = by_name(value.as_array().unwrap()).unwrap();
        assert_eq!(flow(registries, &meant), "{ r: { password: …, unknown: …, user: … } }");
    }

    #[test]
    fn bare_text_reads_as_the_same_text() {
        for (text, shown) in [
            ("/srv/tftp", "/srv/tftp"),
            ("0.0.0.0:69", "0.0.0.0:69"),
            (":69", "\":69\""),
            ("{mac}.cfg", "\"{mac}.cfg\""),
            ("${TOKEN}", "\"${TOKEN}\""),
            ("true", "\"true\""),
            ("12", "\"12\""),
            ("a b", "\"a b\""),
            ("a:", "\"a:\""),
            ("*.efi", "\"*.efi\""),
        ] {
            assert_eq!(scalar(&json!(text)), shown);
        }
    }
}
