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

/// Returns the names of the bundled plugins.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(name, _)| *name)
}

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

/// Changes a [branch] for editors. They do not know which settings `secrets` has, so where there are secrets, no setting
/// is required; the server tells what is missing.
pub(super) fn loosen(branch: &mut Value) {
    let then = &mut branch["then"];
    if let Some(required) = take_required(&mut then["properties"]["settings"]) {
        then["if"] = json!({ "required": ["secrets"] });
        then["else"] = json!({ "properties": { "settings": required } });
    }
}

/// Removes what secrets may provide from the required keys of a schema, and returns it as a schema: a secret lies within
/// mappings alone.
fn take_required(schema: &mut Value) -> Option<Value> {
    let schema = schema.as_object_mut()?;
    let mut taken = Map::new();
    taken.extend(schema.remove("required").map(|required| ("required".to_owned(), required)));
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
    let within: Map<String, Value> =
        properties.filter_map(|(key, its)| Some((key.clone(), take_required(its)?))).collect();
    if !within.is_empty() {
        taken.insert("properties".to_owned(), within.into());
    }
    (!taken.is_empty()).then(|| taken.into())
}

/// Returns the schema that a plugin's schema adds for the settings of this component.
pub(super) fn added<'a>(schema: &'a Map<String, Value>, object: &Map<String, Value>) -> Option<&'a Value> {
    let component = object.get("component")?;
    let branches = schema.get("allOf")?.as_array()?;
    let branch =
        branches.iter().find(|branch| &branch["if"]["properties"]["component"]["const"] == component)?;
    branch["then"]["properties"].get("settings")
}
