//! Metadata of an open file, from one system call.

#[cfg_attr(target_os = "linux", path = "facts/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "facts/other.rs")]
mod system;

pub(super) use system::{folder, folder_at};

use super::mode;
use rustix::fs::Stat;
use rustix::io;
use std::os::fd::AsFd;

/// A time as seconds since 1970 and nanoseconds.
pub(super) type Moment = (i64, u64);

/// Identifies a folder and its mount: mount, device and inode.
pub(super) type FolderIdentity = (u64, u64, u64);

/// The metadata that distinguishes files and their contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Facts {
    /// The mount through which the file was opened: its unique number since Linux 6.8, before that a number that is
    /// reused after an unmount; 0 before Linux 5.8 and on other systems. Device numbers are reused too: an image that is mounted in place
    /// of another may agree with it in all other fields.
    pub(super) mount: u64,
    pub(super) device: u64,
    pub(super) inode: u64,
    /// Type and permissions.
    pub(super) mode: u32,
    pub(super) size: u64,
    /// Of 512 bytes.
    pub(super) blocks: u64,
    pub(super) modified: Moment,
    /// The last change of the file or its metadata (ctime).
    pub(super) status: Moment,
}

impl Facts {
    /// # Errors
    /// Those of statx(2) and fstat(2).
    pub(super) fn of(file: impl AsFd) -> io::Result<Facts> {
        system::facts(file)
    }
}

impl From<Stat> for Facts {
    #[allow(clippy::useless_conversion, clippy::unnecessary_cast)] // The types of the fields depend on the machine.
    fn from(stat: Stat) -> Facts {
        Facts {
            mount: 0,
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            mode: mode::of(&stat),
            // The kernel reports no negative size for a regular file.
            size: u64::try_from(stat.st_size).unwrap_or(0),
            blocks: u64::try_from(stat.st_blocks).unwrap_or(0),
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as u64),
            status: (stat.st_ctime as i64, stat.st_ctime_nsec as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::fstat;
    use std::fs;

    #[test]
    fn both_calls_agree() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "content").unwrap();
        let file = fs::File::open(&path).unwrap();
        let facts = Facts::of(&file).unwrap();
        assert_eq!(Facts { mount: facts.mount, ..fstat(&file).unwrap().into() }, facts);
        assert_eq!(facts.size, 7);
    }
}
