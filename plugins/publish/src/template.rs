//! The form of an event that the operator chooses: any JSON whose texts name fields.
//!
//! Fields are inserted into values that are parsed already, so whatever a client names its file, it stays text.

use serde_json::{Map, Value};
use tuffet_sdk::Problems;

/// The size of a template, in bytes of JSON.
const MAX_BYTES: usize = 4096;

/// Fields in a template, and the length in bytes of each in a text: together with the template they fit a sink (32 KiB),
/// however they are escaped.
const MAX_FIELDS: usize = 16;
const MAX_TEXT: usize = 256;

/// The fields of all events.
const FIELDS: &[&str] = &[
    "topic",
    "event",
    "unix_ms",
    "id",
    "listener",
    "address",
    "port",
    "macs",
    "class",
    "operation",
    "path",
    "resolved",
    "verdict_by",
    "size",
    "bytes",
    "outcome",
    "detail",
    "decision",
    "blksize",
    "windowsize",
    "blocks",
    "decision_us",
    "first_block_us",
    "duration_us",
    "retransmissions",
    "duplicates",
    "timeouts",
    "rtt_us",
];

/// A valid template.
#[derive(Debug)]
pub(crate) struct Template(Value);

/// A part of a text.
enum Part<'a> {
    Text(&'a str),
    Field(&'a str),
}

impl Template {
    pub fn read(template: Value, problems: &mut Problems) -> Template {
        let mut fields = 0;
        check(&template, "/template", &mut fields, problems);
        if fields > MAX_FIELDS {
            problems.add("/template", format!("it names {fields} fields: {MAX_FIELDS} are allowed"));
        }
        let bytes = template.to_string().len();
        if bytes > MAX_BYTES {
            problems.add("/template", format!("it has {bytes} bytes as JSON: {MAX_BYTES} are allowed"));
        }
        Template(template)
    }

    /// Inserts the fields of an event.
    pub fn fill(&self, event: &Map<String, Value>) -> Value {
        fill(&self.0, event)
    }
}

fn check(template: &Value, pointer: &str, fields: &mut usize, problems: &mut Problems) {
    match template {
        Value::String(text) => match parts(text) {
            Ok(parts) => {
                for part in parts {
                    let Part::Field(name) = part else { continue };
                    *fields += 1;
                    if !FIELDS.contains(&name) {
                        let known = FIELDS.join(", ");
                        problems.add(pointer, format!("events have no field {name:?}: write one of {known}"));
                    }
                }
            }
            Err(why) => problems.add(pointer, why),
        },
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                check(item, &format!("{pointer}/{number}"), fields, problems);
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                let key = key.replace('~', "~0").replace('/', "~1");
                check(value, &format!("{pointer}/{key}"), fields, problems);
            }
        }
        _ => {}
    }
}

/// The parts of a text. Doubled braces are braces.
fn parts(text: &str) -> Result<Vec<Part<'_>>, &'static str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        parts.push(Part::Text(before));
        if from.starts_with("{{") || from.starts_with("}}") {
            parts.push(Part::Text(&from[..1]));
            rest = &from[2..];
            continue;
        }
        let field = from.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let Some((name, after)) = field else {
            return Err("a brace is alone: write {FIELD}, or {{ and }} for braces");
        };
        parts.push(Part::Field(name));
        rest = after;
    }
    parts.push(Part::Text(rest));
    Ok(parts)
}

fn fill(template: &Value, event: &Map<String, Value>) -> Value {
    match template {
        Value::String(text) => {
            // They were checked.
            let parts = parts(text).unwrap_or_default();
            match *parts.as_slice() {
                // Alone, a field keeps its type.
                [Part::Text(""), Part::Field(name), Part::Text("")] => {
                    event.get(name).map_or(Value::Null, shortened)
                }
                _ => Value::String(parts.iter().map(|part| part.text(event)).collect()),
            }
        }
        Value::Array(items) => items.iter().map(|item| fill(item, event)).collect(),
        Value::Object(entries) => {
            Value::Object(entries.iter().map(|(key, value)| (key.clone(), fill(value, event))).collect())
        }
        other => other.clone(),
    }
}

impl Part<'_> {
    fn text(&self, event: &Map<String, Value>) -> String {
        match self {
            Part::Text(text) => (*text).to_owned(),
            Part::Field(name) => match event.get(*name) {
                Some(Value::String(text)) => cut(text).to_owned(),
                // The MAC addresses.
                Some(Value::Array(items)) => {
                    let addresses: Vec<&str> =
                        items.iter().filter_map(|item| item["address"].as_str()).collect();
                    cut(&addresses.join(", ")).to_owned()
                }
                Some(other) => other.to_string(),
                None => String::new(),
            },
        }
    }
}

fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) => cut(text).into(),
        other => other.clone(),
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT)]
}
