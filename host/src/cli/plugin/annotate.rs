//! `tuffet plugin annotate`: puts a manifest into a component that another tool built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use super::super::complain;
use super::{build, wrong};
use tuffet_config::{ConfigError, Document, EXIT_CONFIG, closest};
use tuffet_wasm::{Manifest, digest};

#[derive(Debug, Args)]
pub(in crate::cli) struct AnnotateArgs {
    /// The component.
    #[arg(value_name = "FILE")]
    component: PathBuf,
    /// The manifest, as JSON or YAML.
    #[arg(long, value_name = "FILE")]
    manifest: PathBuf,
    /// Where to write the result [default: in place].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn annotate(args: &AnnotateArgs) -> ExitCode {
    let manifest = match read(&args.manifest, &[]) {
        Ok(manifest) => manifest,
        Err(error) => return wrong(error),
    };
    let annotated = fs::read(&args.component)
        .map_err(|error| format!("it cannot be read: {error}"))
        .and_then(|component| with_manifest(&component, &manifest));
    let annotated = match annotated {
        Ok(annotated) => annotated,
        Err(message) => {
            complain(format_args!("{}: {message}", args.component.display()));
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    let output = args.output.as_ref().unwrap_or(&args.component);
    if let Err(error) = build::put(&annotated, output) {
        complain(format_args!(
            "{}: the component cannot be put there: {error}; make room, or name another place with --output",
            output.display()
        ));
        return ExitCode::from(super::new::EXIT_CANNOT_WRITE);
    }
    super::print(&format!(
        "{}: {} bytes, sha256 {}\n",
        output.display(),
        annotated.len(),
        digest(&annotated)
    ));
    ExitCode::SUCCESS
}

/// Returns the component with this manifest, replacing an older one.
///
/// # Errors
/// The bytes are not a component, or the manifest is too long; with the remedy.
pub(super) fn with_manifest(component: &[u8], manifest: &Value) -> Result<Vec<u8>, String> {
    tuffet_wasm::annotate(component, manifest.to_string().as_bytes())
}

/// Reads a manifest and checks it as a server does. Unknown keys are errors here: a server ignores them, so nobody
/// else would notice a mistyped one. `more` names further keys of the file, which belong to the caller.
///
/// # Errors
/// Each problem, with its position.
pub(super) fn read(path: &Path, more: &[&str]) -> Result<Value, ConfigError> {
    let document = Document::read(path, "the name of the plugin, such as {\"name\": \"quota\"}")?;
    let mut unknown = Vec::new();
    let known: Vec<&str> = Manifest::KEYS.iter().chain(more).copied().collect();
    find_unknown(document.value(), "", &known, &mut unknown);
    let wishes = document.value().get("grants").and_then(Value::as_array);
    for (index, wish) in wishes.into_iter().flatten().enumerate() {
        find_unknown(wish, &format!("/grants/{index}"), &Manifest::WISH_KEYS, &mut unknown);
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
        return Ok(document.value().clone());
    }
    Err(document.error(problems.into_iter().map(|(pointer, message)| (pointer, format!("it {message}")))))
}

fn find_unknown(value: &Value, pointer: &str, known: &[&str], found: &mut Vec<(String, String)>) {
    for key in value.as_object().into_iter().flat_map(|map| map.keys()) {
        if !known.contains(&key.as_str()) {
            let escaped = key.replace('~', "~0").replace('/', "~1");
            let advice = closest(key, known.iter().copied()).map_or_else(
                || format!("known here: {}", known.join(", ")),
                |like| format!("did you mean `{like}`?"),
            );
            found.push((format!("{pointer}/{escaped}"), format!("unknown key `{key}`; {advice}")));
        }
    }
}
