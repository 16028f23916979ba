//! What is there but may not be touched, and why: rights of files, or the bounds of this process.

use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, accessat, open};
use rustix::io::Errno;
use std::path::Path;

/// Why something that is there may not be touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barred {
    /// The rights of the file, or of a folder above it.
    Rights,
    /// The process is confined since its start (Landlock): a restart mends it.
    Bounds,
}

/// Whether this may not be read, or (a folder) not be written into. What is not there is not barred.
pub fn barred(path: &Path, to_write: bool) -> Option<Barred> {
    let wanted = if to_write { Access::WRITE_OK | Access::EXEC_OK } else { Access::READ_OK };
    match accessat(CWD, path, wanted, AtFlags::EACCESS) {
        Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => return Some(Barred::Rights),
        Err(_) => return None,
        Ok(()) => {}
    }
    // The rights are there. Landlock does not show in them, only in opening; a file without a name leaves none.
    let how = if to_write { OFlags::TMPFILE | OFlags::WRONLY } else { OFlags::RDONLY };
    let flags = how | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match open(path, flags, Mode::from_raw_mode(0o600)) {
        Err(Errno::ACCESS) => Some(Barred::Bounds),
        _ => None,
    }
}

/// What mends that a file cannot be read: a restart where it is out of bounds, else `otherwise`.
pub(crate) fn remedy(path: &Path, otherwise: &str) -> String {
    match barred(path, false) {
        Some(Barred::Bounds) => outside(path),
        _ => otherwise.to_owned(),
    }
}

/// What to tell of a path that is out of bounds.
pub fn outside(path: &Path) -> String {
    format!(
        "restart needed: {} is outside of what this process may touch since its start (Landlock); \
         `privileges.readable` and `privileges.writable` name what reloads may add",
        path.display()
    )
}
