//! Linux: statx(2).

use super::{Facts, FolderIdentity};
use rustix::fs::{AtFlags, CWD, Statx, StatxFlags, fstat, makedev, statx};
use rustix::io::{self, Errno};
use std::os::fd::AsFd;
use std::path::Path;

/// linux/stat.h: `STATX_MNT_ID_UNIQUE`. A kernel without it uses the other number.
const UNIQUE: StatxFlags = StatxFlags::from_bits_retain(0x4000);

/// The fields that identify a folder.
const IDENTITY: StatxFlags = StatxFlags::INO.union(StatxFlags::MNT_ID).union(UNIQUE);

pub(super) fn facts(file: impl AsFd) -> io::Result<Facts> {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID | UNIQUE;
    match statx(&file, "", AtFlags::EMPTY_PATH, wanted) {
        Ok(stat) => Ok(stat.into()),
        // Linux before 4.11, or a sandbox that forbids the call.
        Err(Errno::NOSYS | Errno::PERM) => Ok(fstat(&file)?.into()),
        Err(error) => Err(error),
    }
}

/// # Errors
/// Those of statx(2).
pub(in super::super) fn folder(folder: impl AsFd) -> io::Result<FolderIdentity> {
    Ok(identity(&statx(folder, "", AtFlags::EMPTY_PATH, IDENTITY)?))
}

/// # Errors
/// Those of statx(2).
pub(in super::super) fn folder_at(path: &Path) -> io::Result<FolderIdentity> {
    Ok(identity(&statx(CWD, path, AtFlags::empty(), IDENTITY)?))
}

fn identity(stat: &Statx) -> FolderIdentity {
    (stat.stx_mnt_id, makedev(stat.stx_dev_major, stat.stx_dev_minor), stat.stx_ino)
}

impl From<Statx> for Facts {
    fn from(stat: Statx) -> Facts {
        let (modified, status) = (stat.stx_mtime, stat.stx_ctime);
        Facts {
            mount: stat.stx_mnt_id,
            device: makedev(stat.stx_dev_major, stat.stx_dev_minor),
            inode: stat.stx_ino,
            mode: stat.stx_mode.into(),
            size: stat.stx_size,
            blocks: stat.stx_blocks,
            modified: (modified.tv_sec, modified.tv_nsec.into()),
            status: (status.tv_sec, status.tv_nsec.into()),
        }
    }
}
