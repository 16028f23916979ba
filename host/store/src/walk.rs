//! Walks through all names of a root, on a thread of its own.
//!
//! The walk follows no links, opens each folder by its name in its parent, and is bounded.

use std::ffi::{CStr, CString};
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

/// The limit of folder levels. Each level holds a descriptor during the visit of its subfolders.
pub(super) const MAX_DEPTH: u32 = 32;

/// The limit of names visited in one root.
pub(super) const MAX_NAMES: u64 = 4 << 20;

/// A walk that calls `visit` with each name: the name of the folder at the top of the root that it is in (empty at the top
/// itself), its folder, the name and its type.
pub(super) struct Walk<F> {
    visit: F,
    top: CString,
    names_left: u64,
    /// Whether the root exceeds the limits of the walk.
    pub cut_short: bool,
    /// Names that `visit` failed for, and folders that could not be read.
    pub failed: u64,
    /// The first error.
    pub first: Option<String>,
    /// Whether the system failed, and not a permission alone: what was visited says little.
    pub broken: bool,
}

impl<F: FnMut(&CStr, BorrowedFd<'_>, &CStr, FileType) -> Result<(), Errno>> Walk<F> {
    pub fn new(visit: F) -> Walk<F> {
        let (top, names_left) = (CString::default(), MAX_NAMES);
        Walk { visit, top, names_left, cut_short: false, failed: 0, first: None, broken: false }
    }

    /// Walks through the folder of a root. Blocks on its disk.
    pub fn through(&mut self, root: impl AsFd) {
        match open_folder(root, c".") {
            Ok(folder) => self.folder(folder, 0),
            Err(error) => self.fail(error, &format_args!("the root: {error}")),
        }
    }

    fn folder(&mut self, folder: OwnedFd, depth: u32) {
        let mut entries = match Dir::new(folder) {
            Ok(entries) => entries,
            Err(error) => return self.fail(error, &error),
        };
        while let Some(entry) = entries.read() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return self.fail(error, &error),
            };
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            if self.names_left == 0 {
                self.cut_short = true;
                return;
            }
            self.names_left -= 1;
            let Ok(within) = entries.fd() else { return };
            let kind = match entry.file_type() {
                // Some file systems do not return the type with the name.
                FileType::Unknown => statat(within, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
                kind => kind,
            };
            if let Err(error) = (self.visit)(&self.top, within, name, kind) {
                self.fail(error, &format_args!("{}: {error}", name.to_string_lossy()));
            }
            if kind != FileType::Directory {
                continue;
            }
            if depth == MAX_DEPTH {
                self.cut_short = true;
                continue;
            }
            match open_folder(within, name) {
                Ok(below) => {
                    if depth == 0 {
                        self.top = name.to_owned();
                    }
                    self.folder(below, depth + 1);
                    if depth == 0 {
                        self.top = CString::default();
                    }
                }
                // The folder was just removed, or replaced by a link, for which FreeBSD says `MLINK`.
                Err(Errno::NOENT | Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => {}
                Err(error) => self.fail(error, &format_args!("folder {}: {error}", name.to_string_lossy())),
            }
        }
    }

    fn fail(&mut self, error: Errno, what: &dyn fmt::Display) {
        self.failed += 1;
        self.broken |= !matches!(error, Errno::ACCESS | Errno::PERM);
        self.first.get_or_insert_with(|| what.to_string());
    }
}

fn open_folder(folder: impl AsFd, name: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(folder, name, flags, Mode::empty())
}
