//! Projects for the interface 0.2: names the lines of their sources that change, and an old copy of the SDK.

mod names;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use names::Names;

/// The folder of a project with its copy of the SDK.
const SDK: &str = "sdk";
/// Folders that are no sources of the project.
const SKIPPED: [&str; 6] = [SDK, "node_modules", "target", "venv", "__pycache__", "build"];
/// The largest number of files searched, their largest size in bytes, and the greatest depth of folders.
const MAX_FILES: usize = 1000;
const MAX_BYTES: u64 = 1 << 20;
const MAX_DEPTH: usize = 8;
/// The largest number of lines shown.
const MAX_SHOWN: usize = 20;

/// Text that every unsupported version of the interface leaves in components, WIT and bindings.
const OLD: [&str; 2] = ["tuffet:policy@0.", "tuffet:policy/lifecycle@0."];

/// A line with an old name.
#[derive(Debug, PartialEq, Eq)]
struct OldName {
    location: String,
    old: &'static str,
    new: &'static str,
}

/// Lists the parts of a project that are for the interface 0.2; `None` if there are none. `component`: the build result.
pub(super) fn explain(folder: &Path, component: Option<&[u8]>) -> Option<String> {
    let old_sdk = has_old_sdk(&folder.join(SDK));
    let old_component = component.is_some_and(is_old);
    let sources = files(folder, &SKIPPED);
    let languages = [language(folder), Some(&names::CASES)];
    let tables: Vec<&Names> = languages.into_iter().flatten().collect();
    let mut old_names = search(&sources, &tables, false);
    if old_sdk || old_component || !old_names.is_empty() {
        old_names = search(&sources, &tables, true);
    } else {
        return None;
    }
    let mut text =
        String::from("this project is for the interface tuffet:policy@0.2, and this server has 1.0");
    // Writing to a string cannot fail.
    if old_sdk {
        let _ = write!(
            text,
            "\n  sdk/: this copy of the SDK is older than the server: replace it by the folder `sdk` of a new project \
             (`tuffet plugin new`)"
        );
    }
    for OldName { location, old, new } in old_names.iter().take(MAX_SHOWN) {
        let _ = write!(text, "\n  {location}: `{old}` is now {new}");
    }
    if old_names.len() > MAX_SHOWN {
        let _ = write!(text, "\n  and {} more lines", old_names.len() - MAX_SHOWN);
    }
    Some(text)
}

fn language(folder: &Path) -> Option<&'static Names> {
    let has = |file: &str| folder.join(file).is_file();
    if has("Cargo.toml") {
        Some(&names::RUST)
    } else if has(super::python::MARKER) {
        Some(&names::PYTHON)
    } else if has(super::js::MARKER) {
        Some(&names::JS)
    } else if has(super::go::MARKER) {
        Some(&names::GO)
    } else {
        has(super::project::MANIFEST).then_some(&names::C)
    }
}

fn is_old(bytes: &[u8]) -> bool {
    OLD.iter().any(|old| bytes.windows(old.len()).any(|part| part == old.as_bytes()))
}

fn has_old_sdk(sdk: &Path) -> bool {
    // Bindings and WIT; documents may mention older versions.
    files(sdk, &SKIPPED[1..])
        .iter()
        .filter(|path| path.extension().is_none_or(|extension| extension != "md"))
        .any(|path| fs::read(path).is_ok_and(|bytes| is_old(&bytes)))
}

