//! The manifest of a component: read from a file, and embedded into the component.

use std::path::Path;

use serde_json::Value;

use tuffet_config::{ConfigError, Document, closest, join_pointer};
use tuffet_wasm::Manifest;

/// The key that names the schema of the file, for editors.
const EDITORS: &str = "$schema";

/// Returns the component with this manifest, replacing an older one.
///
/// # Errors
/// The bytes are not a component, or the manifest is too long; with the remedy.
pub(crate) fn embed(component: &[u8], manifest: &Value) -> Result<Vec<u8>, String> {
    tuffet_wasm::annotate(component, manifest.to_string().as_bytes())
}

/// Reads a manifest and checks it as a server does. Unknown keys are errors here: a server ignores them, so a
/// mistyped key would go unnoticed. `more` lists the caller's own keys in the file.
///
/// # Errors
/// Each problem, with its position.
pub(crate) fn read(path: &Path, more: &[&str]) -> Result<Value, ConfigError> {
    let document = Document::read(path, "the name of the plugin, such as {\"name\": \"quota\"}")?;
    let mut unknown = Vec::new();
    let known: Vec<&str> = [EDITORS].iter().chain(&Manifest::KEYS).chain(more).copied().collect();
    find_unknown(document.value(), "", &known, &mut unknown);
    let wishes = document.value().get("grants").and_then(Value::as_array);
    for (index, wish) in wishes.into_iter().flatten().enumerate() {
        find_unknown(wish, &format!("/grants/{index}"), &Manifest::GRANT_KEYS, &mut unknown);
    }
    if !unknown.is_empty() {
        return Err(document.error(unknown));
    }
    let manifest: Manifest = document.parse()?;
    let mut problems = manifest.problems();
    if manifest.name.trim().is_empty() {
        problems.push(("/name".into(), "has no name: write one".into()));
    }
    if problems.is_empty() {
        let mut value = document.value().clone();
        if let Some(keys) = value.as_object_mut() {
            keys.remove(EDITORS);
        }
        return Ok(value);
    }
    Err(document.error(problems.into_iter().map(|(pointer, message)| (pointer, format!("it {message}")))))
}

fn find_unknown(value: &Value, pointer: &str, known: &[&str], found: &mut Vec<(String, String)>) {
    for key in value.as_object().into_iter().flat_map(|map| map.keys()) {
        if !known.contains(&key.as_str()) {
            let advice = closest(key, known.iter().copied()).map_or_else(
                || format!("known here: {}", known.join(", ")),
                |like| format!("did you mean `{like}`?"),
            );
            found.push((join_pointer(pointer, key), format!("unknown key `{key}`; {advice}")));
        }
    }
}
