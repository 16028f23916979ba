//! What is opened once, however many want it, and closed when nobody has it any more.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// By what it is opened from.
#[derive(Debug)]
pub(crate) struct OpenOnce<K, V>(Mutex<HashMap<K, Weak<V>>>);

impl<K, V> Default for OpenOnce<K, V> {
    fn default() -> Self {
        OpenOnce(Mutex::default())
    }
}

impl<K: Eq + Hash, V> OpenOnce<K, V> {
    /// What is open, or what `open` opens; meanwhile others wait, so that it is opened once.
    pub fn get<E>(&self, key: K, open: impl FnOnce(&K) -> Result<V, E>) -> Result<Arc<V>, E> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(there) = all.get(&key).and_then(Weak::upgrade) {
            return Ok(there);
        }
        all.retain(|_, open| open.strong_count() > 0);
        let opened = Arc::new(open(&key)?);
        all.insert(key, Arc::downgrade(&opened));
        Ok(opened)
    }
}
