//! Finds a place below a root that takes uploads although the root itself does not: a folder of the server's user in a
//! folder of another user, or a file that is written in place.

use std::path::{Path, PathBuf};
use tuffet_request::RootSpec;

/// The largest number of names looked at: a start must not wait long for a large tree.
const MAX_NAMES: usize = 20_000;

/// A file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
}

/// Returns the first folder below that of a root, or file if the root writes files in place, that `may_write` accepts. Follows
/// no links.
pub fn find_upload_place(root: &RootSpec, may_write: impl Fn(&Path, Kind) -> bool) -> Option<PathBuf> {
    let mut folders = vec![root.path.clone()];
    let mut names_left = MAX_NAMES;
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            names_left = names_left.checked_sub(1)?;
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            let kind = match kind {
                kind if kind.is_dir() => Kind::Folder,
                kind if kind.is_file() && root.staging.is_some() => Kind::File,
                _ => continue,
            };
            if may_write(&path, kind) {
                return Some(path);
            }
            if kind == Kind::Folder {
                folders.push(path);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn folders_and_files_to_write_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::write(at("a/file"), "").unwrap();
        std::os::unix::fs::symlink(at("a"), at("link")).unwrap();
        let mut root = RootSpec { writable: true, ..RootSpec::read_only("in", folder.path()) };
        let found = |root: &RootSpec, name: &str| find_upload_place(root, |path, _| path == at(name));
        assert_eq!(found(&root, "a/b"), Some(at("a/b")));
        assert_eq!((found(&root, "a/file"), found(&root, "link"), found(&root, "x")), (None, None, None));
        root.staging = Some(at("staging"));
        assert_eq!(found(&root, "a/file"), Some(at("a/file")));
    }
}
