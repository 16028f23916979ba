//! Projects in JavaScript and TypeScript: the SDK's own build, which runs esbuild and componentize-js in Node.js.

use std::path::Path;
use std::process::{Command, Stdio};

use super::built::{BuildError, BuiltComponent};
use super::project::is_file_name;
use super::scratch::Scratch;

/// The file that identifies a project.
pub(super) const MARKER: &str = "package.json";

/// The SDK of a project, below its folder.
const SDK: &str = "sdk/js";

/// Builds the project in a folder. The output of the build goes to standard error.
pub(super) fn build(folder: &Path) -> Result<BuiltComponent, BuildError> {
    let shown = folder.display();
    let file = folder.join(MARKER);
    let manifest = std::fs::read_to_string(&file)
        .map_err(|error| error.to_string())
        .and_then(|text| serde_json::from_str(&text).map_err(|error: serde_json::Error| error.to_string()))
        .map_err(|error| BuildError::NoProject(format!("{}: {error}", file.display())))?;
    let Some(name) = project_name(&manifest) else {
        return Err(BuildError::NoProject(format!(
            "{}: the project has no name: write `\"name\": \"…\"`",
            file.display()
        )));
    };
    let scratch = Scratch::make()?;
    let own = folder.join(SDK);
    let sdk = if own.join("build/main.js").is_file() { own } else { scratch.sdk("js")? };
    let component = scratch.path("component.wasm");
    let mut command = Command::new("node");
    command.arg(sdk.join("build/main.js")).arg(folder).arg("-o").arg(&component);
    // The build asks this program for the world of the plugin.
    if let Ok(own) = std::env::current_exe() {
        command.env("TUFFET", own);
    }
    // The caller reports the success itself.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
    match command.status() {
        Ok(status) if status.success() => Ok(BuiltComponent { name, component, scratch: Some(scratch) }),
        Ok(status) => {
            let message = format!("{shown}: the build failed (node: {status})");
            Err(match status.code() {
                Some(64) => BuildError::NoProject(message),
                Some(69) => BuildError::Unavailable(message),
                _ => BuildError::Failed(message),
            })
        }
        Err(error) => Err(BuildError::Unavailable(format!(
            "node cannot be run ({error}); install Node.js 20 or later and npm, then run `npm install` in the \
             folder of the project"
        ))),
    }
}

/// Returns the name of the package, without its scope.
fn project_name(manifest: &serde_json::Value) -> Option<String> {
    let name = manifest.get("name")?.as_str()?;
    let name =
        name.strip_prefix('@').and_then(|scoped| scoped.split_once('/')).map_or(name, |(_, name)| name);
    is_file_name(name).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_that_of_the_package() {
        let name = |json: &str| project_name(&serde_json::from_str(json).unwrap_or_default());
        assert_eq!(name(r#"{ "name": "a-b" }"#).as_deref(), Some("a-b"));
        assert_eq!(name(r#"{ "name": "@me/a_2" }"#).as_deref(), Some("a_2"));
        for none in
            ["{}", r#"{"name": 1}"#, r#"{"name": ""}"#, r#"{"name": "../x"}"#, r#"{"name": "@me/.x"}"#]
        {
            assert_eq!(name(none), None, "{none}");
        }
    }
}
