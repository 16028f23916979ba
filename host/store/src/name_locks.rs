//! Uploads to one name become visible one after the other, so that each earlier version is kept and counted once.
//!
//! The locks are those of the process, because several roots may lead to one folder. A lock is taken by nobody but
//! uploads to the same file, so that a disk that hangs delays no other one.

use std::collections::BTreeSet;
use std::os::fd::AsFd;

use parking_lot::{Condvar, Mutex};
use rustix::fs::fstat;

use super::StoreError;
use super::facts::Facts;

/// Device and inode of a folder, and a name in it.
type Place = (u64, u64, Box<str>);

/// The names that are taken: as many as there are threads that commit an upload.
static TAKEN: Mutex<BTreeSet<Place>> = Mutex::new(BTreeSet::new());

/// Wakes the threads that wait for a name.
static RELEASED: Condvar = Condvar::new();

/// Keeps other uploads to a name from becoming visible, until it is dropped.
#[derive(Debug)]
pub(super) struct NameLock(Place);

impl NameLock {
    /// Waits until no other upload to this name becomes visible.
    ///
    /// # Errors
    /// Those of fstat(2).
    pub fn wait(folder: impl AsFd, name: &str) -> Result<NameLock, StoreError> {
        let facts = Facts::from(fstat(folder)?);
        let place = (facts.device, facts.inode, Box::from(name));
        let mut taken = TAKEN.lock();
        while !taken.insert(place.clone()) {
            RELEASED.wait(&mut taken);
        }
        Ok(NameLock(place))
    }
}

impl Drop for NameLock {
    fn drop(&mut self) {
        TAKEN.lock().remove(&self.0);
        RELEASED.notify_all();
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
        let held = NameLock::wait(open("a"), "x").expect("free");
        let _others = [NameLock::wait(open("a"), "y"), NameLock::wait(open("."), "x")];
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| {
                tell.send("waits").expect("heard");
                let _lock = NameLock::wait(open("a/../a"), "x").expect("free later");
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
