//! Checks whether permissions and the sandbox of this process allow access to existing files.

use super::own_paths::unopened;
use super::start_check::PlannedPaths;
use super::{Account, Kind, PrivilegeError, find_upload_place, own_paths};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use std::fmt;
use std::path::{Path, PathBuf};
use tuffet_config::sinks::{FileTarget, SinkTarget};
use tuffet_config::{
    ComponentSource, Config, Inaccessible, outside_sandbox as explain_outside, reach, why_inaccessible,
};
use tuffet_request::{RootSpec, Unopened};
use tuffet_store::{Obstacle, ObstacleCause, Right, SecurityLabel, find_obstacle, quoted};

/// Returns the paths that a reload needs and the sandbox forbids: pairs of a JSON pointer and a message.
pub(crate) fn outside_sandbox(next: &Config) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut check = |pointer: String, path: &Path, to_write: bool| {
        if why_inaccessible(path, to_write) == Some(Inaccessible::Sandbox) {
            // Both decide when a file is opened.
            let module = SecurityLabel::of_this_process().filter(SecurityLabel::decides_at_opening);
            let or_module = module.map(|label| format!("; or the {label} refuses it")).unwrap_or_default();
            found.push((pointer, explain_outside(path) + &or_module));
        }
    };
    for origin in &next.origins {
        let number = next.roots.iter().position(|root| root.name == origin.root).unwrap_or_default();
        check(format!("/roots/{number}/cache/path"), nearest_existing(&origin.cache.path), true);
    }
    let folders = next.roots.iter().enumerate().filter(|(_, root)| root.elsewhere.is_none());
    for (number, root) in folders {
        if let Some(unopened) = unopened(next, root) {
            // Opening it later must be possible.
            for above in unopened.above.iter().filter(|_| unopened.why == Unopened::Missing) {
                check(format!("/roots/{number}/path"), above, false);
            }
            continue;
        }
        check(format!("/roots/{number}/path"), &root.path, false);
        if root.writable {
            check(format!("/roots/{number}/writable"), &root.path, true);
        }
    }
    for (number, root) in next.roots.iter().enumerate() {
        for (index, folder) in root.link_folders.iter().enumerate().filter(|(_, folder)| folder.answers) {
            check(format!("/roots/{number}/links/{index}"), &folder.path, false);
        }
    }
    for plugin in &next.policy.plugins {
        if let ComponentSource::Path(path) = &plugin.component {
            check(format!("/plugins/{}/component", plugin.name), path, false);
        }
    }
    for (number, file) in next.settings.service.lease_files.iter().enumerate() {
        let folder = file.path.parent().unwrap_or(&file.path);
        if reach::answers(folder) {
            check(format!("/facts/leases/{number}/file"), folder, false);
        }
    }
    if let Some(file) = next.log.file() {
        check("/log/to/file".into(), file.path.parent().unwrap_or(&file.path), true);
    }
    for sink in &next.sinks {
        let at = |key| format!("/sinks/{}/{key}", sink.name);
        if let SinkTarget::File(target) = &sink.target {
            check(at("file"), target.path.parent().unwrap_or(&target.path), true);
        }
        if let Some(spool) = &sink.spool {
            check(at("spool"), nearest_existing(&spool.path), true);
        }
    }
    let staging: Vec<&Path> = own_paths::staging(next).collect();
    let is_of_state = |folder: &&PathBuf| **folder == next.state || staging.contains(&folder.as_path());
    for folder in own_paths::folders(next).iter().filter(is_of_state) {
        check("/state".into(), nearest_existing(folder), true);
    }
    found
}

/// Returns the folder, or its nearest existing ancestor.
pub(super) fn nearest_existing(folder: &Path) -> &Path {
    folder.ancestors().find(|above| above.exists()).unwrap_or(folder)
}

/// Warns about a file of lines that the server can write but not create again.
#[derive(Debug)]
pub(super) struct LineFileWarning {
    /// `log`, or the sink with its name.
    owner: String,
    file: PathBuf,
    user: String,
}

impl LineFileWarning {
    pub(super) fn log(&self) {
        tracing::warn!(target: "tuffet::privileges", file = %self.file.display(), "{self}");
    }
}

impl fmt::Display for LineFileWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{0}: the user `{2}` may not write in the folder of {1}, so log rotation must create the next file, \
             as `create 0640 {2}` does in logrotate",
            self.owner,
            self.file.display(),
            self.user
        )
    }
}

/// Requires access to all paths that the server needs as its new user, except those in `planned`: they do not exist
/// yet, and the user will own them.
pub(super) fn require(
    config: &Config,
    account: Option<&Account>,
    planned: &PlannedPaths,
) -> Result<Vec<LineFileWarning>, PrivilegeError> {
    // Without a change of user, opening the files shows it.
    let Some(account) = account else { return Ok(Vec::new()) };
    let mut problems = closed_roots(config, account);
    let (unwritable, advice) = unwritable(config, account, planned);
    problems.extend(unwritable);
    if problems.is_empty() { Ok(advice) } else { Err(PrivilegeError::NoAccess(problems)) }
}

