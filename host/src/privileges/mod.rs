//! From root, or a port's capability, down to what serving needs: a user of its own, no capability, no way
//! back up (no-new-privs), few system calls (seccomp), few files (Landlock).
//!
//! All of it is done by the only thread of the process, after everything that needs a privilege is open and
//! before any other thread starts: capabilities, no-new-privs and Landlock belong to threads, and new ones
//! inherit them.

mod acting;
mod barred;
mod drop;
mod files;
mod foresee;
mod own;
mod report;
mod syscalls;
mod touched;
mod user;

pub(crate) use acting::{acting_as, in_place_of_root};
pub(crate) use barred::out_of_bounds;
pub(crate) use drop::seal;
pub(crate) use files::landlock_here;
pub(crate) use foresee::check;
pub(crate) use own::give;
pub(crate) use report::Held;
pub(crate) use syscalls::KNOWN as SYSCALLS_KNOWN;
pub(crate) use user::{Account, become_of};

use nix::unistd::Uid;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;
use tuffet_config::{Config, SeccompMode};

/// Why privileges cannot be given up as configured.
#[derive(Debug, thiserror::Error)]
pub enum PrivilegeError {
    /// There is no such user or group.
    #[error("{0}")]
    Unknown(String),
    /// What the user of the server needs to touch and may not. One line for each.
    #[error("{}", .0.join("\n"))]
    Barred(Vec<String>),
    /// `privileges.require` asks for what this kernel has not.
    #[error("`privileges.require`: {0}; take a kernel that has it, or write `require: false`")]
    Required(String),
    /// The system refused a step.
    #[error("privileges cannot be given up: {step}: {error}")]
    Refused {
        /// What was tried.
        step: &'static str,
        /// What the system says.
        error: io::Error,
    },
}

impl PrivilegeError {
    pub(self) fn refused(step: &'static str) -> impl FnOnce(io::Error) -> PrivilegeError {
        move |error| PrivilegeError::Refused { step, error }
    }
}

/// What is left to a server, as it says itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Left {
    /// As the kernel says.
    #[serde(flatten)]
    pub(crate) held: Held,
    /// The version of Landlock that it is kept by, and how many rules there are; `None` without it.
    pub(crate) landlock_abi: Option<i32>,
    pub(crate) landlock_rules: Option<usize>,
    /// Why something is not in force that was asked for, one reason each.
    pub(crate) lacking: Vec<String>,
}

/// Makes what the server itself keeps (folders, files of sinks) and gives it to the user that it will run as.
/// To be called while privileges are still there; of no effect where it is not started as root but to make
/// what is missing.
///
/// # Errors
/// The user is not known.
pub(crate) fn prepare(config: &Config) -> Result<Option<Account>, PrivilegeError> {
    let account = become_of(&config.privileges)?;
    own::make(config, account.as_ref());
    Ok(account)
}

/// Gives up everything.
///
/// # Errors
/// A step failed; or the user cannot touch what it must.
pub(crate) fn give_up(config: &Config, account: Option<&Account>) -> Result<Left, PrivilegeError> {
    let its = &config.privileges;
    let mut lacking = Vec::new();
    // What is opened by name from now on; looked up before the change, so that links lead where root sees them.
    let stays_root = account.map_or_else(Uid::effective, |account| account.uid).is_root();
    let touched = touched::Touched::by(config, stays_root);
    drop::to(account)?;
    for advice in barred::require(config, account, &foresee::Foreseen::default())? {
        advice.log();
    }
    // Asked for before the filter, which knows no such call.
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
            if let Err(why) = syscalls::filter(mode) {
                lacking.push(format!("seccomp: {why}"));
            }
        }
    }
    if its.require && !lacking.is_empty() {
        return Err(PrivilegeError::Required(lacking.join(", ")));
    }
    let left =
        Left { held: Held::of_self(), landlock_abi: rules.and(landlock_abi), landlock_rules: rules, lacking };
    left.log();
    Ok(left)
}

impl Left {
    /// One line that says what this process may still do, and one for each thing that it could not give up.
    fn log(&self) {
        let held = &self.held;
        tracing::info!(
            user = held.user(),
            uid = held.uid,
            gid = held.gid,
            groups = held.groups_listed(),
            capabilities = held.capabilities_listed(),
            no_new_privs = held.no_new_privs,
            seccomp = held.seccomp_word(),
            landlock_abi = self.landlock_abi,
            landlock_rules = self.landlock_rules,
            "dropped privileges"
        );
        for lacking in &self.lacking {
            tracing::warn!("some requested restrictions are not in force: {lacking}");
        }
    }
}

/// Each path once.
fn unique(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    paths.dedup();
    paths
}
