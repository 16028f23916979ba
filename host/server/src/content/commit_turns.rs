//! Sinks are committed to one name one after the other, so that a name that a commit found free stays free.
//!
//! A commit to `a.7` may become `a.7`, and one to the next free name of `a` may, too. So a commit has the family of its path
//! for itself: the path and its numbered names. If the path is a numbered name, it shares the family of the path in front
//! of the number with the other members. Families are waited for from the shorter path on, so no two commits wait for each
//! other.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};
use tuffet_store::Destination;

/// The families of all roots, by root and path. As many as there are commits, and those that wait for them. Cheap to clone;
/// clones share them.
#[derive(Clone, Default)]
pub(crate) struct CommitTurns(Arc<Mutex<HashMap<Box<str>, Family>>>);

type Family = Arc<RwLock<()>>;

/// Keeps others from being committed to the same name, until it is dropped.
pub(crate) struct CommitTurn {
    _shared: Option<InFamily<OwnedRwLockReadGuard<()>>>,
    _own: InFamily<OwnedRwLockWriteGuard<()>>,
}

/// A family with its lock, once it has that.
struct InFamily<G> {
    guard: Option<G>,
    family: Family,
    key: Box<str>,
    turns: CommitTurns,
}

impl CommitTurns {
    /// Waits until no other sink is being committed to a name that this destination in a root may get.
    pub(crate) async fn wait(&self, root: &str, path: &str) -> CommitTurn {
        let shared = match Destination::numbered(path) {
            None => None,
            Some(of) => {
                let mut family = self.family(root, of);
                family.guard = Some(Arc::clone(&family.family).read_owned().await);
                Some(family)
            }
        };
        let mut own = self.family(root, path);
        own.guard = Some(Arc::clone(&own.family).write_owned().await);
        CommitTurn { _shared: shared, _own: own }
    }

    fn family<G>(&self, root: &str, path: &str) -> InFamily<G> {
        // No path contains a NUL.
        let key: Box<str> = format!("{root}\0{path}").into();
        let family = Arc::clone(self.0.lock().entry(key.clone()).or_default());
        InFamily { guard: None, family, key, turns: self.clone() }
    }
}

impl<G> Drop for InFamily<G> {
    fn drop(&mut self) {
        self.guard = None;
        let mut families = self.turns.0.lock();
        // The table has one, and this is the other. Others are taken within the lock of the table.
        if Arc::strong_count(&self.family) == 2 {
            families.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn commits_to_names_that_may_be_the_same_wait_for_each_other() {
        let turns = CommitTurns::default();
        let waits = |path: &'static str| turns.wait("root", path).now_or_never().is_none();
        let held = turns.wait("root", "10.0.0.7").await;
        assert!(["10.0.0.7", "10.0.0"].into_iter().all(waits));
        assert!(waits("10.0.0.7.1"), "the next free name of 10.0.0.7 may be this one");
        assert!(!["10.0.0.8", "10.0.0.1000", "10"].into_iter().any(waits));
        assert!(turns.wait("other", "10.0.0.7").now_or_never().is_some());
        drop(held);
        let held = turns.wait("root", "a").await;
        assert!(["a", "a.1", "a.999"].into_iter().all(waits));
        assert!(!["a.01", "a.0", "a.1000", "a.b", "b"].into_iter().any(waits));
        drop(held);
        assert!(turns.0.lock().is_empty(), "nobody waits");
    }
}
