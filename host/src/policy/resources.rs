//! What plugins share and a reload must not open twice: the file of keys, and the sinks.

use std::collections::HashMap;
use std::hash::Hash;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use crate::kv::{KvOpenError, KvStore};
use crate::sinks::{Pending, Sink, SinkSpec};

/// Open while any policy uses it. For threads that may block.
#[derive(Debug, Default)]
pub(super) struct Resources {
    stores: Shared<PathBuf, KvStore>,
    sinks: Shared<SinkSpec, Sink>,
    /// Of all sinks that were opened, those of policies that are gone included.
    pending: Mutex<Vec<Pending>>,
}

impl Resources {
    /// The file of keys in a folder.
    pub fn store(&self, folder: &Path) -> Result<Arc<KvStore>, KvOpenError> {
        self.stores.get(folder.to_owned(), |folder| KvStore::open(folder))
    }

    /// A sink.
    pub fn sink(&self, spec: &SinkSpec) -> io::Result<Arc<Sink>> {
        self.sinks.get(spec.clone(), |spec| {
            let sink = Sink::open(spec)?;
            let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
            pending.retain(Pending::is_alive);
            pending.push(sink.pending());
            Ok(sink)
        })
    }

    /// The lines that wait in each open sink, by its name.
    pub fn queued_lines(&self) -> Vec<(String, usize)> {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<(String, usize)> = pending.iter().filter_map(Pending::queued).collect();
        // A sink that a reload changed is there twice while its old lines are delivered.
        all.sort();
        all.dedup_by(|one, before| {
            one.0 == before.0 && {
                before.1 += one.1;
                true
            }
        });
        all
    }

    /// For the end of the process: waits for the sinks to deliver what is queued, at most so long for each.
    /// Blocks.
    pub fn flush(&self, patience: Duration) {
        let all = std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        for pending in all {
            pending.flush(patience);
        }
    }
}

#[derive(Debug)]
struct Shared<K, V>(Mutex<HashMap<K, Weak<V>>>);

impl<K, V> Default for Shared<K, V> {
    fn default() -> Self {
        Shared(Mutex::default())
    }
}

impl<K: Eq + Hash, V> Shared<K, V> {
    /// What is open, or what `open` opens; meanwhile others wait, so that it is opened once.
    fn get<E>(&self, key: K, open: impl FnOnce(&K) -> Result<V, E>) -> Result<Arc<V>, E> {
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
