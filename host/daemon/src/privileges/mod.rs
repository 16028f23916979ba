//! Drops privileges, from root or a capability for ports, to what the server needs: a user of its own, no
//! capability, no way to regain one (no-new-privs), few system calls (seccomp), few files (Landlock).
//!
//! The only thread of the process does all of this, after everything that needs a privilege is open and
//! before any other thread starts: capabilities, no-new-privs and Landlock belong to threads, and new ones
//! inherit them.

mod acting;
mod barred;
mod compiler;
mod drop;
mod files;
mod foresee;
mod own;
mod report;
mod syscalls;
mod touched;
mod user;

pub use acting::{acting_as, in_place_of_root};
pub(crate) use barred::out_of_bounds;
pub use compiler::Confinement;
pub(crate) use drop::seal;
pub use files::landlock_here;
pub use foresee::check;
pub use own::give;
pub use report::{capabilities, read as read_status, user};
pub use syscalls::KNOWN as SYSCALLS_KNOWN;
pub use user::{Account, become_of};

use nix::unistd::{Uid, User};
use std::io;
use std::path::PathBuf;
use tuffet::status::RemainingPrivileges;
use tuffet_config::{Config, SeccompMode};

/// The reason why privileges cannot be dropped as configured.
#[derive(Debug, thiserror::Error)]
pub enum PrivilegeError {
    /// The user or group does not exist.
    #[error("{0}")]
    Unknown(String),
    /// The server's user lacks access to required paths. One line each.
    #[error("{}", .0.join("\n"))]
    Barred(Vec<String>),
    /// `privileges.require` demands a feature that this kernel lacks.
    #[error("`privileges.require`: {0}; take a kernel that has it, or write `require: false`")]
    Required(String),
    /// The system refused a step.
    #[error("privileges cannot be given up: {step}: {error}")]
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

/// Creates the server's own folders and the files of sinks, and gives them to the user that it will run as.
/// Must be called while the process still has its privileges; if it was not started as root, it only creates
/// what is missing.
///
/// # Errors
/// The user is unknown.
pub fn prepare(config: &Config) -> Result<Option<Account>, PrivilegeError> {
    let account = become_of(&config.privileges)?;
    own::make(config, account.as_ref());
    Ok(account)
}

/// Becomes the user that the server would run as, for good, so that files are judged by its permissions. Returns its
/// name.
///
/// # Errors
/// The user is unknown, or the system refuses.
pub fn become_server(config: &Config) -> Result<String, PrivilegeError> {
    let account = become_of(&config.privileges)?;
    drop::to(account.as_ref())?;
    let own = || {
        let uid = Uid::effective();
        User::from_uid(uid).ok().flatten().map_or_else(|| uid.to_string(), |user| user.name)
    };
    Ok(account.map_or_else(own, |account| account.name))
}

/// Drops all privileges. Calls `as_user` in between: after the change of user, while programs can still be started.
///
/// # Errors
/// A step failed; or the user cannot access a required path.
pub fn give_up(
    config: &Config,
    account: Option<&Account>,
    as_user: impl FnOnce(),
) -> Result<RemainingPrivileges, PrivilegeError> {
    let its = &config.privileges;
    let mut lacking = Vec::new();
    // The paths opened from now on. Resolved before the change of user, so that links lead where root sees
    // them.
    let stays_root = account.map_or_else(Uid::effective, |account| account.uid).is_root();
    let touched = touched::Touched::by(config, stays_root);
    drop::to(account)?;
    for advice in barred::require(config, account, &foresee::Foreseen::default())? {
        advice.log();
    }
    as_user();
    // Queried before the filter, which does not allow this call.
    let landlock_abi = landlock_here().ok();
    let rules = if its.landlock {
        match files::restrict(touched) {
            Ok(rules) => Some(rules),
            Err(files::Without(why)) => {
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
        held: report::own(),
        landlock_abi: rules.and(landlock_abi),
        landlock_rules: rules,
        lacking,
    };
    log(&left);
    Ok(left)
}

/// Logs one line about the remaining privileges, and one for each that could not be dropped.
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
