//! Projects in JavaScript and TypeScript: the SDK's own build, which runs esbuild and componentize-js in Node.js.

use std::path::Path;
use std::process::{Command, Stdio};

use super::scratch::Scratch;
use super::{Made, Unbuilt};

/// The file that identifies a project.
pub(super) const MARKER: &str = "package.json";

/// The SDK of a project, below its folder.
const SDK: &str = "sdk/js";

/// Builds the project in a folder. The output of the build goes to standard error.
pub(super) fn build(folder: &Path) -> Result<Made, Unbuilt> {
    let shown = folder.display();
    let file = folder.join(MARKER);
    let manifest = std::fs::read_to_string(&file)
        .map_err(|error| error.to_string())
        .and_then(|text| serde_json::from_str(&text).map_err(|error: serde_json::Error| error.to_string()))
        .map_err(|error| Unbuilt::NoProject(format!("{}: {error}", file.display())))?;
    let Some(name) = project_name(&manifest) else {
        return Err(Unbuilt::NoProject(format!(
            "{}: the project has no name: write `\"name\": \"…\"`",
            file.display()
        )));
    };
    let scratch = Scratch::make()?;
    let own = folder.join(SDK);
    let sdk = if own.join("build/main.js").is_file() { own } else { scratch.sdk("js")? };
    if own_is_older(folder) {
        return Err(Unbuilt::NoProject(format!(
            "{shown}/{SDK}: this copy of the SDK is older than this program, and writes components for version 0.1.0 of the \
             interface; replace the folder by `{SDK}` of a new project (`tuffet plugin new NAME --language js`): the \
             sources of the plugin need no change"
        )));
    }
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
        Ok(status) if status.success() => Ok(Made { name, component, scratch: Some(scratch) }),
        Ok(status) => {
            let message = format!("{shown}: the build failed (node: {status})");
            Err(match status.code() {
                Some(64) => Unbuilt::NoProject(message),
                Some(69) => Unbuilt::Unavailable(message),
                _ => Unbuilt::Failed(message),
            })
        }
        Err(error) => Err(Unbuilt::Unavailable(format!(
            "node cannot be run ({error}); install Node.js 20 or later and npm, then run `npm install` in the \
             folder of the project"
        ))),
    }
}

/// Returns whether the project has a copy of the SDK for version 0.1.0 of the interface. Such a copy leaves the version to this
/// program, which writes a newer one.
fn own_is_older(folder: &Path) -> bool {
    let manifest = std::fs::read_to_string(folder.join(SDK).join(MARKER)).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap_or_default();
    manifest.get("version").and_then(|version| version.as_str()) == Some("0.1.0")
}

/// Returns the name of the package, without its scope.
fn project_name(manifest: &serde_json::Value) -> Option<String> {
    let name = manifest.get("name")?.as_str()?;
    let name =
        name.strip_prefix('@').and_then(|scoped| scoped.split_once('/')).map_or(name, |(_, name)| name);
    // It becomes a file name.
    let good = !name.is_empty()
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
        && !name.starts_with('.');
    good.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_copy_of_the_sdk_is_named() {
        let scratch = Scratch::make().unwrap_or_else(|_| unreachable!("there is room"));
        let sdk = scratch.sdk("js").unwrap_or_else(|_| unreachable!("there is room"));
        let project = scratch.path("project");
        let copy = project.join(SDK);
        let made =
            std::fs::create_dir_all(&copy).and_then(|()| std::fs::copy(sdk.join(MARKER), copy.join(MARKER)));
        assert!(made.is_ok() && !own_is_older(&project), "{made:?}");
        let written = std::fs::write(copy.join(MARKER), r#"{ "name": "tuffet", "version": "0.1.0" }"#);
        assert!(written.is_ok() && own_is_older(&project));
        assert!(!own_is_older(&scratch.path("none")));
    }

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
