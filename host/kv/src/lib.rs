//! The keys that plugins store, in a namespace for each plugin: in a file of this server (`file`), or in a NATS
//! JetStream bucket that servers share (`nats`). Observers with keys take turns (`observer_turn`).
//!
//! Both behave alike, and `tests` runs the same tests on both. A confirmed change survives a crash, each concurrent
//! increment counts once, and an entry disappears when it expires. Each change gives the key a new revision, never
//! used before, so that a swap succeeds only on the value that its caller has seen.

mod entry;
mod file;
mod nats;
mod observer_turn;
mod open_error;
mod open_file;
mod tables;
#[cfg(test)]
mod tests;
mod usage;
mod writer;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

pub use file::check_folder;
pub use observer_turn::{ObserverTurn, ObserverTurns};
pub use open_error::KvOpenError;
pub use tuffet_request::KvState;

use file::FileStore;
use nats::NatsStore;
use tuffet_config::{KvBucket, PluginLimits, WhenAway};

/// The maximum size of a key, in bytes.
pub const MAX_KEY: usize = 256;
/// The maximum size of a value, in bytes.
pub const MAX_VALUE: usize = 64 << 10;

/// The maximum number of keys in a page of a list, and that are removed at once.
pub const MAX_PAGE_KEYS: usize = 1000;
/// The size of the keys and values in a page of a list, in bytes, after which no further one is added.
pub const MAX_PAGE_BYTES: usize = 1 << 20;

/// The location of a store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KvLocation {
    /// A file in this folder.
    Folder(PathBuf),
    /// A bucket of NATS JetStream.
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
    /// The limits of its namespace.
    pub quota: Quota,
    /// How its reads are answered while NATS is away.
    pub when_away: WhenAway,
}

/// A value and its revision. Every change of the key raises the revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versioned {
    /// The value.
    pub value: Vec<u8>,
    /// The revision.
    pub revision: u64,
    /// When the key disappears, in milliseconds since 1970; `None` for never.
    pub expires_unix_ms: Option<u64>,
}

/// A part of the keys of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The prefix of the keys.
    pub prefix: String,
    /// Only keys after this one, in the order of their bytes.
    pub after: Option<String>,
    /// The maximum number of keys.
    pub limit: usize,
}

/// The limits of a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// The maximum number of keys.
    pub keys: u64,
    /// The maximum size of all keys and values, in bytes.
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
    /// Removes keys with this prefix, which stands in place of the key, and answers how many: at most [`MAX_PAGE_KEYS`].
    DeletePrefix,
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

/// A failed read or change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KvError {
    /// The namespace is full.
    Quota,
    /// The value to increment is not a counter.
    NotACounter,
    /// The key does not have the revision that a swap expects.
    Conflict,
    /// The disk failed, or NATS is away.
    Unavailable(String),
}

impl fmt::Display for KvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KvError::Quota => "the plugin has as many keys or bytes as its quota allows",
            KvError::NotACounter => "the value is no counter: it has not eight bytes",
            KvError::Conflict => "the key has another revision",
            KvError::Unavailable(why) => why,
        })
    }
}

impl KvStore {
    /// Opens a store; a file for this process alone. Blocks on the disk; a bucket is contacted in the background.
    ///
    /// # Errors
    /// The file cannot be opened, or no thread could be started.
    pub fn open(location: &KvLocation) -> Result<KvStore, KvOpenError> {
        KvStore::open_as(location, false)
    }

    /// As [`KvStore::open`], for a process that shares the file with another one of the same server. Operations wait up to
    /// 5 s while that one has the file for itself.
    ///
    /// # Errors
    /// The folder cannot be written, or no thread could be started.
    pub fn open_shared(location: &KvLocation) -> Result<KvStore, KvOpenError> {
        KvStore::open_as(location, true)
    }

    fn open_as(location: &KvLocation, shared: bool) -> Result<KvStore, KvOpenError> {
        Ok(KvStore(match location {
            KvLocation::Folder(folder) => Backend::File(FileStore::open(folder, shared)?),
            KvLocation::Bucket(bucket) => Backend::Nats(NatsStore::open(bucket)?),
        }))
    }

