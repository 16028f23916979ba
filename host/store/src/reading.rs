//! Opens files of roots for reading.

use std::path::{Path, PathBuf};

use tuffet_request::ClientKey;

use super::folder_file::FolderFile;
use super::roots::{Root, Roots};
use super::{OpenFile, Reach, Right, StoreError, path};

/// A file that can be read.
#[derive(Debug)]
pub struct FoundFile {
    /// Its size in bytes.
    pub size: u64,
    /// The folder of `roots[].links` that contains it, if a link leads there.
    pub link_folder: Option<PathBuf>,
}

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
            None => root.open_read(path).map(|file| Some(file.of_client(client))),
        }
    }

    /// As [`Roots::open_within`], of a file that was opened a moment ago and is in a folder, if the kernel knows all about it:
    /// this waits for no disk. `None` says nothing about the file.
    pub fn open_now(&self, root: &str, path: &str, client: ClientKey) -> Option<OpenFile> {
        let (path, root) = (path::checked(path).ok()?, self.named(root).ok()?);
        let folder = root.served().filter(|_| root.elsewhere.is_none())?;
        let file = FolderFile::open_now(&folder, &root.disk, &root.checked, path)?;
        let is_allowed = !root.world_readable || file.require_world_readable().is_ok();
        is_allowed.then(|| OpenFile::in_folder(file, &root.disk, path).of_client(client))
    }

    /// Looks up a file, without fetching it from its origin.
    ///
    /// # Errors
    /// As [`Roots::open_read`].
    pub fn look_up(&self, root: &str, path: &str) -> Result<FoundFile, StoreError> {
        let (path, root) = (path::checked(path)?, self.named(root)?);
        if let Some(place) = &root.elsewhere {
            return Ok(FoundFile { size: place.look_up(path)?.size, link_folder: None });
        }
        let file = root.open_read(path)?;
        Ok(FoundFile { size: file.size(), link_folder: file.link_folder().map(Path::to_owned) })
    }
}

impl Root {
    fn open_read(&self, path: &str) -> Result<OpenFile, StoreError> {
        if let Some(place) = &self.elsewhere {
            let opened = place.open_read(&self.disk, path, ClientKey::SERVER, Reach::Origin)?;
            return opened.ok_or(StoreError::NotFound);
        }
        let file = FolderFile::open(&self.folder()?, &self.disk, &self.checked, path);
        let file = file
            .map_err(|error| self.absent(path, error).with_obstacle(&self.path.join(path), &[Right::Read]))?;
        if self.world_readable {
            file.require_world_readable()?;
        }
        Ok(OpenFile::in_folder(file, &self.disk, path))
    }
}
