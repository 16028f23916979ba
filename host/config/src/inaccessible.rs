//! Finds out why an existing file or folder is inaccessible: its permissions, or the sandbox of this process.

use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, accessat, open};
use rustix::io::Errno;
use std::path::Path;

/// The reason why an existing file or folder is inaccessible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inaccessible {
    /// The permissions of the file, or of a folder above it.
    Permissions,
    /// The sandbox of the process (Landlock): a restart fixes it.
    Sandbox,
}

/// Returns why this file cannot be read, or this folder cannot be written. `None` if it is accessible or does not
/// exist.
pub fn why_inaccessible(path: &Path, to_write: bool) -> Option<Inaccessible> {
    let wanted = if to_write { Access::WRITE_OK | Access::EXEC_OK } else { Access::READ_OK };
    match accessat(CWD, path, wanted, AtFlags::EACCESS) {
        Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => return Some(Inaccessible::Permissions),
        Err(_) => return None,
        Ok(()) => {}
    }
    // The permissions suffice, but only opening shows Landlock's answer. An unnamed file leaves no trace.
    let how = if to_write { OFlags::TMPFILE | OFlags::WRONLY } else { OFlags::RDONLY };
    let flags = how | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match open(path, flags, Mode::from_raw_mode(0o600)) {
        Err(Errno::ACCESS) => Some(Inaccessible::Sandbox),
        _ => None,
    }
}

/// Returns the remedy for an unreadable file: a restart if the sandbox is the cause, else `otherwise`.
pub(crate) fn remedy(path: &Path, otherwise: &str) -> String {
    match why_inaccessible(path, false) {
        Some(Inaccessible::Sandbox) => outside_sandbox(path),
        _ => otherwise.to_owned(),
    }
}

/// Returns the message for a path outside of the sandbox.
pub fn outside_sandbox(path: &Path) -> String {
    format!(
        "restart needed: {} is outside of the files that this process may access since its start (Landlock); \
         `tuffet restart` takes the new configuration without a gap where the server runs with `--restartable`; \
         `privileges.readable` and `privileges.writable` name files that reloads may add",
        path.display()
    )
}
