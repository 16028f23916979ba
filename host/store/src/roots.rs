//! The configured roots, and the choice of the root for a request.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::RwLock;
use thiserror::Error;
use tuffet_request::Unopened;

use super::checked::Checked;
use super::facts::FolderIdentity;
use super::link_folders::LinkFolders;
use super::listing::Listings;
use super::open_folder::OpenFolder;
use super::remote_root::OriginRoot;
use super::staging::Staging;
use super::write_rules::WriteRules;
use super::{Disk, StoreError};

/// The configured roots, in the order in which they are searched. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Roots {
    pub(super) roots: Arc<[Root]>,
}

#[derive(Debug)]
pub(super) struct Root {
    pub(super) name: Arc<str>,
    /// Prefixes of requested names, without their leading slash.
    pub(super) also_at: Vec<Arc<str>>,
    pub(super) writable: bool,
    pub(super) private: bool,
    pub(super) world_readable: bool,
    /// Set if names match regardless of case.
    pub(super) listings: Option<Listings>,
    pub(super) max_upload: u64,
    pub(super) rules: WriteRules,
    /// Where uploads wait that are written in place; `None`: there are none.
    pub(super) staging: Option<Staging>,
    pub(super) path: PathBuf,
    /// Whether to serve a folder that replaces the open one.
    pub(super) follow: bool,
    /// Whether the folder is empty, so that a file system may be mounted over it later.
    pub(super) may_be_mount_point: AtomicBool,
    /// The folders that links may lead to.
    pub(super) links: Arc<LinkFolders>,
    /// `None` until a folder that was missing or did not answer at startup can be opened, and for roots with an origin.
    pub(super) folder: RwLock<Option<OpenFolder>>,
    /// The origin of the files, if they are not in a folder.
    pub(super) elsewhere: Option<OriginRoot>,
    pub(super) disk: Arc<Disk>,
    pub(super) checked: Checked,
}

/// A root that cannot be opened.
#[derive(Debug, Error)]
#[error("root `{name}`: the folder {} cannot be opened: {source}; create it, correct its path, or allow this user to enter it", path.display())]
pub struct RootError {
    /// The name of the root.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    /// The system error.
    pub source: io::Error,
}

impl Roots {
    /// Returns the root for uploads when policy names none. With a `prefix`, considers only the roots with this prefix.
    ///
    /// # Errors
    /// `ReadOnly` if no root accepts uploads.
    pub fn of_uploads(
        &self,
        prefix: Option<&str>,
        serves: impl Fn(&str) -> bool,
    ) -> Result<&str, StoreError> {
        let root = self.reachable(prefix).find(|root| root.writable && serves(&root.name));
        root.map(|root| &*root.name).ok_or(StoreError::ReadOnly)
    }

    /// The roots that clients can read without policy, in search order. With a `prefix`, only the roots with this
    /// prefix.
    pub fn public(&self, prefix: Option<&str>) -> impl Iterator<Item = &Arc<str>> {
        self.reachable(prefix).map(|root| &root.name)
    }

    fn reachable(&self, prefix: Option<&str>) -> impl Iterator<Item = &Root> {
        let has =
            move |root: &Root| prefix.is_none_or(|prefix| root.also_at.iter().any(|its| **its == *prefix));
        self.roots.iter().filter(move |root| !root.private && has(root))
    }

    /// Splits a normalised path after the longest prefix of the public roots that the listener `serves`; `None` if no
    /// prefix matches.
    pub fn below<'a>(&self, path: &'a str, serves: impl Fn(&str) -> bool) -> Option<(Arc<str>, &'a str)> {
        let roots = self.roots.iter().filter(|root| !root.private && serves(&root.name));
        let prefixes = roots.flat_map(|root| &root.also_at);
        let below = prefixes.filter_map(|prefix| {
            let rest = path.strip_prefix(&**prefix)?.strip_prefix('/')?;
            Some((Arc::clone(prefix), rest))
        });
        below.max_by_key(|(prefix, _)| prefix.len())
    }

    /// Returns the disk of a root.
    pub fn disk(&self, root: &str) -> Option<&Arc<Disk>> {
        self.named(root).ok().map(|root| &root.disk)
    }

    /// Returns whether the folder of this root has not existed so far.
    pub fn is_missing(&self, root: &str) -> bool {
        self.disk(root).is_some_and(|disk| disk.unopened() == Some(Unopened::Missing))
    }

    /// Returns whether the root of this name is for plugins only.
    pub fn is_private(&self, root: &str) -> bool {
        self.named(root).is_ok_and(|root| root.private)
    }

    pub(super) fn named(&self, name: &str) -> Result<&Root, StoreError> {
        let found = self.roots.iter().find(|root| &*root.name == name);
        found.ok_or_else(|| StoreError::UnknownRoot(name.to_owned()))
    }

    /// Whether this root takes uploads into another folder than the root of this name in `before` did.
    pub fn is_new_for_uploads(&self, name: &str, before: &Roots) -> bool {
        let folder = |roots: &Roots| {
            let root = roots.named(name).ok().filter(|root| root.writable)?;
            Some((root.path.clone(), root.identity()))
        };
        folder(self).is_some_and(|its| folder(before) != Some(its))
    }

    /// The names and URLs of the roots with an origin.
    pub fn elsewhere(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<str>)> {
        self.roots.iter().filter_map(|root| Some((&root.name, &root.elsewhere.as_ref()?.url)))
    }
}

impl Root {
    /// The folder being served, if it is open yet.
    pub(super) fn served(&self) -> Option<OpenFolder> {
        self.folder.read().clone()
    }

    /// The identity of the folder being served, if it is open and known.
    pub(super) fn identity(&self) -> Option<FolderIdentity> {
        self.folder.read().as_ref().and_then(|folder| folder.identity)
    }

    /// The folder being served.
    ///
    /// # Errors
    /// As [`Root::unopened_error`] if no folder is open yet.
    pub(super) fn folder(&self) -> Result<OpenFolder, StoreError> {
        self.served().ok_or_else(|| self.unopened_error())
    }

    /// The error while no folder is open: other roots may have the file if the folder is missing, and the client should
    /// try again if it does not answer.
    pub(super) fn unopened_error(&self) -> StoreError {
        match self.disk.unopened() {
            Some(Unopened::Missing) => StoreError::NotFound,
            Some(Unopened::Unresponsive) | None => StoreError::Unopened,
        }
    }

    /// The folder for temporary files of a root with an origin: its cache.
    pub(super) fn beside(&self) -> &PathBuf {
        &self.path
    }
}
