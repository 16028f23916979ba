//! Systems other than Linux: fstat(2), which knows no mounts.

use super::{Facts, FolderIdentity};
use rustix::fs::{fstat, stat};
use rustix::io;
use std::os::fd::AsFd;
use std::path::Path;

pub(super) fn facts(file: impl AsFd) -> io::Result<Facts> {
    Ok(fstat(file)?.into())
}

/// # Errors
/// Those of fstat(2).
pub(in super::super) fn folder(folder: impl AsFd) -> io::Result<FolderIdentity> {
    Ok(identity(fstat(folder)?.into()))
}

/// # Errors
/// Those of stat(2).
pub(in super::super) fn folder_at(path: &Path) -> io::Result<FolderIdentity> {
    Ok(identity(stat(path)?.into()))
}

fn identity(facts: Facts) -> FolderIdentity {
    (facts.mount, facts.device, facts.inode)
}
