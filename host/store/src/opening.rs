//! Opens the roots of a configuration.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use parking_lot::RwLock;
use tuffet_request::{Case, RootSpec};

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

    /// As [`Roots::open_on`], but does not wait for the roots in `silent`: their folders do not answer. Such a root
    /// keeps its folder from `before`, or has no folder until [`Roots::look_for_replaced`] can open it. `origins` maps
    /// root names to their origins.
    ///
    /// # Errors
    /// As [`Roots::open_on`].
    pub fn open_without(
        specs: &[RootSpec],
        disks: &Disks,
        silent: &[String],
        before: Option<&Roots>,
        origins: &Origins,
    ) -> Result<Self, RootError> {
        let open = |spec: &RootSpec| match &spec.elsewhere {
            Some(url) => Ok(Root::elsewhere(spec, url, disks, origins)),
            None if silent.contains(&spec.name) => Ok(Root::unopened(spec, disks, before)),
            None => Root::open(spec, disks),
        };
        let roots = specs.iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self { roots })
    }
}

impl Root {
    fn open(spec: &RootSpec, disks: &Disks) -> Result<Self, RootError> {
        let folder = open_folder(&spec.name, &spec.path)?;
        let root = Self::with(spec, Some(folder), disks);
        root.disk.set_open(true);
        Ok(root)
    }

    /// A root with a folder that does not answer now.
    fn unopened(spec: &RootSpec, disks: &Disks, before: Option<&Roots>) -> Self {
        let same = |root: &&Root| *root.name == *spec.name && root.path == spec.path;
        let folder = before
            .and_then(|before| before.roots.iter().find(same))
            .and_then(|root| root.folder.read().clone());
        let root = Self::with(spec, folder, disks);
        root.disk.set_open(root.served().is_some());
        root
    }

    /// A root with an origin. If `origins` has none for it, the root behaves like one with a silent folder.
    fn elsewhere(spec: &RootSpec, url: &Arc<str>, disks: &Disks, origins: &Origins) -> Root {
        let origin = origins.get(&spec.name).cloned();
        let root = Root {
            elsewhere: Some(OriginRoot { url: Arc::clone(url), origin }),
            ..Root::with(spec, None, disks)
        };
        root.disk.set_open(true);
        root
    }

    fn with(spec: &RootSpec, folder: Option<OpenFolder>, disks: &Disks) -> Self {
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
            staging: spec.in_place.clone().map(Staging::new),
            path: spec.path.clone(),
            follow: spec.follow,
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
            // Of any root that shares files with this one.
            let adds = |its: &Root| {
                its.rules.versions.is_some()
                    && (its.path.starts_with(&root.path) || root.path.starts_with(&its.path))
            };
            root.disk.adds_names.store(self.roots.iter().any(adds), Relaxed);
        }
    }
}

pub(super) fn open_folder(name: &str, path: &Path) -> Result<OpenFolder, RootError> {
    let failed = |source| RootError { name: name.to_owned(), path: path.to_owned(), source };
    OpenFolder::open(path).map_err(failed)
}
