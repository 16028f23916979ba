//! Folders of files.

use crate::content::{RootError, Source};
use std::path::{Path, PathBuf};
use tuffet_request::{Case, LinkFolder, Links, NewFolders, Quota, RootSpec, VersionNames, Versions};
use tuffet_store::{RootError as FolderError, Roots};

/// A folder, confined: no name leads out of it. Clients may read it; uploads are off by default.
#[derive(Debug, Clone)]
pub struct Folder(RootSpec);

impl Folder {
    /// A folder under this name, opened by [`Builder::bind`](crate::Builder::bind).
    pub fn new(name: &str, path: impl Into<PathBuf>) -> Folder {
        Folder(RootSpec::read_only(name, path))
    }

    /// Accepts uploads of at most this many bytes. They become visible when they are complete.
    #[must_use]
    pub fn writable(mut self, max_upload: u64) -> Folder {
        (self.0.writable, self.0.max_upload) = (true, max_upload);
        self
    }

    /// Whether an upload may replace a file. Default: no.
    #[must_use]
    pub fn overwrite(mut self, overwrite: bool) -> Folder {
        self.0.overwrite = overwrite;
        self
    }

    /// Whether an upload may create a file. Default: yes.
    #[must_use]
    pub fn create(mut self, create: bool) -> Folder {
        self.0.write.create = create;
        self
    }

    /// Whether only answers of hooks lead to its files, not requested names. Default: no.
    #[must_use]
    pub fn private(mut self, private: bool) -> Folder {
        self.0.private = private;
        self
    }

    /// Whether requested names match regardless of case. Default: no.
    #[must_use]
    pub fn any_case(mut self, any_case: bool) -> Folder {
        self.0.case = if any_case { Case::Insensitive } else { Case::Sensitive };
        self
    }

    /// The folders outside of it that symbolic links in it may lead to. Their files can be read. Default: none; links
    /// that lead out are refused.
    #[must_use]
    pub fn links(mut self, folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Folder {
        let folder = |path: PathBuf| LinkFolder { path, answers: true };
        self.0.link_folders = folders.into_iter().map(Into::into).map(folder).collect();
        self
    }

    /// The treatment of a symbolic link under the name of an upload that may overwrite. Default: it is refused.
    #[must_use]
    pub fn upload_links(mut self, links: Links) -> Folder {
        self.0.write.links = links;
        self
    }

    /// Writes an upload into the file that is there, where this process may write that file and not its folder. Until it is
    /// complete, it waits in `staging`, a folder of this program alone, which is made if it is missing. Default: such an
    /// upload is refused.
    #[must_use]
    pub fn in_place(mut self, staging: impl Into<PathBuf>) -> Folder {
        self.0.staging = Some(staging.into());
        self
    }

    /// Keeps this many earlier versions of each file that an upload replaces, as `NAME.~1~`, `NAME.~2~` and so on.
    /// Default: none.
    #[must_use]
    pub fn versions(mut self, keep: u32) -> Folder {
        self.0.write.versions = (keep > 0).then_some(Versions { keep, names: VersionNames::Number });
        self
    }

    /// As [`Folder::versions`], with the time of each version in its name: `NAME.~20261127T001500Z.7~`.
    #[must_use]
    pub fn timed_versions(mut self, keep: u32) -> Folder {
        self.0.write.versions = (keep > 0).then_some(Versions { keep, names: VersionNames::Time });
        self
    }

    /// Lets uploads make the folders of their paths. Default: they may not.
    #[must_use]
    pub fn new_folders(mut self, limits: NewFolders) -> Folder {
        self.0.write.folders = Some(limits);
        self
    }

    /// What the folder may contain. An upload that would exceed it is refused. Default: unlimited.
    #[must_use]
    pub fn quota(mut self, quota: Quota) -> Folder {
        self.0.write.quota = quota;
        self
    }

    pub(super) fn into_spec(self) -> RootSpec {
        self.0
    }
}

/// An open folder, confined, for answers of hooks and roots.
#[derive(Debug, Clone)]
pub struct OpenFolder(Roots);

impl OpenFolder {
    /// Opens a folder.
    ///
    /// # Errors
    /// It is missing, no folder, or may not be entered.
    pub fn open(path: impl AsRef<Path>) -> Result<OpenFolder, FolderError> {
        Roots::open(&[RootSpec::read_only("folder", path.as_ref())]).map(OpenFolder)
    }

    /// Opens a file; the path is relative to the folder. Blocks on the disk.
    ///
    /// # Errors
    /// There is no such file, or it is no regular one.
    pub fn source(&self, path: &str) -> Result<Source, RootError> {
        Ok(Source::file(self.0.open_read(None, path).map_err(RootError::of_store)?))
    }
}
