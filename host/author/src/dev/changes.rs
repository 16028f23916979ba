//! Detects changes of a project.
//!
//! Reading all metadata every third of a second costs less than a millisecond, and works on file systems that report no
//! changes, such as those of network shares and containers.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, Metadata};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Folders that compilers and package managers fill.
const GENERATED: [&str; 4] = ["target", "node_modules", "venv", "__pycache__"];
/// Extensions of files that a build, a server or a sink writes.
const WRITTEN: [&str; 4] = ["wasm", "new", "jsonl", "log"];
/// The largest number of files read.
const MAX_FILES: usize = 10_000;
/// Files above this size, in bytes, are compared by size and time alone.
const MAX_READ: u64 = 4 << 20;

/// The files of a project. Equal if their names and contents are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tree(BTreeMap<PathBuf, File>);

#[derive(Debug, Clone)]
struct File {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Of its content.
    hash: u64,
}

impl PartialEq for File {
    fn eq(&self, other: &File) -> bool {
        (self.bytes, self.hash) == (other.bytes, other.hash)
    }
}

impl Eq for File {}

impl Tree {
    /// Reads a project: the possible sources in its folder, and the configuration. Skips the content of files with the
    /// size and time of `before`.
    pub fn read(folder: &Path, config: &Path, before: &Tree) -> Tree {
        let mut tree = Tree::default();
        let ignored = written_paths(config);
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                let Ok(metadata) = entry.metadata() else { continue };
                let name = name.to_string_lossy();
                if name.starts_with('.') || ignored.contains(&path) {
                    continue;
                }
                if metadata.is_dir() && !GENERATED.contains(&&*name) {
                    folders.push(path);
                } else if metadata.is_file() && !is_written(&path) && tree.0.len() < MAX_FILES {
                    tree.add(path, &metadata, before);
                }
            }
        }
        if let Ok(metadata) = fs::metadata(config) {
            tree.add(config.to_owned(), &metadata, before);
        }
        tree
    }

    fn add(&mut self, path: PathBuf, metadata: &Metadata, before: &Tree) {
        let (bytes, modified) = (metadata.len(), metadata.modified().ok());
        let known = before.0.get(&path).filter(|its| (its.bytes, its.modified) == (bytes, modified));
        let hash = known.map_or_else(|| hash(&path, bytes, modified), |its| its.hash);
        self.0.insert(path, File { bytes, modified, hash });
    }
}

fn is_written(path: &Path) -> bool {
    path.extension().is_some_and(|extension| WRITTEN.iter().any(|its| extension == *its))
}

fn hash(path: &Path, bytes: u64, modified: Option<SystemTime>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let content = (bytes <= MAX_READ).then(|| fs::read(path).ok()).flatten();
    match content {
        Some(content) => content.hash(&mut hasher),
        None => modified.hash(&mut hasher),
    }
    hasher.finish()
}

/// Returns the paths that the server and its clients write to: roots, the folders for keys and for compiled code, and
/// the control socket. Empty while the configuration is being edited.
fn written_paths(config: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(config).unwrap_or_default();
    let value: serde_json::Value = serde_yaml::from_str(&text).unwrap_or_default();
    let roots = value.get("roots").and_then(|roots| roots.as_array());
    let roots = roots.into_iter().flatten().filter_map(|root| root.get("path"));
    let written =
        ["/state", "/control", "/policy/compiled"].iter().filter_map(|pointer| value.pointer(pointer));
    let folder = config.parent().unwrap_or(Path::new(""));
    let paths = roots.chain(written).filter_map(|path| path.as_str());
    paths.filter_map(|path| folder.join(path).canonicalize().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_sources_are_changes() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let config = folder.join("tuffet.yaml");
        let write = |path: &str, text: &str| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "tuffet.yaml",
            "roots: [{ name: boot, path: ./files }]\nstate: ./state\ncontrol: ./control\npolicy: { compiled: ./code }\n",
        );
        write("src/lib.rs", "a");
        let mut before = Tree::read(&folder, &config, &Tree::default());
        for ignored in [
            "target/x.rs",
            "plugin.wasm",
            "plugin.wasm.new",
            "files/upload.bin",
            ".git/HEAD",
            "out.jsonl",
            "state/kv.redb",
            "state/deep/er",
            "code/1234",
            "control",
        ] {
            write(ignored, "text");
            assert_eq!(Tree::read(&folder, &config, &before), before, "{ignored}");
        }
        for seen in ["src/lib.rs", "src/more/mod.rs", "cases.yaml", "tuffet.yaml"] {
            write(seen, "other");
            let now = Tree::read(&folder, &config, &before);
            assert_ne!(now, before, "{seen}");
            before = now;
        }
        // The same content at another time is no change.
        let later = SystemTime::now() + std::time::Duration::from_secs(5);
        fs::File::options().write(true).open(folder.join("cases.yaml")).unwrap().set_modified(later).unwrap();
        assert_eq!(Tree::read(&folder, &config, &before), before);
        fs::remove_file(folder.join("src/lib.rs")).unwrap();
        assert_ne!(Tree::read(&folder, &config, &before), before);
    }
}
