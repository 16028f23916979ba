//! The file cache: contents read once, shared by all transfers, sent in place.
//!
//! Each request checks the identity of its file (mount, device, inode, size, times). A changed file has another
//! identity and is read again. A file that was just written is not cached, because the next write may leave its
//! identity unchanged; a small one is read at once nevertheless, for one transfer. Cached content never changes, so a transfer from it is consistent from its first block to its
//! last.
//!
//! The limit covers all contents, including those that only slow transfers still hold. A file that does not fit beside
//! the contents in use is read from the disk instead.
//!
//! Writes through a memory mapping update the times of a file late or not at all (mmap(2)), so a content is read again
//! after a maximum age.

mod ledger;
mod loads;
#[cfg(test)]
mod tests;
mod wire_sizes;

use super::identity::{Content, Identity};
use super::memory;
use super::supplied::BoxFuture;
use super::{OpenFile, ProgramFile};
pub use ledger::MemoryBytes;
use ledger::{Held, Ledger, Reader};
use loads::{LoadSlot, Loads};
use quick_cache::sync::Cache;
use quick_cache::{DefaultHashBuilder, Lifecycle, OptionsBuilder, Weighter};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
pub use wire_sizes::Growth;
use wire_sizes::WireSizes;

/// Files up to this size are loaded at the first request, because the transfer would read them at once anyway.
const SMALL_BYTES: u64 = 64 << 10;

/// The divisor of the capacity: one file may take a quarter.
const MAX_FILE_DIVISOR: u64 = 4;

/// The number of shards, each with its own lock. With one shard, the limit covers all contents together. Contents in
/// use are not evicted, so several shards would fill unevenly.
const SHARDS: usize = 1;

/// The divisor of the capacity: the cache keeps at least an eighth while transfers use contents that it has replaced,
/// so that it still recognises frequent files.
const MIN_CACHE_DIVISOR: u64 = 8;

/// The number of files remembered as requested once.
const MAX_SEEN_FILES: usize = 4096;

/// The contents of hot files, bounded in bytes. Cheap to clone.
#[derive(Clone)]
pub struct FileCache {
    /// `None` if the capacity is 0.
    shared: Option<Arc<SharedCache>>,
    counts: Arc<Counts>,
    ledger: Arc<Ledger>,
    wire_sizes: Arc<WireSizes>,
    max_age: Duration,
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
    /// Files not found in the cache, including those loaded since.
    pub misses: u64,
    /// Bytes in use, including contents that only transfers hold.
    pub bytes: u64,
    /// The capacity in bytes.
    pub capacity: u64,
}

