//! The keys that plugins store: a namespace for each plugin, in one file for this server (`file`), or in a bucket of NATS
//! JetStream for many servers (`nats`).
//!
//! Both have the same semantics, and `tests` runs the same tests on both. A change that was confirmed survives a
//! crash, concurrent increments count each once, and an entry disappears when its time is over. Each change gives the
//! key a revision that it never had before, so that a swap succeeds only on the value that its caller has seen.

mod entry;
mod file;
mod nats;
mod state;
mod tables;
#[cfg(test)]
mod tests;
mod usage;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

pub use file::{KvOpenError, usable};
pub use state::KvState;

use file::FileStore;
use nats::NatsStore;
use tuffet_config::{KvBucket, PluginLimits, WhenAway};

/// The bytes of a key.
pub const MAX_KEY: usize = 256;
/// The bytes of a value.
pub const MAX_VALUE: usize = 64 << 10;

/// Where keys are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KvPlace {
    /// In a file in this folder.
    Folder(PathBuf),
    /// In a bucket of NATS JetStream.
    Bucket(KvBucket),
}

/// An open store of keys.
#[derive(Debug)]
pub struct KvStore(Backend);

#[derive(Debug)]
enum Backend {
    File(FileStore),
    Nats(NatsStore),
}

/// The keys of one plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    /// The name of the plugin.
    pub name: Arc<str>,
    /// What it may store.
    pub quota: Quota,
    /// What the plugin gets while the store is away.
    pub when_away: WhenAway,
}

/// A value and its revision, which every change of the key replaces by a higher one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versioned {
    /// The value.
    pub value: Vec<u8>,
    /// The revision.
    pub revision: u64,
}

/// A part of the keys of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Keys begin with this.
    pub prefix: String,
    /// Keys come after this one, in the order of their bytes.
    pub after: Option<String>,
    /// The maximum number of keys.
    pub limit: usize,
}

/// The limits of a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Keys.
    pub keys: u64,
    /// Bytes of all keys and values.
    pub bytes: u64,
}

impl From<&PluginLimits> for Quota {
    fn from(limits: &PluginLimits) -> Quota {
        Quota { keys: limits.kv_keys, bytes: limits.kv_bytes }
    }
}

/// A change of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Change {
    Set {
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    },
    Delete,
    Increment {
        by: i64,
        ttl_seconds: Option<u32>,
    },
    /// Sets the value if the key has this revision; `None`: if there is no such key.
    Swap {
        revision: Option<u64>,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    },
}

/// Why a key cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KvError {
    /// The namespace is full.
    Quota,
    /// What is to be incremented is no counter.
    NotACounter,
    /// The key has not the revision that a swap expects.
    Conflict,
    /// The disk failed, or the server of the bucket is away.
    Unavailable(String),
}

impl KvStore {
    /// Opens a store. Blocks on the disk; a bucket is contacted in the background.
    ///
    /// # Errors
    /// The file cannot be opened, or there is no thread for the connection.
    pub fn open(place: &KvPlace) -> Result<KvStore, KvOpenError> {
        Ok(KvStore(match place {
            KvPlace::Folder(folder) => Backend::File(FileStore::open(folder)?),
            KvPlace::Bucket(bucket) => Backend::Nats(NatsStore::open(bucket)?),
        }))
    }

    /// Prepares a namespace that is going to be used.
    pub fn join(&self, namespace: &Namespace) {
        match &self.0 {
            Backend::File(_) => {}
            Backend::Nats(store) => store.join(namespace),
        }
    }

    /// The state of a bucket; `None` for a file.
    pub fn state(&self) -> Option<KvState> {
        match &self.0 {
            Backend::File(_) => None,
            Backend::Nats(store) => Some(store.state()),
        }
    }

    /// The value of a key, with its revision.
    ///
    /// # Errors
    /// The store is away.
    pub async fn get(&self, of: &Namespace, key: String) -> Result<Option<Versioned>, KvError> {
        match &self.0 {
            Backend::File(store) => store.get(&of.name, key).await,
            Backend::Nats(store) => store.get(of, key).await,
        }
    }

    /// Keys in the order of their bytes. A bucket lists what has arrived here: changes of other servers follow.
    ///
    /// # Errors
    /// The store is away.
    pub async fn list(&self, of: &Namespace, listing: Listing) -> Result<Vec<String>, KvError> {
        match &self.0 {
            Backend::File(store) => store.list(&of.name, listing).await,
            Backend::Nats(store) => store.list(of, listing).await,
        }
    }

    /// Replaces a value.
    ///
    /// # Errors
    /// The store is away, or the namespace is full.
    pub async fn set(
        &self,
        of: &Namespace,
        key: String,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Result<(), KvError> {
        self.change(of, key, Change::Set { value, ttl_seconds }).await.map(drop)
    }

    /// Removes a key.
    ///
    /// # Errors
    /// The store is away.
    pub async fn delete(&self, of: &Namespace, key: String) -> Result<(), KvError> {
        self.change(of, key, Change::Delete).await.map(drop)
    }

    /// Adds to a counter; returns the sum.
    ///
    /// # Errors
    /// The store is away, the namespace is full, or the value is no counter.
    pub async fn increment(
        &self,
        of: &Namespace,
        key: String,
        by: i64,
        ttl_seconds: Option<u32>,
    ) -> Result<i64, KvError> {
        self.change(of, key, Change::Increment { by, ttl_seconds }).await
    }

    /// Replaces the value if the key still has this revision, or creates it if it shall have none. Returns the new
    /// revision; `None` if the key has another one.
    ///
    /// # Errors
    /// The store is away, or the namespace is full.
    pub async fn swap(
        &self,
        of: &Namespace,
        key: String,
        revision: Option<u64>,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Result<Option<u64>, KvError> {
        match self.change(of, key, Change::Swap { revision, value, ttl_seconds }).await {
            Ok(revision) => Ok(Some(revision.cast_unsigned())),
            Err(KvError::Conflict) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The new value of a counter; the new revision of a swap; 0 for another change.
    async fn change(&self, of: &Namespace, key: String, change: Change) -> Result<i64, KvError> {
        match &self.0 {
            Backend::File(store) => store.change(&of.name, of.quota, key, change).await,
            Backend::Nats(store) => store.change(of, key, change).await,
        }
    }
}

fn unavailable(error: &impl std::fmt::Display) -> KvError {
    KvError::Unavailable(error.to_string())
}

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
