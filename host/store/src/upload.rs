//! An upload in progress: invisible under its name until it is complete, then visible as a whole. It gets the
//! permissions that its root gives to new files, or those of the file that it replaces.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use cap_std::fs::Dir;
use rustix::fs::{
    Access, AtFlags, FileType, Mode, OFlags, accessat, fchmod, fstat, fsync, linkat, openat, renameat,
    statat, unlinkat,
};
use rustix::io::Errno;
use sha2::{Digest, Sha256};

use super::links::followed;
use super::open_file::require_regular;
use super::replaced::{self, Replaced};
use super::roots::Root;
use super::system::rename_to_free_name;
use super::upload_elsewhere::ToOrigin;
use super::upload_supplied::{ToProgram, unsupported};
use super::write_rules::WriteRules;
use super::{Disk, Sink, StoreError, mode, path, spelling, temporary};
use crate::Writing;

/// The permissions of new files, before the umask applies.
const NEW_MODE: u32 = 0o644;

/// The permissions of a temporary file until the commit sets the final ones, which may be stricter than those of a new
/// file.
const PRIVATE_MODE: u32 = 0o600;

/// The limit of attempts of a commit while the owner or permissions of the old file keep changing.
const MAX_COMMIT_ATTEMPTS: u32 = 8;

/// An upload in progress, in a temporary file beside its target.
///
/// Dropping it removes the temporary file, which may block on a disk: drop it on a thread that may block. After a
/// crash, `sweep` removes temporary files when a server begins to serve the root.
#[derive(Debug)]
pub struct Upload {
    /// `None` if the program takes the bytes.
    file: Option<Arc<File>>,
    destination: Destination,
    disk: Arc<Disk>,
    path: String,
    limit: u64,
    /// Counts it among the uploads to its name.
    writing: Option<Writing>,
}

/// The destination of an upload.
#[derive(Debug)]
enum Destination {
    Folder(InFolder),
    Elsewhere(ToOrigin),
    Supplied(ToProgram),
}

/// A temporary file in the folder of its root.
#[derive(Debug)]
struct InFolder {
    /// The folder of the target at the start of the upload. It contains the temporary file.
    folder: OwnedFd,
    /// The folder of the target after a redirect.
    moved: Option<OwnedFd>,
    /// The name of the temporary file; empty once it was renamed to the target.
    temporary: String,
    name: String,
    rules: WriteRules,
    /// Whether it still has the permissions `PRIVATE_MODE`.
    closed: bool,
}

impl Upload {
    pub(super) fn create(root: &Root, target: &str) -> Result<Self, StoreError> {
        if let Some(place) = &root.elsewhere {
            let (file, to) = ToOrigin::create(root, place, target)?;
            return Ok(Self::with(root, target, file, Destination::Elsewhere(to)));
        }
        let target = &*followed(root, target)?;
        let (folder, name) = path::split(target);
        let parent = open_folder(root, folder)?;
        spelling::require_of_upload(&*root.folder()?, target)?;
        let replaces = judge(&parent, name, &root.rules)?;
        let folder = syncable(&parent)?;
        let closed = replaces || root.rules.mode.is_some();
        let (file, temporary) = temporary::create(&parent, if closed { PRIVATE_MODE } else { NEW_MODE })?;
        let (moved, name, rules) = (None, name.to_owned(), root.rules);
        let its = InFolder { folder, moved, temporary, name, rules, closed };
        Ok(Self::with(root, target, file, Destination::Folder(its)))
    }

    fn with(root: &Root, target: &str, file: File, destination: Destination) -> Self {
        let (disk, path) = (Arc::clone(&root.disk), target.to_owned());
        Self { file: Some(Arc::new(file)), destination, disk, path, limit: root.max_upload, writing: None }
    }

    /// An upload that the program takes.
    pub(super) fn supplied(root: &Root, target: &str, sink: Box<dyn Sink>) -> Self {
        let (disk, path) = (Arc::clone(&root.disk), target.to_owned());
        let destination = Destination::Supplied(ToProgram::new(sink));
        Self { file: None, destination, disk, path, limit: root.max_upload, writing: None }
    }

