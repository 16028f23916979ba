//! Uploads that are written into the file that is there: see [`super::staging`](crate::staging).

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use cap_std::fs::Dir;
use rustix::fs::{Access, AtFlags, accessat, unlinkat};
use tuffet_request::Versions;

use super::super::folders::syncable;
use super::super::open_folder::OpenFolder;
use super::super::replaced::Replaced;
use super::super::roots::Root;
use super::super::staging::{self, NotWritten, Record, Staged, Staging};
use super::super::versions::{self, Fate};
use super::super::{StoreError, path, process_lock, temporary};
use super::{InFolder, PRIVATE_MODE};

impl InFolder {
    /// Where the upload waits, and the file that it is written into, if it is written in place.
    pub(super) fn in_place(
        &self,
        folder: &OwnedFd,
        name: &str,
    ) -> Result<Option<(Staging, Replaced)>, StoreError> {
        let Some(staging) = self.staging.as_ref().filter(|_| self.rules.overwrite) else { return Ok(None) };
        let Some(replaced) = Replaced::open(folder, name, &self.rules)? else { return Ok(None) };
        let may_replace = replaced.may_be_replaced(folder)?;
        Ok((!may_replace).then(|| (staging.clone(), replaced)))
    }

    /// Writes the upload, of this size, into the file there.
    pub(super) fn put_in_place(
        &mut self,
        file: &File,
        folder: &OwnedFd,
        size: u64,
        (staging, replaced): (&Staging, &Replaced),
    ) -> Result<(), StoreError> {
        let staged = if self.is_staged { None } else { Some(self.stage(file, size, staging)?) };
        let file = staged.as_ref().unwrap_or(file);
        file.sync_all().map_err(StoreError::from_io)?;
        let _other_processes_out = process_lock::wait(replaced.file());
        let name = self.target.name();
        let version = match self.rules.write.versions {
            Some(Versions { names, .. }) => versions::keep(folder, name, replaced, names, Fate::Overwritten)?,
            None => None,
        };
        let record = Record {
            root: self.disk.root().to_string(),
            path: self.target.path.clone(),
            inode: replaced.inode(),
            size,
            staged: self.temporary.clone(),
        };
        match staging::write_in_place(&self.folder, file, &record, replaced.file()) {
            Ok(()) => {
                self.temporary.clear();
                Ok(())
            }
            Err(NotWritten { error, is_mixed: false }) => {
                if let Some(version) = version {
                    version.undo(folder);
                }
                Err(error)
            }
            Err(NotWritten { error, is_mixed: true }) => {
                // The next start writes it.
                let kept = std::mem::take(&mut self.temporary);
                tracing::error!(
                    target: "tuffet::store::staging", root = %self.disk.root(), path = %self.target.path, %error, kept,
                    "an upload was written in place in part, so the file is a mixture; the upload is kept, and is written \
                     again when a server begins to serve the root"
                );
                Err(error)
            }
        }
    }

    /// Copies the upload to where uploads wait that are written in place.
    fn stage(&mut self, file: &File, size: u64, staging: &Staging) -> Result<File, StoreError> {
        let staged = staging.create()?;
        self.is_staged = true;
        self.move_to(file, size, staged)
    }

    /// Copies the upload into the folder of its target, which it gets another name in: nothing is there to be written in
    /// place any more.
    pub(super) fn leave_staging(
        &mut self,
        file: &File,
        folder: &OwnedFd,
        size: u64,
    ) -> Result<File, StoreError> {
        let dir = Dir::from_std_file(File::from(folder.try_clone().map_err(StoreError::from_io)?));
        let (beside, name) = temporary::create(&dir, PRIVATE_MODE)?;
        let folder = Arc::new(folder.try_clone().map_err(StoreError::from_io)?);
        (self.is_staged, self.closed) = (false, true);
        self.move_to(file, size, Staged { file: beside, folder, name })
    }

    fn move_to(&mut self, file: &File, size: u64, to: Staged) -> Result<File, StoreError> {
        let before = (Arc::clone(&self.folder), std::mem::take(&mut self.temporary));
        (self.folder, self.temporary) = (to.folder, to.name);
        // A leftover is removed at the next start.
        let _ = unlinkat(&*before.0, &before.1, AtFlags::empty());
        staging::copy(file, &to.file, size).map_err(StoreError::from_io)?;
        Ok(to.file)
    }
}

