//! A file of a folder, open for reading, and the check for changes since it was opened.

use std::fs::File;
use std::io::{self, IoSliceMut};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::fs::FileType;
use rustix::io::preadv;

use super::checked::Checked;
use super::facts::Facts;
use super::file_systems::is_generated;
use super::identity::{Change, Content};
use super::open_folder::OpenFolder;
use super::system::open_cached;
use super::{Disk, StoreError, mode, spelling};

/// A regular file of a folder.
#[derive(Debug)]
pub(super) struct FolderFile {
    pub(super) file: File,
    /// When it was opened.
    pub(super) opened: Facts,
    pub(super) in_place: bool,
    /// The folder of `roots[].links` that a link has led into.
    pub(super) via: Option<Arc<Path>>,
}

impl FolderFile {
    pub(super) fn open(
        folder: &OpenFolder,
        disk: &Disk,
        checked: &Checked,
        path: &str,
    ) -> Result<Self, StoreError> {
        let (file, via) = folder.open_file(path)?;
        let opened = Facts::of(&file)?;
        require_regular(opened.mode)?;
        // A file without blocks on a disk may be generated on reading.
        if opened.blocks == 0 {
            refuse_generated(&file, opened.size)?;
        }
        let in_place = disk.reads_in_place(opened.device, &file);
        // File servers and FUSE programs may have other rules for names, and may change them.
        if !(in_place && checked.has(path, &opened)) {
            spelling::require(folder, path)?;
            checked.note(path, &opened);
        }
        Ok(Self { file, opened, in_place, via })
    }

    /// As [`FolderFile::open`], of a file whose path was checked a moment ago, if that waits for no disk.
    pub(super) fn open_now(folder: &OpenFolder, disk: &Disk, checked: &Checked, path: &str) -> Option<Self> {
        // Of other file systems, even an open that the kernel could answer may ask a server.
        folder.identity.filter(|(_, device, _)| disk.is_known_in_place(*device))?;
        let file = File::from(open_cached(&*folder.dir, path).ok()?);
        let opened = Facts::of(&file).ok()?;
        let is_known = require_regular(opened.mode).is_ok()
            && opened.blocks > 0
            && disk.is_known_in_place(opened.device)
            && checked.has(path, &opened);
        is_known.then_some(Self { file, opened, in_place: true, via: None })
    }

    /// # Errors
    /// `NotPublic` if its permissions for others exclude reading.
    pub(super) fn require_world_readable(&self) -> Result<(), StoreError> {
        let mode = self.opened.mode & 0o7777;
        if mode & 0o004 != 0 { Ok(()) } else { Err(StoreError::NotPublic { access: "read", mode }) }
    }

    pub(super) fn modified_unix_ms(&self) -> u64 {
        let (seconds, nanoseconds) = self.opened.modified;
        u64::try_from(seconds).unwrap_or(0).saturating_mul(1000).saturating_add(nanoseconds / 1_000_000)
    }

    pub(super) fn content(&self) -> Content {
        let Facts { mount, device, inode, size, modified, status, .. } = self.opened;
        Content::File { mount, device, inode, size, modified, status }
    }

    /// As [`OpenFile::is_settled`](super::OpenFile::is_settled), at this time. File times advance in steps of up to 10 ms
    /// by the kernel's clock, or up to 2 s if the file system stores whole seconds. A second write within the same step
    /// may leave the identity unchanged.
    pub(super) fn is_settled_at(&self, now: SystemTime) -> bool {
        let (seconds, nanoseconds) = self.opened.status;
        let step = if nanoseconds == 0 { Duration::from_secs(2) } else { Duration::from_millis(50) };
        let settled = Duration::new(u64::try_from(seconds).unwrap_or(0), nanoseconds as u32) + step;
        now.duration_since(SystemTime::UNIX_EPOCH).is_ok_and(|now| now >= settled)
    }

    /// As [`OpenFile::change`](super::OpenFile::change).
    pub(super) fn change(&self) -> io::Result<Change> {
        let (now, then) = (Facts::of(&self.file)?, &self.opened);
        Ok(match (now.size, now.modified) {
            (size, modified) if (size, modified) == (then.size, then.modified) => Change::None,
            (size, _) if size > then.size => Change::Grown,
            _ => Change::Other,
        })
    }
}

pub(super) fn require_regular(mode: u32) -> Result<(), StoreError> {
    Err(StoreError::NotRegular(match mode::kind(mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => "a folder",
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Symlink => "a symbolic link",
        FileType::Unknown => "of an unknown type",
    }))
}

/// Refuses generated files, because an incomplete one would look complete to the client.
fn refuse_generated(file: &File, size: u64) -> Result<(), StoreError> {
    // FUSE file systems may generate files, too.
    if is_generated(file)? || (size == 0 && preadv(file, &mut [IoSliceMut::new(&mut [0])], 0)? > 0) {
        return Err(StoreError::NotRegular("one that is made up while it is read, as in /proc"));
    }
    Ok(())
}
