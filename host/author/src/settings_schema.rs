//! The schema of a plugin's settings: read from a file beside the manifest, and embedded into the component.

use std::path::Path;

use tuffet_config::{ConfigError, Document, SettingsSchema};

/// The file of a project.
pub(crate) const FILE: &str = "settings.schema.json";

/// Reads a schema and checks it as a server does. Unknown keywords are errors here: a server ignores them, so a
/// mistyped one would go unnoticed.
///
/// # Errors
/// Each problem, with its position.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ConfigError> {
    let document = Document::read(path, "a schema, such as {\"type\": \"object\", \"properties\": {}}")?;
    let problems = SettingsSchema::problems(document.value());
    if problems.is_empty() {
        Ok(document.value().to_string().into_bytes())
    } else {
        Err(document.error(problems))
    }
}

/// Explains how settings can be refused that are right: the schema of a project is older than the type of the settings.
pub(crate) fn explain_difference(folder: &Path) -> Option<String> {
    let file = folder.join(FILE);
    file.is_file().then(|| {
        format!(
            "{}: if these settings are right, this schema is older than the type of the settings: run the tests of the \
             project with TUFFET_BLESS=1, which write it (by hand in C), and build again",
            file.strip_prefix(".").unwrap_or(&file).display()
        )
    })
}

/// Returns the component with the schema of a project, if the project has one.
///
/// # Errors
/// The schema is invalid, with its positions; or too large.
pub(crate) fn embed_of_project(folder: &Path, component: Vec<u8>) -> Result<Vec<u8>, String> {
    let file = folder.join(FILE);
    if !file.is_file() {
        return Ok(component);
    }
    let schema = read(&file).map_err(|error| error.to_string())?;
    tuffet_wasm::annotate_settings(&component, &schema)
        .map_err(|message| format!("{}: {message}", file.display()))
}
