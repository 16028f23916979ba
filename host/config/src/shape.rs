//! Checks a value against the schema, the only list of keys, types and bounds. Finds all problems at once, whereas
//! serde would stop at the first.
//!
//! Supports only the parts of JSON Schema that `schema` produces, which a test compares, and those that schemas of
//! plugins are reduced to (`settings_schema`).

use serde_json::{Map, Value};
use tuffet_request::settings::MaxBlksize;

use super::address::{check_interface, check_name, check_root_name, parse_address};
use super::admin::UNIX;
use super::bundled;
use super::component::{self, Sha256Digest};
use super::elsewhere::{self, Around};
use super::form::{advice, names};
use super::grant::Grant;
use super::kinds::{choices, has_type, types};
use super::log::{level_complaint, target_complaint};
use super::number_range;
use super::plugin_secrets;
use super::sinks::Fsync;
use super::slips::space_after_colon;
use super::source::Finding;
use super::suggest::{closest, list, unknown};
use super::tree::join;

use tuffet_request::units::{ByteCount, TimeSpan};
use tuffet_request::{ClientClass, FileMode, Network, PortRange};

/// The keywords of JSON Schema that are checked or need no check.
#[cfg(test)]
pub(super) const KNOWN_KEYWORDS: &[&str] = &[
    "$schema",
    "title",
    "description",
    "default",
    "pattern",
    "minLength", // these need no check
    "type",
    "format",
    "minimum",
    "maximum",
    "x-minimum",
    "x-maximum",
    "minItems",
    "uniqueItems",
    "items",
    "properties",
    "required",
    "additionalProperties",
    "oneOf",
    "const",
    "enum",
    "allOf", // of `if` and `then`, for the settings of bundled plugins
];

/// Adds the problems of `value` to `findings`.
pub(super) fn check(schema: &Value, value: &Value, pointer: &str, findings: &mut Vec<Finding>) {
    Walk { findings, advises: true, in_configuration: true, secrets: &[] }
        .check(schema, value, pointer, None);
}

/// As [`check`], for the settings of a plugin.
pub(super) fn check_settings(schema: &Value, settings: &Value, findings: &mut Vec<Finding>) {
    Walk { findings, advises: true, in_configuration: false, secrets: &[] }.check(schema, settings, "", None);
}

/// Returns whether the value has no problem.
pub(super) fn fits(schema: &Map<String, Value>, value: &Value) -> bool {
    let mut findings = Vec::new();
    // Advice would try other values in turn.
    let mut walk = Walk { findings: &mut findings, advises: false, in_configuration: false, secrets: &[] };
    walk.check_mapped(schema, value, "", None);
    findings.is_empty()
}

struct Walk<'a> {
    findings: &'a mut Vec<Finding>,
    /// Whether messages end with advice.
    advises: bool,
    /// Whether the top level is that of the configuration.
    in_configuration: bool,
    /// Pointers to texts that are not known yet, because they are secrets: any text fits there for now.
    secrets: &'a [String],
}

