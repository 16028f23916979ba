//! Finds out why an existing file or folder is inaccessible: its permissions, or the sandbox of this process.

use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, accessat, open};
use rustix::io::Errno;
use std::path::Path;

/// The reason why an existing file or folder is inaccessible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barred {
    /// The permissions of the file, or of a folder above it.
    Rights,
    /// The sandbox of the process (Landlock): a restart fixes it.
    Bounds,
}

/// Returns why this file cannot be read, or this folder not be written. `None` if it is accessible, or does not exist.
pub fn barred(path: &Path, to_write: bool) -> Option<Barred> {
    let wanted = if to_write { Access::WRITE_OK | Access::EXEC_OK } else { Access::READ_OK };
    match accessat(CWD, path, wanted, AtFlags::EACCESS) {
        Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => return Some(Barred::Rights),
        Err(_) => return None,
        Ok(()) => {}
    }
    // The permissions suffice. Landlock shows only when opening; an unnamed file leaves no trace.
    let how = if to_write { OFlags::TMPFILE | OFlags::WRONLY } else { OFlags::RDONLY };
    let flags = how | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match open(path, flags, Mode::from_raw_mode(0o600)) {
        Err(Errno::ACCESS) => Some(Barred::Bounds),
        _ => None,
    }
}

/// Returns the remedy for an unreadable file: a restart if the sandbox is the cause, else `otherwise`.
pub(crate) fn remedy(path: &Path, otherwise: &str) -> String {
    match barred(path, false) {
        Some(Barred::Bounds) => outside(path),
        _ => otherwise.to_owned(),
    }
}

/// Returns the message for a path outside of the sandbox.
pub fn outside(path: &Path) -> String {
    format!(
        "restart needed: {} is outside of what this process may touch since its start (Landlock); \
         `privileges.readable` and `privileges.writable` name what reloads may add",
        path.display()
    )
}
