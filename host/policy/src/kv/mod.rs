//! The key-value store of plugins: one file for all, a namespace for each.
//!
//! Reads use the file on threads that may block. The writes of all plugins go through one thread, which
//! commits all queued changes in one transaction and answers when it is on disk: a hundred concurrent
//! counters cost one sync, and a confirmed change survives a crash.

mod entry;
#[cfg(test)]
mod tests;
mod usage;
mod writer;

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use redb::{Database, DatabaseError, ReadableDatabase, TableDefinition};
use rustix::fs::{Access, access};
use tokio::sync::{mpsc, oneshot};

use entry::Entry;
use tuffet_config::PluginLimits;
use writer::{Change, Job};

/// By namespace and key.
const TABLE: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("keys");
/// Its name in the folder of states.
const FILE: &str = "plugins.redb";
/// Memory for pages of the file.
const CACHE: usize = 16 << 20;
/// Queued writes; further ones wait for a place.
const QUEUE: usize = 1024;

/// The bytes of a key.
pub(crate) const MAX_KEY: usize = 256;
/// The bytes of a value.
pub(crate) const MAX_VALUE: usize = 64 << 10;

/// An open file of keys and values.
pub(crate) struct KvStore {
    database: Arc<Database>,
    jobs: mpsc::Sender<Job>,
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

/// Why a key cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KvError {
    /// The namespace is full.
    Quota,
    /// What is to be incremented is no counter.
    NotACounter,
    /// The file or the disk failed.
    Unavailable(String),
}

/// The reason why the file cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KvOpenError {
    #[error("the folder {} cannot be made or written: {error}; let this user write it, or name another one with `state:`", folder.display())]
    Folder { folder: PathBuf, error: io::Error },
    #[error("{} is in use by another process: give each server a `state:` of its own", .0.display())]
    InUse(PathBuf),
    #[error("{} cannot be opened: {error}; mend the disk, or move the file away to begin without any keys", file.display())]
    Damaged { file: PathBuf, error: String },
}

impl KvStore {
    /// Opens or makes the file in this folder, which is made too. Blocks on the disk; repairs what a crash
    /// has left.
    pub fn open(folder: &Path) -> Result<KvStore, KvOpenError> {
        let folder_error = |error| KvOpenError::Folder { folder: folder.to_owned(), error };
        // What plugins keep is nobody else's business.
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(folder_error)?;
        let file = folder.join(FILE);
        // Nor where the folder was made by somebody who lets others in.
        close_to_others(&file).map_err(folder_error)?;
        let damaged = |error: String| KvOpenError::Damaged { file: file.clone(), error };
        let database =
            Database::builder().set_cache_size(CACHE).create(&file).map_err(|error| match error {
                DatabaseError::DatabaseAlreadyOpen => KvOpenError::InUse(file.clone()),
                error => damaged(error.to_string()),
            })?;
        let make_table = || -> Result<(), redb::Error> {
            let transaction = database.begin_write()?;
            transaction.open_table(TABLE)?;
            Ok(transaction.commit()?)
        };
        make_table().map_err(|error| damaged(error.to_string()))?;
        let database = Arc::new(database);
        let (jobs, waiting) = mpsc::channel(QUEUE);
        let its = Arc::clone(&database);
        std::thread::Builder::new()
            .name("tuffet-kv".into())
            .spawn(move || writer::run(&its, waiting))
            .map_err(|error| damaged(error.to_string()))?;
        Ok(KvStore { database, jobs })
    }

    /// The value of a key.
    pub async fn get(&self, namespace: &Arc<str>, key: String) -> Result<Option<Vec<u8>>, KvError> {
        let (database, namespace) = (Arc::clone(&self.database), Arc::clone(namespace));
        let read = move || -> Result<Option<Vec<u8>>, redb::Error> {
            let table = database.begin_read()?.open_table(TABLE)?;
            let found = table.get((&*namespace, &*key))?;
            let entry = found.as_ref().map(|found| Entry::parse(found.value()));
            Ok(entry.filter(|entry| !entry.is_over(now_ms())).map(|entry| entry.value.to_vec()))
        };
        match tokio::task::spawn_blocking(read).await {
            Ok(found) => found.map_err(|error| unavailable(&error)),
            Err(panicked) => Err(unavailable(&panicked)),
        }
    }

    /// Replaces a value.
    pub async fn set(
        &self,
        namespace: &Arc<str>,
        quota: Quota,
        key: String,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Result<(), KvError> {
        self.write(namespace, quota, key, Change::Set { value, ttl_seconds }).await.map(drop)
    }

    /// Removes a key.
    pub(crate) async fn delete(
        &self,
        namespace: &Arc<str>,
        quota: Quota,
        key: String,
    ) -> Result<(), KvError> {
        self.write(namespace, quota, key, Change::Delete).await.map(drop)
    }

    /// Adds to a counter and answers what it has come to.
    pub(crate) async fn increment(
        &self,
        namespace: &Arc<str>,
        quota: Quota,
        key: String,
        by: i64,
        ttl_seconds: Option<u32>,
    ) -> Result<i64, KvError> {
        self.write(namespace, quota, key, Change::Increment { by, ttl_seconds }).await
    }

    /// What a counter has come to; 0 for what is none.
    async fn write(
        &self,
        namespace: &Arc<str>,
        quota: Quota,
        key: String,
        change: Change,
    ) -> Result<i64, KvError> {
        let (answer, answered) = oneshot::channel();
        let job = Job { namespace: Arc::clone(namespace), quota, key, change, answer };
        let gone = |_| KvError::Unavailable("the thread that writes has ended".into());
        self.jobs.send(job).await.map_err(|error| gone(error.to_string()))?;
        answered.await.map_err(|error| gone(error.to_string()))?
    }
}

impl std::fmt::Debug for KvStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KvStore").finish_non_exhaustive()
    }
}

/// Whether the file could be opened in this folder, or the folder be made, as far as this shows without
/// doing it: a server that runs may have it open.
pub(crate) fn usable(folder: &Path) -> Result<(), KvOpenError> {
    let wrong = |error| KvOpenError::Folder { folder: folder.to_owned(), error };
    let there = folder.ancestors().find(|above| !above.as_os_str().is_empty() && above.exists());
    let there = there.unwrap_or(Path::new("."));
    if !there.is_dir() {
        return Err(wrong(io::ErrorKind::NotADirectory.into()));
    }
    access(there, Access::WRITE_OK | Access::EXEC_OK).map_err(|errno| wrong(errno.into()))
}

/// Makes the file, if it is not there, and sees to it that it is this user's alone.
fn close_to_others(file: &Path) -> io::Result<()> {
    let file = fs::OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(file)?;
    if file.metadata()?.mode() & 0o077 != 0 {
        // That of another user, who lets this one write, is his to close.
        let _ = file.set_permissions(fs::Permissions::from_mode(0o600));
    }
    Ok(())
}

fn unavailable(error: &impl std::fmt::Display) -> KvError {
    KvError::Unavailable(error.to_string())
}

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
