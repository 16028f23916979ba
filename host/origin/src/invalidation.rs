//! Drops the content that an upload has replaced from all roots of this process that serve the same object. Two roots
//! may share a bucket, and a reload creates a new root beside one that still stores uploads.

use parking_lot::{Mutex, MutexGuard};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};

use crate::core::Core;

static CORES: Mutex<Vec<Weak<Core>>> = Mutex::new(Vec::new());

/// The number of begun uploads that may replace an object, by the hash of the object.
static UPLOADS: [AtomicU64; 4096] = [const { AtomicU64::new(0) }; 4096];

/// Returns the counter of begun uploads that may replace an object of `core`, or others with its hash. Bytes requested
/// at different counts may belong to different contents, even with equal ETags.
pub(crate) fn uploads_of(core: &Core, path: &str) -> &'static AtomicU64 {
    let mut hash = DefaultHasher::new();
    format!("{}{path}", core.home).hash(&mut hash);
    &UPLOADS[(hash.finish() % UPLOADS.len() as u64) as usize]
}

/// Registers a root for uploads to its objects through other roots.
pub(crate) fn enter(core: &Arc<Core>) {
    let mut cores = cores();
    cores.retain(|core| core.strong_count() > 0);
    cores.push(Arc::downgrade(core));
}

/// Returns all roots that serve an object of `core`, with its path there.
pub(crate) fn same_object(core: &Core, path: &str) -> Vec<(Arc<Core>, String)> {
    let object = format!("{}{path}", core.home);
    let known: Vec<Arc<Core>> = cores().iter().filter_map(Weak::upgrade).collect();
    let same = |core: Arc<Core>| {
        let path = object.strip_prefix(&*core.home)?.to_owned();
        Some((core, path))
    };
    known.into_iter().filter_map(same).collect()
}

fn cores() -> MutexGuard<'static, Vec<Weak<Core>>> {
    CORES.lock()
}
