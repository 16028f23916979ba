//! Drops privileges, from root or a capability for ports: the server keeps an unprivileged user, no capability, no way
//! to regain one (no-new-privs), few system calls (seccomp), few files (Landlock).
//!
//! The only thread of the process does all of this, after opening everything that needs a privilege and before any
//! other thread starts: capabilities, no-new-privs and Landlock belong to threads, and new ones inherit them.

mod acting;
mod allowed_paths;
mod compiler;
mod drop;
mod file_access;
mod file_sandbox;
mod later_reads;
mod own_paths;
mod report;
mod start_check;
mod syscalls;
mod uploads_below;
mod user;

pub use acting::{acting_as, in_place_of_root};
pub use compiler::Confinement;
pub(crate) use drop::seal;
pub(crate) use file_access::outside_sandbox;
pub use file_sandbox::landlock_here;
pub use own_paths::give_to_user;
pub use report::{capabilities, read as read_status, user};
pub use start_check::{Restriction, check, restrictions_of_unit, unreadable_files, unwritable_files};
pub use syscalls::HAS_FILTER as HAS_SYSCALL_FILTER;
pub use uploads_below::{Kind, find_upload_place};
pub use user::{Account, account_to_become};

use nix::unistd::{Uid, User};
use std::io;
use std::path::PathBuf;
use tuffet_config::{Config, SeccompMode};
use tuffet_server::status::RemainingPrivileges;

/// Why privileges cannot be dropped as configured.
#[derive(Debug, thiserror::Error)]
pub enum PrivilegeError {
    /// The user or group does not exist.
    #[error("{0}")]
    UnknownUser(String),
    /// The server's user lacks access to required paths. One line each.
    #[error("{}", .0.join("\n"))]
    NoAccess(Vec<String>),
    /// `privileges.require` demands a feature that this kernel lacks.
    #[error("`privileges.require`: {0}; use a kernel that has it, or write `require: false`")]
    Required(String),
    /// The system refused a step.
    #[error("cannot drop privileges: {step}: {error}")]
    Refused {
        /// The step.
        step: &'static str,
        /// The system's error.
        error: io::Error,
    },
}

impl PrivilegeError {
    pub(self) fn refused(step: &'static str) -> impl FnOnce(io::Error) -> PrivilegeError {
        move |error| PrivilegeError::Refused { step, error }
    }
}

/// Creates missing folders of the server and files of sinks, and gives them to its user if the process is root. Must be
/// called before privileges are dropped.
///
/// # Errors
/// The user is unknown.
pub fn prepare(config: &Config) -> Result<Option<Account>, PrivilegeError> {
    let account = account_to_become(&config.privileges)?;
    own_paths::create(config, account.as_ref());
    Ok(account)
}

/// Permanently becomes the user that the server would run as, to get its file permissions. Returns its name.
///
/// # Errors
/// The user is unknown, or the system refuses.
pub fn become_server(config: &Config) -> Result<String, PrivilegeError> {
    let account = account_to_become(&config.privileges)?;
    drop::to(account.as_ref())?;
    let name = name_of(account.as_ref());
    tuffet_store::name_user(&name);
    Ok(name)
}

/// Returns the name of the user that this process becomes, or is.
fn name_of(account: Option<&Account>) -> String {
    let own = || {
        let uid = Uid::effective();
        User::from_uid(uid).ok().flatten().map_or_else(|| uid.to_string(), |user| user.name)
    };
    account.map_or_else(own, |account| account.name.clone())
}

/// Drops all privileges. Calls `as_user` after the change of user, while programs can still be started.
///
/// # Errors
/// A step failed, or the user cannot access a required path.
pub fn drop_privileges(
    config: &Config,
    account: Option<&Account>,
    as_user: impl FnOnce(),
) -> Result<RemainingPrivileges, PrivilegeError> {
    let its = &config.privileges;
    let mut lacking = Vec::new();
    // Opened before the change of user, so that links lead where root sees them.
    let stays_root = account.map_or_else(Uid::effective, |account| account.uid).is_root();
    let allowed = allowed_paths::AllowedPaths::of_server(config, stays_root);
    drop::to(account)?;
    // The sandbox rules do not allow reading the names.
    tuffet_store::name_user(&name_of(account));
    for warning in file_access::require(config, account, &start_check::PlannedPaths::default())? {
        warning.log();
    }
    as_user();
    // The filter does not allow this call.
    let landlock_abi = landlock_here().ok();
    let rules = if its.landlock {
        match file_sandbox::restrict(allowed) {
            Ok(rules) => Some(rules),
            Err(file_sandbox::NotEnforced(why)) => {
                lacking.push(format!("Landlock: {why}"));
                None
            }
        }
    } else {
        None
    };
    match its.seccomp {
        SeccompMode::Off => {}
        mode => {
            if let Err(why) = syscalls::filter(mode, syscalls::Role::Server) {
                lacking.push(format!("seccomp: {why}"));
            }
        }
    }
    if its.require && !lacking.is_empty() {
        return Err(PrivilegeError::Required(lacking.join(", ")));
    }
    let left = RemainingPrivileges {
        held: report::of_this_thread(),
        landlock_abi: rules.and(landlock_abi),
        landlock_rules: rules,
        lacking,
    };
    log(&left);
    Ok(left)
}

/// Logs the remaining privileges, and each restriction that is not in force.
fn log(left: &RemainingPrivileges) {
    let held = &left.held;
    tracing::info!(
        target: "tuffet::privileges",
        user = user(held),
        uid = held.uid,
        gid = held.gid,
        groups = report::groups(held),
        capabilities = capabilities(held),
        no_new_privs = held.no_new_privs,
        seccomp = report::seccomp(held),
        landlock_abi = left.landlock_abi,
        landlock_rules = left.landlock_rules,
        "dropped privileges"
    );
    for lacking in &left.lacking {
        tracing::warn!(
            target: "tuffet::privileges",
            "some requested restrictions are not in force: {lacking}"
        );
    }
}

/// Returns each path once.
fn unique(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    paths.dedup();
    paths
}
