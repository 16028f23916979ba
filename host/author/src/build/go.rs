//! Projects in Go: the stock compiler for WASI 0.1, and a component around its module.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::built::{BuildError, BuiltComponent};
use super::project::Project;
use super::scratch::Scratch;
use crate::export::Export;

/// The file that identifies a project.
pub(super) const MARKER: &str = "go.mod";

/// The module of the SDK.
const SDK: &str = "tuffet";

/// Builds the project in a folder. The compiler's messages go to standard error.
pub(super) fn build(folder: &Path) -> Result<BuiltComponent, BuildError> {
    let project = Project::read(folder, &[])?;
    let scratch = Scratch::make()?;
    let module = compile(folder, &project.exports, &scratch)?;
    project.require_grants(&module, |missing| {
        // The package is named after its interface.
        format!("uses the package {SDK}/{}", missing.trim_start_matches("client-"))
    })?;
    project.component(folder, module, scratch)
}

/// Compiles the project to a core module.
fn compile(folder: &Path, exports: &[Export], scratch: &Scratch) -> Result<Vec<u8>, BuildError> {
    let shown = folder.display();
    let module = scratch.folder.join("module.wasm");
    let words: Vec<&str> = exports.iter().map(|export| export.word()).collect();
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
            return Err(BuildError::Failed(format!(
                "{shown}: the build failed ({}: {status})",
                go.display()
            )));
        }
        Err(error) => {
            return Err(BuildError::Unavailable(format!(
                "{} cannot be run ({error}); install Go 1.24 or later, https://go.dev/doc/install",
                go.display()
            )));
        }
    }
    fs::read(&module).map_err(|_| {
        BuildError::NoProject(format!("{shown}: the compiler wrote no module: the plugin is a package main"))
    })
}

/// Returns a workspace that gives the project this server's SDK, unless go.mod leads to another one that exists.
fn workspace(folder: &Path, scratch: &Scratch) -> Result<Option<PathBuf>, BuildError> {
    let unread =
        |error: std::io::Error| BuildError::NoProject(format!("{}/{MARKER}: {error}", folder.display()));
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
    fs::write(&path, text).map_err(|error| BuildError::Unwritten(format!("{}: {error}", path.display())))?;
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
}