/// Returns what this user, who is that of the process, may not write of the files that the server keeps, and warnings.
pub(super) fn unwritable(
    config: &Config,
    account: &Account,
    planned: &PlannedPaths,
) -> (Vec<String>, Vec<LineFileWarning>) {
    let (user, mut problems, mut advice) = (&account.name, Vec::new(), Vec::new());
    let own = own_paths::folders(config);
    let compiled = config.policy.compiled.as_deref();
    let own = own.iter().filter(|folder| !planned.created.contains(folder));
    for folder in own.filter(|folder| Some(folder.as_path()) != compiled) {
        let existing = nearest_existing(folder);
        // A path that is not a folder fails when it is opened.
        if existing.is_dir() && (why_inaccessible(existing, true).is_some() || !all_writable(folder)) {
            let path = quoted(folder);
            let remedy = remedy(
                find_obstacle(existing, &[Right::Enter, Right::Write]),
                account,
                format!("`mkdir -p {path} && chown -R {user} {path}`"),
            );
            problems.push(format!(
                "{}: the server runs as the user `{user}`, who may not write there: {remedy}",
                folder.display()
            ));
        }
    }
    for (owner, key, target) in line_files(config) {
        let exists = target.path.exists() || planned.created.contains(&target.path);
        match file_problem((owner, key), &target.path, target.rotate.is_some(), exists, account) {
            Ok(its) => advice.extend(its),
            Err(problem) => problems.push(problem),
        }
    }
    (problems, advice)
}

/// Returns what to do about a path that the server keeps: to give it to the server's user (`otherwise`), unless something
/// else than its mode refuses.
fn remedy(obstacle: Option<Obstacle>, account: &Account, otherwise: String) -> String {
    match obstacle {
        Some(obstacle) if !matches!(obstacle.cause, ObstacleCause::Mode { .. }) => {
            format!("{obstacle}: {}", obstacle.remedy(&account.name, account.gid.as_raw()))
        }
        _ => otherwise,
    }
}

/// Returns the roots that this user, who is that of the process, may not read or may not take uploads in.
pub(super) fn closed_roots(config: &Config, account: &Account) -> Vec<String> {
    let user = &account.name;
    let folders = config.roots.iter().filter(|root| root.elsewhere.is_none());
    let closed = folders.filter(|root| unopened(config, root).is_none()).filter_map(|root| {
        let (word, obstacle) = match find_obstacle(&root.path, &[Right::Read, Right::Enter]) {
            Some(obstacle) => ("read", obstacle),
            None if root.writable && !takes_uploads_below(root) => {
                ("write", find_obstacle(&root.path, &[Right::Write])?)
            }
            None => return None,
        };
        Some(format!(
            "root `{}`: the server runs as the user `{user}`, who may not {word} {}: {obstacle}: {}; or name another \
             user: `--user NAME`, `privileges: {{ user: NAME }}`",
            root.name,
            root.path.display(),
            obstacle.remedy(user, account.gid.as_raw())
        ))
    });
    closed.collect()
}

/// Returns the files of lines: whose each is, its key, and its target.
fn line_files(config: &Config) -> impl Iterator<Item = (String, String, &FileTarget)> {
    let sinks = config.sinks.iter().filter_map(|sink| match &sink.target {
        SinkTarget::File(target) => {
            Some((format!("sink `{}`", sink.name), format!("sinks.{}.file", sink.name), target))
        }
        _ => None,
    });
    sinks.chain(config.log.file().map(|file| ("log".to_owned(), "log.to.file".to_owned(), file)))
}

fn file_problem(
    (owner, key): (String, String),
    file: &Path,
    rotates: bool,
    exists: bool,
    account: &Account,
) -> Result<Option<LineFileWarning>, String> {
    let (path, user) = (file.display(), &account.name);
    let folder = file.parent().unwrap_or(file);
    if accessat(CWD, file, Access::WRITE_OK, AtFlags::EACCESS).is_err() && file.exists() {
        let remedy =
            remedy(find_obstacle(file, &[Right::Write]), account, format!("`chown {user} {}`", quoted(file)));
        return Err(format!(
            "{owner}: the server runs as the user `{user}`, who may not write {path}: {remedy}"
        ));
    }
    if accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).is_ok() {
        return Ok(None);
    }
    if rotates || !exists {
        let remedy = remedy(
            find_obstacle(folder, &[Right::Enter, Right::Write]),
            account,
            format!("`chown {user} {}`", quoted(folder)),
        );
        let why = if rotates { ", as rotation needs" } else { "" };
        return Err(format!(
            "{owner}: the server runs as the user `{user}`, who may not create files in {}{why}: {remedy}, or use a \
             separate folder in `{key}`",
            folder.display()
        ));
    }
    Ok(Some(LineFileWarning { owner, file: file.to_owned(), user: user.clone() }))
}

/// Whether uploads into a folder or file below that of the root are possible.
fn takes_uploads_below(root: &RootSpec) -> bool {
    let may = |path: &Path, kind: Kind| {
        let access = if kind == Kind::Folder { Access::WRITE_OK | Access::EXEC_OK } else { Access::WRITE_OK };
        accessat(CWD, path, access, AtFlags::EACCESS).is_ok()
    };
    find_upload_place(root, may).is_some()
}

/// Returns whether the folder's files are writable, too: a start as another user may have left some.
fn all_writable(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return true };
    entries.flatten().all(|entry| accessat(CWD, entry.path(), Access::WRITE_OK, AtFlags::EACCESS).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accessible_folder_is_not_barred() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(why_inaccessible(folder.path(), false), None);
        assert_eq!(why_inaccessible(folder.path(), true), None);
        assert_eq!(why_inaccessible(&folder.path().join("not there"), false), None);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
