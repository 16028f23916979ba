//! A file that is being written: invisible under its name until it is whole, then visible at once.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RenameFlags, fsync, linkat, openat, renameat, renameat_with, statat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

use super::open_file::require_regular;
use super::{Root, StoreError, path};

/// An upload in progress, in a temporary file beside its target.
///
/// Dropping it removes the temporary file, which may wait for a disk: drop it on a thread that may
/// block.
#[derive(Debug)]
pub struct Upload {
    file: File,
    /// The target's own folder, so that the final rename stays within one file system.
    folder: OwnedFd,
    /// Empty once it has become the target.
    temporary: String,
    name: String,
    root: Arc<str>,
    path: String,
    overwrite: bool,
    limit: u64,
}

impl Upload {
    pub(super) fn create(root: &Root, target: &str) -> Result<Self, StoreError> {
        let (folder, name) = path::split(target);
        let parent = root.folder.open_dir(folder).map_err(StoreError::from_open)?;
        refuse_taken(&parent, name, root.overwrite)?;
        // cap-std opens folders by O_PATH, which cannot be synced; `.` leads nowhere else.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(&parent, ".", flags, Mode::empty())?;
        let (file, temporary) = create_temporary(&parent)?;
        Ok(Self {
            file,
            folder,
            temporary,
            name: name.to_owned(),
            root: root.name.clone(),
            path: target.to_owned(),
            overwrite: root.overwrite,
            limit: root.max_upload,
        })
    }

    /// The name of the root it goes to.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The path in that root under which it becomes visible.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The largest size it may reach, in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Lowers the limit, as policy may ask; never raises it.
    pub fn lower_limit(&mut self, bytes: u64) {
        self.limit = self.limit.min(bytes);
    }

    /// Writes all of `bytes` at `offset`; takes no lock.
    ///
    /// # Errors
    /// `TooLarge` where the limit would be passed (nothing is written then), `NoSpace`, `Io`.
    pub fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let end = offset.checked_add(bytes.len() as u64);
        if end.is_none_or(|end| end > self.limit) {
            return Err(StoreError::TooLarge { limit: self.limit });
        }
        self.file.write_all_at(bytes, offset).map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::FBIG) => StoreError::TooLarge { limit: self.limit },
            _ => StoreError::from_io(error),
        })
    }

    /// Makes the upload visible under its name and lasting: the file reaches the disk, takes its name
    /// in one step, and the folder reaches the disk.
    ///
    /// Of several uploads to one name the later commit wins where the root overwrites, else the first.
    /// A symbolic link under that name is replaced, not followed.
    ///
    /// # Errors
    /// `Exists` where the name was taken meanwhile, `NotRegular` where a folder took it, `NoSpace`,
    /// `Forbidden`, `Io`. Nothing is visible then, except where the last step alone failed.
    pub fn commit(mut self) -> Result<(), StoreError> {
        self.file.sync_all().map_err(StoreError::from_io)?;
        if self.overwrite {
            renameat(&self.folder, &self.temporary, &self.folder, &self.name).map_err(from_rename)?;
        } else {
            self.rename_to_free_name().map_err(from_rename)?;
        }
        self.temporary.clear();
        match fsync(&self.folder) {
            // fsync(2): some network and user-space file systems do not sync folders.
            Ok(()) | Err(Errno::INVAL) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    fn rename_to_free_name(&self) -> Result<(), Errno> {
        let (folder, temporary, name) = (&self.folder, &self.temporary, &self.name);
        match renameat_with(folder, temporary, folder, name, RenameFlags::NOREPLACE) {
            // rename(2): the file system cannot do it. A hard link cannot replace either; dropping the
            // temporary name is what remains.
            Err(Errno::INVAL | Errno::NOSYS) => {
                linkat(folder, temporary, folder, name, AtFlags::empty())?;
                unlinkat(folder, temporary, AtFlags::empty())
            }
            done => done,
        }
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if !self.temporary.is_empty()
            && let Err(errno) = unlinkat(&self.folder, &self.temporary, AtFlags::empty())
        {
            let error = io::Error::from(errno);
            tracing::warn!(root = %self.root, path = %self.path, temporary = %self.temporary, %error,
                "an unfinished upload could not be removed; remove it by hand");
        }
    }
}

/// Says early what the commit would say; the commit decides.
fn refuse_taken(folder: &Dir, name: &str, overwrite: bool) -> Result<(), StoreError> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(StoreError::from_open(errno.into())),
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink => {
            require_regular(&stat)?;
            if overwrite { Ok(()) } else { Err(StoreError::Exists) }
        }
        Ok(_) if overwrite => Ok(()),
        Ok(_) => Err(StoreError::Exists),
    }
}

/// `.tuffet-<16 hexadecimal digits>.part`, readable by all as far as the umask lets it.
fn create_temporary(folder: &Dir) -> Result<(File, String), StoreError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o644);
    loop {
        let mut random = [0_u8; 8];
        let filled = getrandom(&mut random, GetRandomFlags::empty())?;
        if filled < random.len() {
            continue;
        }
        let name = format!("{}{:016x}.part", path::RESERVED, u64::from_ne_bytes(random));
        match folder.open_with(&name, &options) {
            Ok(file) => return Ok((file.into_std(), name)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(StoreError::from_open(error)),
        }
    }
}

fn from_rename(errno: Errno) -> StoreError {
    match errno {
        Errno::EXIST => StoreError::Exists,
        Errno::ISDIR | Errno::NOTDIR => StoreError::NotRegular("a folder"),
        errno => errno.into(),
    }
}
