//! Uploads that are written into the file that is there, because this user may write the file and not its folder: a
//! prepared file for each device, in a folder of another user.
//!
//! No rename can make such an upload visible at once, so it waits in a folder of the server's own until it is complete
//! and synced. Then a record says where it goes, the content is written over the old one and synced, and the record is
//! removed. After a crash in between, the next server that begins to serve the root finds the record, and writes the
//! content again. Records are written by rename, and both files are on the disk before the first byte of the old content
//! is overwritten, so the complete upload is never lost.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, renameat, unlinkat};
use rustix::io::Errno;
use sha2::{Digest, Sha256};

use super::folders::syncable;
use super::sync_folder::sync_folder;
use super::system::preallocate;
use super::{StoreError, path, temporary};

/// The first line of a record.
const HEAD: &str = "an upload of tuffet in place, version 1";

/// The suffix of records.
const SUFFIX: &str = ".record";

/// The bytes that are copied at a time.
const CHUNK: usize = 256 << 10;

/// The permissions of staged uploads.
const PRIVATE_MODE: u32 = 0o600;

/// The folder of staged uploads.
#[derive(Debug, Clone)]
pub(super) struct Staging(Arc<Path>);

/// The folder, open, with a new temporary file in it.
pub(super) struct Staged {
    pub file: File,
    pub folder: Arc<OwnedFd>,
    pub name: String,
}

/// Where a staged upload goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// The name of the root.
    pub root: String,
    /// The path in the root.
    pub path: String,
    /// The file, so that another one that takes its name stays as it is.
    pub inode: u64,
    /// The size of the upload in bytes.
    pub size: u64,
    /// The name of the staged upload.
    pub staged: String,
}

impl Staging {
    pub fn new(folder: PathBuf) -> Staging {
        Staging(folder.into())
    }

    /// Opens the folder, which is made if it is missing.
    pub fn open(&self) -> Result<Dir, StoreError> {
        let open = || Dir::open_ambient_dir(&self.0, ambient_authority());
        let opened = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                DirBuilder::new().recursive(true).mode(0o700).create(&self.0).and_then(|()| open())
            }
            opened => opened,
        };
        opened.map_err(|error| StoreError::Unstaged { folder: self.0.to_path_buf(), error })
    }

    /// Creates a temporary file.
    pub fn create(&self) -> Result<Staged, StoreError> {
        let folder = self.open()?;
        let (file, name) = temporary::create(&folder, PRIVATE_MODE)?;
        Ok(Staged { file, folder: Arc::new(syncable(&folder)?), name })
    }
}

/// Writes a staged upload, which is synced, into its file, and syncs that. Its name is gone afterwards.
///
/// # Errors
/// Those of the disk. The error says whether the file has its old content still.
pub(super) fn write_in_place(
    folder: &OwnedFd,
    staged: &File,
    record: &Record,
    into: &File,
) -> Result<(), NotWritten> {
    let untouched = |error| NotWritten { error, is_mixed: false };
    // Without room for the new content, the old one stays.
    preallocate(into, record.size).map_err(|errno| untouched(errno.into()))?;
    record.write(folder).map_err(untouched)?;
    let done = overwrite(staged, into, record.size);
    done.map_err(|error| NotWritten { error: StoreError::from_io(error), is_mixed: true })?;
    // The content is durable: what is left of it here is removed at the next start.
    if let Err(error) = record.remove(folder) {
        tracing::warn!(target: "tuffet::store::staging", root = %record.root, path = %record.path, %error,
            "the record of an upload in place cannot be removed; the next start writes the upload again");
    }
    Ok(())
}

/// An upload that was not written.
pub(super) struct NotWritten {
    pub error: StoreError,
    /// Whether the file may have a part of the new content.
    pub is_mixed: bool,
}

/// Copies the first bytes of a file over another one, which ends with them and is durable then.
pub(super) fn overwrite(from: &File, to: &File, size: u64) -> io::Result<()> {
    copy(from, to, size)?;
    to.set_len(size)?;
    to.sync_all()
}

/// Copies the first bytes of a file to another one.
pub(super) fn copy(from: &File, to: &File, size: u64) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    let mut at = 0;
    while at < size {
        let wanted = usize::try_from(size - at).unwrap_or(CHUNK).min(CHUNK);
        from.read_exact_at(&mut buffer[..wanted], at)?;
        to.write_all_at(&buffer[..wanted], at)?;
        at += wanted as u64;
    }
    Ok(())
}

