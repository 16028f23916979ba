//! Checks the served folders: access for the server's user, and free space.

use super::files;
use super::finding::{Finding, Grade, size};
use rustix::fs::{Uid, stat, statvfs};
use rustix::io::Errno;
use rustix::process::{getegid, geteuid};
use std::path::Path;
use tuffet_config::reach;
use tuffet_daemon::privileges::{Account, Kind, acting_as, find_upload_place};
use tuffet_request::{RootSpec, Unopened};
use tuffet_store::{Obstacle, Right, find_obstacle, quoted};

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
    let user = account.map_or_else(geteuid, |account| Uid::from_raw(account.uid.as_raw()));
    let cache = root.path.display();
    let finding = match check_access(there, WRITES, account) {
        Ok(()) => Finding::good(check, format!("{cache} can be written; {url} is not checked")),
        // Root creates the folder for the server's user.
        Err(_) if account.is_some() && !root.path.exists() => {
            Finding::good(check, format!("{cache} will be created at the start; {url} is not checked"))
        }
        Err(refusal) => Finding::new(check, Grade::Wrong, refusal.says(there, account)).fix(format!(
            "mkdir -p {0} && chown {1} {0}",
            quoted(&root.path),
            user.as_raw()
        )),
    };
    vec![finding]
}

fn readable(check: &str, folder: &Path, account: Option<&Account>) -> Finding {
    match check_access(folder, &[Right::Enter, Right::Read], account) {
        Ok(()) => Finding::good(check, format!("{} can be read", folder.display())),
        Err(refusal) => refusal.finding(check.to_owned(), folder, account),
    }
}

fn writable(root: &RootSpec, account: Option<&Account>) -> Finding {
    let check = format!("uploads into {}", root.name);
    let Err(refusal) = check_access(&root.path, WRITES, account) else {
        return Finding::good(check, format!("{} can be written", root.path.display()));
    };
    let may = |path: &Path, kind: Kind| {
        let rights = if kind == Kind::Folder { WRITES } else { &[Right::Write] };
        check_access(path, rights, account).is_ok()
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
        None => refusal.finding(check, &root.path, account),
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

/// The rights on a folder that files are created in.
const WRITES: &[Right] = &[Right::Enter, Right::Write];

/// What keeps a user from a path.
enum Refusal {
    Missing,
    /// A part of the path refuses a right.
    Obstacle(Obstacle),
    /// Another error.
    Failed(Errno),
}

impl Refusal {
    fn says(&self, path: &Path, account: Option<&Account>) -> String {
        let path = path.display();
        match self {
            Refusal::Missing => format!("{path}: {}", Errno::NOENT),
            Refusal::Failed(error) => format!("{path}: {error}"),
            Refusal::Obstacle(obstacle) => {
                let who = account
                    .map_or_else(|| "this user".into(), |account| format!("the user {}", account.name));
                let remedy = match obstacle.command("", 0) {
                    Some(_) => String::new(),
                    None => format!("; {}", obstacle.remedy(&who, 0)),
                };
                format!("{path} is closed to {who}: {obstacle}{remedy}")
            }
        }
    }

    /// Returns the command that opens the path.
    fn command(&self, path: &Path, account: Option<&Account>) -> Option<String> {
        match self {
            Refusal::Missing => Some(format!("mkdir -p {}", quoted(path))),
            Refusal::Obstacle(obstacle) => match account {
                Some(account) => obstacle.command(&account.name, account.gid.as_raw()),
                None => obstacle.command(&geteuid().as_raw().to_string(), getegid().as_raw()),
            },
            Refusal::Failed(_) => None,
        }
    }

    fn finding(&self, check: String, path: &Path, account: Option<&Account>) -> Finding {
        let finding = Finding::new(check, Grade::Wrong, self.says(path, account));
        self.command(path, account).into_iter().fold(finding, Finding::fix)
    }
}

/// Checks access for the server's user, as the kernel decides it: groups, access control lists and mounts count.
fn check_access(path: &Path, rights: &[Right], account: Option<&Account>) -> Result<(), Refusal> {
    let look = || {
        if let Some(obstacle) = find_obstacle(path, rights) {
            return Err(Refusal::Obstacle(obstacle));
        }
        match stat(path) {
            Ok(_) => Ok(()),
            Err(Errno::NOENT) => Err(Refusal::Missing),
            Err(error) => Err(Refusal::Failed(error)),
        }
    };
    match account.filter(|account| !account.uid.is_root()) {
        None => look(),
        Some(account) => acting_as(account, || Ok(look()))
            .unwrap_or_else(|error| Err(Refusal::Failed(Errno::from_io_error(&error).unwrap_or(Errno::IO)))),
    }
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