    /// Whether the program takes it: [`Upload::write_supplied`] and [`Upload::commit_supplied`] then replace
    /// [`Upload::write_at`] and [`Upload::commit`].
    pub fn is_supplied(&self) -> bool {
        matches!(self.destination, Destination::Supplied(_))
    }

    /// Passes the next bytes to the program.
    ///
    /// # Errors
    /// `TooLarge` as for [`Upload::write_at`], and the error of the program.
    pub async fn write_supplied(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let limit = self.limit;
        let Destination::Supplied(to) = &mut self.destination else { return Err(unsupported()) };
        to.write(bytes, limit).await
    }

    /// Has the program store it under its path.
    ///
    /// # Errors
    /// The error of the program.
    pub async fn commit_supplied(mut self) -> Result<(), StoreError> {
        let path = std::mem::take(&mut self.path);
        let Destination::Supplied(to) = &mut self.destination else { return Err(unsupported()) };
        to.commit(&path).await
    }

    fn file(&self) -> Result<&Arc<File>, StoreError> {
        self.file.as_ref().ok_or_else(unsupported)
    }

    /// Checks an upload as [`Upload::create`] does, without creating a file, and whether this process may write to the
    /// folder. Returns the size limit in bytes.
    pub(super) fn judge(root: &Root, target: &str) -> Result<u64, StoreError> {
        if let Some(place) = &root.elsewhere {
            return place.judge_upload(target, root.rules.overwrite).map(|()| root.max_upload);
        }
        let target = &*followed(root, target)?;
        let (folder, name) = path::split(target);
        let parent = open_folder(root, folder)?;
        spelling::require_of_upload(&*root.folder()?, target)?;
        judge(&parent, name, &root.rules)?;
        accessat(&parent, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)?;
        Ok(root.max_upload)
    }

    /// The name of its root.
    pub fn root(&self) -> &str {
        self.disk.root()
    }

    /// Its disk.
    pub fn disk(&self) -> &Arc<Disk> {
        &self.disk
    }

    /// Its target path in the root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The size limit in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Keeps its count among the uploads to its name until it is dropped.
    pub fn count(&mut self, writing: Writing) {
        self.writing = Some(writing);
    }

    /// Lowers the limit, as policy may require; never raises it.
    pub fn lower_limit(&mut self, bytes: u64) {
        self.limit = self.limit.min(bytes);
    }