impl Record {
    /// The name of the record, the same for all uploads to a file: a later upload replaces the record of an earlier one.
    fn name(&self) -> String {
        let digest = Sha256::digest(format!("{}\0{}", self.root, self.path));
        let digits: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        format!("{}{digits}{SUFFIX}", path::RESERVED)
    }

    fn text(&self) -> String {
        let Record { root, path, inode, size, staged } = self;
        format!("{HEAD}\n{root}\n{path}\n{inode}\n{size}\n{staged}\nend\n")
    }

    fn read(text: &str) -> Option<Record> {
        let lines: Vec<&str> = text.lines().collect();
        let [HEAD, root, path, inode, size, staged, "end"] = lines[..] else { return None };
        let (inode, size) = (inode.parse().ok()?, size.parse().ok()?);
        let owned = str::to_owned;
        Some(Record { root: owned(root), path: owned(path), inode, size, staged: owned(staged) })
    }

    /// Writes it, by a rename, and makes it durable together with the name of the upload.
    pub fn write(&self, folder: &OwnedFd) -> Result<(), StoreError> {
        let dir = Dir::from_std_file(File::from(folder.try_clone().map_err(StoreError::from_io)?));
        let (mut file, temporary) = temporary::create(&dir, PRIVATE_MODE)?;
        let written = file.write_all(self.text().as_bytes()).and_then(|()| file.sync_all());
        let named = written
            .map_err(StoreError::from_io)
            .and_then(|()| Ok(renameat(folder, &temporary, folder, self.name())?));
        if let Err(error) = named {
            let _ = unlinkat(folder, &temporary, AtFlags::empty());
            return Err(error);
        }
        Ok(sync_folder(folder)?)
    }

    /// Removes it with the upload, durably: a later start must not write the upload again, over what another program has
    /// written since.
    pub fn remove(&self, folder: &OwnedFd) -> Result<(), Errno> {
        unlinkat(folder, self.name(), AtFlags::empty())?;
        match unlinkat(folder, &self.staged, AtFlags::empty()) {
            Err(Errno::NOENT) => {}
            removed => removed?,
        }
        sync_folder(folder)
    }

    /// Reads all records of a folder.
    pub fn all(dir: &Dir) -> io::Result<Vec<Record>> {
        let mut records = Vec::new();
        for entry in dir.entries()? {
            let name = entry?.file_name();
            let Some(name) = name.to_str().filter(|name| is_record(name)) else { continue };
            match dir.read_to_string(name) {
                Ok(text) => records.extend(Record::read(&text)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(records)
    }
}

fn is_record(name: &str) -> bool {
    name.starts_with(path::RESERVED) && name.ends_with(SUFFIX)
}

/// Opens a staged upload and takes its lock; `None` if a running upload holds it.
pub(super) fn open_staged(dir: &Dir, name: &str) -> io::Result<Option<File>> {
    let file = dir.open_with(name, cap_std::fs::OpenOptions::new().read(true).write(true))?.into_std();
    Ok(matches!(temporary::lock(file.as_fd()), Ok(true) | Err(_)).then_some(file))
}

/// Removes the uploads that no server writes and no record names.
pub(super) fn remove_abandoned(dir: &Dir) -> io::Result<()> {
    let parts: Vec<String> = dir
        .entries()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| temporary::is_temporary(name.as_bytes()))
        .collect();
    for name in parts {
        let is_named = || Record::all(dir).map(|all| all.iter().any(|record| record.staged == name));
        // Without its lock, so that its root can finish it meanwhile.
        if is_named()? {
            continue;
        }
        let Ok(file) = dir.open_with(&name, cap_std::fs::OpenOptions::new().read(true).write(true)) else {
            continue;
        };
        // A record is written while its upload is locked.
        if matches!(temporary::lock(file.as_fd()), Ok(true)) && !is_named()? {
            unlinkat(dir, &name, AtFlags::empty())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_they_were_written() {
        let record = Record {
            root: "in".into(),
            path: "a b/c=d".into(),
            inode: 7,
            size: 1 << 40,
            staged: ".tuffet-0123456789abcdef.part".into(),
        };
        assert_eq!(Record::read(&record.text()), Some(record.clone()));
        for length in 0..record.text().len() - 1 {
            assert_eq!(Record::read(&record.text()[..length]), None, "a record that was cut at {length}");
        }
        assert!(is_record(&record.name()) && !temporary::is_temporary(record.name().as_bytes()));
        let other = Record { path: "a b/c".into(), ..record.clone() };
        assert_ne!(other.name(), record.name());
        assert_eq!(Record { size: 0, inode: 1, ..record.clone() }.name(), record.name());
    }
}
