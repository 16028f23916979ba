//! Keys in one file, for one server.
//!
//! Reads use the file on threads that may block. One thread writes for all plugins: it commits all queued changes in
//! one transaction and answers when that is on disk. So a hundred concurrent counters cost one sync, and a confirmed
//! change survives a crash.

use std::fs;
use std::io;
use std::ops::Bound;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;

use redb::{ReadTransaction, ReadableDatabase};
use rustix::fs::{Access, access};
use tokio::sync::{mpsc, oneshot};

use super::entry::Entry;
use super::open_file::KvFile;
use super::tables::{KEYS, REVISIONS};
use super::usage::Usage;
use super::writer::{self, QueuedChange};
use super::{Change, KvError, KvOpenError, Listing, Page, Quota, Versioned, now_ms, unavailable};

/// The file name in the folder for persistent state.
pub(super) const FILE_NAME: &str = "plugins.redb";
/// The maximum number of queued writes; further ones wait.
const QUEUE_LENGTH: usize = 1024;

/// An open file of keys and values.
pub(crate) struct FileStore {
    pub(super) file: Arc<KvFile>,
    pub(super) changes: mpsc::Sender<QueuedChange>,
}

impl FileStore {
    /// Opens the file in this folder and creates both if missing. Blocks on the disk; repairs the file after a crash.
    /// With `shared`, another process of the server may have it open.
    pub(super) fn open(folder: &Path, shared: bool) -> Result<FileStore, KvOpenError> {
        let folder_error = |error| KvOpenError::Folder { folder: folder.to_owned(), error };
        // The keys of plugins are private.
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(folder_error)?;
        let path = folder.join(FILE_NAME);
        // Also in an existing folder that other users may enter.
        make_private(&path).map_err(folder_error)?;
        let file = Arc::new(if shared { KvFile::shared(path) } else { KvFile::open(path)? });
        let (changes, receiver) = mpsc::channel(QUEUE_LENGTH);
        let writers = Arc::clone(&file);
        std::thread::Builder::new()
            .name("tuffet-kv".into())
            .spawn(move || writer::run(&writers, receiver))
            .map_err(KvOpenError::Thread)?;
        Ok(FileStore { file, changes })
    }

    /// Returns the value of a key, with its revision.
    pub(super) async fn get(&self, namespace: &Arc<str>, key: String) -> Result<Option<Versioned>, KvError> {
        let namespace = Arc::clone(namespace);
        self.read(move |transaction| {
            let table = transaction.open_table(KEYS)?;
            let Some(found) = table.get((&*namespace, &*key))? else { return Ok(None) };
            let entry = Entry::parse(found.value());
            if entry.is_expired(now_ms()) {
                return Ok(None);
            }
            let revision = transaction.open_table(REVISIONS)?.get((&*namespace, &*key))?;
            let revision = revision.map_or(0, |revision| revision.value());
            Ok(Some(entry.versioned(revision)))
        })
        .await
    }

    /// Lists keys with their values in the order of their bytes.
    pub(super) async fn list(
        &self,
        namespace: &Arc<str>,
        listing: Listing,
    ) -> Result<Vec<(String, Versioned)>, KvError> {
        let namespace = Arc::clone(namespace);
        self.read(move |transaction| {
            let Listing { prefix, after, limit } = listing;
            let begin = match &after {
                Some(after) if *after >= prefix => Bound::Excluded((&*namespace, after.as_str())),
                _ => Bound::Included((&*namespace, prefix.as_str())),
            };
            let (mut page, now) = (Page::new(limit), now_ms());
            let (table, revisions) = (transaction.open_table(KEYS)?, transaction.open_table(REVISIONS)?);
            for found in table.range::<(&str, &str)>((begin, Bound::Unbounded))? {
                let (id, entry) = found?;
                let (found_namespace, key) = id.value();
                if page.is_full() || found_namespace != &*namespace || !key.starts_with(&prefix) {
                    break;
                }
                let entry = Entry::parse(entry.value());
                if !entry.is_expired(now) {
                    let revision = revisions.get((&*namespace, key))?.map_or(0, |revision| revision.value());
                    page.add(key, entry.versioned(revision));
                }
            }
            Ok(page.found)
        })
        .await
    }

    /// Returns the size of a namespace.
    pub(super) async fn usage(&self, namespace: &Arc<str>) -> Result<Usage, KvError> {
        let namespace = Arc::clone(namespace);
        self.read(move |transaction| {
            let mut usage = Usage::default();
            for found in transaction.open_table(KEYS)?.range::<(&str, &str)>((&*namespace, "")..)? {
                let (id, entry) = found?;
                let (found_namespace, key) = id.value();
                if found_namespace != &*namespace {
                    break;
                }
                usage.add(key, Entry::parse(entry.value()).value.len());
            }
            Ok(usage)
        })
        .await
    }

    /// Runs a read on a thread that may block.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<T, redb::Error> + Send + 'static,
    ) -> Result<T, KvError> {
        let file = Arc::clone(&self.file);
        let read = move || file.with(|open| work(&open.database.begin_read()?));
        match tokio::task::spawn_blocking(read).await {
            Ok(read) => read.map_err(KvError::Unavailable)?.map_err(|error| unavailable(&error)),
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
        let queued = QueuedChange { namespace: Arc::clone(namespace), quota, key, change, answer };
        let gone = |_| KvError::Unavailable("the writing thread has ended".into());
        self.changes.send(queued).await.map_err(|error| gone(error.to_string()))?;
        answered.await.map_err(|error| gone(error.to_string()))?
    }
}

impl std::fmt::Debug for FileStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileStore").finish_non_exhaustive()
    }
}

/// Checks whether the file could be opened in this folder, or the folder be created, without doing so: a running
/// server may have the file open.
///
/// # Errors
/// The folder cannot be created or written.
pub fn check_folder(folder: &Path) -> Result<(), KvOpenError> {
    let folder_error = |error| KvOpenError::Folder { folder: folder.to_owned(), error };
    let existing = folder.ancestors().find(|above| !above.as_os_str().is_empty() && above.exists());
    let existing = existing.unwrap_or(Path::new("."));
    if !existing.is_dir() {
        return Err(folder_error(io::ErrorKind::NotADirectory.into()));
    }
    access(existing, Access::WRITE_OK | Access::EXEC_OK).map_err(|errno| folder_error(errno.into()))
}

/// Creates the file if it is missing, and removes the permissions of other users.
fn make_private(file: &Path) -> io::Result<()> {
    let file = fs::OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(file)?;
    if file.metadata()?.mode() & 0o077 != 0 {
        // If another user owns the file, only that user can change its permissions.
        let _ = file.set_permissions(fs::Permissions::from_mode(0o600));
    }
    Ok(())
}
