//! Roots whose files live elsewhere.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tuffet_request::{ClientKey, RootSpec};

use super::{Disk, Disks, OpenFile, Origin, Root, Roots, Sought, StoreError, Stored, path};

/// The origins of roots that live elsewhere, by the name of the root.
pub type Origins = BTreeMap<String, Arc<dyn Origin>>;

/// Where the files of a root live, if not in a folder.
#[derive(Debug)]
pub(super) struct Place {
    /// The URL, without secrets.
    url: Arc<str>,
    /// `None` in a process that only looks at the configuration.
    origin: Option<Arc<dyn Origin>>,
}

impl Root {
    /// A root of an origin. Without one it answers as a folder that does not.
    pub(super) fn elsewhere(spec: &RootSpec, url: &Arc<str>, disks: &Disks, origins: &Origins) -> Root {
        let origin = origins.get(&spec.name).cloned();
        let root =
            Root { elsewhere: Some(Place { url: Arc::clone(url), origin }), ..Root::with(spec, None, disks) };
        root.disk.set_open(true);
        root
    }
}

impl Place {
    pub(super) fn origin(&self) -> Result<&Arc<dyn Origin>, StoreError> {
        self.origin.as_ref().ok_or(StoreError::Unopened)
    }

    pub(super) fn open_read(
        &self,
        disk: &Arc<Disk>,
        path: &str,
        client: ClientKey,
    ) -> Result<OpenFile, StoreError> {
        let found = self.origin()?.open(path, client)?;
        OpenFile::remote(found, disk, &self.url, path)
    }

    /// Whether the origin has the path, as it is spelled. It has no folders, so each upload finds its own.
    pub(super) fn stored(&self, path: &str, sought: Sought) -> Result<Stored, StoreError> {
        if sought == Sought::FolderOf {
            return Ok(Stored::At(path.to_owned()));
        }
        match self.origin()?.look_up(path) {
            Ok(_) => Ok(Stored::At(path.to_owned())),
            Err(StoreError::NotFound) => Ok(Stored::Nowhere),
            Err(error) => Err(error),
        }
    }
}

impl Roots {
    /// The size of a file, in bytes, without fetching it from where it lives.
    ///
    /// # Errors
    /// As [`Roots::open_read`].
    pub fn size(&self, root: &str, path: &str) -> Result<u64, StoreError> {
        let (path, root) = (path::checked(path)?, self.named(root)?);
        match &root.elsewhere {
            Some(place) => Ok(place.origin()?.look_up(path)?.size),
            None => Ok(root.open_read(path, ClientKey::SERVER)?.size()),
        }
    }

    /// The URLs of the roots that live elsewhere, by name.
    pub fn elsewhere(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<str>)> {
        self.roots.iter().filter_map(|root| Some((&root.name, &root.elsewhere.as_ref()?.url)))
    }
}

impl Root {
    /// The folder for temporary files, where the files live elsewhere: that of the cache.
    pub(super) fn beside(&self) -> &PathBuf {
        &self.path
    }
}
