//! Roots whose files live elsewhere.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tuffet_request::{ClientKey, RootSpec};

use super::{
    Disk, Disks, OpenFile, Origin, Reach, RemoteMeta, Root, Roots, Sought, StoreError, Stored, path,
};

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

    /// `None` if that is beyond the `reach`.
    pub(super) fn open_read(
        &self,
        disk: &Arc<Disk>,
        path: &str,
        client: ClientKey,
        reach: Reach,
    ) -> Result<Option<OpenFile>, StoreError> {
        let found = self.origin()?.open(path, client, reach)?;
        let opened = found.map(|found| OpenFile::remote(found, disk, &self.url, path)).transpose()?;
        Ok(opened.map(|opened| opened.of_client(client)))
    }

    /// Asks the origin where the cache does not know.
    pub(super) fn look_up(&self, path: &str) -> Result<RemoteMeta, StoreError> {
        // The origin is within reach: there is an answer.
        self.origin()?.look_up(path, Reach::Origin)?.ok_or(StoreError::NotFound)
    }

    /// Whether the origin has the path, as it is spelled. It has no folders, so each upload finds its own.
    pub(super) fn stored(
        &self,
        path: &str,
        sought: Sought,
        reach: Reach,
    ) -> Result<Option<Stored>, StoreError> {
        if sought == Sought::FolderOf {
            return Ok(Some(Stored::At(path.to_owned())));
        }
        match self.origin()?.look_up(path, reach) {
            Ok(found) => Ok(found.map(|_| Stored::At(path.to_owned()))),
            Err(StoreError::NotFound) => Ok(Some(Stored::Nowhere)),
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
            Some(place) => Ok(place.look_up(path)?.size),
            None => Ok(root.open_read(path)?.size()),
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
