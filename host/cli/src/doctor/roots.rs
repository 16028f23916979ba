//! Checks the served folders: access for the server's user, and free space.

use super::files;
use super::finding::{Finding, Grade, size};
use rustix::fs::{Access, AtFlags, CWD, Uid, accessat, stat, statvfs};
use rustix::io::Errno;
use std::path::Path;
use tuffet_config::reach;
use tuffet_daemon::privileges::{Account, Kind, find_upload_place};
use tuffet_request::{RootSpec, Unopened};

/// Checks a root. `account` is the user that the server becomes, if root runs the check.
pub(super) fn check(root: &RootSpec, account: Option<&Account>) -> Vec<Finding> {
    if let Some(url) = &root.elsewhere {
        return cache_folder(root, url, account);
    }
    let mut findings = vec![readable(&format!("root {}", root.name), &root.path, account)];
    if findings[0].grade == Grade::Good {
        findings.push(files::readable(root, account));
    }
    let check = format!("links of {}", root.name);
    findings.extend(root.link_folders.iter().map(|folder| match folder.answers {
        true => readable(&check, &folder.path, account),
        false => {
            let says =
                format!("{} does not answer; links lead into it as soon as it does", folder.path.display());
            Finding::new(check.clone(), Grade::Wrong, says)
        }
    }));
    if root.writable {
        findings.push(writable(root, account));
        findings.extend(free_space(root));
    }
    findings
}

/// Reports a root with a folder that is missing or hangs. Further checks of the latter would hang, too.
pub(super) fn unopened(root: &RootSpec, why: Unopened) -> Finding {
    let path = root.path.display();
    let says = match why {
        Unopened::Missing => format!(
            "{path} does not exist; the server starts without this root and serves it as soon as it does. Create it, mount \
             what it is on, or correct the path"
        ),
        Unopened::Unresponsive => format!(
            "{path} has not answered for {} s; the server starts without this root and serves it as soon as it answers. \
             Check the disk or the file server behind it",
            reach::PATIENCE.as_secs()
        ),
    };
    Finding::new(format!("root {}", root.name), Grade::Wrong, says)
}

/// Checks the folder of the cache, or the nearest existing one above it: the server creates it.
fn cache_folder(root: &RootSpec, url: &str, account: Option<&Account>) -> Vec<Finding> {
    let check = format!("cache of {}", root.name);
    let there = root.path.ancestors().find(|above| above.exists()).unwrap_or(&root.path);
    let user = account.map_or_else(rustix::process::geteuid, |account| Uid::from_raw(account.uid.as_raw()));
    let cache = root.path.display();
    let finding = match check_access(there, Access::WRITE_OK | Access::EXEC_OK, account) {
        Ok(()) => Finding::good(check, format!("{cache} can be written; {url} is not checked")),
        // Root creates the folder for the server's user.
        Err(_) if account.is_some() && !root.path.exists() => {
            Finding::good(check, format!("{cache} will be created at the start; {url} is not checked"))
        }
        Err(error) => Finding::new(check, Grade::Wrong, format!("{}: {error}", there.display()))
            .fix(format!("mkdir -p {0} && chown {1} {0}", quoted(&root.path), user.as_raw())),
    };
    vec![finding]
}

fn readable(check: &str, folder: &Path, account: Option<&Account>) -> Finding {
    match check_access(folder, Access::READ_OK | Access::EXEC_OK, account) {
        Ok(()) => Finding::good(check, format!("{} can be read", folder.display())),
        Err(error) => {
            let fix = match error {
                Errno::NOENT => format!("mkdir -p {}", quoted(folder)),
                _ => format!("chmod o+rx {}", quoted(folder)),
            };
            Finding::new(check, Grade::Wrong, format!("{}: {error}", folder.display())).fix(fix)
        }
    }
}

