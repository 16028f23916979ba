//! Finds links in a served folder that lead out of it, and names the folders that they lead to.

use crate::location::Location;
use crate::target::Target;
use crate::yaml::Value;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// The largest number of entries visited.
const MAX_ENTRIES: usize = 20_000;

/// The largest number of links named in a report.
const MAX_NAMED: usize = 5;

/// The largest number of links that follow each other, as in the kernel.
const MAX_LINKS: usize = 40;

/// The key of a root with the folders that its links may lead to.
const LINKS: &str = "links";

/// Adds to the last root the folders that its links lead to, and reports links that the original follows and Tuffet
/// refuses. `is_chroot`: the original resolves absolute links below the folder, and no link leads out of it.
pub(crate) fn allow_links(folder: &Path, is_chroot: bool, location: &Location, target: &mut Target) {
    let found = if is_chroot { links_in_chroot(folder) } else { links_out(folder) };
    if !found.refused.is_empty() {
        let text = match is_chroot {
            true => "Tuffet does not resolve absolute links below the folder; make them relative",
            false => "Tuffet does not follow these links; make them relative, or add a root",
        };
        target.missing(location, format!("{}: {text}", named(&found.refused)));
    }
    if found.folders.is_empty() {
        return;
    }
    let mut comments = vec![format!("Links lead there, among them {}.", named(&found.followed))];
    let is_writable = target.roots.last().is_some_and(|root| root.text("writable") == Some("true"));
    if is_writable && !found.to_folders.is_empty() {
        let text = format!("{}: uploads do not follow links out of the folder", named(&found.to_folders));
        comments.push(target.report.differs(location, text));
    }
    if let Some(root) = target.roots.last_mut() {
        root.put(
            LINKS,
            Value::texts(found.folders.iter().map(|folder| folder.display().to_string())),
            comments,
        );
    }
}

fn named(links: &[PathBuf]) -> String {
    let named: Vec<String> = links.iter().take(MAX_NAMED).map(|link| link.display().to_string()).collect();
    let more = match links.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    named.join(", ") + &more
}

/// What the links in a folder need.
#[derive(Debug, Default)]
struct FoundLinks {
    /// The folders outside that they lead to.
    folders: BTreeSet<PathBuf>,
    /// The links that lead there, and those among them that lead to a folder.
    followed: Vec<PathBuf>,
    to_folders: Vec<PathBuf>,
    /// The links that Tuffet does not follow, whatever it is allowed.
    refused: Vec<PathBuf>,
}

fn links_in_chroot(top: &Path) -> FoundLinks {
    let mut found = FoundLinks::default();
    visit(vec![top.to_owned()], |link| {
        let Ok(to) = link.read_link() else { return None };
        // A relative link cannot leave a changed root: its parent is the root itself.
        if let Ok(below) = to.strip_prefix("/")
            && top.join(below).exists()
        {
            found.refused.push(link.to_owned());
        }
        None
    });
    found.refused.sort();
    found
}

fn links_out(top: &Path) -> FoundLinks {
    let mut found = FoundLinks::default();
    let Ok(top) = top.canonicalize() else { return found };
    visit(vec![top.clone()], |link| found.follow(&top, link));
    let FoundLinks { folders, followed, to_folders, refused } = &mut found;
    // A folder allows those in it.
    let all = folders.clone();
    folders.retain(|folder| !all.iter().any(|other| other != folder && folder.starts_with(other)));
    [followed, to_folders, refused].into_iter().for_each(|links| links.sort());
    found
}

