//! A YAML file beside the configuration, such as the settings of a plugin under test. Its errors have a line
//! and column, as in the configuration itself.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::component::ComponentSource;
use super::error::{ConfigError, Position};
use super::settings_schema::SettingsSchema;
use super::source::{self, Finding, Source};
use super::tree::pointer_of;

/// A YAML file with the positions of its values.
#[derive(Debug)]
pub struct Document {
    source: Source,
    value: Value,
}

impl Document {
    /// Reads a file. `needs` names the missing content of an empty file, for the error.
    ///
    /// # Errors
    /// The file cannot be read, or is not YAML; each problem with its position.
    pub fn read(path: &Path, needs: &str) -> Result<Document, ConfigError> {
        let (source, value) = source::read(path, needs)?;
        Ok(Document { source, value })
    }

    /// Returns the whole content.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Deserializes the content.
    ///
    /// # Errors
    /// The first key or value of a wrong type, with its position.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        serde_path_to_error::deserialize(&self.value).map_err(|error| {
            self.error([(pointer_of(error.path()), format!("{}; correct it", error.inner()))])
        })
    }

    /// Checks the whole content as the settings of this component, if the server knows its schema: unknown keys, wrong
    /// types, values out of range.
    ///
    /// # Errors
    /// Each problem, with its position.
    pub fn check_as_settings(&self, component: &ComponentSource) -> Result<(), ConfigError> {
        let ComponentSource::Builtin(name) = component else { return Ok(()) };
        let Some(schema) = SettingsSchema::of_builtin(name) else { return Ok(()) };
        let findings = schema.shape_problems(&self.value);
        if findings.is_empty() { Ok(()) } else { Err(self.source.error(findings)) }
    }

    /// Returns the position of the value at a pointer, or of the nearest value around it.
    pub fn position(&self, pointer: &str) -> Option<Position> {
        self.source.position(pointer)
    }

    /// Returns the position of the key at a pointer, if the file contains it.
    pub fn key_position(&self, pointer: &str) -> Option<Position> {
        self.source.key_position(pointer)
    }

    /// Builds the error for findings in the file.
    pub fn error_of(&self, findings: impl IntoIterator<Item = Finding>) -> ConfigError {
        self.source.error(findings.into_iter().collect())
    }

    /// Builds the error for problems found later: pairs of a JSON pointer into the file and a message.
    pub fn error(&self, problems: impl IntoIterator<Item = (String, String)>) -> ConfigError {
        let finding = |(pointer, message): (String, String)| Finding::value(pointer, message);
        self.source.error(problems.into_iter().map(finding).collect())
    }
}
