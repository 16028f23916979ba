//! Keys in one file, for one server.
//!
//! Reads use the file on threads that may block. The writes of all plugins go through one thread, which
//! commits all queued changes in one transaction and answers when it is on disk: a hundred concurrent
//! counters cost one sync, and a confirmed change survives a crash.

use std::fs;
use std::io;
use std::ops::Bound;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redb::{Database, DatabaseError, ReadTransaction, ReadableDatabase};
use rustix::fs::{Access, access};
use tokio::sync::{mpsc, oneshot};

use super::entry::Entry;
use super::tables::{REVISIONS, TABLE};
use super::writer::{self, Job};
use super::{Change, KvError, Listing, Quota, Versioned, now_ms, unavailable};

/// Its name in the folder of states.
pub(super) const FILE: &str = "plugins.redb";
/// Memory for pages of the file.
const CACHE: usize = 16 << 20;
/// Queued writes; further ones wait for a place.
const QUEUE: usize = 1024;

/// An open file of keys and values.
pub(crate) struct FileStore {
    pub(super) database: Arc<Database>,
    pub(super) jobs: mpsc::Sender<Job>,
}

/// The reason why the file cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum KvOpenError {
    /// The folder is unusable.
    #[error("the folder {} cannot be made or written: {error}; let this user write it, or name another one with `state:`", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// Another process has the file open.
    #[error("{} is in use by another process: give each server a `state:` of its own", .0.display())]
    InUse(PathBuf),
    /// The file cannot be read.
    #[error("{} cannot be opened: {error}; mend the disk, or move the file away to begin without any keys", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// The error of the database.
        error: String,
    },
    /// There is no thread for the connection.
    #[error("no connection to NATS can be made: {0}")]
    Thread(io::Error),
}

impl FileStore {
    /// Opens or makes the file in this folder, which is made too. Blocks on the disk; repairs what a crash
    /// has left.
    pub(super) fn open(folder: &Path) -> Result<FileStore, KvOpenError> {
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
            transaction.open_table(REVISIONS)?;
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
        Ok(FileStore { database, jobs })
    }

    /// The value of a key, with its revision.
    pub(super) async fn get(&self, namespace: &Arc<str>, key: String) -> Result<Option<Versioned>, KvError> {
        let namespace = Arc::clone(namespace);
        self.read(move |transaction| {
            let table = transaction.open_table(TABLE)?;
            let Some(found) = table.get((&*namespace, &*key))? else { return Ok(None) };
            let entry = Entry::parse(found.value());
            if entry.is_over(now_ms()) {
                return Ok(None);
            }
            let revision = transaction.open_table(REVISIONS)?.get((&*namespace, &*key))?;
            let revision = revision.map_or(0, |revision| revision.value());
            Ok(Some(Versioned { value: entry.value.to_vec(), revision }))
        })
        .await
    }

    /// Keys in the order of their bytes.
    pub(super) async fn list(&self, namespace: &Arc<str>, listing: Listing) -> Result<Vec<String>, KvError> {
        let namespace = Arc::clone(namespace);
        self.read(move |transaction| {
            let Listing { prefix, after, limit } = listing;
            let begin = match &after {
                Some(after) if *after >= prefix => Bound::Excluded((&*namespace, after.as_str())),
                _ => Bound::Included((&*namespace, prefix.as_str())),
            };
            let (mut keys, now) = (Vec::new(), now_ms());
            let table = transaction.open_table(TABLE)?;
            for found in table.range::<(&str, &str)>((begin, Bound::Unbounded))? {
                let (id, entry) = found?;
                let (its, key) = id.value();
                if keys.len() == limit || its != &*namespace || !key.starts_with(&prefix) {
                    break;
                }
                if !Entry::parse(entry.value()).is_over(now) {
                    keys.push(key.to_owned());
                }
            }
            Ok(keys)
        })
        .await
    }

    /// Reads on a thread that may block.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<T, redb::Error> + Send + 'static,
    ) -> Result<T, KvError> {
        let database = Arc::clone(&self.database);
        match tokio::task::spawn_blocking(move || work(&database.begin_read()?)).await {
            Ok(read) => read.map_err(|error| unavailable(&error)),
            Err(panicked) => Err(unavailable(&panicked)),
        }
    }

    /// As [`super::KvStore::change`].
    pub(super) async fn change(
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

impl std::fmt::Debug for FileStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileStore").finish_non_exhaustive()
    }
}

/// Whether the file could be opened in this folder, or the folder be made, as far as this shows without
/// doing it: a server that runs may have it open.
///
/// # Errors
/// The folder cannot be made or written.
pub fn usable(folder: &Path) -> Result<(), KvOpenError> {
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