impl Walk<'_> {
    fn check(&mut self, schema: &Value, value: &Value, pointer: &str, around: Option<&Around<'_>>) {
        let Some(schema) = schema.as_object() else {
            return; // `true`: any value is valid
        };
        self.check_mapped(schema, value, pointer, around);
    }

    fn check_mapped(
        &mut self,
        schema: &Map<String, Value>,
        value: &Value,
        pointer: &str,
        around: Option<&Around<'_>>,
    ) {
        if self.secrets.iter().any(|secret| secret == pointer) {
            return;
        }
        if let Some(listed) = listed(schema) {
            if listed.contains(&value) {
                return;
            }
            if choices(schema).is_none() {
                let message = format!("found {}; give {}", show(value), words(&listed).join(" or "));
                self.findings.push(Finding::value(pointer, message));
                return;
            }
        }
        if let Some(choices) = choices(schema) {
            check_choice(&choices, value, pointer, self.findings);
            return;
        }
        if let Some(branches) = schema.get("anyOf").and_then(Value::as_array)
            && !self.check_branches(branches, value, pointer)
        {
            return;
        }
        if !has_type(schema, value) {
            let message = if self.advises { wrong_type(schema, value, pointer) } else { String::new() };
            self.findings.push(Finding::value(pointer, message));
            return;
        }
        match value {
            Value::Object(object) => self.check_object(schema, object, pointer, around),
            Value::Array(items) => self.check_list(schema, items, pointer, around),
            Value::Number(number) => check_number(schema, number, pointer, self.findings),
            Value::String(text) => check_text(schema, text, pointer, self.findings),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Checks a value that may have one of several schemas. Returns whether it has. Otherwise the findings are those of the
    /// schema that it is closest to.
    fn check_branches(&mut self, branches: &[Value], value: &Value, pointer: &str) -> bool {
        let mut closest: Option<Vec<Finding>> = None;
        for branch in branches {
            let mut own = Vec::new();
            let mut walk = Walk { findings: &mut own, ..*self };
            walk.check(branch, value, pointer, None);
            if own.is_empty() {
                return true;
            }
            let is_of_type = branch.as_object().is_none_or(|branch| has_type(branch, value));
            if is_of_type && closest.as_ref().is_none_or(|closest| own.len() < closest.len()) {
                closest = Some(own);
            }
        }
        let of_no_type = || {
            let types: Vec<&str> = branches.iter().filter_map(Value::as_object).flat_map(types).collect();
            let mut any = Map::new();
            any.insert("type".into(), types.into());
            let message = if self.advises { wrong_type(&any, value, pointer) } else { String::new() };
            vec![Finding::value(pointer, message)]
        };
        self.findings.extend(closest.unwrap_or_else(of_no_type));
        false
    }

    fn check_object(
        &mut self,
        schema: &Map<String, Value>,
        object: &Map<String, Value>,
        pointer: &str,
        above: Option<&Around<'_>>,
    ) {
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let around = Around { properties, pointer, above, in_configuration: self.in_configuration };
        if let (Some(schema), Some(settings)) = (bundled::added(schema, object), object.get("settings")) {
            self.check_plugin(schema, settings, object.get("secrets"), &around);
        }
        let known = || properties.keys().map(String::as_str);
        let mut meant = Vec::new();
        for (key, value) in object {
            let pointer = join(pointer, key);
            match (properties.get(key), schema.get("additionalProperties")) {
                (Some(schema), _) => self.check(schema, value, &pointer, Some(&around)),
                (None, Some(Value::Bool(false))) => {
                    if let Some(advice) = space_after_colon(key, known()) {
                        meant.extend(known().find(|known| key.starts_with(&format!("{known}:"))));
                        self.findings.push(Finding::key(pointer, advice));
                        continue;
                    }
                    if self.advises
                        && let Some(advice) = elsewhere::belongs(key, value, &around)
                    {
                        self.findings.push(Finding::key(pointer, advice));
                        continue;
                    }
                    let like = closest(key, known());
                    meant.extend(like);
                    self.findings.push(Finding::key(pointer, unknown("key", key, like, known())));
                }
                (None, Some(schema)) => self.check(schema, value, &pointer, Some(&around)),
                (None, None) => {}
            }
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for key in required.filter_map(Value::as_str) {
            if !object.contains_key(key) && !meant.contains(&key) {
                let what =
                    properties.get(key).and_then(|schema| schema.get("description")).and_then(Value::as_str);
                let what = what.map(first_sentence).unwrap_or_default();
                self.findings
                    .push(Finding::value(pointer, format!("the key `{key}` is missing; add it: {what}")));
            }
        }
    }

    /// Checks the settings of a plugin together with the places of its secrets.
    fn check_plugin(
        &mut self,
        schema: &Value,
        written: &Value,
        secrets: Option<&Value>,
        plugin: &Around<'_>,
    ) {
        let (settings, places) = plugin_secrets::with_places(written, secrets);
        let pointer = join(plugin.pointer, "settings");
        let secrets: Vec<String> = places.iter().map(|(_, place)| format!("{pointer}{place}")).collect();
        let mut findings = Vec::new();
        let mut walk = Walk { findings: &mut findings, secrets: &secrets, ..*self };
        walk.check(schema, &settings, &pointer, Some(plugin));
        // A key that only a secret brings stands below `secrets`.
        for finding in &mut findings {
            let Some(within) = finding.pointer.strip_prefix(&*pointer) else { continue };
            let its = places.iter().find(|(_, place)| place.starts_with(within));
            if let Some((name, _)) = its.filter(|_| written.pointer(within).is_none()) {
                finding.pointer = join(&join(plugin.pointer, "secrets"), name);
            }
        }
        self.findings.append(&mut findings);
    }

    fn check_list(
        &mut self,
        schema: &Map<String, Value>,
        items: &[Value],
        pointer: &str,
        around: Option<&Around<'_>>,
    ) {
        if let Some(least) = schema.get("minItems").and_then(Value::as_u64)
            && (items.len() as u64) < least
        {
            let message = match items.len() {
                0 => "the list is empty; add an entry, or remove the key".to_owned(),
                found => format!("the list has {found} entries; give at least {least}"),
            };
            self.findings.push(Finding::value(pointer, message));
        }
        if let Some(most) = schema.get("maxItems").and_then(Value::as_u64)
            && items.len() as u64 > most
        {
            let message = format!("the list has {} entries; give at most {most}", items.len());
            self.findings.push(Finding::value(pointer, message));
        }
        let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
        for (index, item) in items.iter().enumerate() {
            let pointer = join(pointer, &index.to_string());
            if unique && items[..index].contains(item) {
                self.findings
                    .push(Finding::value(&pointer, format!("{} is in the list twice; keep one", show(item))));
            }
            if let Some(schema) = schema.get("items") {
                self.check(schema, item, &pointer, around);
            }
        }
    }
}

/// Returns the allowed values, if the schema lists them.
fn listed(schema: &Map<String, Value>) -> Option<Vec<&Value>> {
    match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(values)), _) => Some(values.iter().collect()),
        (_, Some(value)) => Some(vec![value]),
        _ => None,
    }
}