    /// Writes all of `bytes` at `offset`; takes no lock.
    ///
    /// # Errors
    /// `TooLarge` if this would exceed the limit (nothing is written then), `NoSpace`, `Io`.
    pub fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let end = offset.checked_add(bytes.len() as u64);
        if end.is_none_or(|end| end > self.limit) {
            return Err(StoreError::TooLarge { limit: self.limit });
        }
        self.file()?.write_all_at(bytes, offset).map_err(StoreError::from_io)
    }

    /// Changes the target path. Its folder must exist. The temporary file stays where it is until the commit.
    pub(super) fn redirect(&mut self, root: &Root, target: &str) -> Result<(), StoreError> {
        let target = match &mut self.destination {
            Destination::Folder(its) => &*its.redirect(root, target)?,
            Destination::Elsewhere(its) => {
                // Uses the rule of the upload: it may have to keep a file that its root would replace.
                if let Some(place) = &root.elsewhere {
                    place.judge_upload(target, its.overwrite)?;
                }
                target
            }
            Destination::Supplied(_) => &*path::plain(target)?,
        };
        self.path = target.to_owned();
        Ok(())
    }

    /// Syncs the content to the disk, under its temporary name, and returns size and digest.
    ///
    /// # Errors
    /// `NoSpace`, `Io`.
    pub fn seal(&self) -> Result<Sealed, StoreError> {
        if let Destination::Supplied(to) = &self.destination {
            let (bytes, sha256) = to.sum();
            return Ok(Sealed { bytes, sha256 });
        }
        let file = self.file()?;
        file.sync_all().map_err(StoreError::from_io)?;
        let mut digest = Sha256::new();
        let mut buffer = vec![0; 256 << 10];
        let mut bytes = 0;
        loop {
            match file.read_at(&mut buffer, bytes) {
                Ok(0) => break,
                Ok(read) => {
                    digest.update(&buffer[..read]);
                    bytes += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(StoreError::from_io(error)),
            }
        }
        Ok(Sealed { bytes, sha256: digest.finalize().into() })
    }

    /// Its content, for the plugins that judge it. Stays readable after the upload is dropped.
    pub fn content(&self) -> UploadContent {
        UploadContent { file: self.file.clone(), disk: Arc::clone(&self.disk) }
    }

    /// Makes the upload visible under its name and durable: syncs the file, renames it atomically, and syncs
    /// the folder.
    ///
    /// An upload to an origin is visible once the origin has stored it.
    ///
    /// Of several uploads to one name, the last commit wins if the root overwrites, otherwise the first. A
    /// replaced file's owner, group, permissions and attributes carry over, as far as the system permits this
    /// user.
    ///
    /// # Errors
    /// `Exists` if the name has been taken, `NotRegular` if a folder has taken it, `Denied` if a link has, the errors
    /// of [`Origin::store`](super::Origin::store), `Protected` or `NotPublic` if the existing file may not be written,
    /// `NotCreated` if it was removed and may not be created, `NoSpace`, `Forbidden`, `Io`. The upload is then not
    /// visible, unless only the last step failed.
    pub fn commit(mut self) -> Result<(), StoreError> {
        self.put_in_place()
    }

    /// Forbids replacing a file, regardless of the rules of the root.
    pub(super) fn keep_existing(&mut self) {
        match &mut self.destination {
            Destination::Folder(its) => its.rules.overwrite = false,
            Destination::Elsewhere(its) => its.overwrite = false,
            Destination::Supplied(_) => {}
        }
    }

    /// As [`Upload::commit`], but the caller can retry with another name if this one is taken.
    pub(super) fn put_in_place(&mut self) -> Result<(), StoreError> {
        let file = self.file.as_ref().ok_or_else(unsupported)?;
        match &mut self.destination {
            Destination::Folder(its) => its.commit(file),
            Destination::Elsewhere(its) => its.commit(&self.path, file),
            Destination::Supplied(_) => Err(unsupported()),
        }
    }
}

