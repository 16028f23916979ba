//! The rules of a root for uploads.

use std::os::fd::AsFd;

use super::attributes;
use tuffet_request::{Case, Links, NewFolders, Quota, RootSpec, Versions};

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
    /// Whether it may create a file.
    pub create: bool,
    /// Whether it may only replace files that others may write.
    pub world_writable: bool,
    /// How to treat a symbolic link under its name.
    pub links: Links,
    /// The permissions of a new file; `None` if they depend on a umask.
    pub mode: Option<u32>,
    /// The umask that counts in place of that of the process.
    pub umask: Option<u32>,
    /// The earlier versions to keep of a replaced file.
    pub versions: Option<Versions>,
    /// The folders that it may make.
    pub folders: Option<NewFolders>,
    /// Whether a name is taken by one that differs from it in case alone.
    pub any_case: bool,
    /// What the root may contain.
    pub quota: Quota,
}

impl WriteRules {
    pub(super) fn of(root: &RootSpec) -> WriteRules {
        WriteRules {
            overwrite: root.overwrite,
            create: root.create,
            world_writable: root.world_readable,
            links: root.links,
            mode: root.mode,
            umask: root.umask,
            versions: root.versions,
            folders: root.folders,
            any_case: root.case == Case::Insensitive,
            quota: root.quota,
        }
    }

    /// Whether the permissions of new files depend on this process and the folder alone.
    pub(super) fn has_usual_mode(&self) -> bool {
        self.mode.is_none() && self.umask.is_none()
    }

    /// The permissions of a new file in this folder.
    pub(super) fn of_new(&self, folder: impl AsFd) -> NewMode {
        match (self.mode, self.umask) {
            (Some(mode), _) => NewMode::Exact(mode),
            // acl(5): such a list counts in place of the umask.
            (None, Some(_)) if attributes::has_default_list(folder) => NewMode::Masked(ALL),
            (None, Some(umask)) => NewMode::Exact(ALL & !umask),
            (None, None) => NewMode::Masked(USUAL),
        }
    }

    /// Whether the contents of the root are counted.
    pub(super) fn is_counted(&self) -> bool {
        self.quota.is_set() || self.folders.is_some()
    }
}
