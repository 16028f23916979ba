//! The settings of the top level, for people: what `tuffet plugin inspect` shows.

use serde_json::Value;

use super::read::SECRET;
use crate::suggest::list;
use crate::{kinds, shape};

/// A setting of a plugin.
#[derive(Debug, Clone)]
pub struct Setting<'a> {
    /// Its key.
    pub name: &'a str,
    /// Whether it must be given.
    pub required: bool,
    /// Whether it belongs below `secrets`.
    pub secret: bool,
    /// What it holds, such as "text" or "`a` or `b`".
    pub kind: String,
    /// Its value if it is not given.
    pub default: Option<&'a Value>,
    /// The first sentence of its description; may be empty.
    pub summary: String,
}

impl<'a> Setting<'a> {
    /// Returns all settings, the required ones first.
    pub(super) fn all(schema: &'a Value) -> Vec<Setting<'a>> {
        let is_required = |name: &str| {
            schema["required"].as_array().is_some_and(|required| required.iter().any(|key| key == name))
        };
        let properties = schema["properties"].as_object().into_iter().flatten();
        let mut settings: Vec<Setting<'_>> = properties
            .map(|(name, property)| Setting {
                name,
                required: is_required(name),
                secret: property["format"] == SECRET,
                kind: kind(property),
                default: property.get("default").filter(|default| !default.is_null()),
                summary: property["description"].as_str().map(shape::first_sentence).unwrap_or_default(),
            })
            .collect();
        settings.sort_by_key(|setting| !setting.required);
        settings
    }
}

fn kind(schema: &Value) -> String {
    let Some(object) = schema.as_object() else { return "any value".into() };
    match schema["format"].as_str() {
        Some("listener-name") => return "a listener".into(),
        Some("root-name") => return "a root".into(),
        Some("granted-root-name") => return "a granted root".into(),
        Some("granted-sink-name") => return "a granted sink".into(),
        Some(SECRET) => return "a secret".into(),
        _ => {}
    }
    if let Some(choices) = kinds::choices(object) {
        return list(choices, "or");
    }
    let types = kinds::types(object).into_iter().filter(|name| *name != "null");
    let words: Vec<String> = types
        .map(|name| match name {
            "object" => "mapping".into(),
            "array" if schema["items"].is_object() => format!("list of {}", kind(&schema["items"])),
            "array" => "list".into(),
            "string" => "text".into(),
            "integer" => "whole number".into(),
            "boolean" => "true or false".into(),
            name => name.to_owned(),
        })
        .collect();
    if words.is_empty() { "any value".into() } else { words.join(" or ") }
}
