//! Roots with an origin instead of a folder.

use std::collections::BTreeMap;
use std::sync::Arc;

use tuffet_request::ClientKey;

use super::{Disk, OpenFile, Origin, Reach, RemoteMeta, Sought, StoreError, Stored};

/// Origins by the name of their root.
pub type Origins = BTreeMap<String, Arc<dyn Origin>>;

/// The origin of a root.
#[derive(Debug)]
pub(super) struct OriginRoot {
    /// The URL, without secrets.
    pub(super) url: Arc<str>,
    /// `None` in a process that only checks the configuration.
    pub(super) origin: Option<Arc<dyn Origin>>,
}

impl OriginRoot {
    pub(super) fn origin(&self) -> Result<&Arc<dyn Origin>, StoreError> {
        self.origin.as_ref().ok_or(StoreError::Unopened)
    }

    /// `None` if only the origin could answer and `reach` excludes it.
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

    /// Asks the origin if the cache has no answer.
    pub(super) fn look_up(&self, path: &str) -> Result<RemoteMeta, StoreError> {
        // `Reach::Origin` always gives an answer.
        self.origin()?.look_up(path, Reach::Origin)?.ok_or(StoreError::NotFound)
    }

    /// Looks up the path exactly as spelled. An origin has no folders, so the folder of an upload always exists.
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
