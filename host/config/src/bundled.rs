//! The settings of the bundled plugins. Their schemas are part of the configuration's schema, so that their problems
//! are reported like those of any other key, and editors complete them.

use serde_json::{Map, Value, json};

use super::tree::join;

/// The name and the schema of each bundled plugin.
const SCHEMAS: [(&str, &str); 7] = [
    ("acl", include_str!("bundled/acl.json")),
    ("ask", include_str!("bundled/ask.json")),
    ("audit", include_str!("bundled/audit.json")),
    ("mac-map", include_str!("bundled/mac-map.json")),
    ("publish", include_str!("bundled/publish.json")),
    ("remap", include_str!("bundled/remap.json")),
    ("template", include_str!("bundled/template.json")),
];

/// Returns the schema of the settings of `builtin:NAME`.
pub(super) fn settings_schema(name: &str) -> Option<Value> {
    let (_, schema) = SCHEMAS.iter().find(|(known, _)| *known == name)?;
    Some(serde_json::from_str(schema).expect("a test parses each schema"))
}

/// Adds the schemas to that of a plugin. Each applies if `component` names its plugin.
pub(super) fn extend(plugin: &mut Map<String, Value>) {
    let branches = SCHEMAS.iter().filter_map(|(name, _)| {
        Some(json!({
            "if": {
                "properties": { "component": { "const": format!("builtin:{name}") } },
                "required": ["component"],
            },
            "then": { "properties": { "settings": settings_schema(name)? } },
        }))
    });
    plugin.insert("allOf".into(), branches.collect());
}

/// Returns the properties that a plugin's schema adds for this component.
pub(super) fn added<'a>(
    schema: &'a Map<String, Value>,
    object: &Map<String, Value>,
) -> Option<&'a Map<String, Value>> {
    let component = object.get("component")?;
    let branches = schema.get("allOf")?.as_array()?;
    let branch =
        branches.iter().find(|branch| &branch["if"]["properties"]["component"]["const"] == component)?;
    branch["then"]["properties"].as_object()
}

/// The format of a URL whose host must be granted.
pub(super) const GRANTED_URL: &str = "granted-url";

/// A setting of a plugin that names another part of the configuration, or a host that the plugin needs a grant for.
pub(super) struct Reference<'a> {
    pub format: &'a str,
    pub name: &'a str,
    pub pointer: String,
}

/// Adds the references in `value`. Its schema marks them with a format `…-name`, or `granted-url`.
pub(super) fn references<'a>(
    schema: &'a Value,
    value: &'a Value,
    pointer: &str,
    found: &mut Vec<Reference<'a>>,
) {
    match value {
        Value::String(name) => {
            let refers = |format: &&str| format.ends_with("-name") || *format == GRANTED_URL;
            if let Some(format) = schema["format"].as_str().filter(refers) {
                found.push(Reference { format, name, pointer: pointer.to_owned() });
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                references(&schema["items"], item, &join(pointer, &index.to_string()), found);
            }
        }
        Value::Object(object) => {
            for (key, property) in schema["properties"].as_object().into_iter().flatten() {
                if let Some(value) = object.get(key) {
                    references(property, value, &join(pointer, key), found);
                }
            }
        }
        _ => {}
    }
}
