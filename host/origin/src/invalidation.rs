//! What an upload has replaced is forgotten in all roots of this process that serve the same object: two roots may have
//! one bucket, and a reload makes a new root beside one that still stores uploads.

use parking_lot::{Mutex, MutexGuard};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};

use crate::core::Core;

static CORES: Mutex<Vec<Weak<Core>>> = Mutex::new(Vec::new());

/// How many uploads have begun that may replace an object, by its hash.
static UPLOADS: [AtomicU64; 4096] = [const { AtomicU64::new(0) }; 4096];

/// Returns the count of uploads that have begun to replace an object of `core`, and others with its hash. Bytes that were
/// asked for under another count may be of another content, even under an equal ETag.
pub(crate) fn uploads_of(core: &Core, path: &str) -> &'static AtomicU64 {
    let mut hash = DefaultHasher::new();
    format!("{}{path}", core.home).hash(&mut hash);
    &UPLOADS[(hash.finish() % UPLOADS.len() as u64) as usize]
}

/// Lets a root learn of uploads of others.
pub(crate) fn enter(core: &Arc<Core>) {
    let mut cores = cores();
    cores.retain(|core| core.strong_count() > 0);
    cores.push(Arc::downgrade(core));
}

/// Each root that serves an object of `core`, and the path of the object there.
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
