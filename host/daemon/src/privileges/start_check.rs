//! Checks whether a server could start and work, by becoming the user that it would run as.
//!
//! Only the kernel knows all rules (groups, access lists, mounts), so permissions are checked as that user. Before
//! that, as root, it determines the paths that root would create. Nothing is created.

use super::{
    Account, PrivilegeError, account_to_become, acting_as, drop, file_access, in_place_of_root, later_reads,
    own_paths, user,
};
use crate::systemd::Unit;
use nix::unistd::{Uid, User};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use std::fmt;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use tuffet_config::{AdminAddress, Config, Privileges};
use tuffet_store::quoted;

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

/// Permanently becomes the user that the server would run as, and checks all paths that the server would access, also
/// with the restrictions of the unit that starts it. Returns the warnings.
///
/// # Errors
/// The user does not exist, or may not access a required path.
pub fn check(config: &Config) -> Result<Vec<String>, PrivilegeError> {
    let unit = config.file().and_then(Unit::of);
    let restrictions = unit.iter().flat_map(|unit| restricted(config, unit));
    let mut warnings: Vec<String> = restrictions.map(|its| its.to_string()).collect();
    let of_unit = unit.as_ref().and_then(Unit::user).filter(|_| Uid::effective().is_root());
    let by_root = of_unit.is_none();
    let account = match of_unit {
        Some(who) => {
            let group = unit.as_ref().and_then(Unit::group).or_else(|| config.privileges.group.clone());
            account_to_become(&Privileges { user: Some(who), group, ..config.privileges.clone() })?
        }
        None => account_to_become(&config.privileges)?,
    };
    let Some(account) = account else {
        warnings.extend(checked_as_other_user(config));
        let own = user::own();
        warnings.extend(file_access::closed_roots(config, &own));
        let (required, others) = later_reads::located(config, later_reads::unreadable(config, &own));
        warnings.extend(others);
        return if required.is_empty() { Ok(warnings) } else { Err(PrivilegeError::NoAccess(required)) };
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
    let (unreadable, others) = later_reads::located(config, later_reads::unreadable(config, &account));
    problems.extend(unreadable);
    warnings.extend(others);
    if let Some(AdminAddress::Unix(path)) = config.admin.as_ref().map(|admin| &admin.address) {
        problems
            .extend(planned.socket_problem(path, user).map(|problem| format!("`admin.address`: {problem}")));
    }
    let of_reload = later_reads::unreadable_on_reload(config, &account, by_root);
    if by_root {
        warnings.extend(of_reload);
    } else {
        problems.extend(of_reload);
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
    Ok(warnings)
}

/// What the unit that starts a server keeps from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restriction {
    /// The name of the unit.
    pub unit: String,
    /// What does not work, and the setting that forbids it; and what else may be done.
    pub says: String,
    /// The lines below `[Service]` in a drop-in that permit it.
    pub lines: Vec<String>,
}

impl fmt::Display for Restriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.says)?;
        let lines: Vec<String> = self.lines.iter().map(|line| format!("`{line}`")).collect();
        match &lines[..] {
            [] => Ok(()),
            lines => write!(
                f,
                "; write {} below `[Service]` in `systemctl edit {}`",
                lines.join(" and "),
                self.unit
            ),
        }
    }
}

/// Returns what the unit that starts the server of this configuration, if there is one, keeps from it.
pub fn restrictions_of_unit(config: &Config) -> Vec<Restriction> {
    config.file().and_then(Unit::of).iter().flat_map(|unit| restricted(config, unit)).collect()
}

/// Returns a line for each file that the server's user reads after the start and may not read: `account`, or the user of this
/// process. Must be called while the process has one thread.
///
/// # Errors
/// This process cannot act as that user.
pub fn unreadable_files(config: &Config, account: Option<&Account>) -> io::Result<Vec<String>> {
    let lines = |account: &Account| {
        let (required, others) = later_reads::located(config, later_reads::unreadable(config, account));
        required.into_iter().chain(others).collect()
    };
    match account.filter(|account| !account.uid.is_root()) {
        Some(account) => acting_as(account, || Ok(lines(account))),
        None => Ok(lines(&user::own())),
    }
}

/// Returns a line for each file and folder of its own, such as log, spool and state, that the server's user may not write:
/// `account`, or the user of this process. Must be called while the process has one thread.
///
/// # Errors
/// This process cannot act as that user.
pub fn unwritable_files(config: &Config, account: Option<&Account>) -> io::Result<Vec<String>> {
    let planned = account.map(|account| PlannedPaths::of(config, account)).unwrap_or_default();
    let lines = |account: &Account| file_access::unwritable(config, account, &planned).0;
    match account.filter(|account| !account.uid.is_root()) {
        Some(account) => acting_as(account, || Ok(lines(account))),
        None => Ok(lines(&user::own())),
    }
}

/// Returns what the unit keeps from the server: this process is outside of it.
fn restricted(config: &Config, unit: &Unit) -> Vec<Restriction> {
    let mut found = Vec::new();
    let name = &unit.name;
    let mut report =
        |says: String, lines: Vec<String>| found.push(Restriction { unit: name.clone(), says, lines });
    for root in config.roots.iter().filter(|root| root.elsewhere.is_none()) {
        let (path, shown) = (quoted(&root.path), root.path.display());
        if let Some(setting) = unit.hides(&root.path) {
            let says = format!(
                "root `{}`: the server does not see {shown}: its unit {name} has `{setting}`. Move the folder, such as \
                 below /srv, or show it to the server",
                root.name
            );
            // Below a closed home nothing can be shown.
            let is_closed = setting.starts_with("ProtectHome=") && setting != "ProtectHome=tmpfs";
            let bind = if root.writable { "BindPaths" } else { "BindReadOnlyPaths" };
            let lines = is_closed.then(|| "ProtectHome=tmpfs".to_owned()).into_iter();
            report(says, lines.chain([format!("{bind}={path}")]).collect());
            continue;
        }
        if root.writable
            && let Some(setting) = unit.forbids_writing(&root.path)
        {
            let says = format!(
                "root `{}`: uploads into {shown} would be refused: its unit {name} has `{setting}`",
                root.name
            );
            report(says, vec![format!("ReadWritePaths={path}")]);
        }
    }
    let files = own_paths::files(config).filter_map(Path::parent).map(Path::to_owned);
    let mut written: Vec<PathBuf> = own_paths::folders(config).into_iter().chain(files).collect();
    written.sort();
    written.dedup();
    for folder in written {
        if let Some(setting) = unit.forbids_writing(&folder) {
            let says =
                format!("the server may not write to {}: its unit {name} has `{setting}`", folder.display());
            report(says, vec![format!("ReadWritePaths={}", quoted(&folder))]);
        }
    }
    let low = config.settings.listeners.iter().find(|its| (1..1024).contains(&its.address.port()));
    if let Some(listener) = low.filter(|_| !unit.has_low_ports()) {
        let says = format!(
            "listener `{}`: the server may not open {}: its unit {name} has a `User=` and no capability",
            listener.name, listener.address
        );
        report(says, vec!["AmbientCapabilities=CAP_NET_BIND_SERVICE".into()]);
    }
    if let (Some(wanted), Some(its)) = (&config.privileges.user, unit.user())
        && *wanted != its
    {
        let says = format!(
            "`privileges.user` has no effect: the unit {name} starts the server as another user (`User=`), which it keeps; \
             remove one of them"
        );
        report(says, Vec::new());
    }
    found
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
