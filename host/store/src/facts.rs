//! Metadata of an open file, from one system call.

use rustix::fs::{AtFlags, Stat, Statx, StatxFlags, fstat, makedev, statx};
use rustix::io::{self, Errno};
use std::os::fd::AsFd;

/// linux/stat.h: `STATX_MNT_ID_UNIQUE`. A kernel without it uses the other number.
const UNIQUE: StatxFlags = StatxFlags::from_bits_retain(0x4000);

/// A time as seconds since 1970 and nanoseconds.
type Moment = (i64, u64);

/// The metadata that distinguishes files and their contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Facts {
    /// The mount through which the file was opened: its unique number since Linux 6.8, before that a number that is
    /// reused after an unmount; 0 before Linux 5.8. Device numbers are reused too: an image that is mounted in place
    /// of another may agree with it in all other fields.
    pub(super) mount: u64,
    pub(super) device: u64,
    pub(super) inode: u64,
    /// Type and permissions.
    pub(super) mode: u32,
    pub(super) links: u64,
    pub(super) size: u64,
    /// Of 512 bytes.
    pub(super) blocks: u64,
    pub(super) modified: Moment,
    /// The last change of the file or its metadata (ctime).
    pub(super) status: Moment,
}

impl Facts {
    /// Facts of a content that is no file.
    pub(super) fn of_size(size: u64) -> Facts {
        Facts {
            mount: 0,
            device: 0,
            inode: 0,
            mode: 0,
            links: 0,
            size,
            blocks: 0,
            modified: (0, 0),
            status: (0, 0),
        }
    }

    /// # Errors
    /// Those of statx(2) and fstat(2).
    pub(super) fn of(file: impl AsFd) -> io::Result<Facts> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID | UNIQUE;
        match statx(&file, "", AtFlags::EMPTY_PATH, wanted) {
            Ok(stat) => Ok(stat.into()),
            // Linux before 4.11, or a sandbox that forbids the call.
            Err(Errno::NOSYS | Errno::PERM) => Ok(fstat(&file)?.into()),
            Err(error) => Err(error),
        }
    }
}

impl From<Statx> for Facts {
    fn from(stat: Statx) -> Facts {
        let (modified, status) = (stat.stx_mtime, stat.stx_ctime);
        Facts {
            mount: stat.stx_mnt_id,
            device: makedev(stat.stx_dev_major, stat.stx_dev_minor),
            inode: stat.stx_ino,
            mode: stat.stx_mode.into(),
            links: stat.stx_nlink.into(),
            size: stat.stx_size,
            blocks: stat.stx_blocks,
            modified: (modified.tv_sec, modified.tv_nsec.into()),
            status: (status.tv_sec, status.tv_nsec.into()),
        }
    }
}

impl From<Stat> for Facts {
    #[allow(clippy::useless_conversion, clippy::unnecessary_cast)] // The types of the fields depend on the machine.
    fn from(stat: Stat) -> Facts {
        Facts {
            mount: 0,
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            mode: stat.st_mode,
            links: stat.st_nlink.into(),
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
    use std::fs;

    #[test]
    fn both_calls_agree() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "content").unwrap();
        fs::hard_link(&path, folder.path().join("b")).unwrap();
        let file = fs::File::open(&path).unwrap();
        let facts = Facts::of(&file).unwrap();
        assert_eq!(Facts { mount: facts.mount, ..fstat(&file).unwrap().into() }, facts);
        assert_eq!((facts.size, facts.links), (7, 2));
    }
}
