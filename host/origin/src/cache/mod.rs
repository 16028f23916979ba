//! The cache of a root on the local disk: contents in sparse files, and a record of each.
//!
//! A folder belongs to one process, which holds a lock on it; a process that ends its transfers hands it over
//! (`hand_over`). Each content has a unique name, and all users of a
//! content share one descriptor. A content that is removed while open counts against the limit until it is closed.

mod arrived;
mod entry;
mod eviction;
mod hand_over;
mod key;
mod limits;
mod load;
mod open_content;
mod record;
mod validated;
mod writer;

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use tuffet_store::RemoteMeta;

pub(crate) use entry::Entry;
pub(crate) use hand_over::{hand_over_all, take_back_all};
pub(crate) use key::{Key, Layout};
pub(crate) use limits::PART;
pub(crate) use open_content::{Open, Share};
pub(crate) use record::Record;
#[cfg(test)]
pub(crate) use record::digest_of;
pub(crate) use validated::Validated;
pub(crate) use writer::Writer;

use self::limits::{MAX_FILE_BYTES, OVERHEAD};
use crate::OriginError;
use crate::failure::{Failure, NoRoom};
use crate::fault;
use crate::version::Version;

/// The open caches of this process, by folder. After a reload, the new root continues with the cache of the old one.
static OPEN_CACHES: OnceLock<Mutex<HashMap<PathBuf, Weak<Cache>>>> = OnceLock::new();

/// A cache of files.
#[derive(Debug)]
pub(crate) struct Cache {
    pub layout: Layout,
    /// The limit of the sum of contents, in bytes.
    limit: AtomicU64,
    /// The sum of contents, in bytes, including removed ones that are still open.
    used: AtomicU64,
    /// Whether a content may have become idle since the last search for files to evict.
    may_shrink: AtomicBool,
    /// Held during the search for files to evict.
    searching: Mutex<()>,
    entries: Mutex<HashMap<Key, Arc<Entry>>>,
    shares: Mutex<open_content::Shares>,
    /// The lock file, locked while the process has the cache open.
    lock: Arc<File>,
    /// Whether another process of the server has the folder now: records and contents are that one's. Changes under the
    /// lock of `entries`.
    handed_over: AtomicBool,
}