/// A content that the program supplies, as far as the cache is concerned.
pub enum SuppliedContent {
    /// It is in memory.
    Hot(MemoryBytes),
    /// This reads it into memory, for all requests that wait for it; `None` if that fails.
    Small(BoxFuture<'static, Option<MemoryBytes>>),
    /// This loads it for later requests.
    Load(BoxFuture<'static, ()>),
    /// Transfers read it.
    Cold,
}

/// Reads a whole file; `None` if it changed during the read.
type Reading = dyn Fn(&OpenFile) -> io::Result<Option<Arc<[u8]>>> + Send + Sync;

struct SharedCache {
    contents: Contents,
    seen: Cache<Identity, ()>,
    capacity: u64,
    ledger: Arc<Ledger>,
    max_age: Duration,
    loads: Loads,
    /// [`OpenFile::read_shared`], except in tests.
    read: Box<Reading>,
}

/// A content and its age.
#[derive(Clone)]
struct CachedContent {
    bytes: Arc<[u8]>,
    held: Arc<Held>,
    /// When the read began.
    read: Instant,
}

type Contents = Cache<Identity, CachedContent, Bytes, DefaultHashBuilder, InUse>;

/// Creates a cache with one shard regardless of the number of cores. A file that did not fit into its shard would be
/// read again for each request.
fn contents(capacity: u64) -> Contents {
    let expected = (capacity / SMALL_BYTES).clamp(16, 1 << 16) as usize;
    let mut options = OptionsBuilder::new();
    options.shards(SHARDS).estimated_items_capacity(expected).weight_capacity(capacity);
    match options.build() {
        Ok(options) => Cache::with_options(options, Bytes, DefaultHashBuilder::default(), InUse),
        // Impossible: both capacities are given.
        Err(_) => Cache::with(expected, capacity, Bytes, DefaultHashBuilder::default(), InUse),
    }
}

/// Protects contents in use from eviction.
#[derive(Clone)]
struct InUse;

impl Lifecycle<Identity, CachedContent> for InUse {
    type RequestState = ();

    fn is_pinned(&self, _: &Identity, kept: &CachedContent) -> bool {
        kept.held.is_in_use()
    }
}

#[derive(Clone)]
struct Bytes;

impl Weighter<Identity, CachedContent> for Bytes {
    fn weight(&self, _: &Identity, kept: &CachedContent) -> u64 {
        // Counts the entry itself, so that empty files are bounded, too.
        kept.bytes.len() as u64 + 128
    }
}

impl FileCache {
    /// Creates a cache of at most `capacity` bytes, and at most a quarter of the memory limit of the control group; 0
    /// disables it. A content is used for `max_age` at most.
    pub fn new(capacity: u64, max_age: Duration) -> FileCache {
        FileCache::with_reader(capacity, max_age, Box::new(OpenFile::read_shared))
    }

    /// Returns an empty cache with other limits that continues the counts of this one. Clears this cache, because
    /// transfers may hold on to it for long.
    pub fn resized(&self, capacity: u64, max_age: Duration) -> FileCache {
        let (counts, ledger) = (Arc::clone(&self.counts), Arc::clone(&self.ledger));
        if let Some(shared) = &self.shared {
            shared.contents.clear();
        }
        let shared = SharedCache::new(capacity, max_age, &ledger, Box::new(OpenFile::read_shared));
        FileCache { shared, counts, ledger, wire_sizes: Arc::clone(&self.wire_sizes), max_age }
    }

    /// Returns the used bytes, the capacity, and the hits and misses.
    pub fn usage(&self) -> CacheUsage {
        CacheUsage {
            hits: self.counts.hits.load(Relaxed),
            misses: self.counts.misses.load(Relaxed),
            bytes: self.ledger.live(),
            capacity: self.shared.as_ref().map_or(0, |shared| shared.capacity),
        }
    }

    fn with_reader(capacity: u64, max_age: Duration, read: Box<Reading>) -> FileCache {
        let ledger = Arc::default();
        let shared = SharedCache::new(capacity, max_age, &ledger, read);
        FileCache { shared, counts: Arc::default(), ledger, wire_sizes: Arc::default(), max_age }
    }

    /// Returns the size of a file in an encoding that lengthens each piece by `growth`, if known. Reads a file of up to
    /// 64 KiB for that if necessary. The size of a file of up to 64 MiB is known after an earlier call, unless the file
    /// has just changed.
    ///
    /// # Errors
    /// The errors of reading a small file.
    pub fn wire_size(&self, file: &Arc<OpenFile>, growth: Growth) -> io::Result<Option<u64>> {
        self.wire_sizes.of(file, self.max_age, growth)
    }

    /// As [`FileCache::content`], for a content that the program supplies: a small one can be read at once, a larger one
    /// at its second request. Waiting for that is up to the caller; transfers can read the content themselves.
    pub fn supplied(&self, file: &Arc<ProgramFile>) -> SuppliedContent {
        let shared = self.shared.as_ref().filter(|shared| file.size <= shared.capacity / MAX_FILE_DIVISOR);
        let Some(shared) = shared else {
            self.counts.misses.fetch_add(1, Relaxed);
            return SuppliedContent::Cold;
        };
        let identity = Identity(Content::Numbered(file.content));
        if let Some(cached) = shared.contents.get(&identity) {
            self.counts.hits.fetch_add(1, Relaxed);
            let reader = Reader::new(&cached.held);
            return SuppliedContent::Hot(MemoryBytes::new(cached.bytes, reader));
        }
        self.counts.misses.fetch_add(1, Relaxed);
        if file.size <= SMALL_BYTES {
            return SuppliedContent::Small(Box::pin(
                Arc::clone(shared).read_supplied(identity, Arc::clone(file)),
            ));
        }
        if shared.seen.get(&identity).is_none() {
            shared.seen.insert(identity, ());
            return SuppliedContent::Cold;
        }
        match (shared.loads.begin(identity), shared.reserve(file.size)) {
            (Some(slot), Some(reader)) => {
                let (shared, file) = (Arc::clone(shared), Arc::clone(file));
                SuppliedContent::Load(Box::pin(shared.load_supplied(identity, file, reader, slot)))
            }
            _ => SuppliedContent::Cold,
        }
    }

    /// Returns the content of a file with this identity, if it is in memory.
    pub fn known(&self, identity: &Identity) -> Option<MemoryBytes> {
        let shared = self.shared.as_ref()?;
        let fresh = shared.contents.get(identity).filter(|cached| shared.is_fresh(cached))?;
        self.counts.hits.fetch_add(1, Relaxed);
        let reader = Reader::new(&fresh.held);
        Some(MemoryBytes::new(fresh.bytes, reader))
    }

    /// Returns the content of a file that was just opened, if it is in memory. Reads a small file now, which blocks
    /// this thread on the disk; one of several concurrent requests reads it. Loads a larger file at its second request,
    /// on a separate thread. Until then, or if contents in use leave no room for it, transfers read it from the disk.
    ///
    /// # Errors
    /// The errors of reading a small file. If it changes during the read, the result is `None`: the transfer detects
    /// the change itself.
    pub fn content(&self, file: &Arc<OpenFile>) -> io::Result<Option<MemoryBytes>> {
        let shared = self.shared.as_ref().filter(|shared| file.size() <= shared.capacity / MAX_FILE_DIVISOR);
        let Some(shared) = shared else {
            self.counts.misses.fetch_add(1, Relaxed);
            return Ok(None);
        };
        let identity = file.identity();
        let cached = shared.contents.get(&identity);
        let known = cached.is_some();
        if let Some(fresh) = cached.filter(|cached| shared.is_fresh(cached)) {
            self.counts.hits.fetch_add(1, Relaxed);
            let reader = Reader::new(&fresh.held);
            return Ok(Some(MemoryBytes::new(fresh.bytes, reader)));
        }
        self.counts.misses.fetch_add(1, Relaxed);
        if !file.is_settled() {
            return if file.size() <= SMALL_BYTES { shared.read_alone(file) } else { Ok(None) };
        }
        if file.size() <= SMALL_BYTES {
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

impl SharedCache {
    /// Returns `None` if the capacity is 0.
    fn new(
        capacity: u64,
        max_age: Duration,
        ledger: &Arc<Ledger>,
        read: Box<Reading>,
    ) -> Option<Arc<SharedCache>> {
        let capacity = memory::within_bounds(capacity);
        (capacity > 0).then(|| {
            Arc::new(SharedCache {
                contents: contents(capacity),
                seen: Cache::new(MAX_SEEN_FILES),
                capacity,
                ledger: Arc::clone(ledger),
                max_age,
                loads: Loads::default(),
                read,
            })
        })
    }

    fn is_fresh(&self, kept: &CachedContent) -> bool {
        kept.read.elapsed() < self.max_age
    }

    /// Reserves memory for a content of this size, before it is read.
    fn reserve(&self, size: u64) -> Option<Reader> {
        let reader = self.ledger.reserve(size, self.capacity)?;
        self.make_room(0);
        Some(reader)
    }

    /// Evicts contents until three kinds fit into the capacity together: cached contents, contents that only transfers
    /// hold, and contents being read. `joining` bytes of the last kind are about to enter the cache.
    fn make_room(&self, joining: u64) {
        let elsewhere = self.ledger.live().saturating_sub(self.contents.weight() + joining);
        let room = self.capacity.saturating_sub(elsewhere).max(self.capacity / MIN_CACHE_DIVISOR);
        if room != self.contents.capacity() {
            self.contents.set_capacity(room);
        }
    }

    fn read_now(&self, identity: Identity, file: &OpenFile) -> io::Result<Option<MemoryBytes>> {
        // The first request after the maximum age removes the content. The others find the one that it reads.
        self.contents.remove_if(&identity, |kept| !self.is_fresh(kept));
        let mut own = None;
        let read = self.contents.get_or_insert_with(&identity, || {
            let began = Instant::now();
            let reader = self.reserve(file.size()).ok_or(None)?;
            match (self.read)(file) {
                Ok(Some(bytes)) => {
                    self.make_room(file.size());
                    let held = Arc::clone(reader.held());
                    own = Some(reader);
                    Ok(CachedContent { bytes, held, read: began })
                }
                Ok(None) => Err(None),
                Err(error) => Err(Some(error)),
            }
        });
        match read {
            Ok(kept) => {
                let reader = own.unwrap_or_else(|| Reader::new(&kept.held));
                Ok(Some(MemoryBytes::new(kept.bytes, reader)))
            }
            Err(None) => Ok(None),
            Err(Some(error)) => Err(error),
        }
    }

    /// Reads a file that was just written, for one request: the next write may leave its identity unchanged.
    fn read_alone(&self, file: &OpenFile) -> io::Result<Option<MemoryBytes>> {
        let Some(reader) = self.reserve(file.size()) else { return Ok(None) };
        Ok((self.read)(file)?.map(|bytes| MemoryBytes::new(bytes, reader)))
    }

    /// Reads a content of the program; `None` without room for it, or if the program fails. One of several concurrent
    /// requests reads it.
    async fn read_supplied(
        self: Arc<Self>,
        identity: Identity,
        file: Arc<ProgramFile>,
    ) -> Option<MemoryBytes> {
        let mut own = None;
        let read = self.contents.get_or_insert_async(&identity, async {
            let began = Instant::now();
            let reader = self.reserve(file.size).ok_or(())?;
            let bytes = file.read_shared().await.ok().flatten().ok_or(())?;
            self.make_room(file.size);
            let held = Arc::clone(reader.held());
            own = Some(reader);
            Ok::<_, ()>(CachedContent { bytes, held, read: began })
        });
        let kept = read.await.ok()?;
        let reader = own.unwrap_or_else(|| Reader::new(&kept.held));
        Some(MemoryBytes::new(kept.bytes, reader))
    }

    /// Reads a content of the program for later requests.
    async fn load_supplied(
        self: Arc<Self>,
        identity: Identity,
        file: Arc<ProgramFile>,
        reader: Reader,
        _: LoadSlot,
    ) {
        let began = Instant::now();
        if let Ok(Some(bytes)) = file.read_shared().await {
            self.make_room(file.size);
            let held = Arc::clone(reader.held());
            self.contents.insert(identity, CachedContent { bytes, held, read: began });
        }
    }

    /// Loads a file on a separate thread, unless a load of it is running or too many are. If the load fails or hangs,
    /// transfers read from the disk as before.
    fn load_beside(self: &Arc<Self>, identity: Identity, file: &Arc<OpenFile>) {
        let Some(slot) = self.loads.begin(identity) else { return };
        let Some(reader) = self.reserve(file.size()) else { return };
        let (shared, file) = (Arc::clone(self), Arc::clone(file));
        let load = move || {
            shared.load(identity, &file, reader);
            drop(slot);
        };
        // A disk may block this thread forever, so it does nothing else.
        if let Err(error) = std::thread::Builder::new().name("tuffet-cache".into()).spawn(load) {
            tracing::debug!(
                target: "tuffet::store::cache", %error,
                "no thread could be started to load a file into memory; it is read from disk"
            );
        }
    }

    fn load(&self, identity: Identity, file: &OpenFile, reader: Reader) {
        let began = Instant::now();
        // Most files are unchanged. Comparing them avoids a second copy of each per minute, which would stay with the
        // allocator.
        let known = self.contents.peek(&identity);
        if let Some(CachedContent { bytes, held, .. }) = known
            && file.has(&bytes).unwrap_or(false)
        {
            self.contents.insert(identity, CachedContent { bytes, held, read: began });
            return;
        }
        match (self.read)(file) {
            Ok(Some(bytes)) => {
                self.make_room(file.size());
                self.contents
                    .insert(identity, CachedContent { bytes, held: Arc::clone(reader.held()), read: began });
            }
            // The file changed; later requests find another identity.
            Ok(None) => {}
            Err(error) => {
                tracing::debug!(target: "tuffet::store::cache", root = file.root(), path = file.path(), %error,
                "a file could not be loaded into memory; it is read from the disk")
            }
        }
    }
}
