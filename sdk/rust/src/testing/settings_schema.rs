//! Compares the schema of a plugin's settings with the file that `tuffet plugin build` puts into the component.

use std::{env, fs};

use serde::Serialize;
use serde_json::Value;

/// Checks that a file of the package is the JSON Schema of the plugin's settings, as `tuffet plugin build` puts it into
/// the component. With `TUFFET_BLESS=1` in the environment, writes the file. A schema comes from the type of the settings
/// by the crate [schemars](https://docs.rs/schemars); the component does not contain what it needs for that.
///
/// ```no_run
/// use schemars::{JsonSchema, schema_for};
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// #[serde(deny_unknown_fields)]
/// struct Settings {
///     /// The sink that gets a line for each download.
///     #[schemars(extend("format" = "granted-sink-name"))]
///     sink: String,
///     /// The listeners that count; all without any.
///     #[serde(default)]
///     #[schemars(extend("items" = { "type": "string", "format": "listener-name" }))]
///     listeners: Vec<String>,
///     /// How many days are kept.
///     #[schemars(range(min = 1, max = 366))]
///     days: u16,
/// }
///
/// // In a test:
/// tuffet_sdk::testing::check_settings_schema(schema_for!(Settings), "settings.schema.json");
/// ```
///
/// # Panics
/// The file has another schema, or none; or it cannot be written.
#[track_caller]
#[expect(clippy::panic, reason = "the test of a plugin fails")]
pub fn check_settings_schema(schema: impl Serialize, path: &str) {
    let bless = env::var_os("TUFFET_BLESS").is_some_and(|value| !value.is_empty());
    if let Err(message) = check(schema, path, bless) {
        panic!("{message}");
    }
}

fn check(schema: impl Serialize, path: &str, bless: bool) -> Result<(), String> {
    let wanted = serde_json::to_value(schema).map_err(|error| format!("this is not a schema: {error}"))?;
    if bless {
        fs::write(path, format!("{wanted:#}\n")).map_err(|error| format!("{path}: {error}"))?;
    }
    let found = fs::read(path).ok().and_then(|written| serde_json::from_slice::<Value>(&written).ok());
    if found.as_ref() == Some(&wanted) {
        return Ok(());
    }
    Err(format!("{path} is not the schema of these settings; run this test with TUFFET_BLESS=1 to write it"))
}

#[cfg(test)]
mod tests {
    use schemars::schema_for;

    use super::*;

    #[test]
    fn the_file_is_compared_and_written() {
        let folder = env::temp_dir().join(format!("tuffet-sdk-schema-{}", std::process::id()));
        // Of a process with the same number.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("settings.schema.json");
        let path = path.to_str().unwrap();
        let refused = |bless: bool| check(schema_for!(u8), path, bless).err().unwrap_or_default();
        assert!(refused(false).contains("TUFFET_BLESS=1"), "without a file");
        assert_eq!(refused(true), "");
        assert_eq!(refused(false), "");
        // How it is laid out does not matter.
        fs::write(path, schema_for!(u8).to_value().to_string()).unwrap();
        assert_eq!(refused(false), "");
        fs::write(path, schema_for!(u16).to_value().to_string()).unwrap();
        assert!(refused(false).contains("is not the schema of these settings"));
        fs::write(path, "{").unwrap();
        assert!(refused(false).contains("TUFFET_BLESS=1"), "with half a file");
        fs::remove_dir_all(&folder).unwrap();
        assert!(refused(true).starts_with(path), "without its folder");
    }
}
