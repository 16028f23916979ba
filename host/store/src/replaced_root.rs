//! Whether the path of a root still leads to the folder that is served.
//!
//! A root is opened once, so that changes to its path cannot redirect requests. But then a folder that
//! replaces it, or a file system that is mounted over it later, is not served, and the operator does not see
//! why.

use super::{Lane, Root, RootError, Roots, StoreError};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, CWD, Statx, StatxFlags, statx};
use rustix::io::Errno;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Identifies a folder of a mount.
type Identity = (u64, u32, u32, u64);

impl Roots {
    /// Looks at the path of each root, on a thread of its disk: that may hang. Where a folder was replaced it is noted
    /// for [`super::DiskState`] and said in the log, or the new one is served from now on (`follow`). The folder of a
    /// root that has none yet is opened.
    pub fn look_for_replaced(&self) {
        for (number, root) in self.roots.iter().enumerate() {
            // Nothing takes the place of an origin.
            if root.elsewhere.is_some() {
                continue;
            }
            // One check at a time.
            if root.disk.looking.swap(true, Relaxed) {
                continue;
            }
            let roots = self.clone();
            let looked = Looked(Arc::clone(&root.disk));
            let look = move || {
                let root = &roots.roots[number];
                if root.look() == Found::Opened {
                    roots.sweep_in_background(|name| name == &*root.name);
                }
                drop(looked);
            };
            root.disk.submit_anyway(Lane::Open, Duration::MAX, look, |_| {});
        }
    }
}

/// What a look came to.
#[derive(PartialEq, Eq)]
enum Found {
    /// The folder of a root that had none.
    Opened,
    /// Nothing that others have to know of.
    Nothing,
}

/// Ends a look, also by a panic.
struct Looked(Arc<super::Disk>);

impl Drop for Looked {
    fn drop(&mut self) {
        self.0.looking.store(false, Relaxed);
    }
}

impl Root {
    /// The folder that is served, if there is one yet.
    pub(super) fn served(&self) -> Option<Arc<Dir>> {
        self.folder.read().clone()
    }

    /// The folder that is served.
    ///
    /// # Errors
    /// There is none yet.
    pub(super) fn folder(&self) -> Result<Arc<Dir>, StoreError> {
        self.served().ok_or(StoreError::Unopened)
    }

    fn look(&self) -> Found {
        match self.served() {
            Some(folder) => {
                self.compare(&folder);
                Found::Nothing
            }
            None => self.open_at_last(),
        }
    }

    fn open_at_last(&self) -> Found {
        match open_folder(&self.name, &self.path) {
            Ok(folder) => {
                *self.folder.write() = Some(Arc::new(folder));
                self.disk.set_open(true);
                let path = self.path.display();
                tracing::info!(target: "tuffet::store::root", root = %self.name, %path, "the folder of a root that did not answer is open; the root is served from now on");
                Found::Opened
            }
            Err(error) => {
                let text = error.to_string();
                let mut last = self.disk.not_opened.lock();
                if last.as_ref() != Some(&text) {
                    tracing::warn!(target: "tuffet::store::root", root = %self.name, %error, "a root that did not answer does, but its folder cannot be opened; the server tries again, and a restart helps where it is outside of the sandbox");
                    *last = Some(text);
                }
                Found::Nothing
            }
        }
    }

    fn compare(&self, folder: &Dir) {
        let served = identity(&statx(folder, "", AtFlags::EMPTY_PATH, WANTED));
        let there = identity(&statx(CWD, &self.path, AtFlags::empty(), WANTED));
        // Without an answer, the state is unknown.
        let Some(served) = served else { return };
        if there == Some(served) {
            if self.disk.replaced.swap(false, Relaxed) {
                tracing::info!(target: "tuffet::store::root", root = %self.name, "the path of the root leads to the served folder again");
            }
            return;
        }
        if self.follow && there.is_some() {
            return self.take_the_new_one();
        }
        if !self.disk.replaced.swap(true, Relaxed) {
            let path = self.path.display();
            tracing::warn!(
                target: "tuffet::store::root", root = %self.name, %path,
                "the path of a root leads to another folder than the one that is served, or nowhere: it was replaced or \
                 mounted over since; reload to serve what is there now, or set `follow: true` for this root"
            );
        }
    }

    fn take_the_new_one(&self) {
        match open_folder(&self.name, &self.path) {
            Ok(folder) => {
                let mut served = self.folder.write();
                let before = served.replace(Arc::new(folder));
                // What it drops may wait for a disk.
                drop(served);
                drop(before);
                self.disk.replaced.store(false, Relaxed);
                let path = self.path.display();
                tracing::info!(target: "tuffet::store::root", root = %self.name, %path, "the folder of a root was replaced; requests get the new one from now on");
            }
            Err(error) if !self.disk.replaced.swap(true, Relaxed) => {
                tracing::warn!(target: "tuffet::store::root", root = %self.name, %error, "the folder of a root was replaced, and the new one cannot be opened; the old one is served");
            }
            Err(_) => {}
        }
    }
}

pub(super) fn open_folder(name: &str, path: &std::path::Path) -> Result<Dir, RootError> {
    let failed = |source| RootError { name: name.to_owned(), path: path.to_owned(), source };
    Dir::open_ambient_dir(path, ambient_authority()).map_err(failed)
}

/// linux/stat.h: `STATX_MNT_ID_UNIQUE`, beside the mount id of older kernels.
const WANTED: StatxFlags =
    StatxFlags::from_bits_retain(StatxFlags::INO.bits() | StatxFlags::MNT_ID.bits() | 0x4000);

fn identity(found: &Result<Statx, Errno>) -> Option<Identity> {
    let its = found.as_ref().ok()?;
    Some((its.stx_ino, its.stx_dev_major, its.stx_dev_minor, its.stx_mnt_id))
}
