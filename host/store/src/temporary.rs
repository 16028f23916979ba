//! Temporary files of uploads: their names, and the locks that show whether an upload is still being written.
//!
//! The writer holds an exclusive lock (flock(2)) on its temporary file while the file is open. The lock ends with its
//! process, regardless of how that ends, so a file that can be locked was abandoned.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use rustix::fs::{AtFlags, FlockOperation, flock, fstat, unlinkat};
use rustix::io::Errno;

use super::system::open_unnamed;
use super::{StoreError, mode, path};

/// The suffix after the digits.
const SUFFIX: &str = ".part";

/// The number of hexadecimal digits in a name.
const DIGITS: usize = 16;

/// The permissions of files without a name.
const PRIVATE: u32 = 0o600;

/// The limit of attempts. A second attempt is needed if the name is taken, which 64 random bits practically exclude, or
/// if a sweep locks or removes the file between its creation and its lock.
const MAX_ATTEMPTS: u32 = 16;

/// Returns whether a file has the name of a temporary file: `.tuffet-`, 16 hexadecimal digits, `.part`.
pub(super) fn is_temporary(name: &[u8]) -> bool {
    let digits =
        name.strip_prefix(path::RESERVED.as_bytes()).and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    digits.is_some_and(|digits| {
        digits.len() == DIGITS && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Locks a temporary file; returns whether this process now holds the lock. An error means that the file system has no
/// locks.
pub(super) fn lock(file: impl AsFd) -> Result<bool, Errno> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// Creates and locks a new temporary file; returns it with its name. The umask, or the default access control list of
/// the folder, clears bits of `mode`.
pub(super) fn create(folder: &Dir, mode: u32) -> Result<(File, String), StoreError> {
    let mut options = OpenOptions::new();
    // Reading is needed for the digest.
    options.read(true).write(true).create_new(true).mode(mode);
    for _ in 0..MAX_ATTEMPTS {
        let name = format!("{}{:016x}{SUFFIX}", path::RESERVED, RandomState::new().hash_one(()));
        let file = match folder.open_with(&name, &options) {
            Ok(file) => file.into_std(),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(StoreError::from_open(error)),
        };
        match lock(&file) {
            // The sweep of a starting server removed the file before it was locked.
            Ok(true) if fstat(&file)?.st_nlink == 0 => {}
            Ok(true) => return Ok((file, name)),
            // A sweep has locked the file and is about to remove it.
            Ok(false) => drop(unlinkat(folder, &name, AtFlags::empty())),
            // The file system has no locks. Sweeps cannot lock there either, and remove nothing.
            Err(_) => return Ok((file, name)),
        }
    }
    Err(StoreError::Io(io::Error::other(
        "no temporary file could be kept: another process locks or removes new files in that folder",
    )))
}

/// Creates a file in this folder that vanishes with its last descriptor, regardless of how the process ends. Other users
/// cannot read it.
///
/// # Errors
/// Those of open(2).
pub fn unnamed_file(folder: &Path) -> Result<File, StoreError> {
    let folder = Dir::open_ambient_dir(folder, ambient_authority()).map_err(StoreError::from_io)?;
    match open_unnamed(&folder, mode::permissions(PRIVATE)) {
        Ok(file) => Ok(File::from(file)),
        // The file system or the kernel does not support unnamed files.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => {
            let (file, name) = create(&folder, PRIVATE)?;
            unlinkat(&folder, &name, AtFlags::empty())?;
            Ok(file)
        }
        Err(errno) => Err(errno.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_names_are_temporary() {
        assert!(is_temporary(b".tuffet-0123456789abcdef.part"));
        for other in [
            ".tuffet-0123456789abcdef",
            ".tuffet-0123456789abcde.part",
            ".tuffet-0123456789abcdef0.part",
            ".tuffet-0123456789ABCDEF.part",
            ".tuffet-0123456789abcdeg.part",
            ".tuffet-.part",
            "tuffet-0123456789abcdef.part",
            "x.tuffet-0123456789abcdef.part",
            ".tuffet-0123456789abcdef.part~",
        ] {
            assert!(!is_temporary(other.as_bytes()), "{other}");
        }
    }
}
