//! The file cache: contents read once, shared by all transfers, sent in place.
//!
//! A file is known by its identity (mount, device, inode, size, times), which is checked on every request: a
//! changed file is another file, and is read again. A file that was just written is not kept, because its
//! identity may outlive the next write. Cached content never changes, so a transfer from it has one content
//! from its first block to its last.
//!
//! Writes through a memory mapping update the times of a file late or not at all (mmap(2)), so no content is
//! used for longer than a maximum age; then it is read again.

mod loads;
#[cfg(test)]
mod tests;

use super::OpenFile;
use super::memory;
use super::open_file::Identity;
use loads::Loads;
use quick_cache::sync::Cache;
use quick_cache::{OptionsBuilder, Weighter};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Files up to this size are read when first asked for: the transfer would read them at once anyway.
const SMALL: u64 = 64 << 10;

/// A file may take this part of the memory.
const SHARE: u64 = 4;

/// Parts of the memory, each with a lock of its own; less than `SHARE`, so that the largest file fits into one.
const PARTS: usize = 2;

/// The number of files remembered as requested once.
const SEEN: usize = 4096;

/// The contents of hot files, bounded in bytes. Cheap to clone.
#[derive(Clone)]
pub struct FileCache {
    /// `None` where no memory is granted.
    shared: Option<Arc<Shared>>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    hits: AtomicU64,
    misses: AtomicU64,
}

/// The use of the cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheUsage {
    /// Files found in the cache.
    pub hits: u64,
    /// Files not found in the cache, even if they are now.
    pub misses: u64,
    /// Used bytes.
    pub bytes: u64,
    /// The capacity in bytes.
    pub capacity: u64,
}

/// Reads a whole file; `None` where it changed meanwhile.
type Reader = dyn Fn(&OpenFile) -> io::Result<Option<Arc<[u8]>>> + Send + Sync;

struct Shared {
    contents: Cache<Identity, Kept, Bytes>,
    seen: Cache<Identity, ()>,
    largest: u64,
    max_age: Duration,
    loads: Loads,
    /// [`OpenFile::read_shared`], but for tests.
    read: Box<Reader>,
}

/// A content, and since when it may be out of date.
#[derive(Clone)]
struct Kept {
    bytes: Arc<[u8]>,
    /// When reading it began.
    read: Instant,
}

/// Creates a cache of a few parts, however many cores there are: a file must fit into one of them, or it
/// would be read again for each request.
fn contents(capacity: u64) -> Cache<Identity, Kept, Bytes> {
    let expected = (capacity / SMALL).clamp(16, 1 << 16) as usize;
    let mut options = OptionsBuilder::new();
    options.shards(PARTS).estimated_items_capacity(expected).weight_capacity(capacity);
    match options.build() {
        Ok(options) => Cache::with_options(options, Bytes, Default::default(), Default::default()),
        // Cannot be: both capacities are given.
        Err(_) => Cache::with_weighter(expected, capacity, Bytes),
    }
}

#[derive(Clone)]
struct Bytes;

impl Weighter<Identity, Kept> for Bytes {
    fn weight(&self, _: &Identity, kept: &Kept) -> u64 {
        // The entry itself counts, so that empty files are bounded too.
        kept.bytes.len() as u64 + 128
    }
}

impl FileCache {
    /// A cache of at most `capacity` bytes, and of a quarter of what the control group allows; 0 is none. No content
    /// is used for longer than `max_age`.
    pub fn new(capacity: u64, max_age: Duration) -> FileCache {
        FileCache::with_reader(capacity, max_age, Arc::default(), Box::new(OpenFile::read_shared))
    }

    /// An empty cache with other bounds that continues the counts of this one.
    pub fn resized(&self, capacity: u64, max_age: Duration) -> FileCache {
        let counts = Arc::clone(&self.counts);
        FileCache::with_reader(capacity, max_age, counts, Box::new(OpenFile::read_shared))
    }

    /// Returns the used bytes, the capacity, and the hits and misses.
    pub fn usage(&self) -> CacheUsage {
        let contents = self.shared.as_ref().map(|shared| &shared.contents);
        CacheUsage {
            hits: self.counts.hits.load(Relaxed),
            misses: self.counts.misses.load(Relaxed),
            bytes: contents.map_or(0, Cache::weight),
            capacity: contents.map_or(0, Cache::capacity),
        }
    }

