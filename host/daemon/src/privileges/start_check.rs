//! Checks whether a server could start and work, by becoming the user that it would run as.
//!
//! Only the kernel knows all rules (groups, access lists, mounts), so permissions are checked as that user. Before
//! that, as root, it determines the paths that root would create. Nothing is created.

use super::{
    Account, PrivilegeError, account_to_become, drop, file_access, in_place_of_root, own_paths, user,
};
use nix::unistd::{Uid, User};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use tuffet_config::{AdminAddress, Config};

/// Paths that a start would create, determined as root.
#[derive(Debug, Default)]
pub(super) struct PlannedPaths {
    /// Missing paths that root would create.
    pub(super) created: Vec<PathBuf>,
    /// Sockets that the user, not root, would create: the path, and the folder that must be writable.
    sockets: Vec<(PathBuf, PathBuf)>,
}

impl PlannedPaths {
    /// Determines the paths. Must be called as root.
    fn of(config: &Config, account: &Account) -> PlannedPaths {
        let by_root =
            |folder: &Path| in_place_of_root(folder, Some(account)).is_none() && may_create_in(folder);
        let missing = own_paths::folders(config).into_iter().filter(|folder| !folder.exists());
        let mut created: Vec<PathBuf> =
            missing.filter(|folder| by_root(file_access::nearest_existing(folder))).collect();
        created.extend(own_paths::files(config).filter(|file| !file.exists()).filter_map(|file| {
            let folder = file.parent().filter(|folder| folder.is_dir())?;
            (own_paths::creator_of(file, Some(account)).is_none() && may_create_in(folder))
                .then(|| file.to_owned())
        }));
        let sockets = own_paths::sockets(config).filter_map(|path| {
            let folder = file_access::nearest_existing(path.parent()?);
            (!by_root(folder)).then(|| (path.to_owned(), folder.to_owned()))
        });
        PlannedPaths { created, sockets: sockets.collect() }
    }

    /// Returns the obstacle to a socket at this path. Must be called as the user.
    fn socket_problem(&self, path: &Path, user: &str) -> Option<String> {
        let shown = path.display();
        if path.symlink_metadata().is_ok_and(|about| !about.file_type().is_socket()) {
            return Some(format!("the file at {shown} is not a socket; remove it, or name another path"));
        }
        let (_, folder) = self.sockets.iter().find(|(socket, _)| socket == path)?;
        let folder = Some(folder).filter(|folder| !may_create_in(folder))?.display();
        Some(format!(
            "the server runs as the user `{user}`, who may not create the socket {shown}: `chown {user} {folder}`, or \
             let only root write in {folder} and above it"
        ))
    }
}

/// Permanently becomes the user that the server would run as, and checks all paths that the server would access.
/// Returns the warnings.
///
/// # Errors
/// The user does not exist, or may not access a required path.
pub fn check(config: &Config) -> Result<Vec<String>, PrivilegeError> {
    let mut warnings = Vec::new();
    let account = account_to_become(&config.privileges)?;
    let Some(account) = account else {
        warnings.extend(checked_as_other_user(config));
        return Ok(warnings);
    };
    let planned = PlannedPaths::of(config, &account);
    drop::to(Some(&account))?;
    let user = &account.name;
    let required = file_access::require(config, Some(&account), &planned);
    let mut problems = Vec::new();
    match required {
        Ok(advice) => warnings.extend(advice.into_iter().map(|advice| advice.to_string())),
        Err(PrivilegeError::NoAccess(its)) => problems = its,
        Err(other) => return Err(other),
    }
    if let Some(AdminAddress::Unix(path)) = config.admin.as_ref().map(|admin| &admin.address) {
        problems
            .extend(planned.socket_problem(path, user).map(|problem| format!("`admin.address`: {problem}")));
    }
    if !problems.is_empty() {
        return Err(PrivilegeError::NoAccess(problems));
    }
    if let Some(path) = &config.control {
        let problem = planned.socket_problem(path, user);
        warnings.extend(problem.map(|problem| {
            format!("`control`: `tuffet reload` and `tuffet status` would not reach this server: {problem}")
        }));
    }
    warnings.extend(unreadable_on_reload(config, user));
    Ok(warnings)
}

/// Warns about files that are read as root at the start, and by the server's user in a reload.
fn unreadable_on_reload(config: &Config, user: &str) -> Option<String> {
    let closed = config.files.iter().filter(|file| tuffet_config::why_inaccessible(file, false).is_some());
    let closed: Vec<String> = closed.map(|file| file.display().to_string()).collect();
    (!closed.is_empty()).then(|| {
        format!(
            "reloads would be refused: the server runs as the user `{user}`, who may not read {}; only the start \
             reads it as root; let the group of `{user}` read it (`chgrp`, `chmod g+r`, and `g+x` for folders), or \
             restart instead of reloading",
            closed.join(" and ")
        )
    })
}

/// Warns if the check has other permissions than a server started by root.
fn checked_as_other_user(config: &Config) -> Option<String> {
    let wanted = user::account(config.privileges.user.as_ref()?, "user").ok()?;
    let own = Uid::effective();
    if own.is_root() || own == wanted.uid {
        return None;
    }
    let name = User::from_uid(own).ok().flatten().map_or_else(|| own.to_string(), |user| user.name);
    Some(format!(
        "file permissions were checked as the user `{name}`, who runs this check; run it as root to check as the user \
         `{}`",
        wanted.name
    ))
}

/// Returns whether the effective user may create files here; not on a read-only file system.
fn may_create_in(folder: &Path) -> bool {
    accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}
