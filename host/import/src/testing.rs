//! Reads imported configurations in tests.

use crate::error::ImportError;
use crate::target::{Origin, Target};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

/// A written configuration.
pub(crate) struct Imported {
    pub(crate) text: String,
    pub(crate) remarks: Vec<String>,
    pub(crate) is_complete: bool,
    value: Value,
}

impl Imported {
    pub(crate) fn new(target: Target, origin: Origin) -> Imported {
        let remarks = target.report.remarks().iter().map(ToString::to_string).collect();
        let is_complete = target.report.is_complete();
        let text = target.written(origin);
        let value = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        Imported { text, remarks, is_complete, value }
    }

    /// Returns the value at a JSON pointer.
    pub(crate) fn at(&self, pointer: &str) -> Value {
        self.value.pointer(pointer).cloned().unwrap_or_default()
    }

    /// Returns all comments as one text without line breaks.
    pub(crate) fn comments(&self) -> String {
        let lines = self.text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
        lines.map(str::trim).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the kind and text of the error.
pub(crate) fn refused(result: Result<Target, ImportError>) -> String {
    match result {
        Ok(target) => panic!("imported: {:?}", target.report),
        Err(error @ ImportError::Invalid { .. }) => format!("invalid: {error}"),
        Err(error @ ImportError::Impossible { .. }) => format!("impossible: {error}"),
    }
}

pub(crate) fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

/// A folder that only its owner may write to; the owner is not the user `nobody`.
pub(crate) fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}
