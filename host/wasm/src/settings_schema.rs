//! The schema of a plugin's settings: JSON Schema in the custom section `tuffet:settings-schema`, beside the manifest.

use super::kind::check_kind;
use super::read::read;
use super::sections;
use super::spec::PolicySpec;
use tuffet_config::{ComponentSource, Finding, PluginConfig, SettingsSchema};
use tuffet_policy::{LoadProblem, LoadProblemKind, text};

/// The name of the section.
const SECTION: &str = "tuffet:settings-schema";

/// Reads the schema of a component, if it has one.
///
/// # Errors
/// The schema is invalid; with the remedy.
pub(super) fn of(component: &[u8]) -> Result<Option<SettingsSchema>, String> {
    let Some(section) = sections::find(component, SECTION)? else { return Ok(None) };
    SettingsSchema::read(section).map(Some).map_err(|problem| {
        text::reason(&format!(
            "its section {SECTION} is refused: {problem}; its author must correct the schema of its settings"
        ))
    })
}

/// Reads the schema from the bytes of a component.
///
/// # Errors
/// They are not a component, or the schema is invalid; with the remedy.
pub fn settings_schema_in(component: &[u8]) -> Result<Option<SettingsSchema>, String> {
    check_kind(component)?;
    of(component)
}

/// Reads the schema of a bundled component or a file, without compiling it.
///
/// # Errors
/// The component cannot be read, or as [`settings_schema_in`].
pub fn settings_schema_of(source: &ComponentSource) -> Result<Option<SettingsSchema>, String> {
    match source {
        ComponentSource::Builtin(name) => Ok(SettingsSchema::of_builtin(name)),
        source => settings_schema_in(&read(source)?),
    }
}

/// Returns the component with this schema in place of an earlier one.
///
/// # Errors
/// It is not a component, or the schema is invalid; with the remedy.
pub fn annotate_settings(component: &[u8], json: &[u8]) -> Result<Vec<u8>, String> {
    check_kind(component)?;
    SettingsSchema::read(json).map_err(|problem| format!("the schema of its settings: {problem}"))?;
    sections::replace(component, SECTION, json)
}

/// Checks the settings of a plugin, secrets included, against the schema that its component carries; that of a bundled one
/// is built in.
pub(super) fn check(policy: &PolicySpec, spec: &PluginConfig, component: &[u8]) -> Vec<LoadProblem> {
    let problem = |kind, pointer, message: String| LoadProblem {
        plugin: spec.name.clone(),
        kind,
        pointer,
        message: text::reason(&message),
    };
    let schema = match &spec.component {
        ComponentSource::Builtin(name) => Ok(SettingsSchema::of_builtin(name)),
        _ => of(component),
    };
    let schema = match schema {
        Ok(Some(schema)) => schema,
        Ok(None) => return Vec::new(),
        Err(message) => return vec![problem(LoadProblemKind::NotAComponent, None, message)],
    };
    // A case file has values for tests.
    let misplaced = match policy.stage {
        None => schema.misplaced_secrets(&spec.settings),
        Some(_) => Vec::new(),
    };
    if !misplaced.is_empty() {
        let place =
            |finding: Finding| problem(LoadProblemKind::Settings, Some(finding.pointer), finding.message);
        return misplaced.into_iter().map(place).collect();
    }
    let findings = schema.check(&spec.settings, &spec.secrets, &spec.grants, &policy.names);
    let problems = findings.into_iter().map(|finding| {
        let is_key = finding.is_of_key();
        let kind = if is_key { LoadProblemKind::UnknownSetting } else { LoadProblemKind::Settings };
        problem(kind, Some(finding.pointer), finding.message)
    });
    problems.collect()
}