impl InFolder {
    /// Returns the new target path, with a permitted link resolved.
    fn redirect<'a>(&mut self, root: &Root, target: &'a str) -> Result<Cow<'a, str>, StoreError> {
        let target = followed(root, target)?;
        let (folder, name) = path::split(&target);
        let parent = open_folder(root, folder)?;
        spelling::require_of_upload(&*root.folder()?, &target)?;
        judge(&parent, name, &self.rules)?;
        self.moved = Some(syncable(&parent)?);
        self.name = name.to_owned();
        Ok(target)
    }

    fn commit(&mut self, file: &File) -> Result<(), StoreError> {
        // Another spelling of the name may appear until the last moment, and the rename would replace it.
        if self.rules.overwrite {
            self.finish_over(file)?;
            spelling::require_in(self.target(), &self.name)?;
            renameat(&self.folder, &self.temporary, self.target(), &self.name).map_err(from_rename)?;
        } else {
            self.finish_new(file)?;
            spelling::require_in(self.target(), &self.name)?;
            self.rename_to_free_name().map_err(from_rename)?;
        }
        self.temporary.clear();
        match fsync(self.target()) {
            // fsync(2): some network and user-space file systems do not sync folders.
            Ok(()) | Err(Errno::INVAL) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Sets the permissions of a new file, and syncs it.
    fn finish_new(&mut self, file: &File) -> Result<(), StoreError> {
        if self.closed {
            let mode = match self.rules.mode {
                Some(mode) => mode::permissions(mode),
                None => self.mode_of_new()?,
            };
            fchmod(file, mode)?;
            self.closed = false;
        }
        file.sync_all().map_err(StoreError::from_io)
    }

    /// Sets the metadata of the file to be replaced, if there is one, and syncs it.
    fn finish_over(&mut self, file: &File) -> Result<(), StoreError> {
        // Bounded, because another program may keep changing that file.
        for _ in 0..MAX_COMMIT_ATTEMPTS {
            let replaced = Replaced::open(self.target(), &self.name, &self.rules)?;
            match &replaced {
                Some(replaced) => {
                    replaced.carry_to(file)?;
                    self.closed = true;
                    file.sync_all().map_err(StoreError::from_io)?;
                }
                None => self.finish_new(file)?,
            }
            // The sync may have been slow: check again.
            if replaced::is_current(replaced.as_ref(), self.target(), &self.name) {
                break;
            }
        }
        Ok(())
    }

    /// The permissions of a new file in the target folder, after the umask or a default access control list. Only the
    /// kernel knows both, so this creates a file and removes it at once.
    fn mode_of_new(&self) -> Result<Mode, StoreError> {
        let folder = Dir::from_std_file(File::from(self.target().try_clone().map_err(StoreError::from_io)?));
        let (file, name) = temporary::create(&folder, NEW_MODE)?;
        let mode = fstat(&file).map(|stat| Mode::from_raw_mode(stat.st_mode & 0o777));
        unlinkat(&folder, &name, AtFlags::empty())?;
        Ok(mode?)
    }

    /// The folder of the target.
    fn target(&self) -> &OwnedFd {
        self.moved.as_ref().unwrap_or(&self.folder)
    }

    fn rename_to_free_name(&self) -> Result<(), Errno> {
        let (folder, temporary, target, name) = (&self.folder, &self.temporary, self.target(), &self.name);
        match rename_to_free_name((folder, temporary), (target, name)) {
            // The system cannot do so. A hard link fails, too, if the name is taken.
            Err(Errno::INVAL | Errno::NOSYS) => {
                linkat(folder, temporary, target, name, AtFlags::empty())?;
                unlinkat(folder, temporary, AtFlags::empty())
            }
            done => done,
        }
    }
}

/// The content of an upload.
#[derive(Debug, Clone)]
pub struct UploadContent {
    /// `None` if the program takes the bytes.
    file: Option<Arc<File>>,
    disk: Arc<Disk>,
}

impl UploadContent {
    /// The disk with the threads for reading it.
    pub fn disk(&self) -> &Disk {
        &self.disk
    }

    /// Reads this many bytes. Blocks on the disk.
    ///
    /// # Errors
    /// The disk failed, or the file has fewer bytes. An upload that the program takes cannot be read.
    pub fn read_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        let file = self.file.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        file.read_exact_at(&mut bytes, offset)?;
        Ok(bytes)
    }
}

/// The size and digest of a complete upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sealed {
    /// Bytes in the file.
    pub bytes: u64,
    /// The SHA-256 digest of the file.
    pub sha256: [u8; 32],
}

/// The folder of an upload.
fn open_folder(root: &Root, folder: &str) -> Result<Dir, StoreError> {
    root.folder()?.open_dir(folder).map_err(|error| match StoreError::from_open(error) {
        StoreError::NotFound => StoreError::NoFolder(folder.to_owned()),
        other => other,
    })
}

/// Reopens a folder for syncing, because cap-std opens folders with O_PATH.
fn syncable(folder: &Dir) -> Result<OwnedFd, StoreError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(folder, ".", flags, Mode::empty())?)
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Destination::Folder(its) = &self.destination
            && !its.temporary.is_empty()
            && let Err(errno) = unlinkat(&its.folder, &its.temporary, AtFlags::empty())
        {
            let temporary = &its.temporary;
            let error = io::Error::from(errno);
            tracing::warn!(target: "tuffet::store::upload", root = self.root(), path = %self.path, %temporary, %error,
                "an unfinished upload cannot be removed; remove it by hand");
        }
    }
}

/// Reports early the error that the commit would return; only the commit is decisive. Returns whether there is a file
/// to replace.
fn judge(folder: &Dir, name: &str, rules: &WriteRules) -> Result<bool, StoreError> {
    if rules.overwrite {
        return Ok(Replaced::open(folder, name, rules)?.is_some());
    }
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) if rules.create => Ok(false),
        Err(Errno::NOENT) => Err(StoreError::NotCreated),
        Err(errno) => Err(StoreError::from_open(errno.into())),
        Ok(stat) => {
            if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
                require_regular(mode::of(&stat))?;
            }
            Err(StoreError::Exists)
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
