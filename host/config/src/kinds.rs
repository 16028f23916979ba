//! What kinds of values a schema allows.

use serde_json::{Map, Value};

/// Returns the allowed words, if the schema restricts them.
pub(super) fn choices(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    if let Some(listed) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<&str> = listed.iter().filter_map(Value::as_str).collect();
        return Some(words).filter(|words| !words.is_empty());
    }
    if let Some(word) = schema.get("const").and_then(Value::as_str) {
        return Some(vec![word]);
    }
    let branches = schema.get("oneOf")?.as_array()?;
    Some(branches.iter().filter_map(|branch| choices(branch.as_object()?)).flatten().collect())
}

/// Returns the allowed types; empty if any is.
pub(super) fn types(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns whether the value has a type that the schema allows.
pub(super) fn has_type(schema: &Map<String, Value>, value: &Value) -> bool {
    let types = types(schema);
    types.is_empty()
        || types.iter().any(|name| match *name {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "null" => value.is_null(),
            _ => false,
        })
}
