//! Schemas for editors: of the plugins in a configuration, of case files, and of `tuffet.json`.

use std::path::Path;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::build::ProjectFile;
use crate::case::WrittenFile;
use crate::driver;
use tuffet_config::{ComponentSource, Config, ConfigError, Document, SettingsSchema};
use tuffet_registry::Registries;
use tuffet_wasm::{settings_schema_in, settings_schema_of};

/// Returns the JSON Schema of case files.
pub fn of_cases() -> Value {
    generated::<WrittenFile>("Cases of a Tuffet plugin")
}

/// Returns the JSON Schema of `tuffet.json`, and of manifests for `tuffet plugin annotate`.
pub fn of_manifest() -> Value {
    let mut schema = generated::<ProjectFile>("Manifest of a Tuffet plugin");
    schema["properties"]["sdk"] =
        json!({ "type": "string", "description": "For C: the folder of another copy of the SDK." });
    schema
}

fn generated<T: JsonSchema>(title: &str) -> Value {
    let settings = SchemaSettings::draft2020_12();
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    schema["title"] = title.into();
    schema
}

/// The schemas of the plugins in a configuration: each with the component as the file names it. The second list has a
/// warning for each component that cannot be read.
type PluginSchemas = (Vec<(String, SettingsSchema)>, Vec<String>);

/// Reads the schemas of a configuration's plugins from their components. The rest of the configuration may be
/// incomplete.
///
/// # Errors
/// The file cannot be read, or is not YAML.
pub fn of_plugins(file: &Path) -> Result<PluginSchemas, ConfigError> {
    let document = Document::read(file, "the key `plugins`")?;
    let plugins = document.value()["plugins"].as_object().into_iter().flatten();
    let components = plugins.filter_map(|(_, plugin)| plugin["component"].as_str());
    let (mut schemas, mut warnings) = (Vec::new(), Vec::new());
    for component in components {
        match of_component(component, file) {
            Ok(schema) => schemas.extend(schema.map(|schema| (component.to_owned(), schema))),
            Err(message) => {
                warnings.push(format!("{component}: {message}; its settings are not in the schema"))
            }
        }
    }
    Ok((schemas, warnings))
}

fn of_component(component: &str, file: &Path) -> Result<Option<SettingsSchema>, String> {
    match ComponentSource::parse(component)? {
        // The configuration's own schema has them.
        ComponentSource::Builtin(_) => Ok(None),
        ComponentSource::Path(path) => {
            let folder = file.parent().unwrap_or(Path::new(""));
            settings_schema_of(&ComponentSource::Path(folder.join(path)))
        }
        ComponentSource::Registry(reference) => {
            let config = Config::load(file)
                .map_err(|_| "it is in a registry, and the configuration is not valid yet".to_owned())?;
            let runtime = driver::start().map_err(|error| error.to_string())?;
            // Only what has been pulled: an editor must not wait for a network.
            let pulled = runtime.block_on(Registries::of(&config, false).fetch(&reference, None))?;
            settings_schema_in(&pulled.component)
        }
    }
}