fn words(values: &[&Value]) -> Vec<String> {
    values.iter().map(|value| show(value)).collect()
}

fn check_choice(choices: &[&str], value: &Value, pointer: &str, findings: &mut Vec<Finding>) {
    let known = || choices.iter().copied();
    let message = match value {
        Value::String(word) if choices.contains(&word.as_str()) => return,
        Value::String(word) => unknown("word", &shorten(word), closest(word, known()), known()),
        _ => format!("found {}; give {}", show(value), list(known(), "or")),
    };
    findings.push(Finding::value(pointer, message));
}

fn check_number(
    schema: &Map<String, Value>,
    number: &serde_json::Number,
    pointer: &str,
    findings: &mut Vec<Finding>,
) {
    if schema.contains_key("x-minimum") {
        check_text(schema, &number.to_string(), pointer, findings);
        return;
    }
    findings.extend(number_range::problem(schema, number).map(|message| Finding::value(pointer, message)));
}

/// Checks the length of a text in characters.
fn check_length(schema: &Map<String, Value>, text: &str) -> Option<String> {
    let bound = |key| schema.get(key).and_then(Value::as_u64);
    let length = text.chars().count() as u64;
    match (bound("minLength"), bound("maxLength")) {
        (Some(_), _) if text.is_empty() => Some("the text is empty; give one".into()),
        (Some(least), _) if length < least => {
            Some(format!("`{}` has {length} characters; give at least {least}", shorten(text)))
        }
        (_, Some(most)) if length > most => {
            Some(format!("`{}` has {length} characters; give at most {most}", shorten(text)))
        }
        _ => None,
    }
}

fn check_text(schema: &Map<String, Value>, text: &str, pointer: &str, findings: &mut Vec<Finding>) {
    let word = |key| schema.get(key).and_then(Value::as_str);
    let complaint = match word("format") {
        Some("address") => parse_address(text).err(),
        Some("admin-address") => match text.strip_prefix(UNIX) {
            Some("") => Some("the path after `unix:` is missing; write `unix:/run/tuffet/admin`".into()),
            Some(_) => None,
            None => parse_address(text).err(),
        },
        Some("name") => check_name(text).err(),
        Some("root-name") => check_root_name(text).err(),
        Some("interface") => check_interface(text).err(),
        Some("tid-ports") => text.parse::<PortRange>().err(),
        Some("network") => text.parse::<Network>().err(),
        Some("client-class") if text.parse::<ClientClass>().is_err() => {
            let known = || ClientClass::all().map(ClientClass::as_str);
            Some(unknown("class", text, closest(text, known()), known()))
        }
        Some("max-blksize") => MaxBlksize::parse(text).err(),
        Some("log-level") => level_complaint(text),
        Some("log-target") => target_complaint(text),
        Some("path") if text.is_empty() => Some("the path is empty; name a folder, `.` for this one".into()),
        Some("grant") => text.parse::<Grant>().err(),
        Some("component") => component::complaint(text),
        Some("sha256") => text.parse::<Sha256Digest>().err(),
        Some("file-mode") => {
            let read = text.parse::<FileMode>();
            read.err().map(|expected| format!("`{}` cannot be read; give {expected}", shorten(text)))
        }
        Some("byte-count") => check_range::<ByteCount>(text, word("x-minimum"), word("x-maximum")),
        Some("time-span") => check_range::<TimeSpan>(text, word("x-minimum"), word("x-maximum")),
        Some("fsync") => match text.parse() {
            Ok(Fsync::Every(time)) => {
                check_range::<TimeSpan>(&TimeSpan(time).to_string(), word("x-minimum"), word("x-maximum"))
            }
            Ok(_) => None,
            Err(expected) => Some(format!("`{}` is invalid; give {expected}", shorten(text))),
        },
        Some(_) => None,
        None => check_length(schema, text),
    };
    findings.extend(complaint.map(|message| Finding::value(pointer, message)));
}

