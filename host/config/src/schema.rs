//! The JSON Schema of the configuration, for completion in editors, the check of a file, and the reference.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::bundled;
use super::config::Written;

/// Returns the JSON Schema (draft 2020-12) of the configuration file.
///
/// Besides the standard keywords it has `x-minimum` and `x-maximum`, the bounds of sizes and times.
pub fn schema() -> Value {
    let mut schema = strict();
    loosen(&mut schema);
    let branches = schema.pointer_mut(&format!("{PLUGIN}/allOf")).and_then(Value::as_array_mut);
    branches.into_iter().flatten().for_each(bundled::loosen);
    schema
}

/// The schema of a plugin.
pub(super) const PLUGIN: &str = "/properties/plugins/additionalProperties";

/// Editors read `mode: 0640` as a number; the server reads the text.
fn loosen(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("format").is_some_and(|format| format == "file-mode") {
                object.insert("type".into(), serde_json::json!(["string", "integer"]));
            }
            object.values_mut().for_each(loosen);
        }
        Value::Array(items) => items.iter_mut().for_each(loosen),
        _ => {}
    }
}

/// Returns the schema that a file is checked against.
pub(crate) fn strict() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Written>().to_value();
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".into(), "Tuffet configuration".into());
        // Each section has its own defaults, but an empty configuration is not valid.
        root.remove("default");
    }
    refuse_null(&mut schema);
    let plugin = schema.pointer_mut(PLUGIN);
    if let Some(plugin) = plugin.and_then(Value::as_object_mut) {
        bundled::extend(plugin);
    }
    schema
}

/// A key without a value is an error, though an optional field could take it.
fn refuse_null(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
            }
            object.values_mut().for_each(refuse_null);
        }
        Value::Array(items) => items.iter_mut().for_each(refuse_null),
        _ => {}
    }
}
