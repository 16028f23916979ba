//! Checks whether existing files are accessible: by their permissions, or in the sandbox of this process.

use super::foresee::Foreseen;
use super::{Account, PrivilegeError, own};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use std::fmt;
use std::path::{Path, PathBuf};
use tuffet_config::sinks::SinkTarget;
use tuffet_config::{ComponentSource, Config, Inaccessible, outside_sandbox, reach, why_inaccessible};
use tuffet_request::RootSpec;

/// Returns the paths that a reload needs and the sandbox forbids: pairs of a JSON pointer and a message.
pub(crate) fn out_of_bounds(next: &Config) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut look = |pointer: String, path: &Path, to_write: bool| {
        if why_inaccessible(path, to_write) == Some(Inaccessible::Sandbox) {
            found.push((pointer, outside_sandbox(path)));
        }
    };
    for origin in &next.origins {
        let number = next.roots.iter().position(|root| root.name == origin.root).unwrap_or_default();
        look(format!("/roots/{number}/cache/path"), there(&origin.cache.path), true);
    }
    let folders = next.roots.iter().enumerate().filter(|(_, root)| root.elsewhere.is_none());
    for (number, root) in folders.filter(|(_, root)| !is_silent(next, root)) {
        look(format!("/roots/{number}/path"), &root.path, false);
        if root.writable {
            look(format!("/roots/{number}/writable"), &root.path, true);
        }
    }
    for plugin in &next.policy.plugins {
        if let ComponentSource::Path(path) = &plugin.component {
            look(format!("/plugins/{}/component", plugin.name), path, false);
        }
    }
    for (number, file) in next.lease_files.iter().enumerate() {
        let folder = file.path.parent().unwrap_or(&file.path);
        if reach::answers(folder) {
            look(format!("/facts/leases/{number}/file"), folder, false);
        }
    }
    for sink in &next.sinks {
        let at = |key| format!("/sinks/{}/{key}", sink.name);
        if let SinkTarget::File(target) = &sink.target {
            look(at("file"), target.path.parent().unwrap_or(&target.path), true);
        }
        if let Some(spool) = &sink.spool {
            look(at("spool"), there(&spool.path), true);
        }
    }
    for folder in own::folders(next).iter().filter(|folder| **folder == next.state) {
        look("/state".into(), there(folder), true);
    }
    found
}

/// Whether a look at the folder of this root would have to wait for it.
pub(super) fn is_silent(config: &Config, root: &RootSpec) -> bool {
    config.silent.iter().any(|silent| silent.root == root.name)
}

/// Returns the folder, or its nearest existing ancestor.
pub(super) fn there(folder: &Path) -> &Path {
    folder.ancestors().find(|above| above.exists()).unwrap_or(folder)
}

/// The file of a sink that the server can write but not create again.
#[derive(Debug)]
pub(super) struct Advice {
    sink: String,
    file: PathBuf,
    user: String,
}

impl Advice {
    pub(super) fn log(&self) {
        tracing::warn!(target: "tuffet::privileges", sink = self.sink, file = %self.file.display(), "{self}");
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "sink `{0}`: the folder of {1} may not be written by the user `{2}`: who puts the file away has to make the \
             next one, as `create 0640 {2}` does in logrotate",
            self.sink,
            self.file.display(),
            self.user
        )
    }
}

/// Requires access to everything that the server needs as the user it has become. It owns the paths in
/// `foreseen`, which do not exist yet.
pub(super) fn require(
    config: &Config,
    account: Option<&Account>,
    foreseen: &Foreseen,
) -> Result<Vec<Advice>, PrivilegeError> {
    // Without a change of user, use will show.
    let Some(account) = account else { return Ok(Vec::new()) };
    let user = &account.name;
    let (mut problems, mut advice) = (Vec::new(), Vec::new());
    let folders = config.roots.iter().filter(|root| root.elsewhere.is_none());
    for root in folders.filter(|root| !is_silent(config, root)) {
        let (name, path) = (&root.name, root.path.display());
        let word = if why_inaccessible(&root.path, false).is_some() || !may_enter(&root.path) {
            "read"
        } else if root.writable && why_inaccessible(&root.path, true).is_some() {
            "write"
        } else {
            continue;
        };
        let mend = if word == "read" {
            format!("`chmod o+rx {path}`, and the folders above it `chmod o+x`")
        } else {
            format!("`chown {user} {path}`")
        };
        problems.push(format!(
            "root `{name}`: the server runs as the user `{user}`, who may not {word} {path}: {mend}; or name another \
             user: `--user NAME`, `privileges: {{ user: NAME }}`"
        ));
    }
    let own = own::folders(config);
    let compiled = config.policy.compiled.as_deref();
    let own = own.iter().filter(|folder| !foreseen.made.contains(folder));
    for folder in own.filter(|folder| Some(folder.as_path()) != compiled) {
        let there = there(folder);
        // A path that is not a folder fails when it is opened.
        if there.is_dir()
            && (why_inaccessible(there, true) == Some(Inaccessible::Permissions) || !all_writable(folder))
        {
            let path = folder.display();
            problems.push(format!(
                "{path}: the server runs as the user `{user}`, who may not write there: \
                 `mkdir -p {path} && chown -R {user} {path}`"
            ));
        }
    }
    for sink in &config.sinks {
        if let SinkTarget::File(target) = &sink.target {
            let exists = target.path.exists() || foreseen.made.contains(&target.path);
            match sink_problem(&sink.name, &target.path, target.rotate.is_some(), exists, user) {
                Ok(its) => advice.extend(its),
                Err(problem) => problems.push(problem),
            }
        }
    }
    if problems.is_empty() { Ok(advice) } else { Err(PrivilegeError::Barred(problems)) }
}

fn sink_problem(
    name: &str,
    file: &Path,
    rotates: bool,
    exists: bool,
    user: &str,
) -> Result<Option<Advice>, String> {
    let path = file.display();
    let folder = file.parent().unwrap_or(file);
    if accessat(CWD, file, Access::WRITE_OK, AtFlags::EACCESS).is_err() && file.exists() {
        return Err(format!(
            "sink `{name}`: the server runs as the user `{user}`, who may not write {path}: `chown {user} {path}`"
        ));
    }
    if accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).is_ok() {
        return Ok(None);
    }
    let folder = folder.display();
    if rotates || !exists {
        return Err(format!(
            "sink `{name}`: the server runs as the user `{user}`, who may not make files in {folder}, as putting \
             files away needs: `chown {user} {folder}`, or a folder of its own, and the path in `sinks.{name}.file`"
        ));
    }
    Ok(Some(Advice { sink: name.to_owned(), file: file.to_owned(), user: user.to_owned() }))
}

fn may_enter(folder: &Path) -> bool {
    accessat(CWD, folder, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

/// Returns whether the folder's files are writable, too: an earlier start as another user leaves files.
fn all_writable(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return true };
    entries.flatten().all(|entry| accessat(CWD, entry.path(), Access::WRITE_OK, AtFlags::EACCESS).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_and_free_is_not_barred() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(why_inaccessible(folder.path(), false), None);
        assert_eq!(why_inaccessible(folder.path(), true), None);
        assert_eq!(why_inaccessible(&folder.path().join("not there"), false), None);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