impl FoundLinks {
    /// Follows a link. Returns the folder that it leads to, if its links are to be followed, too.
    fn follow(&mut self, top: &Path, link: &Path) -> Option<PathBuf> {
        // A link that leads nowhere now, such as to a disk that is not mounted.
        let about = link.metadata().ok()?;
        let (mut at, mut needed) = (link.to_owned(), Vec::new());
        for _ in 0..MAX_LINKS {
            let Ok(text) = at.read_link() else { break };
            let allowed =
                |path: &Path| path.starts_with(top) || self.folders.iter().any(|its| path.starts_with(its));
            let Some(to) = target_of(&at, &text, allowed) else {
                self.refused.push(link.to_owned());
                return None;
            };
            if !allowed(&to) {
                let is_folder = about.is_dir() && !to.is_symlink();
                needed.push(if is_folder { to.clone() } else { to.parent()?.to_owned() });
            }
            at = to;
        }
        if needed.iter().any(|folder| folder == Path::new("/")) {
            self.refused.push(link.to_owned());
            return None;
        }
        if needed.is_empty() {
            return None;
        }
        self.followed.push(link.to_owned());
        self.folders.extend(needed);
        about.is_dir().then(|| self.to_folders.push(link.to_owned())).map(|()| at)
    }
}

/// Where the text of a link leads to, as Tuffet reads it: what is above a folder that it has not opened is unknown. `None`
/// then.
fn target_of(link: &Path, text: &Path, allowed: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut at = if text.is_absolute() { PathBuf::from("/") } else { link.parent()?.canonicalize().ok()? };
    let mut known = at.components().count();
    for part in text.components() {
        match part {
            Component::ParentDir => {
                if at.components().count() > known && !allowed(&at) {
                    return None;
                }
                at.pop();
                known = known.min(at.components().count());
            }
            Component::Normal(name) => at.push(name),
            _ => {}
        }
    }
    Some(at)
}

/// Visits the links in folders. `visit` may return a folder to be visited, too.
fn visit(mut folders: Vec<PathBuf>, mut visit: impl FnMut(&Path) -> Option<PathBuf>) {
    let mut entries_seen = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = folder.read_dir() else { continue };
        // In one order, on each file system.
        let mut names: Vec<(OsString, bool)> = Vec::new();
        for entry in entries.flatten() {
            entries_seen += 1;
            if entries_seen > MAX_ENTRIES {
                return;
            }
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() || kind.is_symlink() {
                names.push((entry.file_name(), kind.is_dir()));
            }
        }
        names.sort();
        for (name, is_folder) in names {
            let path = folder.join(name);
            folders.extend(if is_folder { Some(path) } else { visit(&path) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_that_only_the_original_follows() {
        let around = tempfile::tempdir().unwrap();
        let around = around.path().canonicalize().unwrap();
        let top = around.join("top");
        for folder in ["top/below", "images/deep", "lib", "other"] {
            fs::create_dir_all(around.join(folder)).unwrap();
        }
        for file in ["top/file", "images/deep/iso", "lib/pxelinux.0", "other/file"] {
            fs::write(around.join(file), "").unwrap();
        }
        let path = |name: &str| around.join(name).display().to_string();
        for (name, to) in [
            ("top/relative", "file".to_owned()),
            ("top/below/relative", "../file".to_owned()),
            ("top/absolute", path("top/file")),
            ("top/in-chroot", "/file".to_owned()),
            ("top/pxelinux.0", path("lib/pxelinux.0")),
            ("top/below/images", "../../images".to_owned()),
            ("top/iso", path("images/deep/iso")),
            ("top/by-another", path("lib/../other/file")),
            ("top/dangling", "/nonexistent/x".to_owned()),
            // Followed from within the folder that a link leads to.
            ("images/deep/more", path("other/file")),
        ] {
            symlink(to, around.join(name)).unwrap();
        }
        let found = links_out(&top);
        let paths = |names: &[&str]| names.iter().map(|name| around.join(name)).collect::<Vec<_>>();
        assert_eq!(found.folders.iter().cloned().collect::<Vec<_>>(), paths(&["images", "lib", "other"]));
        assert_eq!(
            found.followed,
            paths(&["images/deep/more", "top/below/images", "top/iso", "top/pxelinux.0"])
        );
        assert_eq!(found.to_folders, paths(&["top/below/images"]));
        assert_eq!(found.refused, paths(&["top/by-another"]));
        let found = links_in_chroot(&top);
        assert_eq!((found.refused, found.folders.len()), (paths(&["top/in-chroot"]), 0));
    }
}
