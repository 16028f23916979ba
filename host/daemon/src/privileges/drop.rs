//! Drops user, groups and capabilities, and sets no-new-privs.

use super::{Account, PrivilegeError, report};
use caps::CapSet;
use nix::unistd::{getresuid, setgroups, setresgid, setresuid};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use std::io;

/// Becomes this user, if there is one, and drops every capability and the ways to regain one.
///
/// Affects the calling thread; the C library changes the user of all threads.
pub(super) fn to(account: Option<&Account>) -> Result<(), PrivilegeError> {
    let refused = PrivilegeError::refused;
    // Drops the bounding set, for programs that this process might execute. Without the permission to do so, there is
    // nothing to drop.
    for capability in caps::all() {
        let _ = caps::drop(None, CapSet::Bounding, capability);
    }
    if let Some(account) = account.filter(|account| !stays(account)) {
        setgroups(&account.groups).map_err(io::Error::from).map_err(refused("its groups"))?;
        setresgid(account.gid, account.gid, account.gid)
            .map_err(io::Error::from)
            .map_err(refused("its group"))?;
        setresuid(account.uid, account.uid, account.uid)
            .map_err(io::Error::from)
            .map_err(refused("its user"))?;
        // A process that changes its user may no longer inspect itself, but the plugin runtime inspects its pages.
        // [`seal`] revokes this later.
        let _ = set_dumpable_behavior(DumpableBehavior::Dumpable);
    }
    // A process without capabilities need not be permitted to change them.
    if report::of_this_thread().capabilities != 0 {
        let clear = |set| caps::clear(None, set).map_err(|error| io::Error::other(error.to_string()));
        // A kernel without ambient capabilities (before 4.3) has none to clear.
        let _ = clear(CapSet::Ambient);
        for set in [CapSet::Effective, CapSet::Permitted, CapSet::Inheritable] {
            clear(set).map_err(refused("its capabilities"))?;
        }
    }
    let status = landlock::RestrictSelf::default().no_new_privs(true).apply();
    match status {
        Ok(status) if status.no_new_privs => Ok(()),
        Ok(_) => Err(refused("no-new-privs")(io::ErrorKind::Unsupported.into())),
        Err(error) => Err(refused("no-new-privs")(io::Error::other(error.to_string()))),
    }
}

/// Returns whether root stays root, which requires no permission.
fn stays(account: &Account) -> bool {
    let all = |id: nix::unistd::ResUid| id.real.is_root() && id.effective.is_root() && id.saved.is_root();
    account.uid.is_root() && account.gid.as_raw() == 0 && getresuid().is_ok_and(all)
}

/// Prevents other processes of the same user from reading this process's memory, which holds secrets.
pub(crate) fn seal(account: Option<&Account>) {
    if account.is_some() {
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}
