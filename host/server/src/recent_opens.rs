//! Files that were opened a moment ago: requests for the same file that arrived before that need not open it again.
//!
//! Thousands of machines that start together ask for the same file, and opening it costs as much as sending two blocks.
//! A client cannot tell at which moment after its request the file was opened. So a file whose open began after a
//! request arrived, and after policy decided about it, is an answer to that request: no request gets a file that had
//! been replaced before.

use parking_lot::Mutex;
use std::array;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Instant;
use tuffet_store::{Identity, OpenFile};

/// The number of remembered files: several in use at the same time seldom displace each other.
const SLOTS: usize = 64;

/// The files that were opened last, of the roots of one configuration. Holds no file open.
pub(crate) struct RecentOpens {
    slots: [Mutex<Option<RecentOpen>>; SLOTS],
    hasher: RandomState,
}

struct RecentOpen {
    /// `ROOT:PATH`.
    resolved: Arc<str>,
    /// The length of `ROOT`, which may contain colons as `PATH` may.
    root: usize,
    identity: Identity,
    /// When the open began.
    began: Instant,
}

impl Default for RecentOpens {
    fn default() -> RecentOpens {
        RecentOpens { slots: array::from_fn(|_| Mutex::default()), hasher: RandomState::new() }
    }
}

impl RecentOpens {
    /// Returns the resolved name and the identity of a file, if its open began at `from` or later.
    pub(crate) fn find(&self, root: &str, path: &str, from: Instant) -> Option<(Arc<str>, Identity)> {
        let slot = self.slot(root, path).lock();
        let open = slot.as_ref().filter(|open| open.began >= from && open.is(root, path))?;
        Some((Arc::clone(&open.resolved), open.identity))
    }

    /// Remembers a file whose open `began` then.
    pub(crate) fn note(&self, file: &OpenFile, resolved: Arc<str>, began: Instant) {
        let open = RecentOpen { resolved, root: file.root().len(), identity: file.identity(), began };
        *self.slot(file.root(), file.path()).lock() = Some(open);
    }

    fn slot(&self, root: &str, path: &str) -> &Mutex<Option<RecentOpen>> {
        &self.slots[self.hasher.hash_one((root, path)) as usize % SLOTS]
    }
}

impl RecentOpen {
    /// Whether it is `path` in `root`.
    fn is(&self, root: &str, path: &str) -> bool {
        let rest = self.resolved.strip_prefix(root).filter(|_| self.root == root.len());
        rest.and_then(|rest| rest.strip_prefix(':')) == Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tuffet_request::RootSpec;
    use tuffet_store::Roots;

    #[test]
    fn only_requests_from_before_the_open_share_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("c"), "content").unwrap();
        let roots = Roots::open(&[RootSpec::read_only("a:b", folder.path())]).unwrap();
        let file = roots.open_read(Some("a:b"), "c").unwrap();
        let (opens, began) = (RecentOpens::default(), Instant::now());
        opens.note(&file, "a:b:c".into(), began);
        let tick = Duration::from_nanos(1);
        let find = |root, path, arrived| opens.find(root, path, arrived).map(|(_, identity)| identity);
        assert_eq!(find("a:b", "c", began), Some(file.identity()));
        assert_eq!(find("a:b", "c", began + tick), None);
        for (root, path) in [("a", "b:c"), ("a:b", "d"), ("a", "c")] {
            assert_eq!(find(root, path, began), None, "{root} {path}");
        }
    }
}
