//! The settings of the bundled plugins. Their schemas are part of the configuration's schema, so that their problems
//! are reported like those of any other key, and editors complete them.

use serde_json::{Map, Value, json};

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
    let branches = SCHEMAS
        .iter()
        .filter_map(|(name, _)| Some(branch(&format!("builtin:{name}"), settings_schema(name)?)));
    plugin.insert("allOf".into(), branches.collect());
}

/// Returns a schema that applies to the plugin with this component.
pub(super) fn branch(component: &str, settings: Value) -> Value {
    json!({
        "if": { "properties": { "component": { "const": component } }, "required": ["component"] },
        "then": { "properties": { "settings": settings } },
    })
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