/// Returns the files below a folder, by name, but for those in hidden folders and in `skipped`.
fn files(folder: &Path, skipped: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(metadata) = entry.metadata() else { continue };
            let name = name.to_string_lossy();
            if name.starts_with('.') || skipped.contains(&&*name) {
                continue;
            }
            if metadata.is_dir() && depth < MAX_DEPTH {
                folders.push((path, depth + 1));
            } else if metadata.is_file() && metadata.len() <= MAX_BYTES && found.len() < MAX_FILES {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn search(sources: &[PathBuf], tables: &[&Names], likely: bool) -> Vec<OldName> {
    let mut old_names = Vec::new();
    for path in sources {
        let name = path.to_string_lossy();
        let Some(table) = tables.iter().find(|table| table.endings.iter().any(|end| name.ends_with(end)))
        else {
            continue;
        };
        let Ok(text) = fs::read_to_string(path) else { continue };
        let shown = path.strip_prefix(".").unwrap_or(path).display();
        let names = || table.sure.iter().chain(if likely { table.likely } else { &[] });
        for (number, line) in text.lines().enumerate() {
            // The first old name of a line is enough.
            if let Some((old, new)) = names().find(|(old, new)| has(line, old, new)) {
                old_names.push(OldName { location: format!("{shown}:{}", number + 1), old, new });
            }
        }
    }
    old_names
}

/// Whether a line has the old name as a whole word, and not as the beginning of the new one.
fn has(line: &str, old: &str, new: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let same = new.strip_prefix(old).and_then(|rest| rest.chars().next());
    line.match_indices(old).any(|(at, _)| {
        let (before, after) = (line[..at].chars().next_back(), line[at + old.len()..].chars().next());
        let begins = !old.starts_with(is_word) || !before.is_some_and(is_word);
        let ends = !old.ends_with(is_word) || old.ends_with('_') || !after.is_some_and(is_word);
        begins && ends && (same.is_none() || after != same)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_are_found_as_whole_words() {
        for (line, old, new, there) in [
            ("Verdict::Drop", "Verdict::Drop", "Verdict::Drop(reason)", true),
            ("return Verdict::Drop;", "Verdict::Drop", "Verdict::Drop(reason)", true),
            ("Verdict::Drop(\"away\".into())", "Verdict::Drop", "Verdict::Drop(reason)", false),
            ("Verdict::Dropped", "Verdict::Drop", "Verdict::Drop(reason)", false),
            ("x.verdict_by = 1", "verdict_by", "decided_by", true),
            ("my_verdict_by", "verdict_by", "decided_by", false),
            ("if (x == TUFFET_OUTCOME_SERVED)", "TUFFET_OUTCOME_", "…", true),
            ("é FilesElseNext(é)", "FilesElseNext", "…", true),
        ] {
            assert_eq!(has(line, old, new), there, "{line}");
        }
    }

    #[test]
    fn a_project_of_this_version_has_no_old_names() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (table, projects) in [
            (
                &names::RUST,
                &["sdk/templates/rust", "sdk/conformance/rust", "plugins/acl", "examples/plugins/ztp"][..],
            ),
            (&names::PYTHON, &["sdk/templates/python", "sdk/conformance/python"]),
            (&names::JS, &["sdk/templates/ts", "sdk/templates/js", "sdk/conformance/js"]),
            (&names::GO, &["sdk/templates/go", "sdk/conformance/go"]),
            (&names::C, &["sdk/templates/c", "sdk/conformance/c"]),
            (&names::CASES, &["sdk/templates/common"]),
        ] {
            for project in projects {
                let folder = repository.join(project);
                let sources = files(&folder, &SKIPPED);
                assert!(!sources.is_empty(), "{project}");
                assert_eq!(search(&sources, &[table], false), [], "{project}");
            }
        }
        assert!(!has_old_sdk(&repository.join("sdk")));
    }

    #[test]
    fn lines_and_the_copy_of_the_sdk_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let write = |path: &str, text: &str| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("Cargo.toml", "");
        write(
            "src/lib.rs",
            "use tuffet_sdk::{Limits, Verdict};\nfn f(upload: &Upload) -> u64 { upload.bytes }\n",
        );
        assert_eq!(explain(folder, None), None, "such names may be the project's own");
        write("src/resolve.rs", "\nResolution::FilesElseNext(vec![])\n");
        write("target/x.rs", "Resolution::FilesElseNext");
        let text = explain(folder, None).unwrap();
        for line in
            ["src/lib.rs:1: `Limits` is now Profile", "src/lib.rs:2: `upload.bytes`", "src/resolve.rs:2: `"]
        {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(!text.contains("target/") && !text.contains("sdk/"), "{text}");
        write("src/resolve.rs", &"verdict_by\n".repeat(100));
        assert!(explain(folder, None).unwrap().ends_with("and 82 more lines"));
        fs::remove_file(folder.join("src/resolve.rs")).unwrap();
        assert!(
            explain(folder, Some(b"\0asm tuffet:policy/lifecycle@0.2.0")).unwrap().contains("src/lib.rs:1")
        );
        write("sdk/wit/policy.wit", "package tuffet:policy@0.2.0;");
        let text = explain(folder, None).unwrap();
        assert!(
            text.contains("sdk/: this copy of the SDK is older") && text.contains("src/lib.rs:1"),
            "{text}"
        );
    }
}
