//! Resources that plugins share and that a reload must not open twice: the store of keys, and the sinks.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use tuffet_kv::{KvLocation, KvOpenError, KvState, KvStore, Namespace, ObserverTurns};
use tuffet_net::OpenOnce;
use tuffet_sinks::Sinks;

/// Keys of a plugin, or those that plugins share.
#[derive(Debug, Clone)]
pub struct KeySpace {
    /// The store that has them.
    pub store: Arc<KvStore>,
    /// Their namespace.
    pub namespace: Namespace,
}

/// Keys that a plugin uses, or used.
#[derive(Debug)]
struct NotedKeys {
    store: Weak<KvStore>,
    namespace: Namespace,
}

/// Resources that stay open while a policy uses them. Its methods may block.
///
/// During a restart without a gap, two processes of a server use them at once: see [`PolicyRuntime::share_state`].
///
/// [`PolicyRuntime::share_state`]: super::PolicyRuntime::share_state
#[derive(Debug, Default)]
pub(super) struct Resources {
    /// Whether another process of this server may use the same state. Held while a store is opened, so that each open
    /// store agrees with it.
    shared: Mutex<bool>,
    /// Whether observers take turns with another process of this server. Stays set: when a third process follows, none
    /// knows when it is alone.
    takes_turns: Arc<AtomicBool>,
    stores: OpenOnce<KvLocation, KvStore>,
    /// The store that was opened last.
    newest: Mutex<Weak<KvStore>>,
    /// The namespaces that plugins use, by name.
    namespaces: Mutex<BTreeMap<Arc<str>, NotedKeys>>,
    /// The sinks.
    pub sinks: Sinks,
}

impl Resources {
    /// Opens the store of keys.
    pub fn store(&self, location: &KvLocation) -> Result<Arc<KvStore>, KvOpenError> {
        let shared = self.shared.lock();
        let open = if *shared { KvStore::open_shared } else { KvStore::open };
        let store = self.stores.get(location.clone(), open)?;
        drop(shared);
        *self.newest.lock() = Arc::downgrade(&store);
        Ok(store)
    }

    /// Returns the turns of a plugin with keys, by a lock in this folder.
    pub fn turns(&self, state: &Path, plugin: &Arc<str>) -> ObserverTurns {
        ObserverTurns::new(state, Arc::clone(plugin), Arc::clone(&self.takes_turns))
    }

    /// Notes that a plugin uses the keys of this namespace.
    pub fn note_keys(&self, store: &Arc<KvStore>, namespace: &Namespace) {
        let noted = NotedKeys { store: Arc::downgrade(store), namespace: namespace.clone() };
        self.namespaces.lock().insert(Arc::clone(&namespace.name), noted);
    }

    /// Returns the keys that plugins use, in the order of their names.
    pub fn key_spaces(&self) -> Vec<KeySpace> {
        let open = |noted: &NotedKeys| {
            Some(KeySpace { store: noted.store.upgrade()?, namespace: noted.namespace.clone() })
        };
        self.namespaces.lock().values().filter_map(open).collect()
    }

    /// The state of the store that was opened last, if it is a bucket.
    pub fn kv(&self) -> Option<KvState> {
        let newest = self.newest.lock().upgrade();
        newest?.state()
    }

    /// Lets another process of this server use the same state.
    pub fn share(&self) {
        let mut shared = self.shared.lock();
        *shared = true;
        self.takes_turns.store(true, Relaxed);
        self.sinks.share();
        for store in self.stores.all() {
            store.share();
        }
    }

    /// Takes the state for this process alone; returns false if another process still uses a part of it.
    pub fn own(&self) -> bool {
        let mut shared = self.shared.lock();
        let stores = self.stores.all();
        let kept = stores.iter().filter(|store| !store.own()).count() + usize::from(!self.sinks.own());
        *shared = kept > 0;
        if kept > 0 {
            self.sinks.share();
        }
        kept == 0
    }
}
