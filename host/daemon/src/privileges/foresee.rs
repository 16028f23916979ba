//! Checks whether a server could start and work, by becoming the user that it would run as.
//!
//! Permissions are checked as that user, since only the kernel knows all that decides about them (groups,
//! access lists, mounts). The paths that root would create before that are determined first, and nothing is
//! created.

use super::{Account, PrivilegeError, barred, become_of, drop, in_place_of_root, own, user};
use nix::unistd::{Uid, User};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use tuffet_config::{AdminAddress, Config};

/// The findings that need root.
#[derive(Debug, Default)]
pub(super) struct Foreseen {
    /// Missing paths that would be created.
    pub(super) made: Vec<PathBuf>,
    /// Sockets that the user, not root, would create: the path, and the folder that must be writable.
    sockets: Vec<(PathBuf, PathBuf)>,
}

impl Foreseen {
    /// Collects the findings. Must be called as root.
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

    /// Returns what would prevent a socket at this path. Must be called as the user.
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

/// Becomes the user that the server would run as, for good, and checks everything that the server would
/// access. Returns the warnings.
///
/// # Errors
/// The user does not exist, or may not access a required path.
pub fn check(config: &Config) -> Result<Vec<String>, PrivilegeError> {
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

/// Warns about files that are read as root at the start, and by the server's user in a reload.
fn not_read_again(config: &Config, user: &str) -> Option<String> {
    let closed = config.files.iter().filter(|file| tuffet_config::why_inaccessible(file, false).is_some());
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

/// Warns if the check has the permissions of another user than a server started by root.
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

/// Checks for the effective user; also fails on a file system mounted read-only.
fn may_make_in(folder: &Path) -> bool {
    accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}
