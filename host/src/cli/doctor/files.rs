//! The served files: whether the server's user can read each.

use super::finding::{Finding, Grade};
use super::roots::quoted;
use crate::privileges::{Account, acting_as};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tuffet_request::RootSpec;

/// How far a root is looked at: a large one on a slow disk would take minutes.
const MOST: Bounds = Bounds { entries: 200_000, time: Duration::from_secs(3) };
/// The names that are listed.
const NAMED: usize = 3;

#[derive(Debug, Clone, Copy)]
struct Bounds {
    entries: usize,
    time: Duration,
}

/// What a walk through a root has seen.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    /// Files and folders.
    entries: usize,
    /// Those that cannot be read, and the first of their names, relative to the root.
    closed: usize,
    named: Vec<PathBuf>,
    /// Whether a bound ended the walk.
    cut: bool,
}

/// Looks at the files of a root as this process's user, or, if root runs the check, as the user that the server becomes.
pub(super) fn readable(root: &RootSpec, account: Option<&Account>) -> Finding {
    let check = format!("files of {}", root.name);
    let account = account.filter(|account| !account.uid.is_root());
    let walk = || Ok::<_, io::Error>(walk(&root.path, MOST));
    let seen = match account {
        // The kernel knows all that decides: groups, access control lists, mounts.
        Some(account) => acting_as(account, walk),
        None => walk(),
    };
    match seen {
        Ok(seen) => judge(check, root, account, &seen),
        Err(error) => {
            Finding::unknown(check, format!("this process cannot look as the server's user: {error}"))
        }
    }
}

fn judge(check: String, root: &RootSpec, account: Option<&Account>, seen: &Seen) -> Finding {
    let who = account.map_or("this user", |account| &account.name);
    if seen.closed > 0 {
        let names: Vec<String> =
            seen.named.iter().map(|name| format!("`{}`", name.to_string_lossy().escape_debug())).collect();
        let more = if seen.closed > names.len() { ", …" } else { "" };
        let says = format!(
            "{who} cannot read {} of {} files and folders: {}{more}; clients that ask for them get ERROR 2",
            seen.closed,
            seen.entries,
            names.join(", ")
        );
        let path = quoted(&root.path);
        let look = match account {
            Some(account) => format!("runuser -u {} -- find {path} ! -readable", account.name),
            None => format!("find {path} ! -readable"),
        };
        return Finding::new(check, Grade::CouldBeBetter, says)
            .mend(look)
            .mend(format!("chmod -R o+rX {path}"));
    }
    if seen.cut {
        let says = format!("{who} can read the first {}; the others were not looked at", seen.entries);
        return Finding::unknown(check, says);
    }
    Finding::good(check, format!("{who} can read all {} files and folders", seen.entries))
}

fn walk(root: &Path, bounds: Bounds) -> Seen {
    let end = Instant::now() + bounds.time;
    let mut seen = Seen::default();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        // What vanishes meanwhile is no problem, nor is what else cannot be listed: only permissions count here.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            // A link is served where it leads to, if that is in a root.
            if !kind.is_file() && !kind.is_dir() {
                continue;
            }
            if seen.entries == bounds.entries || Instant::now() >= end {
                seen.cut = true;
                return seen;
            }
            seen.entries += 1;
            let path = entry.path();
            let needed = if kind.is_dir() { Access::READ_OK | Access::EXEC_OK } else { Access::READ_OK };
            if accessat(CWD, &path, needed, AtFlags::EACCESS) == Err(rustix::io::Errno::ACCESS) {
                seen.closed += 1;
                if seen.named.len() < NAMED {
                    seen.named.push(path.strip_prefix(root).unwrap_or(&path).to_owned());
                }
            } else if kind.is_dir() {
                folders.push(path);
            }
        }
    }
    seen.named.sort();
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_counts_files_and_folders_up_to_its_bounds() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        fs::write(folder.path().join("a/b/c"), "").unwrap();
        std::os::unix::fs::symlink("/nowhere", folder.path().join("link")).unwrap();
        let all = walk(folder.path(), MOST);
        assert_eq!(all, Seen { entries: 3, ..Seen::default() });
        let cut = walk(folder.path(), Bounds { entries: 2, ..MOST });
        assert_eq!((cut.entries, cut.cut), (2, true));
        assert!(walk(folder.path(), Bounds { time: Duration::ZERO, ..MOST }).cut);
    }

    #[test]
    fn what_was_not_looked_at_is_not_good() {
        let root = RootSpec::read_only("boot", "/srv/t ftp");
        let judge = |seen: Seen| judge("files".into(), &root, None, &seen);
        assert_eq!(judge(Seen { entries: 9, ..Seen::default() }).grade, Grade::Good);
        assert_eq!(judge(Seen { entries: 9, cut: true, ..Seen::default() }).grade, Grade::Unknown);
        let closed = Seen { entries: 9, closed: 2, named: vec!["a\nb".into()], cut: true };
        let found = judge(closed);
        assert_eq!(found.grade, Grade::CouldBeBetter);
        assert!(found.says.contains(r"cannot read 2 of 9 files and folders: `a\nb`, …;"), "{}", found.says);
        assert_eq!(found.commands, ["find '/srv/t ftp' ! -readable", "chmod -R o+rX '/srv/t ftp'"]);
    }
}
