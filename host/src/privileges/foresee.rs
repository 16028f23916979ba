//! Whether a server could start and work: judged by becoming the user that would serve.
//!
//! Rights are looked at as that user, since only the kernel knows all that decides about them (groups, access lists,
//! mounts). What root would make before it becomes that user is found out first, and nothing is made.

use super::{Account, PrivilegeError, barred, become_of, drop, in_place_of_root, own, user};
use nix::unistd::{Uid, User};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use tuffet_config::{AdminAddress, Config};

/// What the start would find, as far as root must tell.
#[derive(Debug, Default)]
pub(super) struct Foreseen {
    /// What is missing and would be made.
    pub(super) made: Vec<PathBuf>,
    /// Where sockets would be made by the user, not by root: the path, and the folder that must be writable for that.
    sockets: Vec<(PathBuf, PathBuf)>,
}

impl Foreseen {
    /// To be called as root.
    fn of(config: &Config, account: &Account) -> Foreseen {
        let by_root =
            |folder: &Path| in_place_of_root(folder, Some(account)).is_none() && may_make_in(folder);
        let missing = own::folders(config).into_iter().filter(|folder| !folder.exists());
        let mut made: Vec<PathBuf> = missing.filter(|folder| by_root(barred::there(folder))).collect();
        made.extend(own::files(config).filter(|file| !file.exists()).filter_map(|file| {
            let folder = file.parent().filter(|folder| folder.is_dir())?;
            (own::maker_of(file, Some(account)).is_none() && may_make_in(folder)).then(|| file.to_owned())
        }));
        let sockets = own::sockets(config).filter_map(|path| {
            let folder = barred::there(path.parent()?);
            (!by_root(folder)).then(|| (path.to_owned(), folder.to_owned()))
        });
        Foreseen { made, sockets: sockets.collect() }
    }

    /// As the user: what a socket at this path would fail with.
    fn socket_problem(&self, path: &Path, user: &str) -> Option<String> {
        let shown = path.display();
        if path.symlink_metadata().is_ok_and(|about| !about.file_type().is_socket()) {
            return Some(format!("what lies at {shown} is no socket; remove it, or name another path"));
        }
        let (_, folder) = self.sockets.iter().find(|(socket, _)| socket == path)?;
        let folder = Some(folder).filter(|folder| !may_make_in(folder))?.display();
        Some(format!(
            "the server runs as the user `{user}`, who may not make the socket {shown}: `chown {user} {folder}`, or let \
             root alone write in {folder} and above it"
        ))
    }
}

/// Becomes the user that would serve, for good, and looks at all that the server would touch. Answers what does not
/// keep it from starting.
///
/// # Errors
/// There is no such user; or what it needs to touch and may not.
pub(crate) fn check(config: &Config) -> Result<Vec<String>, PrivilegeError> {
    let mut warnings = Vec::new();
    let account = become_of(&config.privileges)?;
    let Some(account) = account else {
        warnings.extend(not_root(config));
        return Ok(warnings);
    };
    let foreseen = Foreseen::of(config, &account);
    drop::to(Some(&account))?;
    let user = &account.name;
    let required = barred::require(config, Some(&account), &foreseen);
    let mut problems = Vec::new();
    match required {
        Ok(advice) => warnings.extend(advice.into_iter().map(|advice| advice.to_string())),
        Err(PrivilegeError::Barred(its)) => problems = its,
        Err(other) => return Err(other),
    }
    if let Some(AdminAddress::Unix(path)) = config.admin.as_ref().map(|admin| &admin.address) {
        problems
            .extend(foreseen.socket_problem(path, user).map(|problem| format!("`admin.address`: {problem}")));
    }
    if !problems.is_empty() {
        return Err(PrivilegeError::Barred(problems));
    }
    if let Some(path) = &config.control {
        let problem = foreseen.socket_problem(path, user);
        warnings.extend(problem.map(|problem| {
            format!("`control`: `tuffet reload` and `tuffet status` would not reach this server: {problem}")
        }));
    }
    warnings.extend(not_read_again(config, user));
    Ok(warnings)
}

/// What is read as root at the start, and as the server's user by a reload.
fn not_read_again(config: &Config, user: &str) -> Option<String> {
    let closed = config.files.iter().filter(|file| tuffet_config::barred(file, false).is_some());
    let closed: Vec<String> = closed.map(|file| file.display().to_string()).collect();
    (!closed.is_empty()).then(|| {
        format!(
            "reloads would be refused: the server runs as the user `{user}`, who may not read {}, which only the start \
             reads as root; let the group of `{user}` read it (`chgrp`, `chmod g+r`, and `g+x` for folders), or restart \
             instead of reloading",
            closed.join(" and ")
        )
    })
}

/// Where rights are those of whoever runs the check, and a server that root starts would have others.
fn not_root(config: &Config) -> Option<String> {
    let wanted = user::account(config.privileges.user.as_ref()?, "user").ok()?;
    let own = Uid::effective();
    if own.is_root() || own == wanted.uid {
        return None;
    }
    let name = User::from_uid(own).ok().flatten().map_or_else(|| own.to_string(), |user| user.name);
    Some(format!(
        "the rights of files were looked at as the user `{name}`, who runs this check; run it as root to look as the \
         user `{}`",
        wanted.name
    ))
}

/// By the effective user; also not on a file system that is mounted read-only.
fn may_make_in(folder: &Path) -> bool {
    accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}
