//! An upload to a root whose files live elsewhere: a file without a name beside the cache, until the origin has it.

use std::fs::File;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;

use super::remote_root::Place;
use super::{Origin, Root, StoreError, temporary};

/// Nobody else reads it.
const MODE: u32 = 0o600;

/// The destination of an upload.
#[derive(Debug)]
pub(super) struct ToOrigin {
    origin: Arc<dyn Origin>,
    pub(super) overwrite: bool,
}

impl ToOrigin {
    /// Begins an upload. Asks the origin whether it may come, as far as it says so before.
    pub(super) fn create(root: &Root, place: &Place, target: &str) -> Result<(File, ToOrigin), StoreError> {
        let overwrite = root.rules.overwrite;
        place.judge_upload(target, overwrite)?;
        let folder =
            Dir::open_ambient_dir(root.beside(), ambient_authority()).map_err(StoreError::from_io)?;
        let to = ToOrigin { origin: Arc::clone(place.origin()?), overwrite };
        Ok((nameless(&folder)?, to))
    }

    /// Returns once the origin has it.
    pub(super) fn commit(&self, path: &str, file: &File) -> Result<(), StoreError> {
        let size = file.metadata().map_err(StoreError::from_io)?.len();
        self.origin.store(path, file, size, self.overwrite)
    }
}

impl Place {
    /// Says early what an upload would come to, without an effect.
    ///
    /// # Errors
    /// `Exists` if the path is taken and may not be overwritten, `Unreachable`.
    pub(super) fn judge_upload(&self, target: &str, overwrite: bool) -> Result<(), StoreError> {
        match self.look_up(target) {
            Ok(_) if !overwrite => Err(StoreError::Exists),
            // Who may write need not be allowed to read: the origin answers when it is to store the upload.
            Ok(_) | Err(StoreError::NotFound | StoreError::RefusedByOrigin { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// A file that vanishes with its last descriptor, however the process ends.
fn nameless(folder: &Dir) -> Result<File, StoreError> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match openat(folder, ".", flags, Mode::from_raw_mode(MODE)) {
        Ok(file) => Ok(File::from(file)),
        // open(2): the file system or the kernel has no such files.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => {
            let (file, name) = temporary::create(folder, MODE)?;
            unlinkat(folder, &name, AtFlags::empty())?;
            Ok(file)
        }
        Err(errno) => Err(errno.into()),
    }
}
