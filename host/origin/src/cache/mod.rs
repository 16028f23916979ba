//! The cache of a root on the local disk: contents in sparse files, and a record of each.
//!
//! A folder belongs to one process, which holds a lock on it. Readers of a content hold a shared lock on its file for
//! as long as they have it open, so that nobody has to count them: what is removed to make room is what can be locked
//! exclusively.

mod entry;
mod key;
mod load;
mod record;
mod room;

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

pub(crate) use entry::{Entry, PART, Validated, Writer};
pub(crate) use key::{Key, Layout};
pub(crate) use record::Record;
#[cfg(test)]
pub(crate) use record::digest_of;

use crate::OriginError;
use crate::failure::Failure;
use crate::fault;
use crate::version::Version;

/// What a file takes on the disk beside its content: its record, and the rest of its last block.
pub(crate) const OVERHEAD: u64 = 8 << 10;

/// The open caches of this process, by folder: a root that a reload made anew goes on with the cache of the old one.
static OPEN: OnceLock<Mutex<HashMap<PathBuf, Weak<Cache>>>> = OnceLock::new();

/// A cache of files.
#[derive(Debug)]
pub(crate) struct Cache {
    pub layout: Layout,
    /// The largest sum of contents, in bytes.
    limit: AtomicU64,
    /// The sum of contents, in bytes.
    used: AtomicU64,
    entries: Mutex<HashMap<Key, Arc<Entry>>>,
    /// Held as long as the process has the cache open.
    _lock: File,
}

impl Cache {
    /// Opens the cache in a folder, which is created if need be; or the one of this process.
    pub fn open(folder: &Path, limit: u64) -> Result<Arc<Self>, OriginError> {
        let failed = |source: io::Error| OriginError::Cache { path: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        let folder = fs::canonicalize(folder).map_err(failed)?;
        // Held while it is opened: two roots may be opened at once.
        let mut open = OPEN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cache) = open.get(&folder).and_then(Weak::upgrade) {
            cache.limit.store(limit, Ordering::Relaxed);
            return Ok(cache);
        }
        let layout = Layout { folder: folder.clone() };
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(layout.lock())
            .map_err(failed)?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(OriginError::Locked { path: folder }),
            Err(error) => return Err(failed(error.into())),
        }
        fs::create_dir_all(layout.index()).map_err(failed)?;
        fs::create_dir_all(layout.content()).map_err(failed)?;
        let entries = load::load(&layout).map_err(failed)?;
        let used = entries.values().map(|entry| entry.held()).sum();
        let cache = Arc::new(Self {
            layout,
            limit: AtomicU64::new(limit),
            used: AtomicU64::new(used),
            entries: Mutex::new(entries),
            _lock: lock,
        });
        cache.shrink();
        open.retain(|_, cache| cache.strong_count() > 0);
        open.insert(folder, Arc::downgrade(&cache));
        Ok(cache)
    }

    /// Returns whether this process has the cache in a folder open.
    #[cfg(test)]
    pub fn is_open(folder: &Path) -> bool {
        let open = OPEN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        fs::canonicalize(folder)
            .is_ok_and(|folder| open.get(&folder).is_some_and(|cache| cache.strong_count() > 0))
    }

    /// The current version of a file.
    pub fn find(&self, key: &Key) -> Option<Arc<Entry>> {
        self.lock().get(key).cloned()
    }

    /// All files of an origin.
    pub fn of(&self, origin: &str) -> Vec<Arc<Entry>> {
        self.lock().values().filter(|entry| &*entry.origin == origin).cloned().collect()
    }

    /// Makes an empty file for a version, in place of any other version. Its first parts are claimed by the caller; none
    /// if it has no bytes.
    pub fn create(
        &self,
        (origin, path): (&str, &str),
        version: Version,
        size: u64,
        modified_unix_ms: u64,
        whole: bool,
    ) -> Result<(Arc<Entry>, Option<Range<u32>>), Failure> {
        let limit = self.limit.load(Ordering::Relaxed);
        if whole && size > limit {
            return Err(Failure::Cache(
                format!("the file has {size} bytes, and the cache holds {limit}; enlarge `cache.bytes`")
                    .into(),
            ));
        }
        let key = Key::of(origin, path);
        if let Some(old) = self.find(&key) {
            self.remove(&old);
        }
        let held = OVERHEAD + if whole { size } else { 0 };
        self.reserve(held)?;
        let data = self.layout.data(&key, &version);
        let record = Record::new(origin, path, &version, size, modified_unix_ms);
        let made = self.make_room_for(|| Entry::create(key, data.clone(), &record, whole));
        match made {
            Ok(entry) => {
                fault::point("content-created");
                let entry = Arc::new(entry);
                entry.hold(held);
                // Before others find it: they would fetch it a second time.
                let claimed = entry.claim(0);
                self.lock().insert(key, Arc::clone(&entry));
                Ok((entry, claimed))
            }
            Err(error) => {
                self.used.fetch_sub(held, Ordering::Relaxed);
                let _ = fs::remove_file(&data);
                Err(self.explain(&error))
            }
        }
    }

    /// Writes the record of a file, if it can be revalidated.
    pub fn save(&self, entry: &Entry) -> io::Result<()> {
        if entry.is_removed() || !entry.version.is_known() {
            return Ok(());
        }
        let _saving = entry.saving.lock().unwrap_or_else(PoisonError::into_inner);
        entry.record().write(&self.layout, &entry.key)?;
        // It may have been removed meanwhile, and no record must stay behind.
        if entry.is_removed() {
            let _ = fs::remove_file(self.layout.record(&entry.key));
        }
        Ok(())
    }

    /// Takes a file out of the cache. Who has it open reads on.
    pub fn remove(&self, entry: &Arc<Entry>) {
        // All under the lock: the next version of the file has a record of the same name, and perhaps the same content.
        let mut entries = self.lock();
        if entries.get(&entry.key).is_some_and(|current| Arc::ptr_eq(current, entry)) {
            entries.remove(&entry.key);
            let _ = fs::remove_file(self.layout.record(&entry.key));
            fault::point("record-removed");
        }
        if entry.set_removed() {
            let _ = fs::remove_file(&entry.data);
            self.used.fetch_sub(entry.held(), Ordering::Relaxed);
        }
    }

    /// The most bytes.
    pub fn limit(&self) -> u64 {
        self.limit.load(Ordering::Relaxed)
    }

    /// Bytes and files.
    pub fn size(&self) -> (u64, usize) {
        let files = self.lock().len();
        (self.used.load(Ordering::Relaxed).saturating_sub(files as u64 * OVERHEAD), files)
    }

    /// What the log says of an error of the cache's disk.
    pub fn explain(&self, error: &io::Error) -> Failure {
        let folder = self.layout.folder.display();
        let full =
            Errno::from_io_error(error).is_some_and(|errno| matches!(errno, Errno::NOSPC | Errno::DQUOT));
        let why = match full {
            true => {
                format!("the disk of its cache {folder} is full: {error}; free space or lower `cache.bytes`")
            }
            false => format!("its cache {folder} failed: {error}"),
        };
        Failure::Cache(why.into())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<Entry>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Milliseconds since 1970.
pub(crate) fn now_unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