fn writable(root: &RootSpec, account: Option<&Account>) -> Finding {
    let check = format!("uploads into {}", root.name);
    let user = account.map_or_else(rustix::process::geteuid, |account| Uid::from_raw(account.uid.as_raw()));
    let writes = Access::WRITE_OK | Access::EXEC_OK;
    let Err(error) = check_access(&root.path, writes, account) else {
        return Finding::good(check, format!("{} can be written", root.path.display()));
    };
    let may = |path: &Path, kind: Kind| {
        let access = if kind == Kind::Folder { writes } else { Access::WRITE_OK };
        check_access(path, access, account).is_ok()
    };
    match find_upload_place(root, may) {
        Some(found) if found.is_dir() => {
            let says = format!("{} cannot be written, but {} can", root.path.display(), found.display());
            Finding::good(check, says)
        }
        Some(found) => {
            let says = format!(
                "{} cannot be written, but files such as {} can: uploads are written in place, and other programs may \
                 read a mixture of old and new content at that moment",
                root.path.display(),
                found.display()
            );
            Finding::good(check, says)
        }
        None => Finding::new(check, Grade::Wrong, format!("{}: {error}", root.path.display())).fix(format!(
            "chown {} {}",
            user.as_raw(),
            quoted(&root.path)
        )),
    }
}

/// Uploads of this size are as good as unlimited.
const UNLIMITED: u64 = 1 << 60;

fn free_space(root: &RootSpec) -> Option<Finding> {
    let check = format!("room for uploads into {}", root.name);
    let found = statvfs(&root.path).ok()?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    if root.max_upload >= UNLIMITED && free > 0 {
        return Some(Finding::good(check, format!("{} are free; uploads have no limit", size(free))));
    }
    if free >= root.max_upload {
        let says = format!("{} are free; one upload takes up to {}", size(free), size(root.max_upload));
        return Some(Finding::good(check, says));
    }
    let grade = if free == 0 { Grade::Wrong } else { Grade::CouldBeBetter };
    let says = format!(
        "{} are free, but one upload may take {} (`max-upload`); make room, or lower that",
        size(free),
        size(root.max_upload)
    );
    Some(
        Finding::new(check, grade, says)
            .fix(format!("du -xh --max-depth=1 {} | sort -h", quoted(&root.path))),
    )
}

/// Checks access for the effective user, as opening does, and for the server's user.
fn check_access(path: &Path, how: Access, account: Option<&Account>) -> rustix::io::Result<()> {
    accessat(CWD, path, how, AtFlags::EACCESS)?;
    let Some(account) = account.filter(|account| !account.uid.is_root()) else { return Ok(()) };
    let path = path.canonicalize().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    let may = |folder: &Path, wanted: u32| -> rustix::io::Result<bool> {
        let about = stat(folder)?;
        // The first match counts, as in the kernel; access control lists are ignored.
        let shift = if about.st_uid == account.uid.as_raw() {
            6
        } else if account.groups.iter().any(|group| group.as_raw() == about.st_gid) {
            3
        } else {
            0
        };
        Ok(about.st_mode >> shift & wanted == wanted)
    };
    // The bits are those of a file's mode: read 4, write 2, enter 1.
    let above = path.ancestors().skip(1).map(|folder| may(folder, 1));
    let all = above.chain([may(&path, how.bits())]);
    if all.collect::<Result<Vec<_>, _>>()?.contains(&false) { Err(Errno::ACCESS) } else { Ok(()) }
}

/// Quotes a path for a shell.
pub(super) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+,:@".contains(letter);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(path: &Path, max_upload: u64) -> RootSpec {
        RootSpec { writable: true, max_upload, ..RootSpec::read_only("in", path) }
    }

    #[test]
    fn a_folder_with_room_and_one_without() {
        let folder = tempfile::tempdir().unwrap();
        let grades = |spec: &RootSpec| check(spec, None).iter().map(|found| found.grade).collect::<Vec<_>>();
        assert_eq!(grades(&root(folder.path(), 1)), [Grade::Good; 4]);
        assert_eq!(grades(&root(folder.path(), UNLIMITED - 1))[3], Grade::CouldBeBetter);
        assert_eq!(grades(&root(folder.path(), UNLIMITED))[3], Grade::Good);
        let gone = root(&folder.path().join("not there"), 1);
        let found = readable("root", &gone.path, None);
        assert_eq!(found.grade, Grade::Wrong);
        assert!(found.commands[0].ends_with("not there'"), "{:?}", found.commands);
    }
}
