//! Resources that plugins share and that a reload must not open twice: the store of keys, and the sinks.

use parking_lot::Mutex;
use std::sync::{Arc, Weak};

use tuffet_kv::{KvLocation, KvOpenError, KvState, KvStore};
use tuffet_net::OpenOnce;
use tuffet_sinks::Sinks;

/// Resources that stay open while a policy uses them. Its methods may block.
#[derive(Debug, Default)]
pub(super) struct Resources {
    stores: OpenOnce<KvLocation, KvStore>,
    /// The store that was opened last.
    newest: Mutex<Weak<KvStore>>,
    /// The sinks.
    pub sinks: Sinks,
}

impl Resources {
    /// Opens the store of keys.
    pub fn store(&self, location: &KvLocation) -> Result<Arc<KvStore>, KvOpenError> {
        let store = self.stores.get(location.clone(), KvStore::open)?;
        *self.newest.lock() = Arc::downgrade(&store);
        Ok(store)
    }

    /// The state of the store that was opened last, if it is a bucket.
    pub fn kv(&self) -> Option<KvState> {
        let newest = self.newest.lock().upgrade();
        newest?.state()
    }
}
