//! Resources that are opened once for all users, and closed when the last user drops them.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Weak};

/// Open resources by key.
#[derive(Debug)]
pub struct OpenOnce<K, V>(Mutex<HashMap<K, Weak<V>>>);

impl<K, V> Default for OpenOnce<K, V> {
    fn default() -> Self {
        OpenOnce(Mutex::default())
    }
}

impl<K: Eq + Hash, V> OpenOnce<K, V> {
    /// Returns the open resource, or opens it. Other callers wait meanwhile, so that it is opened once.
    ///
    /// # Errors
    /// Those of `open`.
    pub fn get<E>(&self, key: K, open: impl FnOnce(&K) -> Result<V, E>) -> Result<Arc<V>, E> {
        let mut all = self.0.lock();
        if let Some(resource) = all.get(&key).and_then(Weak::upgrade) {
            return Ok(resource);
        }
        all.retain(|_, open| open.strong_count() > 0);
        let opened = Arc::new(open(&key)?);
        all.insert(key, Arc::downgrade(&opened));
        Ok(opened)
    }

    /// Returns the open resources.
    pub fn all(&self) -> Vec<Arc<V>> {
        self.0.lock().values().filter_map(Weak::upgrade).collect()
    }
}
