//! An upload in progress: invisible under its name until it is complete, then visible as a whole. It gets the
//! permissions that its root gives to new files, or those of the file that it replaces.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use tuffet_request::ClientKey;

use super::commit_point::CommitPoint;
use super::roots::Root;
use super::upload_in_folder::InFolder;
use super::upload_to_origin::ToOrigin;
use super::upload_to_program::{ToProgram, unsupported};
use super::{Closing, Destination, Disk, Sink, StoreError, path};
use crate::Writing;

/// An upload in progress.
///
/// Dropping it removes its temporary file, which may block on a disk: [`Upload::closing`] says where to drop it. After a
/// crash, `sweep` removes temporary files when a server begins to serve the root.
#[derive(Debug)]
pub struct Upload {
    storage: Storage,
    disk: Arc<Disk>,
    path: String,
    limit: u64,
    /// Counts it among the uploads to its name.
    writing: Option<Writing>,
    commit_point: CommitPoint,
}

/// What becomes of the bytes of an upload.
#[derive(Debug)]
enum Storage {
    Folder(Box<InFolder>),
    Origin(ToOrigin),
    Program(ToProgram),
}

impl Upload {
    pub(super) fn create(root: &Root, target: &str) -> Result<Self, StoreError> {
        let storage = match &root.elsewhere {
            Some(place) => Storage::Origin(ToOrigin::create(root, place, target)?),
            None => Storage::Folder(Box::new(InFolder::create(root, target)?)),
        };
        Ok(Self::with(root, target, storage))
    }

    /// An upload that the program takes.
    pub(super) fn supplied(root: &Root, target: &str, sink: Box<dyn Sink>) -> Self {
        Self::with(root, target, Storage::Program(ToProgram::new(sink)))
    }

    fn with(root: &Root, target: &str, storage: Storage) -> Self {
        let (disk, limit) = (Arc::clone(&root.disk), root.max_upload);
        let path = storage.path().unwrap_or(target).to_owned();
        Self { storage, disk, path, limit, writing: None, commit_point: CommitPoint::default() }
    }

    /// Whether the program takes it: [`Upload::write_supplied`] and [`Upload::commit_supplied`] then replace
    /// [`Upload::write_at`] and [`Upload::commit`].
    pub fn is_supplied(&self) -> bool {
        matches!(self.storage, Storage::Program(_))
    }

    /// Passes the next bytes to the program.
    ///
    /// # Errors
    /// `TooLarge` as for [`Upload::write_at`], and the error of the program.
    pub async fn write_supplied(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let limit = self.limit;
        let Storage::Program(to) = &mut self.storage else { return Err(unsupported()) };
        to.write(bytes, limit).await
    }

    /// Has the program store it under its path, or the next free name. Returns the path used.
    ///
    /// # Errors
    /// The error of the program.
    pub async fn commit_supplied(mut self, next_free: bool) -> Result<String, StoreError> {
        if !self.commit_point.pass() {
            return Err(StoreError::STOPPED);
        }
        let path = std::mem::take(&mut self.path);
        let Storage::Program(to) = &mut self.storage else { return Err(unsupported()) };
        to.commit(&Destination { path, next_free }).await
    }

