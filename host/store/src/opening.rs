//! Opens the roots of a configuration.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use parking_lot::RwLock;
use tuffet_request::{Case, RootSpec, Unopened};

use super::link_folders::LinkFolders;
use super::listing::Listings;
use super::open_folder::OpenFolder;
use super::remote_root::OriginRoot;
use super::roots::{Root, RootError, Roots};
use super::staging::Staging;
use super::write_rules::WriteRules;
use super::{Disks, Origins};

impl Roots {
    /// Opens the folders of all roots.
    ///
    /// # Errors
    /// The folder of the first failing root is missing, is not a folder, or cannot be entered.
    pub fn open(specs: &[RootSpec]) -> Result<Self, RootError> {
        Self::open_on(specs, &Disks::default())
    }

    /// As [`Roots::open`], with the existing disks of the server.
    ///
    /// # Errors
    /// As [`Roots::open`].
    pub fn open_on(specs: &[RootSpec], disks: &Disks) -> Result<Self, RootError> {
        Self::open_without(specs, disks, &[], None, &Origins::new())
    }

    /// As [`Roots::open_on`], but without the roots in `unopened`. Such a root has no folder until
    /// [`Roots::look_for_unopened`] can open it; one that does not answer keeps its folder from `before`. `origins` maps
    /// root names to their origins.
    ///
    /// # Errors
    /// As [`Roots::open_on`].
    pub fn open_without(
        specs: &[RootSpec],
        disks: &Disks,
        unopened: &[(String, Unopened)],
        before: Option<&Roots>,
        origins: &Origins,
    ) -> Result<Self, RootError> {
        let open = |spec: &RootSpec| match &spec.elsewhere {
            Some(url) => Ok(Root::elsewhere(spec, url, disks, origins)),
            None => match unopened.iter().find(|(name, _)| *name == spec.name) {
                Some((_, why)) => Ok(Root::unopened(spec, *why, disks, before)),
                None => Root::open(spec, disks),
            },
        };
        let roots = specs.iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self { roots })
    }
}

impl Root {
    fn open(spec: &RootSpec, disks: &Disks) -> Result<Self, RootError> {
        let links = Arc::new(LinkFolders::open(&spec.name, &spec.link_folders));
        let folder = open_folder(&spec.name, &spec.path, &links)?;
        // Clients get nothing from it, and put nothing into it.
        let may_be_mount_point = !spec.writable && folder.is_empty();
        let root = Self::with(spec, Some(folder), links, disks);
        root.may_be_mount_point.store(may_be_mount_point, Relaxed);
        root.disk.set_unopened(None);
        Ok(root)
    }

    /// A root with a folder that is missing, or does not answer now.
    fn unopened(spec: &RootSpec, why: Unopened, disks: &Disks, before: Option<&Roots>) -> Self {
        let same = |root: &&Root| *root.name == *spec.name && root.path == spec.path;
        let folder = before
            .filter(|_| why == Unopened::Unresponsive)
            .and_then(|before| before.roots.iter().find(same))
            .and_then(|root| root.folder.read().clone());
        let links = Arc::new(LinkFolders::open(&spec.name, &spec.link_folders));
        let folder = folder.map(|folder| folder.with_links(&links));
        let root = Self::with(spec, folder, links, disks);
        root.disk.set_unopened(root.served().is_none().then_some(why));
        root
    }

    /// A root with an origin. If `origins` has none for it, the root behaves like one with a silent folder.
    fn elsewhere(spec: &RootSpec, url: &Arc<str>, disks: &Disks, origins: &Origins) -> Root {
        let origin = origins.get(&spec.name).cloned();
        let root = Root {
            elsewhere: Some(OriginRoot { url: Arc::clone(url), origin }),
            ..Root::with(spec, None, Arc::default(), disks)
        };
        root.disk.set_unopened(None);
        root
    }

    fn with(spec: &RootSpec, folder: Option<OpenFolder>, links: Arc<LinkFolders>, disks: &Disks) -> Self {
        let (rules, disk) = (WriteRules::of(spec), disks.of(spec));
        Self {
            name: spec.name.as_str().into(),
            also_at: spec.also_at.iter().map(|prefix| prefix.as_str().into()).collect(),
            writable: spec.writable,
            private: spec.private,
            world_readable: spec.world_readable,
            listings: (spec.case == Case::Insensitive).then(Listings::default),
            max_upload: spec.max_upload,
            rules,
            staging: spec.staging.clone().map(Staging::new),
            path: spec.path.clone(),
            follow: spec.follow,
            may_be_mount_point: AtomicBool::new(false),
            links,
            folder: RwLock::new(folder.map(|folder| folder.with_known(&disk.usages))),
            elsewhere: None,
            disk,
            checked: Default::default(),
        }
    }
}

impl Roots {
    /// Called when new requests get these roots: disks stay across reloads, and a refused reload must not change what
    /// running transfers depend on.
    pub fn take_effect(&self) {
        for root in self.roots.iter() {
            if let Some(folder) = root.served().filter(|_| !root.rules.is_counted()) {
                folder.usage.forget();
            }
        }
    }
}

pub(super) fn open_folder(
    name: &str,
    path: &Path,
    links: &Arc<LinkFolders>,
) -> Result<OpenFolder, RootError> {
    let failed = |source| RootError { name: name.to_owned(), path: path.to_owned(), source };
    OpenFolder::open(path, links).map_err(failed)
}