impl Cache {
    /// Opens the cache in a folder, and creates the folder if necessary; or returns the open cache of this process.
    pub fn open(folder: &Path, limit: u64) -> Result<Arc<Self>, OriginError> {
        let failed = |source: io::Error| OriginError::Cache { path: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        let folder = fs::canonicalize(folder).map_err(failed)?;
        // Held during the opening, because two roots may be opened at once.
        let mut open = OPEN_CACHES.get_or_init(Mutex::default).lock();
        if let Some(cache) = open.get(&folder).and_then(Weak::upgrade) {
            cache.limit.store(limit, Ordering::Relaxed);
            cache.may_shrink.store(true, Ordering::Relaxed);
            return Ok(cache);
        }
        let layout = Layout { folder: folder.clone() };
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
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
            may_shrink: AtomicBool::new(true),
            searching: Mutex::default(),
            entries: Mutex::new(entries),
            shares: Mutex::default(),
            lock: Arc::new(lock),
            handed_over: AtomicBool::new(false),
        });
        cache.shrink(0);
        open.retain(|_, cache| cache.strong_count() > 0);
        open.insert(folder, Arc::downgrade(&cache));
        Ok(cache)
    }

    /// Returns whether this process has the cache in a folder open.
    #[cfg(test)]
    pub fn is_open(folder: &Path) -> bool {
        let open = OPEN_CACHES.get_or_init(Mutex::default).lock();
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

    /// Creates an empty file for a version, and replaces any other version. The caller gets a claim on the first parts;
    /// `None` if the file has no bytes. `uploads`: as in [`Entry::uploads`].
    pub fn create(
        &self,
        (origin, path): (&str, &str),
        version: Version,
        size: u64,
        modified_unix_ms: u64,
        whole: bool,
        uploads: u64,
    ) -> Result<(Arc<Entry>, Option<Range<u32>>), Failure> {
        let limit = self.limit();
        if size > limit.min(MAX_FILE_BYTES) {
            return Err(Failure::Cache(too_large(size, limit).into()));
        }
        let meta = RemoteMeta { size, version: version.name(), modified_unix_ms };
        let record = Record::new((origin, path), &version, &meta, whole);
        let key = Key::of(origin, path);
        if let Some(old) = self.find(&key) {
            self.remove(&old);
        }
        let found = Some((meta, version));
        let held = OVERHEAD + if whole { size } else { 0 };
        if !self.reserve(held) {
            return Err(NoRoom::full_of_open_files(found));
        }
        match self.make_room_for(|| Entry::create(key, &self.layout, &record, uploads)) {
            Ok(entry) => {
                fault::point("content-created");
                let entry = Arc::new(entry);
                entry.hold(held);
                // Claimed before others can find the entry and fetch it a second time.
                let claimed = entry.claim(0);
                let same_time = self.lock().insert(key, Arc::clone(&entry));
                if let Some(other) = same_time {
                    // Another root, or that of the configuration before a reload, shares the cache.
                    self.remove(&other);
                }
                Ok((entry, claimed))
            }
            Err(error) => {
                self.release(held);
                Err(self.explain(&error, found))
            }
        }
    }

    /// Writes the record of a file, if it can be revalidated.
    pub fn save(&self, entry: &Arc<Entry>) -> io::Result<()> {
        if entry.is_removed() || !entry.version.is_known() || self.is_handed_over() {
            return Ok(());
        }
        let _saving = entry.saving.lock();
        let written = entry.record().write(&self.layout, &entry.key)?;
        // Checked under the lock: the entry may have been removed, and the record may belong to the next version.
        let entries = self.lock();
        let current = entries.get(&entry.key).is_some_and(|current| Arc::ptr_eq(current, entry));
        let current = current && !entry.is_perhaps_replaced() && !self.is_handed_over();
        let renamed = match current {
            true => fs::rename(&written, self.layout.record(&entry.key)),
            false => Ok(()),
        };
        drop(entries);
        if !current || renamed.is_err() {
            let _ = fs::remove_file(&written);
        }
        fault::point("record-renamed");
        renamed
    }

    /// Marks a file that an upload may have replaced. It is still served while the origin is away, but not after a
    /// restart.
    pub fn doubt(&self, entry: &Arc<Entry>) {
        // Under the lock, as in `save`, so that no record is written afterwards.
        let entries = self.lock();
        entry.set_perhaps_replaced();
        if entries.get(&entry.key).is_some_and(|current| Arc::ptr_eq(current, entry))
            && !self.is_handed_over()
        {
            let _ = fs::remove_file(self.layout.record(&entry.key));
        }
    }

    /// Removes a file from the cache. Its readers can still read bytes that have arrived or are arriving.
    pub fn remove(&self, entry: &Arc<Entry>) {
        self.take_out(entry, false);
    }

    /// As [`Cache::remove`]; with `only_idle`, only if it is not open. Returns the number of freed bytes.
    fn take_out(&self, entry: &Arc<Entry>, only_idle: bool) -> u64 {
        // The record is removed under the lock, because that of the next version has the same name.
        let mut entries = self.lock();
        let Some(freed) = entry.set_removed(only_idle) else { return 0 };
        let is_ours = !self.is_handed_over();
        if entries.get(&entry.key).is_some_and(|current| Arc::ptr_eq(current, entry)) {
            entries.remove(&entry.key);
            if is_ours {
                let _ = fs::remove_file(self.layout.record(&entry.key));
                fault::point("record-removed");
            }
        }
        drop(entries);
        if is_ours {
            // Freeing the blocks of a large file takes a while.
            entry.unlink();
        }
        self.release(freed);
        freed
    }

    /// An empty file, as a placeholder for contents without room in the cache.
    pub fn empty_file(&self) -> Arc<File> {
        Arc::clone(&self.lock)
    }

    /// The limit in bytes.
    pub fn limit(&self) -> u64 {
        self.limit.load(Ordering::Relaxed)
    }

    /// The numbers of bytes and of files.
    pub fn size(&self) -> (u64, usize) {
        let files = self.lock().len();
        (self.used.load(Ordering::Relaxed).saturating_sub(files as u64 * OVERHEAD), files)
    }

    /// Converts an error of the cache's disk. `found` is the file, if no part of it is cached.
    pub fn explain(&self, error: &io::Error, found: Option<(RemoteMeta, Version)>) -> Failure {
        let folder = self.layout.folder.display();
        let full =
            Errno::from_io_error(error).is_some_and(|errno| matches!(errno, Errno::NOSPC | Errno::DQUOT));
        match full {
            true => NoRoom::failure(
                format!("the disk of its cache {folder} is full: {error}; free space or lower `cache.bytes`"),
                found,
            ),
            false => Failure::Cache(format!("its cache {folder} failed: {error}").into()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<Entry>>> {
        self.entries.lock()
    }
}

fn too_large(size: u64, limit: u64) -> String {
    match size > limit {
        true => format!("the file has {size} bytes, and the cache holds {limit}; enlarge `cache.bytes`"),
        false => {
            format!("the file has {size} bytes by its headers, more than the {MAX_FILE_BYTES} of any file")
        }
    }
}
