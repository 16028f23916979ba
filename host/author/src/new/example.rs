//! Projects that begin as one of the example plugins.

use tuffet_sdk_sources::examples;

/// An example.
#[derive(Debug, Clone, Copy)]
pub(super) struct Example(&'static str);

/// What the manifests of new projects have, and those of examples take from their workspace.
const MANIFEST: &str = include_str!("../../templates/rust/Cargo.toml.txt");
/// Where the profile begins in it.
const PROFILE: &str = "\n# Small components";
/// The path of the SDK in the manifests of the examples.
const SDK: &str = "../../../sdk/rust";

impl Example {
    /// Returns the names of all examples.
    pub fn names() -> Vec<&'static str> {
        let mut names: Vec<&str> = examples().filter_map(|(path, _)| path.split('/').next()).collect();
        names.dedup();
        names
    }

    /// # Errors
    /// There is no such example.
    pub fn parse(name: &str) -> Result<Example, String> {
        let names = Example::names();
        let known = names.iter().find(|known| **known == name);
        known.map(|known| Example(known)).ok_or_else(|| format!("there are {}", names.join(", ")))
    }

    pub fn name(&self) -> &'static str {
        self.0
    }

    /// Returns the files of a project of this name. `sdk`: the path of the SDK, if the project has no copy of it.
    pub fn project(&self, name: &str, sdk: Option<&str>) -> Vec<(String, Vec<u8>)> {
        let its = examples().filter_map(|(path, content)| {
            let path = path.strip_prefix(self.0)?.strip_prefix('/')?;
            Some((path.to_owned(), content))
        });
        let mut files: Vec<(String, Vec<u8>)> = its
            .map(|(path, content)| match (path.as_str(), std::str::from_utf8(content)) {
                ("Cargo.toml", Ok(text)) => (path, self.manifest(text, name, sdk).into_bytes()),
                ("src/lib.rs" | "cases.yaml" | "tuffet.yaml" | "README.md", Ok(text)) => {
                    (path, self.renamed(text, name).into_bytes())
                }
                _ => (path, content.to_vec()),
            })
            .collect();
        let ignored = include_str!("../../templates/rust/gitignore");
        files.push((".gitignore".into(), ignored.into()));
        files
    }

    fn manifest(&self, text: &str, name: &str, sdk: Option<&str>) -> String {
        let path = sdk.map_or_else(|| "sdk/rust".to_owned(), |sdk| format!("{sdk}/rust"));
        let text = text
            .replace(&format!("name = \"{}\"", self.0), &format!("name = \"{name}\""))
            .replace(&format!("\"{SDK}\""), &format!("\"{path}\""))
            .replace("\n[lints]\nworkspace = true\n", "");
        let profile = MANIFEST.find(PROFILE).map_or("", |at| &MANIFEST[at..]);
        match sdk {
            None => text + profile,
            Some(_) => text + &profile.replace("\nexclude = [\"sdk\"]\n", "\n"),
        }
    }

    /// Replaces the name of the component and that in its manifest.
    fn renamed(&self, text: &str, name: &str) -> String {
        text.replace(&format!("{}.wasm", self.0), &format!("{name}.wasm"))
            .replace(&format!("name: \"{}\"", self.0), &format!("name: \"{name}\""))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    #[test]
    fn every_example_of_the_repository_is_there() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/plugins");
        let entries = fs::read_dir(folder).unwrap().flatten();
        let folders = entries.filter(|entry| entry.path().join("Cargo.toml").is_file());
        let folders: BTreeSet<String> =
            folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
        let names: BTreeSet<String> = Example::names().into_iter().map(str::to_owned).collect();
        assert_eq!(names, folders, "host/sdk-sources/examples has a link for each file of an example");
        for name in names {
            let files = Example::parse(&name).unwrap().project("mine", None);
            for needed in ["Cargo.toml", "src/lib.rs", "cases.yaml", "tuffet.yaml", "README.md"] {
                assert!(files.iter().any(|(path, _)| path == needed), "{name}: {needed}");
            }
            let manifest = files.iter().find(|(path, _)| path == "Cargo.toml").unwrap();
            let manifest = std::str::from_utf8(&manifest.1).unwrap();
            assert!(!manifest.contains("..") && !manifest.contains("[lints]"), "{manifest}");
            assert!(manifest.contains("name = \"mine\"") && manifest.contains("[workspace]"), "{manifest}");
        }
    }
}
