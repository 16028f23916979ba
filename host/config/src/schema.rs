//! The JSON Schema of the configuration: for completion in editors, for the check of a file, and for the
//! reference.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::config::Written;

/// Returns the JSON Schema (draft 2020-12) of the configuration file.
///
/// Besides the standard keywords it has `x-minimum` and `x-maximum`, the bounds of sizes and times.
pub fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Written>().to_value();
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".into(), "Tuffet configuration".into());
        // Each section has its own defaults; an empty configuration as a whole is not valid.
        root.remove("default");
    }
    schema
}
