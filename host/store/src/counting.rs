//! Counts the contents of a root, in the background.

use std::ffi::CStr;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Instant;

use rustix::fs::{AtFlags, FileType, statat};
use rustix::io::Errno;

use super::open_folder::OpenFolder;
use super::roots::{Root, Roots};
use super::tally::{Contents, MAX_FOLDERS, Tally};
use super::temporary;
use super::usage::{Begun, Usage};
use super::walk::{MAX_DEPTH, MAX_NAMES, Walk};

impl Roots {
    /// Counts what the named root contains, if it has a quota or lets uploads make folders, and a count is due. A thread
    /// does so, and ends with the process.
    pub(crate) fn count_in_background(&self, name: &str) {
        let Some(number) = self.roots.iter().position(|root| &*root.name == name) else { return };
        let root = &self.roots[number];
        if !root.rules.is_counted() {
            return;
        }
        // A root that does not answer is counted once it is open.
        let Some(folder) = root.served() else { return };
        let Some(walk) = folder.usage.begin(Instant::now()) else { return };
        let (roots, usage) = (self.clone(), Arc::clone(&folder.usage));
        let count = move || {
            let _abandoned = AbandonOnDrop(&folder.usage, walk);
            roots.roots[number].count(&folder, walk);
        };
        if let Err(error) = std::thread::Builder::new().name("tuffet-count".into()).spawn(count) {
            usage.abandon(walk);
            tracing::warn!(
                target: "tuffet::store::usage", %error, root = name,
                "the files of a root are not counted: no thread could be started"
            );
        }
    }
}

/// Ends a walk that has no result, even after a panic.
struct AbandonOnDrop<'a>(&'a Usage, Begun);

impl Drop for AbandonOnDrop<'_> {
    fn drop(&mut self) {
        self.0.abandon(self.1);
    }
}

impl Root {
    fn count(&self, folder: &OpenFolder, begun: Begun) {
        let (mut found, mut beyond) = (Tally::default(), false);
        let mut walk = Walk::new(|top, folder, name, kind| {
            beyond |= kind == FileType::RegularFile && !found.has_place(top.to_bytes());
            add(&mut found, top, folder, name, kind)
        });
        walk.through(&*folder.dir);
        let (cut_short, failed, first) = (walk.cut_short, walk.failed, walk.first.take());
        let (broken, root) = (walk.broken, &*self.name);
        if broken {
            tracing::warn!(
                target: "tuffet::store::usage", root, failed, first,
                "the contents of a root could not be counted for its quota; the last sums stay until the next attempt"
            );
            return;
        }
        if cut_short {
            tracing::warn!(
                target: "tuffet::store::usage", root,
                "the quota of a root counts its first {MAX_NAMES} names and {MAX_DEPTH} folder levels only: split it"
            );
        }
        if let Some(first) = first {
            tracing::warn!(
                target: "tuffet::store::usage", root, failed, first,
                "the quota of a root does not count files in folders that cannot be read; let this user read them"
            );
        }
        if beyond && self.rules.write.quota.is_per_folder() {
            tracing::warn!(
                target: "tuffet::store::usage", root,
                "the quota of each folder (`quota.per-folder`) counts the first {MAX_FOLDERS} folders of a root only, and \
                 uploads to others are refused: split the root"
            );
        }
        let Contents { bytes, files, folders } = found.all();
        let duration_us = begun.at.elapsed().as_micros() as u64;
        let is_again = folder.usage.is_counted();
        // Before the line is logged: whoever reads it may upload.
        folder.usage.end(found, begun);
        if is_again {
            tracing::debug!(target: "tuffet::store::usage", root, bytes, files, folders, duration_us, "counted the contents of a root");
        } else {
            tracing::info!(target: "tuffet::store::usage", root, bytes, files, folders, duration_us, "counted the contents of a root");
        }
    }
}

/// Adds a name. Running uploads have reservations.
fn add(
    found: &mut Tally,
    top: &CStr,
    folder: BorrowedFd<'_>,
    name: &CStr,
    kind: FileType,
) -> Result<(), Errno> {
    let top = top.to_bytes();
    match kind {
        FileType::Directory => found.add(top, Contents::FOLDER),
        FileType::RegularFile if !temporary::is_temporary(name.to_bytes()) => {
            match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => found.add(top, Contents::files(1, u64::try_from(stat.st_size).unwrap_or(0))),
                Err(Errno::NOENT) => {}
                Err(error) => return Err(error),
            }
        }
        _ => {}
    }
    Ok(())
}