fn check_range<T>(text: &str, least: Option<&str>, most: Option<&str>) -> Option<String>
where
    T: std::str::FromStr<Err = String> + PartialOrd,
{
    let value = match text.parse::<T>() {
        Ok(value) => value,
        Err(expected) => return Some(format!("`{text}` is invalid; give {expected}")),
    };
    // The bounds come from the schema and are valid; a test ensures it.
    let bound = |text: Option<&str>| text.and_then(|text| text.parse::<T>().ok());
    let low = bound(least).is_some_and(|least| value < least);
    let high = bound(most).is_some_and(|most| value > most);
    (low || high).then(|| {
        let (least, most) = (least.unwrap_or("0"), most.unwrap_or("any"));
        format!("{text} is out of range; give {least} to {most}")
    })
}

fn wrong_type(schema: &Map<String, Value>, value: &Value, pointer: &str) -> String {
    let types: Vec<&str> = types(schema).into_iter().filter(|name| *name != "null").collect();
    let name = |name: &&str| match *name {
        "object" => "a mapping (`key: value` lines)",
        "array" => "a list (`- value` lines, or `[a, b]`)",
        "string" => "text",
        "boolean" => "`true` or `false`",
        "integer" => "a whole number",
        _ => "a number",
    };
    let expected = match schema.get("format").and_then(Value::as_str) {
        Some("byte-count") => "a size in bytes, such as 512, 64KiB or 1GB".to_owned(),
        Some("time-span") => "a time with its unit, such as 250ms, 4s or 1m 30s".to_owned(),
        Some("max-blksize") => "a number of bytes, or auto".to_owned(),
        Some("tid-ports") => "a number of ports, or a range such as 30000-30063".to_owned(),
        Some("fsync") => "`never`, `each`, or a time with its unit, such as 1s".to_owned(),
        Some("log-target") => {
            "`stderr`, `syslog`, or a mapping such as `{ file: /var/log/tuffet/tuffet.log }`".to_owned()
        }
        Some("file-mode") => "three octal digits in quotes, such as \"0640\"".to_owned(),
        // The value may be a secret.
        Some("secret") => {
            return "give `${NAME}` for an environment variable, or `{ file: PATH }`".to_owned();
        }
        _ => types.iter().map(name).collect::<Vec<_>>().join(" or "),
    };
    let found = show(value);
    if let Value::String(text) = value {
        let keys = schema.get("properties").and_then(Value::as_object).map(Map::keys);
        if let Some(advice) = space_after_colon(text, keys.into_iter().flatten().map(String::as_str)) {
            return advice;
        }
        // The value is in quotes; otherwise it would not be text.
        let meant = serde_yaml::from_str::<Value>(text);
        if meant.is_ok_and(|meant| !meant.is_string() && has_type(schema, &meant)) {
            return format!("{found} in quotes is text; remove the quotes");
        }
    }
    match value {
        Value::Array(_) if schema.get("format").is_some_and(|format| format == "address") => {
            format!(
                "found {found}; put the address in quotes, such as \"[::]:69\": YAML reads brackets as a list"
            )
        }
        Value::Null => format!("nothing is given here; give {expected}, or remove the key"),
        Value::Number(_) | Value::Bool(_) if expected == "text" => {
            format!("found {found}; give text: put it in quotes")
        }
        _ => {
            // An entry of a list has no key.
            let key = pointer.rsplit('/').next().unwrap_or_default();
            let key = if key.bytes().all(|byte| byte.is_ascii_digit()) { "" } else { key };
            let advice = names(pointer, value, fits).or_else(|| advice(schema, value, key, fits));
            let advice = advice.filter(|_| !pointer.is_empty());
            let advice = advice.filter(|advice| !(advice.starts_with(',') && expected.contains("such as")));
            format!("found {found}; give {expected}{}", advice.unwrap_or_default())
        }
    }
}

fn show(value: &Value) -> String {
    match value {
        Value::Null => "nothing".into(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("`{}`", shorten(text)),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "a mapping".into(),
    }
}

fn shorten(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(60).collect();
    if line.len() < text.len() { format!("{line}…") } else { line }
}

pub(super) fn first_sentence(text: &str) -> String {
    let text = text.replace('\n', " ");
    text.split_once(". ").map_or(text.trim_end_matches('.').to_owned(), |(first, _)| first.to_owned())
}
