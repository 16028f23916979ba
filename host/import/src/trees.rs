//! Finds links in a served folder that lead out of it, which Tuffet does not follow.

use crate::location::Location;
use crate::target::Target;
use std::path::{Component, Path, PathBuf};

/// The largest number of entries visited.
const MAX_ENTRIES: usize = 20_000;

/// The largest number of links named in a report.
const MAX_NAMED: usize = 5;

/// Reports symbolic links that the original follows and Tuffet refuses: absolute ones, and those that lead out.
/// `is_chroot`: the original resolves absolute links below the folder, and no link leads out of it.
pub(crate) fn report_links(folder: &Path, is_chroot: bool, location: &Location, target: &mut Target) {
    let links = refused_links(folder, is_chroot);
    let named: Vec<String> = links.iter().take(MAX_NAMED).map(|link| link.display().to_string()).collect();
    if named.is_empty() {
        return;
    }
    let more = match links.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let text = format!(
        "{}{more}: Tuffet follows only relative links that stay in the folder; make them relative, or add a root",
        named.join(", ")
    );
    target.missing(location, text);
}

fn refused_links(top: &Path, is_chroot: bool) -> Vec<PathBuf> {
    let mut refused = Vec::new();
    let mut folders = vec![top.to_owned()];
    let mut entries_seen = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries.flatten() {
            entries_seen += 1;
            if entries_seen > MAX_ENTRIES {
                return refused;
            }
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_symlink() && is_refused(top, &entry.path(), is_chroot) {
                refused.push(entry.path());
            }
        }
    }
    refused.sort();
    refused
}

/// Whether the original follows a link to something and Tuffet does not.
fn is_refused(top: &Path, link: &Path, is_chroot: bool) -> bool {
    let Ok(to) = link.read_link() else { return false };
    if is_chroot {
        // A relative link cannot leave a changed root: its parent is the root itself.
        let seen =
            if to.is_absolute() { top.join(to.strip_prefix("/").unwrap_or(&to)) } else { return false };
        return seen.exists();
    }
    (to.is_absolute() || climbs_out(top, link, &to)) && link.exists()
}

/// Whether a relative link leads above the folder, by its text.
fn climbs_out(top: &Path, link: &Path, to: &Path) -> bool {
    let parent = link.parent().and_then(|parent| parent.strip_prefix(top).ok());
    let mut depth = parent.map_or(0, |parent| parent.components().count());
    for component in to.components() {
        match component {
            Component::ParentDir if depth == 0 => return true,
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_that_only_the_original_follows() {
        let around = tempfile::tempdir().unwrap();
        let top = around.path().join("top");
        fs::create_dir_all(top.join("below")).unwrap();
        fs::write(top.join("file"), "").unwrap();
        fs::write(around.path().join("outside"), "").unwrap();
        let links = [
            ("relative", "file"),
            ("below/relative", "../file"),
            ("absolute", top.join("file").to_str().unwrap()),
            ("in-chroot", "/file"),
            ("out", "../outside"),
            ("below/out", "../../outside"),
            ("dangling", "/nonexistent/x"),
        ]
        .map(|(name, to)| symlink(to, top.join(name)).map(|()| name).unwrap());
        assert_eq!(links.len(), 7);
        let expected = |names: &[&str]| names.iter().map(|name| top.join(name)).collect::<Vec<_>>();
        assert_eq!(refused_links(&top, false), expected(&["absolute", "below/out", "out"]));
        assert_eq!(refused_links(&top, true), expected(&["in-chroot"]));
    }
}