impl Root {
    /// Where an upload waits that is written into a file in this folder; `None` if another file may take its name.
    pub(super) fn in_place(
        &self,
        folder: &Dir,
        replaced: Option<&Replaced>,
    ) -> Result<Option<&Staging>, StoreError> {
        let (Some(staging), Some(replaced)) = (&self.staging, replaced) else { return Ok(None) };
        if replaced.may_be_replaced(folder)? {
            return Ok(None);
        }
        if self.rules.write.versions.is_some() {
            // Versions are beside the file.
            accessat(folder, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)
                .map_err(|errno| StoreError::VersionNotKept(errno.into()))?;
        }
        Ok(Some(staging))
    }

    /// Writes again what a crash has interrupted, and removes other uploads that an ended server has left where they wait.
    /// Blocks on the disks.
    pub(in super::super) fn finish_in_place(&self, top: &OpenFolder) {
        let Some(staging) = &self.staging else { return };
        let finished = staging.open().and_then(|dir| {
            let folder = syncable(&dir)?;
            for record in Record::all(&dir).map_err(StoreError::from_io)? {
                if *record.root == *self.name {
                    self.finish((&dir, &folder), &record, top);
                }
            }
            staging::remove_abandoned(&dir).map_err(StoreError::from_io)
        });
        if let Err(error) = finished {
            tracing::warn!(
                target: "tuffet::store::staging", root = %self.name, %error,
                "unfinished uploads of an earlier server that were to be written in place cannot be looked for"
            );
        }
    }

    fn finish(&self, (dir, folder): (&Dir, &OwnedFd), record: &Record, top: &OpenFolder) {
        let (root, path) = (&*self.name, &record.path);
        let done = self.write_again(dir, record, top);
        let removed = match &done {
            Ok(Again::Running) => return,
            Ok(Again::Written) => {
                let bytes = record.size;
                tracing::info!(target: "tuffet::store::staging", root, path, bytes,
                    "finished an upload in place that the end of an earlier server had interrupted");
                record.remove(folder)
            }
            Ok(Again::Pointless(why)) => {
                tracing::warn!(target: "tuffet::store::staging", root, path,
                    "an upload in place that the end of an earlier server had interrupted is dropped: {why}");
                record.remove(folder)
            }
            Err(error) => {
                tracing::warn!(target: "tuffet::store::staging", root, path, %error,
                    "an upload in place that the end of an earlier server had interrupted cannot be finished, so the file \
                     may be a mixture; the next start tries again");
                return;
            }
        };
        if let Err(error) = removed {
            tracing::warn!(target: "tuffet::store::staging", root, path, %error,
                "the record of an upload in place cannot be removed; the next start writes the upload again");
        }
    }

    fn write_again(&self, dir: &Dir, record: &Record, top: &OpenFolder) -> Result<Again, StoreError> {
        let staged = match staging::open_staged(dir, &record.staged) {
            Ok(Some(staged)) => staged,
            Ok(None) => return Ok(Again::Running),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Again::Pointless("it is not there any more"));
            }
            Err(error) => return Err(StoreError::from_io(error)),
        };
        let (folder, name) = path::split(&record.path);
        let folder = match top.dir.open_dir(folder).map_err(StoreError::from_open) {
            Err(StoreError::NotFound) => return Ok(Again::Pointless("its folder is not there any more")),
            folder => folder?,
        };
        let _one_at_a_time = self.disk.names.wait(&folder, name)?;
        match Replaced::open(folder.as_fd(), name, &self.rules) {
            Ok(Some(file)) if file.inode() == record.inode => {
                staging::overwrite(&staged, file.file(), record.size).map_err(StoreError::from_io)?;
                Ok(Again::Written)
            }
            Ok(_) | Err(StoreError::NotCreated) => Ok(Again::Pointless("another file has its name")),
            Err(error) => Err(error),
        }
    }
}

/// What became of an upload that was found.
enum Again {
    Written,
    /// A running upload.
    Running,
    Pointless(&'static str),
}
