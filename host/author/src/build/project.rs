//! Projects that describe themselves in `tuffet.json`: the manifest, and the hooks that the component exports.

use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::built::{BuildError, BuiltComponent};
use super::component;
use super::scratch::Scratch;
use crate::export::Export;
use crate::manifest;
use tuffet_config::{ConfigError, Document, GrantKind};
use tuffet_wasm::Manifest;

/// The manifest of a project.
pub(super) const MANIFEST: &str = "tuffet.json";

/// A project.
pub(super) struct Project {
    file: PathBuf,
    name: String,
    /// The list `hooks` of the manifest.
    pub exports: Vec<Export>,
    grants: Vec<GrantKind>,
    /// Without the keys that are for the build alone.
    manifest: Value,
    /// The values of these keys.
    pub more: serde_json::Map<String, Value>,
}

/// The keys of the file.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ProjectFile {
    /// The hooks that the component exports.
    hooks: Vec<Export>,
    #[serde(flatten)]
    manifest: Manifest,
}

impl Project {
    /// Reads the manifest. `keys` are those that a language has besides; their values are texts.
    pub fn read(folder: &Path, keys: &[&str]) -> Result<Project, BuildError> {
        let file = folder.join(MANIFEST);
        let invalid = |error: ConfigError| BuildError::NoProject(error.to_string());
        let keys = [&["hooks"], keys].concat();
        let mut values = manifest::read(&file, &keys).map_err(invalid)?;
        let document = Document::read(&file, "a manifest").map_err(invalid)?;
        let written: ProjectFile = document.parse().map_err(invalid)?;
        let mut more = serde_json::Map::new();
        if let Some(map) = values.as_object_mut() {
            more = keys.iter().filter_map(|key| map.remove_entry(*key)).collect();
        }
        let mut problems = Vec::new();
        if written.hooks.is_empty() {
            let known = Export::ALL.map(Export::word).join(", ");
            problems.push(("/hooks".into(), format!("no hook is listed: there are {known}")));
        }
        if let Some(problem) = Export::problem_of(&written.hooks) {
            problems.push(("/hooks".into(), problem.into()));
        }
        if !is_file_name(&written.manifest.name) {
            let message = "the component gets this name: use letters, digits, `-`, `_` and `.`";
            problems.push(("/name".into(), message.into()));
        }
        for (key, value) in more.iter().filter(|(key, value)| *key != "hooks" && !value.is_string()) {
            problems.push((format!("/{key}"), format!("{value} is no text")));
        }
        if !problems.is_empty() {
            return Err(invalid(document.error(problems)));
        }
        let grants = GrantKind::ALL
            .into_iter()
            .filter(|kind| written.manifest.grants.iter().any(|wish| wish.grant == kind.word()))
            .collect();
        Ok(Project {
            file,
            name: written.manifest.name,
            exports: written.hooks,
            grants,
            manifest: values,
            more,
        })
    }

    /// Returns an error at a key of the manifest.
    pub fn problem(&self, key: &str, message: String) -> BuildError {
        let document = Document::read(&self.file, "a manifest");
        BuildError::NoProject(match document {
            Ok(document) => document.error([(format!("/{key}"), message)]).to_string(),
            Err(error) => error.to_string(),
        })
    }

    /// Refuses a module that imports the interface of a grant which is not requested. `uses` describes that.
    pub fn require_grants(&self, module: &[u8], uses: impl Fn(&str) -> String) -> Result<(), BuildError> {
        let used = component::grants_used(module).map_err(BuildError::Failed)?;
        let Some(missing) = used.into_iter().find(|kind| !self.grants.contains(kind)) else { return Ok(()) };
        Err(BuildError::NoProject(format!(
            "{}: the plugin {}, and `grants` does not request it: add {{ \"grant\": \"{missing}\", \"reason\": \"…\" }}",
            self.file.display(),
            uses(missing.word()),
            missing = missing.word()
        )))
    }

    /// Makes a component of a module.
    pub fn component(
        self,
        folder: &Path,
        module: Vec<u8>,
        scratch: Scratch,
    ) -> Result<BuiltComponent, BuildError> {
        let made = component::of_module(module, &self.exports, &self.grants, &scratch.path("wit")).map_err(
            |error| {
                BuildError::Failed(format!(
                    "{}: the module cannot become a component: {error}",
                    folder.display()
                ))
            },
        )?;
        let made = manifest::embed(&made, &self.manifest).map_err(BuildError::Failed)?;
        let path = scratch.path("component.wasm");
        fs::write(&path, made)
            .map_err(|error| BuildError::Unwritten(format!("{}: {error}", path.display())))?;
        Ok(BuiltComponent { name: self.name, component: path, scratch: Some(scratch) })
    }
}

/// Returns whether a component can have this name.
pub(super) fn is_file_name(name: &str) -> bool {
    !name.starts_with('.')
        && !name.is_empty()
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_components() {
        for (name, good) in
            [("firmware-2", true), ("a.b_c", true), ("", false), (".a", false), ("a/b", false)]
        {
            assert_eq!(is_file_name(name), good, "{name}");
        }
    }
}
