//! Opens files of roots for reading.

use tuffet_request::ClientKey;

use super::roots::{Root, Roots};
use super::{OpenFile, Reach, StoreError, path};

impl Roots {
    /// Opens a regular file for reading, in the named root or, without a name, in the first root that is not
    /// private and has the path.
    ///
    /// Never hangs on a FIFO or a device: only regular files are read.
    ///
    /// # Errors
    /// [`StoreError`]; `NotFound` if no root has the path.
    pub fn open_read(&self, root: Option<&str>, path: &str) -> Result<OpenFile, StoreError> {
        let path = path::checked(path)?;
        if let Some(name) = root {
            let root = self.named(name)?;
            return root.open_read(path);
        }
        let mut absent = StoreError::NotFound;
        for root in self.roots.iter().filter(|root| !root.private) {
            match root.open_read(path) {
                Err(StoreError::NotFound) => {}
                Err(error) if error.is_about_names() => absent = error,
                decided => return decided,
            }
        }
        Err(absent)
    }

    /// As [`Roots::open_read`] of the named root, for a client. `None` if only the origin could answer and `reach`
    /// excludes it.
    ///
    /// # Errors
    /// As [`Roots::open_read`].
    pub fn open_within(
        &self,
        root: &str,
        path: &str,
        client: ClientKey,
        reach: Reach,
    ) -> Result<Option<OpenFile>, StoreError> {
        let (path, root) = (path::checked(path)?, self.named(root)?);
        match &root.elsewhere {
            Some(place) => place.open_read(&root.disk, path, client, reach),
            None => root.open_read(path).map(Some),
        }
    }

    /// The size of a file, in bytes, without fetching it from its origin.
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
}

impl Root {
    fn open_read(&self, path: &str) -> Result<OpenFile, StoreError> {
        if let Some(place) = &self.elsewhere {
            let opened = place.open_read(&self.disk, path, ClientKey::SERVER, Reach::Origin)?;
            return opened.ok_or(StoreError::NotFound);
        }
        let file = OpenFile::open(&*self.folder()?, &self.disk, &self.checked, path);
        let file = file.map_err(|error| self.absent(path, error))?;
        if self.world_readable {
            file.require_world_readable()?;
        }
        Ok(file)
    }
}
