//! An upload to a root with an origin: an unnamed file beside the cache, until the origin has stored it.

use std::fs::File;
use std::sync::Arc;

use super::remote_root::OriginRoot;
use super::roots::Root;
use super::{Origin, StoreError, temporary};

/// The destination of an upload.
#[derive(Debug)]
pub(super) struct ToOrigin {
    /// It has no name.
    pub(super) file: Arc<File>,
    origin: Arc<dyn Origin>,
    pub(super) overwrite: bool,
}

impl ToOrigin {
    /// Begins an upload. Checks early whether the origin will accept it, as far as possible.
    pub(super) fn create(root: &Root, place: &OriginRoot, target: &str) -> Result<ToOrigin, StoreError> {
        let overwrite = root.rules.overwrite;
        place.judge_upload(target, overwrite)?;
        let origin = Arc::clone(place.origin()?);
        Ok(ToOrigin { file: Arc::new(temporary::unnamed_file(root.beside())?), origin, overwrite })
    }

    /// Sends the upload; returns once the origin has stored it.
    pub(super) fn commit(&self, path: &str) -> Result<(), StoreError> {
        let size = self.file.metadata().map_err(StoreError::from_io)?.len();
        self.origin.store(path, &self.file, size, self.overwrite)
    }
}

impl OriginRoot {
    /// Checks early whether an upload can succeed, without side effects.
    ///
    /// # Errors
    /// `Exists` if the path is taken and may not be overwritten, `Unreachable`.
    pub(super) fn judge_upload(&self, target: &str, overwrite: bool) -> Result<(), StoreError> {
        match self.look_up(target) {
            Ok(_) if !overwrite => Err(StoreError::Exists),
            // The credentials may permit writing but not reading; the origin decides when it stores the upload.
            Ok(_) | Err(StoreError::NotFound | StoreError::RefusedByOrigin { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
