//! Components that are older than the sources of their project. Whoever tests, checks or pushes one means the sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tuffet_config::ComponentSource;

/// The files of a project that have its name.
const MANIFESTS: [&str; 4] = ["Cargo.toml", "pyproject.toml", "package.json", "tuffet.json"];
/// Files that become a part of the component, beside the sources.
const PARTS: [&str; 3] = ["settings.schema.json", "go.mod", "tsconfig.json"];
/// The extensions of sources.
const SOURCES: [&str; 9] = ["rs", "py", "js", "mjs", "ts", "go", "c", "h", "wit"];
/// What the names of tests end with, without the extension.
const TESTS: [&str; 3] = ["_test", ".test", ".spec"];
/// Folders of tests, of compilers and of package managers.
const SKIPPED: [&str; 7] = ["tests", "benches", "examples", "target", "node_modules", "venv", "__pycache__"];
/// How much the times of files may differ that one checkout or copy has made.
const CHECKOUT: Duration = Duration::from_secs(2);
/// The largest number of files looked at.
const MAX_FILES: usize = 10_000;

/// Returns why a component must be built again: the source that is newer, and the command. `None` for a component
/// that no project beside it builds.
pub(crate) fn explain(component: &ComponentSource) -> Option<String> {
    let ComponentSource::Path(component) = component else { return None };
    let folder = component.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    if !builds(folder, component.file_stem()?.to_str()?) {
        return None;
    }
    let built = fs::metadata(component).ok()?.modified().ok()?;
    let (source, _) = newest_source(folder).filter(|(_, changed)| *changed > built + CHECKOUT)?;
    let (source, shown) = (source.strip_prefix(".").unwrap_or(&source), component.display());
    let build = if folder == Path::new(".") { String::new() } else { format!(" {}", folder.display()) };
    Some(format!(
        "{shown}: it is older than {}, so it is not what the sources say; run `tuffet plugin build{build}`",
        source.display()
    ))
}

/// Whether the project in this folder has this name.
fn builds(folder: &Path, name: &str) -> bool {
    let (own, scoped) = (format!("\"{name}\""), format!("/{name}\""));
    MANIFESTS.iter().any(|manifest| {
        let text = fs::read_to_string(folder.join(manifest)).unwrap_or_default();
        text.contains(&own) || text.contains(&scoped) || text.contains(&format!("'{name}'"))
    })
}

fn newest_source(folder: &Path) -> Option<(PathBuf, SystemTime)> {
    let mut newest: Option<(PathBuf, SystemTime)> = None;
    let mut folders = vec![folder.to_owned()];
    let mut left = MAX_FILES;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).ok()?.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let (Ok(metadata), Some(name)) = (entry.metadata(), name.to_str()) else { continue };
            left = left.checked_sub(1)?;
            if metadata.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name) {
                folders.push(path);
            } else if metadata.is_file()
                && is_source(name)
                && let Ok(changed) = metadata.modified()
                && newest.as_ref().is_none_or(|(_, other)| changed > *other)
            {
                newest = Some((path, changed));
            }
        }
    }
    newest
}

fn is_source(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_test = TESTS.iter().any(|test| stem.ends_with(test)) || stem.starts_with("test_");
    MANIFESTS.contains(&name) || PARTS.contains(&name) || (SOURCES.contains(&extension) && !is_test)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_is_newer_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str, age: u64| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age);
            fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        };
        let explained = |name: &str| explain(&ComponentSource::Path(folder.path().join(name)));
        write("quota.wasm", "", 10);
        write("src/lib.rs", "", 0);
        assert_eq!(explained("quota.wasm"), None, "there is no project");
        write("Cargo.toml", "[package]\nname = \"quota\"\n", 20);
        let why = explained("quota.wasm").unwrap();
        assert!(why.contains("src/lib.rs, so it is not") && why.contains("`tuffet plugin build /"), "{why}");
        write("other.wasm", "", 10);
        assert_eq!(explained("other.wasm"), None, "the project builds another one");
        write("src/lib.rs", "", 9);
        assert_eq!(explained("quota.wasm"), None, "a checkout writes one after the other");
        write("src/lib.rs", "", 11);
        for (newer, there) in [
            ("src/deep/er.rs", true),
            ("settings.schema.json", true),
            ("sdk/rust/src/lib.rs", true),
            ("cases.yaml", false),
            ("README.md", false),
            ("tests/all.rs", false),
            ("target/x.rs", false),
            (".git/x.rs", false),
            ("plugin.test.ts", false),
            ("policy_test.go", false),
            ("test_plugin.py", false),
        ] {
            write(newer, "", 0);
            assert_eq!(explained("quota.wasm").is_some(), there, "{newer}");
            fs::remove_file(folder.path().join(newer)).unwrap();
        }
    }
}
