//! Whether the path of a root still leads to the folder that is served.
//!
//! A root is opened once, so that changes to its path cannot redirect requests. But then a folder that
//! replaces it, or a file system that is mounted over it later, is not served, and the operator does not see
//! why.

use super::{Lane, Root, RootError, Roots};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, CWD, Statx, StatxFlags, statx};
use rustix::io::Errno;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Identifies a folder of a mount.
type Identity = (u64, u32, u32, u64);

impl Roots {
    /// Checks the path of each root, on a thread of its disk, because that may hang. If the folder was
    /// replaced, logs this and records it in [`super::DiskState`], or serves the new folder from now on
    /// (`follow`).
    pub fn look_for_replaced(&self) {
        for (number, root) in self.roots.iter().enumerate() {
            // One check at a time.
            if root.disk.looking.swap(true, Relaxed) {
                continue;
            }
            let roots = self.clone();
            let looked = Looked(Arc::clone(&root.disk));
            let look = move || {
                roots.roots[number].look();
                drop(looked);
            };
            root.disk.submit_anyway(Lane::Open, Duration::MAX, look, |_| {});
        }
    }
}

/// Marks a check as ended, even after a panic.
struct Looked(Arc<super::Disk>);

impl Drop for Looked {
    fn drop(&mut self) {
        self.0.looking.store(false, Relaxed);
    }
}

impl Root {
    /// The served folder.
    pub(super) fn folder(&self) -> Arc<Dir> {
        Arc::clone(&self.folder.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn look(&self) {
        let served = identity(&statx(&*self.folder(), "", AtFlags::EMPTY_PATH, WANTED));
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
                let before = std::mem::replace(
                    &mut *self.folder.write().unwrap_or_else(PoisonError::into_inner),
                    Arc::new(folder),
                );
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