    /// Lets another process of the server use the file. Blocks until running operations have ended.
    pub fn share(&self) {
        if let Backend::File(store) = &self.0 {
            store.file.share();
        }
    }

    /// Takes the file for this process alone. Returns false, and continues to share it, if another process has it open.
    /// Blocks as [`KvStore::share`].
    pub fn own(&self) -> bool {
        match &self.0 {
            Backend::File(store) => store.file.own(),
            Backend::Nats(_) => true,
        }
    }

    /// Prepares a namespace before its first use.
    pub fn join(&self, namespace: &Namespace) {
        match &self.0 {
            Backend::File(_) => {}
            Backend::Nats(store) => store.join(namespace),
        }
    }

    /// Returns the state of a bucket; `None` for a file.
    pub fn state(&self) -> Option<KvState> {
        match &self.0 {
            Backend::File(_) => None,
            Backend::Nats(store) => Some(store.state()),
        }
    }

    /// Returns the number of keys in a namespace, and the bytes of keys and values. Keys whose time is over may count.
    ///
    /// # Errors
    /// The store is away.
    pub async fn usage(&self, of: &Namespace) -> Result<(u64, u64), KvError> {
        let usage = match &self.0 {
            Backend::File(store) => store.usage(&of.name).await?,
            Backend::Nats(store) => store.usage(&of.name),
        };
        Ok(usage.counted())
    }

    /// Returns the value of a key, with its revision.
    ///
    /// # Errors
    /// The store is away.
    pub async fn get(&self, of: &Namespace, key: String) -> Result<Option<Versioned>, KvError> {
        match &self.0 {
            Backend::File(store) => store.get(&of.name, key).await,
            Backend::Nats(store) => store.get(of, key).await,
        }
    }

    /// Lists keys with their values in the order of their bytes: a page of them. For a bucket, recent changes of other
    /// servers may be missing.
    ///
    /// # Errors
    /// The store is away.
    pub async fn list(&self, of: &Namespace, listing: Listing) -> Result<Vec<(String, Versioned)>, KvError> {
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

    /// Removes keys with this prefix, and returns how many: at most [`MAX_PAGE_KEYS`], and 0 if there is none. In a bucket
    /// one after the other.
    ///
    /// # Errors
    /// The store is away.
    pub async fn delete_prefix(&self, of: &Namespace, prefix: String) -> Result<u32, KvError> {
        let removed = self.change(of, prefix, Change::DeletePrefix).await?;
        Ok(u32::try_from(removed).unwrap_or(u32::MAX))
    }

    /// Adds to a counter; returns the sum.
    ///
    /// # Errors
    /// The store is away, the namespace is full, or the value is not a counter.
    pub async fn increment(
        &self,
        of: &Namespace,
        key: String,
        by: i64,
        ttl_seconds: Option<u32>,
    ) -> Result<i64, KvError> {
        self.change(of, key, Change::Increment { by, ttl_seconds }).await
    }

    /// Replaces the value if the key still has this revision, or creates the key if `revision` is `None`. Returns the
    /// new revision; `None` after a conflict.
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

    /// Returns the new value of a counter, the new revision of a swap, the number of removed keys, or 0.
    async fn change(&self, of: &Namespace, key: String, change: Change) -> Result<i64, KvError> {
        match &self.0 {
            Backend::File(store) => store.change(&of.name, of.quota, key, change).await,
            Backend::Nats(store) => store.change(of, key, change).await,
        }
    }
}

/// A page of keys and values while it is made.
struct Page {
    found: Vec<(String, Versioned)>,
    limit: usize,
    bytes: usize,
}

impl Page {
    fn new(limit: usize) -> Page {
        Page { found: Vec::new(), limit, bytes: 0 }
    }

    fn is_full(&self) -> bool {
        self.found.len() >= self.limit || self.bytes >= MAX_PAGE_BYTES
    }

    fn add(&mut self, key: &str, versioned: Versioned) {
        self.bytes += key.len() + versioned.value.len();
        self.found.push((key.to_owned(), versioned));
    }
}

fn unavailable(error: &impl fmt::Display) -> KvError {
    KvError::Unavailable(error.to_string())
}

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
