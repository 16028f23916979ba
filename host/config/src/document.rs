//! A YAML file beside the configuration, such as the settings of a plugin that is tried out: what is wrong in
//! it is shown at its place, as in the configuration itself.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::{ConfigError, Position};
use super::pointer_of;
use super::source::{self, Finding, Source};

/// A YAML file and its places.
#[derive(Debug)]
pub struct Document {
    source: Source,
    value: Value,
}

impl Document {
    /// Reads a file. `needs` says what one that is empty lacks.
    ///
    /// # Errors
    /// It cannot be read, or is no YAML; each problem with its place.
    pub fn read(path: &Path, needs: &str) -> Result<Document, ConfigError> {
        let (source, value) = source::read(path, needs)?;
        Ok(Document { source, value })
    }

    /// The whole of it.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What it says, as a type.
    ///
    /// # Errors
    /// The first key or value that does not fit, at its place.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        serde_path_to_error::deserialize(&self.value).map_err(|error| {
            self.error([(pointer_of(error.path()), format!("{}; correct it", error.inner()))])
        })
    }

    /// Where the value at a pointer is written, or the nearest around it.
    pub fn position(&self, pointer: &str) -> Option<Position> {
        self.source.position(pointer)
    }

    /// Where the key of the value at a pointer is written, if it is.
    pub fn key_position(&self, pointer: &str) -> Option<Position> {
        self.source.key_position(pointer)
    }

    /// The error for problems that were found later: pairs of a JSON pointer into the file and a message.
    pub fn error(&self, problems: impl IntoIterator<Item = (String, String)>) -> ConfigError {
        let finding = |(pointer, message): (String, String)| Finding::value(pointer, message);
        self.source.error(problems.into_iter().map(finding).collect())
    }
}
