//! Projects in Go: the stock compiler for WASI 0.1, and a component around its module.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::super::annotate;
use super::python::Scratch;
use super::{Made, Unbuilt, component};
use tuffet_config::{Document, GrantKind};
use tuffet_policy::{Hook, Manifest};

/// The file that identifies a project.
pub(super) const MARKER: &str = "go.mod";

/// The manifest of a project, with its hooks.
const MANIFEST: &str = "tuffet.json";

/// The module of the SDK.
const SDK: &str = "tuffet";

/// The keys of the manifest's file that are not for the server.
#[derive(Debug, Deserialize)]
struct Project {
    hooks: Vec<Hook>,
    #[serde(flatten)]
    manifest: Manifest,
}

/// Builds the project in a folder. The compiler's messages go to standard error.
pub(super) fn build(folder: &Path) -> Result<Made, Unbuilt> {
    let shown = folder.display();
    let file = folder.join(MANIFEST);
    let invalid = |error: tuffet_config::ConfigError| Unbuilt::NoProject(error.to_string());
    let mut manifest = annotate::read(&file, &["hooks"]).map_err(invalid)?;
    let document = Document::read(&file, "a manifest").map_err(invalid)?;
    let project: Project = document.parse().map_err(invalid)?;
    let mut problems = Vec::new();
    if project.hooks.is_empty() {
        let known = Hook::ALL.map(Hook::word).join(", ");
        problems.push(("/hooks".into(), format!("no hook is listed: there are {known}")));
    }
    if !is_file_name(&project.manifest.name) {
        let message = "the component gets this name: use letters, digits, `-`, `_` and `.`";
        problems.push(("/name".into(), message.into()));
    }
    if !problems.is_empty() {
        return Err(invalid(document.error(problems)));
    }
    let grants: Vec<GrantKind> = GrantKind::ALL
        .into_iter()
        .filter(|kind| project.manifest.grants.iter().any(|wish| wish.grant == kind.word()))
        .collect();

    let scratch = Scratch::make()?;
    let module = compile(folder, &project.hooks, &scratch)?;
    let used = component::grants_used(&module).map_err(Unbuilt::Failed)?;
    if let Some(missing) = used.into_iter().find(|kind| !grants.contains(kind)) {
        return Err(Unbuilt::NoProject(format!(
            "{}: the plugin uses the package {SDK}/{missing}, and `grants` does not request it: add {{ \"grant\": \
             \"{missing}\", \"reason\": \"…\" }}",
            file.display(),
            missing = missing.word()
        )));
    }
    let made = component::of_module(module, &project.hooks, &grants, &scratch.folder.join("wit")).map_err(
        |error| Unbuilt::Failed(format!("{shown}: the module cannot become a component: {error}")),
    )?;
    if let Some(map) = manifest.as_object_mut() {
        map.remove("hooks");
    }
    let made = annotate::with_manifest(&made, &manifest).map_err(Unbuilt::Failed)?;
    let path = scratch.folder.join("component.wasm");
    fs::write(&path, made).map_err(|error| Unbuilt::Unwritten(format!("{}: {error}", path.display())))?;
    Ok(Made { name: project.manifest.name, component: path, scratch: Some(scratch) })
}

/// Compiles the project to a core module.
fn compile(folder: &Path, hooks: &[Hook], scratch: &Scratch) -> Result<Vec<u8>, Unbuilt> {
    let shown = folder.display();
    let module = scratch.folder.join("module.wasm");
    let words: Vec<&str> = hooks.iter().map(|hook| hook.word()).collect();
    let go = std::env::var_os("GO").unwrap_or_else(|| "go".into());
    let mut command = Command::new(&go);
    command.current_dir(folder).args(["build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false"]);
    // The SDK compares its hooks with the listed ones.
    command
        .arg(format!("-ldflags=-s -w -X {SDK}.declared={}", words.join(",")))
        .arg("-o")
        .arg(&module)
        .arg(".");
    command.env("GOOS", "wasip1").env("GOARCH", "wasm").env("CGO_ENABLED", "0");
    if let Some(workspace) = workspace(folder, scratch)? {
        command.env("GOWORK", workspace);
    }
    // The caller reports the success itself.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => {
            return Err(Unbuilt::Failed(format!("{shown}: the build failed ({}: {status})", go.display())));
        }
        Err(error) => {
            return Err(Unbuilt::Unavailable(format!(
                "{} cannot be run ({error}); install Go 1.24 or later, https://go.dev/doc/install",
                go.display()
            )));
        }
    }
    fs::read(&module).map_err(|_| {
        Unbuilt::NoProject(format!("{shown}: the compiler wrote no module: the plugin is a package main"))
    })
}

/// Returns a workspace that gives the project this server's SDK, unless go.mod leads to another one that exists.
fn workspace(folder: &Path, scratch: &Scratch) -> Result<Option<PathBuf>, Unbuilt> {
    let unread =
        |error: std::io::Error| Unbuilt::NoProject(format!("{}/{MARKER}: {error}", folder.display()));
    let go_mod = fs::read_to_string(folder.join(MARKER)).map_err(unread)?;
    if replacement(&go_mod).is_some_and(|path| folder.join(path).join(MARKER).is_file()) {
        return Ok(None);
    }
    let sdk = scratch.sdk("go")?;
    let project = folder.canonicalize().map_err(unread)?;
    let text = format!(
        "go {}\n\nuse {:?}\n\nreplace {SDK} => {:?}\n",
        go_version(&go_mod).unwrap_or("1.24"),
        project.display().to_string(),
        sdk.display().to_string()
    );
    let path = scratch.folder.join("go.work");
    fs::write(&path, text).map_err(|error| Unbuilt::Unwritten(format!("{}: {error}", path.display())))?;
    Ok(Some(path))
}

/// Returns the folder that go.mod has in place of the SDK's module.
fn replacement(go_mod: &str) -> Option<&str> {
    go_mod.lines().find_map(|line| {
        let line = line.split("//").next()?.trim();
        let (module, path) = line.strip_prefix("replace ").unwrap_or(line).split_once("=>")?;
        (module.split_ascii_whitespace().next() == Some(SDK)).then(|| path.trim().trim_matches(['"', '`']))
    })
}

fn go_version(go_mod: &str) -> Option<&str> {
    go_mod.lines().find_map(|line| line.strip_prefix("go ")).map(str::trim)
}

/// Returns whether a component can be named so.
fn is_file_name(name: &str) -> bool {
    !name.starts_with('.')
        && !name.is_empty()
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sdk_is_where_the_replacement_says() {
        for (go_mod, path) in [
            ("module x\n\nreplace tuffet => ./sdk/go // vendored\n", Some("./sdk/go")),
            ("replace (\n\ta => ../a\n\ttuffet v0.0.0 => \"/a b/go\"\n)\n", Some("/a b/go")),
            ("module x\nrequire tuffet v0.0.0\n", None),
            ("replace other => ../tuffet\n", None),
        ] {
            assert_eq!(replacement(go_mod), path, "{go_mod}");
        }
        assert_eq!(go_version("module x\n\ngo 1.25\n"), Some("1.25"));
    }

    #[test]
    fn names_of_components() {
        for (name, good) in
            [("firmware-2", true), ("a.b_c", true), ("", false), (".a", false), ("a/b", false)]
        {
            assert_eq!(is_file_name(name), good, "{name}");
        }
    }
}
