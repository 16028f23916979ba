//! Roots whose folders cannot be opened at the start, and the folders that sandbox rules allow in their place.

use std::path::{Path, PathBuf};

use tuffet_request::Unopened;

/// The limit of links that lead nowhere yet, one after the other.
const MAX_LINKS: usize = 8;

/// A root whose folder is missing, or does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnopenedRoot {
    /// The name of the root.
    pub root: String,
    /// Why its folder is not open.
    pub why: Unopened,
    /// The folder as configured; absolute. Empty if it does not answer.
    pub path: PathBuf,
    /// The folders that sandbox rules allow in its place: with all that is in them, also with what is mounted there
    /// later. Empty if only `/` would do.
    pub above: Vec<PathBuf>,
}

impl UnopenedRoot {
    /// `above`: the nearest folder above it that answers.
    pub(crate) fn unresponsive(root: &str, above: Option<PathBuf>) -> UnopenedRoot {
        let why = Unopened::Unresponsive;
        UnopenedRoot { root: root.to_owned(), why, path: PathBuf::new(), above: above.into_iter().collect() }
    }

    pub(crate) fn missing(root: &str, path: &Path) -> UnopenedRoot {
        let (why, path) = (Unopened::Missing, path.to_owned());
        UnopenedRoot { root: root.to_owned(), why, above: above(&path), path }
    }
}

/// Returns the folders in which a path will appear: the nearest one that exists, and those that links on its way lead to.
fn above(path: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Some(existing) = path.ancestors().find(|above| above.exists()) else { break };
        let Ok(real) = existing.canonicalize() else { break };
        let base = around_mount_point(&real);
        if base != Path::new("/") && !all.iter().any(|known| known == base) {
            all.push(base.to_owned());
        }
        let mut rest = path.strip_prefix(existing).unwrap_or(Path::new("")).components();
        let Some(Ok(target)) = rest.next().map(|first| std::fs::read_link(existing.join(first))) else {
            break;
        };
        path = existing.join(target).join(rest.as_path());
    }
    all
}

/// Returns the folder above an empty one. An empty folder may be a mount point, and a rule for it would not allow what is
/// mounted there: only rules for folders above a mount point count for the file system on it.
fn around_mount_point(folder: &Path) -> &Path {
    match folder.parent() {
        Some(above) if is_empty(folder) => above,
        _ => folder,
    }
}

/// Returns whether this is an empty folder.
pub fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::create_dir_all;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_appears_later_is_below_one_of_these_folders() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        create_dir_all(base.join("mnt/usb")).unwrap();
        create_dir_all(base.join("data/files")).unwrap();
        let of = |path: &str| above(&base.join(path));
        assert_eq!(of("data/later/tftp"), [base.join("data")]);
        assert_eq!(of("mnt/usb/tftp"), [base.join("mnt")], "a mount point");
        assert_eq!(of("mnt/other"), [base.join("mnt")]);
        symlink("../mnt/usb/tftp", base.join("data/link")).unwrap();
        assert_eq!(of("data/link/x86"), [base.join("data"), base.join("mnt")]);
        symlink("loop", base.join("data/loop")).unwrap();
        assert_eq!(of("data/loop/x"), [base.join("data")]);
        assert_eq!(above(Path::new("/no-such-folder/at/all")), [] as [PathBuf; 0]);
        assert!(is_empty(&base.join("mnt/usb")) && !is_empty(&base.join("mnt")));
    }
}
