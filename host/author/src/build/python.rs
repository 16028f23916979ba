//! Projects in Python: the SDK's own build, which runs componentize-py.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use super::built::{BuildError, BuiltComponent};
use super::project::is_file_name;
use super::scratch::Scratch;

/// The file that identifies a project.
pub(super) const MARKER: &str = "pyproject.toml";

/// The SDK of a project, below its folder.
const SDK: &str = "sdk/python";

/// The usual places of a project's virtual environment.
const ENVIRONMENTS: [&str; 2] = [".venv/bin/python3", "venv/bin/python3"];

/// Builds the project in a folder. The output of the build goes to standard error.
pub(super) fn build(folder: &Path) -> Result<BuiltComponent, BuildError> {
    let shown = folder.display();
    let unread = |error: io::Error| BuildError::NoProject(format!("{shown}/{MARKER}: {error}"));
    let manifest = std::fs::read_to_string(folder.join(MARKER)).map_err(unread)?;
    let Some(name) = project_name(&manifest) else {
        return Err(BuildError::NoProject(format!(
            "{shown}/{MARKER}: the project has no name: write `name = \"…\"` below `[project]`"
        )));
    };
    let scratch = Scratch::make()?;
    let own = folder.join(SDK);
    let sdk = if own.join("__main__.py").is_file() { own } else { scratch.sdk("python")? };
    let environment = ENVIRONMENTS.iter().map(|python| folder.join(python)).find(|python| python.is_file());
    let python = environment.unwrap_or_else(|| "python3".into());
    let component = scratch.path("component.wasm");
    let mut command = Command::new(&python);
    // `-B`: leaves no bytecode in the source folders.
    command.arg("-B").args([&sdk, folder]).arg("-o").arg(&component);
    // The caller reports the success itself.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
    match command.status() {
        Ok(status) if status.success() => Ok(BuiltComponent { name, component, scratch: Some(scratch) }),
        Ok(status) => {
            let said = format!("{shown}: the build failed ({}: {status})", python.display());
            Err(match status.code() {
                Some(64) => BuildError::NoProject(said),
                Some(69) => BuildError::Unavailable(format!("{said}; in its folder run\n\n{}", remedy())),
                _ => BuildError::Failed(said),
            })
        }
        Err(error) => Err(BuildError::Unavailable(format!(
            "{} cannot be run ({error}); install Python 3.11 or later, then in the folder of the project \
             run\n\n{}",
            python.display(),
            remedy()
        ))),
    }
}

fn remedy() -> String {
    let requirements = tuffet_sdk_sources::files().find(|(path, _)| *path == "python/requirements.txt");
    let requirements = requirements.map_or("componentize-py", |(_, text)| text.trim());
    format!("    python3 -m venv .venv\n    .venv/bin/pip install '{requirements}'\n")
}

/// Returns `name` in `[project]`, which is a plain string (PEP 621).
fn project_name(manifest: &str) -> Option<String> {
    let mut inside = false;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line == "[project]";
        }
        let value = line.strip_prefix("name").map(str::trim_start).and_then(|rest| rest.strip_prefix('='));
        if let Some(value) = value.filter(|_| inside) {
            let value = value.trim_start();
            let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            let name = value[1..].split(quote).next()?;
            return is_file_name(name).then(|| name.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_that_of_the_project() {
        let name = |text: &str| project_name(text);
        assert_eq!(name("[tool.x]\nname = \"no\"\n[project]\nname='a-b' # it\n").as_deref(), Some("a-b"));
        assert_eq!(name("[project]\n  name   = \"a_2\"\n").as_deref(), Some("a_2"));
        for none in [
            "",
            "name = \"x\"",
            "[project]\nname = x",
            "[project]\nname = \"../x\"",
            "[project]\nname = \"\"",
        ] {
            assert_eq!(name(none), None, "{none}");
        }
    }
}
