//! The rules of a root for uploads.

use std::os::fd::AsFd;

use super::attributes;
use tuffet_request::{Case, FileMode, RootSpec, UploadRules};

/// The permissions of new files, before a umask applies.
pub(super) const USUAL: u32 = 0o644;

/// The permissions of new files of other servers, before a umask applies.
const ALL: u32 = 0o666;

/// The permissions of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NewMode {
    Exact(u32),
    /// Without the bits that the umask, or the folder's default access control list, clears.
    Masked(u32),
}

/// The rules for an upload.
#[derive(Debug, Clone, Copy)]
pub(super) struct WriteRules {
    /// Whether it may replace an existing file.
    pub overwrite: bool,
    /// Whether it may only replace files that others may write.
    pub world_writable: bool,
    /// Whether a name is taken by one that differs from it in case alone.
    pub any_case: bool,
    /// How it is written.
    pub write: UploadRules,
}

impl WriteRules {
    pub(super) fn of(root: &RootSpec) -> WriteRules {
        WriteRules {
            overwrite: root.overwrite,
            world_writable: root.world_readable,
            any_case: root.case == Case::Insensitive,
            write: root.write,
        }
    }

    /// Whether the permissions of new files depend on this process and the folder alone.
    pub(super) fn has_usual_mode(&self) -> bool {
        self.write.mode.is_none() && self.write.umask.is_none()
    }

    /// The permissions of a new file in this folder.
    pub(super) fn of_new(&self, folder: impl AsFd) -> NewMode {
        match (self.write.mode, self.write.umask) {
            (Some(FileMode(mode)), _) => NewMode::Exact(mode),
            // acl(5): such a list counts in place of the umask.
            (None, Some(_)) if attributes::has_default_list(folder) => NewMode::Masked(ALL),
            (None, Some(FileMode(umask))) => NewMode::Exact(ALL & !umask),
            (None, None) => NewMode::Masked(USUAL),
        }
    }

    /// Whether the contents of the root are counted.
    pub(super) fn is_counted(&self) -> bool {
        self.write.quota.is_set() || self.write.folders.is_some()
    }
}