    /// Checks an upload as [`Upload::create`] does, without creating a file, and whether this process may write to the
    /// folder. Returns the size limit in bytes.
    pub(super) fn judge(root: &Root, target: &str) -> Result<u64, StoreError> {
        if let Some(place) = &root.elsewhere {
            return place.judge_upload(target, root.rules.overwrite).map(|()| root.max_upload);
        }
        InFolder::judge(root, target)?;
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

    /// Where to drop it.
    pub fn closing(&self) -> Closing {
        match &self.storage {
            Storage::Folder(_) | Storage::Origin(_) => Closing::OnDisk(Arc::clone(&self.disk)),
            Storage::Program(_) => Closing::InRuntime,
        }
    }

    /// The client that sends it, for fair shares of the disk's threads; the server itself before it is counted.
    pub fn client(&self) -> ClientKey {
        self.writing.as_ref().map_or(ClientKey::SERVER, Writing::client)
    }

    /// Its target path in the root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether it replaces a file of its folder, as far as was known when it began.
    pub fn replaces(&self) -> bool {
        matches!(&self.storage, Storage::Folder(its) if its.replaces())
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

    /// Writes all of `bytes` at `offset`.
    ///
    /// # Errors
    /// `TooLarge` or `Quota` if this would exceed the limit or the quota (nothing is written then), `NoSpace`, `Io`.
    pub fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let end = offset.checked_add(bytes.len() as u64);
        let Some(end) = end.filter(|end| *end <= self.limit) else {
            return Err(StoreError::TooLarge { limit: self.limit });
        };
        if let Storage::Folder(its) = &self.storage {
            its.reserve(end)?;
        }
        self.storage.file().ok_or_else(unsupported)?.write_all_at(bytes, offset).map_err(StoreError::from_io)
    }

    /// Changes the target path. The temporary file stays where it is until the commit.
    pub(super) fn redirect(&mut self, root: &Root, target: &str) -> Result<(), StoreError> {
        match &mut self.storage {
            Storage::Folder(its) => its.redirect(root, target)?,
            Storage::Origin(its) => {
                // Uses the rule of the upload: it may have to keep a file that its root would replace.
                if let Some(place) = &root.elsewhere {
                    place.judge_upload(target, its.overwrite)?;
                }
            }
            Storage::Program(_) => {
                self.path = path::plain(target)?;
                return Ok(());
            }
        }
        self.path = self.storage.path().unwrap_or(target).to_owned();
        Ok(())
    }

    /// Syncs the content to the disk, under its temporary name, and returns size and digest.
    ///
    /// # Errors
    /// `NoSpace`, `Io`.
    pub fn seal(&self) -> Result<Sealed, StoreError> {
        if let Storage::Program(to) = &self.storage {
            let (bytes, sha256) = to.sum();
            return Ok(Sealed { bytes, sha256 });
        }
        let file = self.storage.file().ok_or_else(unsupported)?;
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
        UploadContent { file: self.storage.file().cloned(), disk: Arc::clone(&self.disk) }
    }

    /// Makes the upload visible under its name and durable: syncs the file, renames it atomically, and syncs
    /// the folder.
    ///
    /// An upload to an origin is visible once the origin has stored it.
    ///
    /// Of several uploads to one name, the last commit wins if the root overwrites, otherwise the first. A
    /// replaced file's owner, group, permissions and attributes carry over, as far as the system permits this
    /// user. If the root keeps earlier versions, the replaced file becomes one.
    ///
    /// # Errors
    /// `Exists` if the name has been taken, `NotRegular` if a folder has taken it, `Denied` if a link has, the errors
    /// of [`Origin::store`](super::Origin::store), `Protected` or `NotPublic` if the existing file may not be written,
    /// `NotCreated` if it was removed and may not be created, `VersionNotKept`, `Quota`, `NoSpace`, `Forbidden`, `Io`. The upload is then not
    /// visible, unless only the last step failed.
    pub fn commit(mut self) -> Result<(), StoreError> {
        self.put_in_place()
    }

    /// As [`Upload::commit`]. Returns the path under which it is visible: in a root with `case: insensitive`, that of a file
    /// in another spelling that another upload has made since this one began.
    ///
    /// # Errors
    /// As [`Upload::commit`].
    pub fn commit_as_stored(mut self) -> Result<String, StoreError> {
        self.put_in_place()?;
        Ok(std::mem::take(&mut self.path))
    }

    /// Its commit point, for a server that shuts down.
    pub fn commit_point(&self) -> CommitPoint {
        self.commit_point.clone()
    }

    /// Forbids replacing a file, regardless of the rules of the root.
    pub fn keep_existing(&mut self) {
        match &mut self.storage {
            Storage::Folder(its) => its.keep_existing(),
            Storage::Origin(its) => its.overwrite = false,
            Storage::Program(_) => {}
        }
    }

    /// As [`Upload::commit`], but the caller can retry with another name if this one is taken.
    pub(super) fn put_in_place(&mut self) -> Result<(), StoreError> {
        match &mut self.storage {
            Storage::Folder(its) => {
                its.commit(&self.commit_point)?;
                if its.path() != self.path {
                    self.path = its.path().to_owned();
                }
                Ok(())
            }
            Storage::Origin(_) if !self.commit_point.pass() => Err(StoreError::STOPPED),
            Storage::Origin(its) => its.commit(&self.path),
            Storage::Program(_) => Err(unsupported()),
        }
    }
}

impl Storage {
    /// Where its bytes wait; `None` if the program takes them.
    fn file(&self) -> Option<&Arc<File>> {
        match self {
            Storage::Folder(its) => Some(&its.file),
            Storage::Origin(its) => Some(&its.file),
            Storage::Program(_) => None,
        }
    }

    /// The path under which it becomes visible, if that is not the requested one as it is.
    fn path(&self) -> Option<&str> {
        match self {
            Storage::Folder(its) => Some(its.path()),
            Storage::Origin(_) | Storage::Program(_) => None,
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
    #[doc(hidden)]
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

impl Drop for Upload {
    fn drop(&mut self) {
        if let Storage::Folder(its) = &self.storage
            && let Err((temporary, errno)) = its.remove()
        {
            let error = io::Error::from(errno);
            tracing::warn!(target: "tuffet::store::upload", root = self.root(), path = %self.path, %temporary, %error,
                "an unfinished upload cannot be removed; remove it by hand");
        }
    }
}
