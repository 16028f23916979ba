//! What is there but may not be touched, and why: rights of files, or the bounds of this process.

use super::{Account, PrivilegeError, own};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use std::path::Path;
use tuffet_config::sinks::SinkTarget;
use tuffet_config::{Barred, ComponentSource, Config, barred, outside};

/// What a reload would touch and may not: pairs of a JSON pointer and a message.
pub(crate) fn out_of_bounds(next: &Config) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut look = |pointer: String, path: &Path, to_write: bool| {
        if barred(path, to_write) == Some(Barred::Bounds) {
            found.push((pointer, outside(path)));
        }
    };
    for (number, root) in next.roots.iter().enumerate() {
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

/// The folder, or the nearest above it that is there.
fn there(folder: &Path) -> &Path {
    folder.ancestors().find(|above| above.exists()).unwrap_or(folder)
}

/// Everything that the user that the server has become must be able to touch, and may not.
pub(super) fn require(config: &Config, account: Option<&Account>) -> Result<(), PrivilegeError> {
    // Who did not change its user finds out by using it.
    let Some(account) = account else { return Ok(()) };
    let user = &account.name;
    let mut problems = Vec::new();
    for root in &config.roots {
        let (name, path) = (&root.name, root.path.display());
        let word = if barred(&root.path, false).is_some() || !may_enter(&root.path) {
            "read"
        } else if root.writable && barred(&root.path, true).is_some() {
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
    for folder in own.iter().filter(|folder| Some(folder.as_path()) != compiled) {
        let there = there(folder);
        // What is no folder at all is told by who opens it.
        if there.is_dir() && (barred(there, true) == Some(Barred::Rights) || !all_writable(folder)) {
            let path = folder.display();
            problems.push(format!(
                "{path}: the server runs as the user `{user}`, who may not write there: \
                 `mkdir -p {path} && chown -R {user} {path}`"
            ));
        }
    }
    for sink in &config.sinks {
        if let SinkTarget::File(target) = &sink.target {
            problems.extend(sink_problem(&sink.name, &target.path, target.rotate.is_some(), user));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(PrivilegeError::Barred(problems)) }
}

fn sink_problem(name: &str, file: &Path, rotates: bool, user: &str) -> Option<String> {
    let path = file.display();
    let folder = file.parent().unwrap_or(file);
    if accessat(CWD, file, Access::WRITE_OK, AtFlags::EACCESS).is_err() && file.exists() {
        return Some(format!(
            "sink `{name}`: the server runs as the user `{user}`, who may not write {path}: `chown {user} {path}`"
        ));
    }
    if accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).is_ok() {
        return None;
    }
    let folder = folder.display();
    if rotates || !file.exists() {
        return Some(format!(
            "sink `{name}`: the server runs as the user `{user}`, who may not make files in {folder}, as putting \
             files away needs: `chown {user} {folder}`, or a folder of its own, and the path in `sinks.{name}.file`"
        ));
    }
    tracing::warn!(
        target: "tuffet::privileges",
        sink = name,
        file = %path,
        "the folder of this file may not be written by the user `{user}`: who puts the file away has to make the \
         next one, as `create 0640 {user}` does in logrotate"
    );
    None
}

fn may_enter(folder: &Path) -> bool {
    accessat(CWD, folder, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

/// Whether what lies in the folder may be written, too: an earlier start as another user leaves files.
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
        assert_eq!(barred(folder.path(), false), None);
        assert_eq!(barred(folder.path(), true), None);
        assert_eq!(barred(&folder.path().join("not there"), false), None);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
