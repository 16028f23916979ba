//! Uploads to one name become visible one after the other, so that each earlier version is kept and counted once. Names that
//! differ in case alone count as one here: where case does not matter, they are.
//!
//! For the moment of its rename, an upload has the whole folder: between the look for another spelling of its name and
//! the rename, no upload must take that spelling. What a file system takes for another spelling, only it knows.
//!
//! All roots of a server share the locks, because several of them may lead to one folder. Syncing, which takes most of the
//! time, is done with the lock of the name alone. So a disk that hangs there delays uploads to the same file only; one that
//! hangs in a rename delays all uploads into that folder.

use std::collections::BTreeSet;
use std::os::fd::AsFd;

use parking_lot::{Condvar, Mutex};
use rustix::fs::fstat;

use super::StoreError;
use super::facts::Facts;
use super::listing::lower;

/// Device and inode of a folder, and a name in it.
type Place = (u64, u64, Box<str>);

/// The names to which uploads become visible.
#[derive(Debug, Default)]
pub(crate) struct NameLocks {
    /// As many as there are threads that commit an upload.
    taken: Mutex<BTreeSet<Place>>,
    /// Wakes the threads that wait for a name.
    released: Condvar,
}

/// Keeps other uploads to a name from becoming visible, until it is dropped.
#[derive(Debug)]
pub(super) struct NameLock<'a> {
    all: &'a NameLocks,
    place: Place,
}

impl NameLocks {
    /// Waits until no other upload becomes visible in this folder, or makes a folder there. For a moment only: without
    /// syncing anything.
    ///
    /// # Errors
    /// Those of fstat(2).
    pub(super) fn wait_for_folder(&self, folder: impl AsFd) -> Result<NameLock<'_>, StoreError> {
        // No file has this name.
        self.wait(folder, "")
    }

    /// Waits until no other upload to this name, in any case, becomes visible.
    ///
    /// # Errors
    /// Those of fstat(2).
    pub(super) fn wait(&self, folder: impl AsFd, name: &str) -> Result<NameLock<'_>, StoreError> {
        let facts = Facts::from(fstat(folder)?);
        let place = (facts.device, facts.inode, lower(name).collect::<String>().into());
        let mut taken = self.taken.lock();
        while !taken.insert(place.clone()) {
            self.released.wait(&mut taken);
        }
        Ok(NameLock { all: self, place })
    }
}

impl Drop for NameLock<'_> {
    fn drop(&mut self) {
        self.all.taken.lock().remove(&self.place);
        self.all.released.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};
    use std::sync::mpsc;
    use std::thread;

    #[test]
    fn one_name_of_a_folder_has_one_lock_under_all_paths() {
        let place = tempfile::tempdir().expect("a folder");
        fs::create_dir(place.path().join("a")).expect("a folder");
        let open = |path: &str| File::open(place.path().join(path)).expect("it opens");
        let locks = NameLocks::default();
        let held = locks.wait(open("a"), "x").expect("free");
        let _others =
            [locks.wait(open("a"), "y"), locks.wait(open("."), "x"), locks.wait_for_folder(open("a"))];
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| {
                tell.send("waits").expect("heard");
                let _lock = locks.wait(open("a/../a"), "X").expect("free later");
                tell.send("has it").expect("heard");
            });
            assert_eq!(told.recv(), Ok("waits"));
            // It cannot go on, however long this takes.
            thread::yield_now();
            assert!(told.try_recv().is_err());
            drop(held);
            assert_eq!(told.recv(), Ok("has it"));
        });
    }
}
