//! Drops the content that an upload has replaced from all roots of this process that serve the same object. Two roots
//! may share a bucket, and a reload creates a new root beside one that still stores uploads.

use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Weak};

use crate::cache::Key;
use crate::core::Core;

static CORES: Mutex<Vec<Weak<Core>>> = Mutex::new(Vec::new());

static UPLOADS: LazyLock<Mutex<Uploads>> = LazyLock::new(Mutex::default);

/// The limit of objects whose latest upload is known: some 6 MiB.
const MAX_OBJECTS: usize = 1 << 16;

/// The uploads of this process that may replace an object, in the order in which they began.
#[derive(Debug, Default)]
struct Uploads {
    begun: u64,
    /// The number of the latest upload of each object, and the reverse.
    latest: HashMap<Key, u64>,
    objects: BTreeMap<u64, Key>,
    /// The latest upload whose object is no longer known.
    forgotten: u64,
}

impl Uploads {
    fn begin(&mut self, object: Key) {
        self.begun += 1;
        if let Some(before) = self.latest.insert(object, self.begun) {
            self.objects.remove(&before);
        }
        self.objects.insert(self.begun, object);
        if self.objects.len() > MAX_OBJECTS
            && let Some((number, object)) = self.objects.pop_first()
        {
            self.latest.remove(&object);
            self.forgotten = number;
        }
    }

    fn may_have_replaced(&self, object: Key, since: u64) -> bool {
        self.latest.get(&object).copied().unwrap_or(self.forgotten) > since
    }
}

/// Returns the number of uploads that have begun so far.
pub(crate) fn uploads_begun() -> u64 {
    UPLOADS.lock().begun
}

/// Counts an upload that may replace an object of `core`.
pub(crate) fn begin_upload(core: &Core, path: &str) {
    let object = key(&object(core, path));
    UPLOADS.lock().begin(object);
}

/// Whether an upload to an object of `core` may have begun after the first `since` uploads. Bytes requested before and
/// after it may belong to different contents, even with equal ETags.
pub(crate) fn may_be_replaced(core: &Core, path: &str, since: u64) -> bool {
    let object = key(&object(core, path));
    UPLOADS.lock().may_have_replaced(object, since)
}

/// The name of an object in all roots that serve it: the prefix of one may be a part of the path in another.
fn object(core: &Core, path: &str) -> String {
    format!("{}{path}", core.home)
}

fn key(object: &str) -> Key {
    Key::of(object, "")
}

/// Registers a root for uploads to its objects through other roots.
pub(crate) fn enter(core: &Arc<Core>) {
    let mut cores = cores();
    cores.retain(|core| core.strong_count() > 0);
    cores.push(Arc::downgrade(core));
}

/// Returns all roots that serve an object of `core`, with its path there.
pub(crate) fn same_object(core: &Core, path: &str) -> Vec<(Arc<Core>, String)> {
    let object = object(core, path);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_replace_their_own_object_alone() {
        let keys: Vec<Key> = (0..MAX_OBJECTS + 2).map(|number| key(&number.to_string())).collect();
        let object = |number: usize| keys[number];
        let mut uploads = Uploads::default();
        uploads.begin(object(0));
        assert!(uploads.may_have_replaced(object(0), 0));
        let since = uploads.begun;
        (1..=MAX_OBJECTS).for_each(|number| uploads.begin(object(number)));
        assert!(!uploads.may_have_replaced(object(0), since), "the others are known");
        assert!((1..=MAX_OBJECTS).all(|number| uploads.may_have_replaced(object(number), since)));
        // An object that was forgotten may be any.
        uploads.begin(object(MAX_OBJECTS + 1));
        assert!(uploads.may_have_replaced(object(0), since) && uploads.may_have_replaced(object(1), since));
        assert!(!uploads.may_have_replaced(object(0), uploads.forgotten));
        (0..100).for_each(|_| uploads.begin(object(2)));
        assert_eq!((uploads.latest.len(), uploads.objects.len()), (MAX_OBJECTS, MAX_OBJECTS));
    }
}
