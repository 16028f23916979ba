//! The keys of plugins: a namespace for each plugin, in one file for this server ([`file`]), or in a bucket of NATS
//! JetStream for many servers ([`nats`]).
//!
//! Both have the same semantics, and `tests` runs the same tests on both. A change that was confirmed survives a
//! crash, concurrent increments count each once, and an entry disappears when its time is over. Each change gives the
//! key a revision that it never had before, so that a swap succeeds only on the value that its caller has seen.

mod entry;
mod file;
mod nats;
mod state;
#[cfg(test)]
mod tests;
mod usage;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

pub(crate) use file::{FileStore, KvOpenError, usable};
pub(crate) use nats::NatsStore;
pub use state::KvState;

use tuffet_config::{KvBucket, PluginLimits, WhenAway};

/// The bytes of a key.
pub(crate) const MAX_KEY: usize = 256;
/// The bytes of a value.
pub(crate) const MAX_VALUE: usize = 64 << 10;

/// Where keys are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum KvPlace {
    /// In a file in this folder.
    Folder(PathBuf),
    /// In a bucket of NATS JetStream.
    Bucket(KvBucket),
}

/// An open store of keys.
#[derive(Debug)]
pub(crate) enum KvStore {
    File(FileStore),
    Nats(NatsStore),
}

/// The keys of one plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Namespace {
    /// The name of the plugin.
    pub name: Arc<str>,
    pub quota: Quota,
    /// What the plugin gets while the store is away.
    pub when_away: WhenAway,
}

/// A value and its revision, which every change of the key replaces by a higher one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Versioned {
    pub value: Vec<u8>,
    pub revision: u64,
}

/// A part of the keys of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listing {
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
pub(crate) enum Change {
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
pub(crate) enum KvError {
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
    pub(crate) fn open(place: &KvPlace) -> Result<KvStore, KvOpenError> {
        Ok(match place {
            KvPlace::Folder(folder) => KvStore::File(FileStore::open(folder)?),
            KvPlace::Bucket(bucket) => KvStore::Nats(NatsStore::open(bucket)?),
        })
    }

    /// Prepares a namespace that is going to be used.
    pub(crate) fn join(&self, namespace: &Namespace) {
        match self {
            KvStore::File(_) => {}
            KvStore::Nats(store) => store.join(namespace),
        }
    }

    /// The state of a bucket; `None` for a file.
    pub(crate) fn state(&self) -> Option<KvState> {
        match self {
            KvStore::File(_) => None,
            KvStore::Nats(store) => Some(store.state()),
        }
    }

    /// The value of a key, with its revision.
    pub(crate) async fn get(&self, of: &Namespace, key: String) -> Result<Option<Versioned>, KvError> {
        match self {
            KvStore::File(store) => store.get(&of.name, key).await,
            KvStore::Nats(store) => store.get(of, key).await,
        }
    }

    /// Keys in the order of their bytes. A bucket lists what has arrived here: changes of other servers follow.
    pub(crate) async fn list(&self, of: &Namespace, listing: Listing) -> Result<Vec<String>, KvError> {
        match self {
            KvStore::File(store) => store.list(&of.name, listing).await,
            KvStore::Nats(store) => store.list(of, listing).await,
        }
    }

    /// Replaces a value.
    pub(crate) async fn set(
        &self,
        of: &Namespace,
        key: String,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Result<(), KvError> {
        self.change(of, key, Change::Set { value, ttl_seconds }).await.map(drop)
    }

    /// Removes a key.
    pub(crate) async fn delete(&self, of: &Namespace, key: String) -> Result<(), KvError> {
        self.change(of, key, Change::Delete).await.map(drop)
    }

    /// Adds to a counter; returns the sum.
    pub(crate) async fn increment(
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
    pub(crate) async fn swap(
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
        match self {
            KvStore::File(store) => store.change(&of.name, of.quota, key, change).await,
            KvStore::Nats(store) => store.change(of, key, change).await,
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
