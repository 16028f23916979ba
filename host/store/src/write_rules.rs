//! The rules of a root for uploads.

use tuffet_request::{Links, NewFolders, Quota, RootSpec, Versions};

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
    /// The permissions of a new file; `None` if they depend on the umask.
    pub mode: Option<u32>,
    /// The earlier versions to keep of a replaced file.
    pub versions: Option<Versions>,
    /// The folders that it may make.
    pub folders: Option<NewFolders>,
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
            versions: root.versions,
            folders: root.folders,
            quota: root.quota,
        }
    }

    /// Whether the contents of the root are counted.
    pub(super) fn is_counted(&self) -> bool {
        self.quota.is_set() || self.folders.is_some()
    }
}