    fn with_reader(capacity: u64, max_age: Duration, counts: Arc<Counts>, read: Box<Reader>) -> FileCache {
        let capacity = memory::within_bounds(capacity);
        let shared = (capacity > 0).then(|| {
            Arc::new(Shared {
                contents: contents(capacity),
                seen: Cache::new(SEEN),
                largest: capacity / SHARE,
                max_age,
                loads: Loads::default(),
                read,
            })
        });
        FileCache { shared, counts }
    }

    /// The content of a file that was just opened, if it is in memory. A small file is read for that, on this
    /// thread, which waits for the disk; of several requests at once, one reads. A larger file that is requested
    /// again is loaded beside, on a thread of its own: until that is done, transfers read it from the disk.
    ///
    /// # Errors
    /// Those of reading a small file. One that changes while it is read is given as none: the transfer will find
    /// out by itself.
    pub fn content(&self, file: &Arc<OpenFile>) -> io::Result<Option<Arc<[u8]>>> {
        let shared = self.shared.as_ref().filter(|shared| file.size() <= shared.largest);
        let Some(shared) = shared else {
            self.counts.misses.fetch_add(1, Relaxed);
            return Ok(None);
        };
        let identity = file.identity();
        let kept = shared.contents.get(&identity);
        let known = kept.is_some();
        if let Some(fresh) = kept.filter(|kept| shared.is_fresh(kept)) {
            self.counts.hits.fetch_add(1, Relaxed);
            return Ok(Some(fresh.bytes));
        }
        self.counts.misses.fetch_add(1, Relaxed);
        if !file.is_settled() {
            return Ok(None);
        }
        if file.size() <= SMALL {
            return shared.read_now(identity, file);
        }
        if known || shared.seen.get(&identity).is_some() {
            shared.load_beside(identity, file);
        } else {
            shared.seen.insert(identity, ());
        }
        Ok(None)
    }
}

impl Shared {
    fn is_fresh(&self, kept: &Kept) -> bool {
        kept.read.elapsed() < self.max_age
    }

    fn read_now(&self, identity: Identity, file: &OpenFile) -> io::Result<Option<Arc<[u8]>>> {
        // The first request after the maximum age removes it; the others get the content that this one reads.
        self.contents.remove_if(&identity, |kept| !self.is_fresh(kept));
        let read = self.contents.get_or_insert_with(&identity, || {
            let began = Instant::now();
            match (self.read)(file) {
                Ok(Some(bytes)) => Ok(Kept { bytes, read: began }),
                Ok(None) => Err(None),
                Err(error) => Err(Some(error)),
            }
        });
        match read {
            Ok(kept) => Ok(Some(kept.bytes)),
            Err(None) => Ok(None),
            Err(Some(error)) => Err(error),
        }
    }

    /// Loads a file on a thread of its own, unless it is being loaded or too many are. A load that fails or
    /// never ends leaves transfers as they are: they read from the disk.
    fn load_beside(self: &Arc<Self>, identity: Identity, file: &Arc<OpenFile>) {
        let Some(place) = self.loads.begin(identity) else { return };
        let (shared, file) = (Arc::clone(self), Arc::clone(file));
        let load = move || {
            shared.load(identity, &file);
            drop(place);
        };
        // A thread that may wait for a disk forever must serve nothing else.
        if let Err(error) = std::thread::Builder::new().name("tuffet-cache".into()).spawn(load) {
            tracing::debug!(
                target: "tuffet::store::cache", %error,
                "no thread could be started to load a file into memory; it is read from disk"
            );
        }
    }

    fn load(&self, identity: Identity, file: &OpenFile) {
        let began = Instant::now();
        match (self.read)(file) {
            Ok(Some(bytes)) => {
                // Running transfers may hold the same content: one copy is enough.
                let same = self.contents.peek(&identity).filter(|kept| kept.bytes == bytes);
                let bytes = same.map_or(bytes, |kept| kept.bytes);
                self.contents.insert(identity, Kept { bytes, read: began });
            }
            // It changed. Those who ask next have another identity.
            Ok(None) => {}
            Err(error) => {
                tracing::debug!(target: "tuffet::store::cache", root = file.root(), path = file.path(), %error,
                "a file could not be loaded into memory; it is read from the disk")
            }
        }
    }
}
