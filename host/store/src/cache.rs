//! Hot files in memory: read once, shared by every transfer, sent from where they lie.
//!
//! A file is known by its identity (device, inode, size, times), which is looked at on every request: a
//! file that changed is another file, and is read anew. A file that was written a moment ago is not kept,
//! because its identity may outlive the next write. What is in memory never changes, so a transfer from
//! here has one content from its first block to its last.

use super::OpenFile;
use super::memory;
use super::open_file::Identity;
use quick_cache::sync::Cache;
use quick_cache::{OptionsBuilder, Weighter};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::SystemTime;

/// Files up to this size are read when first asked for: the transfer would read them at once anyway.
const SMALL: u64 = 64 << 10;

/// A file may take this part of the memory.
const SHARE: u64 = 4;

/// Parts of the memory, each with a lock of its own; less than `SHARE`, so that the largest file fits into one.
const PARTS: usize = 2;

/// How many files are remembered as asked for once.
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

/// How the memory is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheUsage {
    /// Files that were in memory when they were asked for.
    pub hits: u64,
    /// Files that were not, whether or not they are since.
    pub misses: u64,
    /// Bytes that are used.
    pub bytes: u64,
    /// Bytes that may be used.
    pub capacity: u64,
}

struct Shared {
    contents: Cache<Identity, Arc<[u8]>, Bytes>,
    seen: Cache<Identity, ()>,
    largest: u64,
}

/// A cache of a few parts, however many cores there are: a file must fit into one of them, or it would be read anew
/// for each that asks.
fn contents(capacity: u64) -> Cache<Identity, Arc<[u8]>, Bytes> {
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

impl Weighter<Identity, Arc<[u8]>> for Bytes {
    fn weight(&self, _: &Identity, content: &Arc<[u8]>) -> u64 {
        // The entry itself counts, so that empty files are bounded too.
        content.len() as u64 + 128
    }
}

impl FileCache {
    /// A cache of at most `capacity` bytes, and of a quarter of what the control group allows; 0 is none.
    pub fn new(capacity: u64) -> FileCache {
        FileCache::counting(capacity, Arc::default())
    }

    /// An empty one of another size, that goes on counting.
    pub fn resized(&self, capacity: u64) -> FileCache {
        FileCache::counting(capacity, Arc::clone(&self.counts))
    }

    /// What it holds and what came of it.
    pub fn usage(&self) -> CacheUsage {
        let contents = self.shared.as_ref().map(|shared| &shared.contents);
        CacheUsage {
            hits: self.counts.hits.load(Relaxed),
            misses: self.counts.misses.load(Relaxed),
            bytes: contents.map_or(0, Cache::weight),
            capacity: contents.map_or(0, Cache::capacity),
        }
    }

    fn counting(capacity: u64, counts: Arc<Counts>) -> FileCache {
        let capacity = memory::within_bounds(capacity);
        let shared = (capacity > 0).then(|| {
            Arc::new(Shared {
                contents: contents(capacity),
                seen: Cache::new(SEEN),
                largest: capacity / SHARE,
            })
        });
        FileCache { shared, counts }
    }

    /// The content of a file that was just opened, if it is in memory or worth it: small, or asked for
    /// before. Reads the file then; of several that ask at once one reads. Blocks on the disk.
    ///
    /// # Errors
    /// Those of reading. A file that changes while it is read is given as none: the transfer will find
    /// out by itself.
    pub fn content(&self, file: &OpenFile) -> io::Result<Option<Arc<[u8]>>> {
        let shared = self.shared.as_ref().filter(|shared| file.size() <= shared.largest);
        let identity = file.identity();
        if let Some(content) = shared.and_then(|shared| shared.contents.get(&identity)) {
            self.counts.hits.fetch_add(1, Relaxed);
            return Ok(Some(content));
        }
        self.counts.misses.fetch_add(1, Relaxed);
        let Some(shared) = shared else { return Ok(None) };
        if !identity.is_settled(SystemTime::now()) {
            return Ok(None);
        }
        if file.size() > SMALL && shared.seen.get(&identity).is_none() {
            shared.seen.insert(identity, ());
            return Ok(None);
        }
        let read = shared.contents.get_or_insert_with(&identity, || match file.read_whole() {
            Ok(Some(content)) => Ok(content.into()),
            Ok(None) => Err(None),
            Err(error) => Err(Some(error)),
        });
        match read {
            Ok(content) => Ok(Some(content)),
            Err(None) => Ok(None),
            Err(Some(error)) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RootSpec, Roots};
    use super::*;
    use std::fs;
    use std::time::{Duration, Instant};
    use tempfile::TempDir;

    fn root() -> (TempDir, Roots) {
        let folder = TempDir::new().unwrap();
        let roots = Roots::open(&[RootSpec::read_only("r", folder.path())]).unwrap();
        (folder, roots)
    }

    /// Nothing tells when time has passed but the clock.
    fn wait_until_settled(file: &OpenFile) {
        let end = Instant::now() + Duration::from_secs(5);
        while !file.identity().is_settled(SystemTime::now()) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn what_was_just_written_is_not_kept() {
        let (folder, roots) = root();
        fs::write(folder.path().join("f"), "new").unwrap();
        let identity = roots.open_read(None, "f").unwrap().identity();
        let written = fs::metadata(folder.path().join("f")).unwrap().modified().unwrap();
        assert!(!identity.is_settled(written));
        assert!(!identity.is_settled(written + Duration::from_millis(20)), "within a step of the clock");
        assert!(identity.is_settled(written + Duration::from_secs(3)));
        assert!(!identity.is_settled(SystemTime::UNIX_EPOCH), "a clock that was set back");
    }

    #[test]
    fn small_files_at_once_large_ones_when_asked_again_too_large_ones_never() {
        let (folder, roots) = root();
        let cache = FileCache::new(1 << 20);
        for (name, size) in [("small", 10_usize), ("large", 100_000), ("huge", 300_000)] {
            fs::write(folder.path().join(name), vec![7; size]).unwrap();
        }
        let ask = |name| {
            let file = roots.open_read(None, name).unwrap();
            wait_until_settled(&file);
            cache.content(&file).unwrap().map(|bytes| bytes.len())
        };
        assert_eq!([ask("small"), ask("large"), ask("huge")], [Some(10), None, None]);
        assert_eq!([ask("small"), ask("large"), ask("huge")], [Some(10), Some(100_000), None]);
        let usage = cache.usage();
        assert_eq!((usage.hits, usage.misses), (1, 5));
        assert!(usage.bytes >= 100_010 && usage.capacity == 1 << 20, "{usage:?}");
        let resized = cache.resized(4096).usage();
        assert_eq!((resized.hits, resized.misses, resized.bytes, resized.capacity), (1, 5, 0, 4096));
        let none = FileCache::new(0);
        assert!(none.content(&roots.open_read(None, "small").unwrap()).unwrap().is_none());
    }

    /// Were the memory in as many parts as there are cores, this would be read for each that asks.
    #[test]
    fn the_largest_file_is_kept() {
        let (folder, roots) = root();
        let cache = FileCache::new(64 << 20);
        fs::write(folder.path().join("f"), vec![7; 16 << 20]).unwrap();
        let ask = || {
            let file = roots.open_read(None, "f").unwrap();
            wait_until_settled(&file);
            cache.content(&file).unwrap()
        };
        assert!(ask().is_none(), "asked for once");
        let kept = ask().unwrap();
        assert!(Arc::ptr_eq(&kept, &ask().unwrap()));
        assert_eq!(cache.usage().hits, 1);
    }

    #[test]
    fn content_is_shared_and_a_changed_file_is_another_file() {
        let (folder, roots) = root();
        let cache = FileCache::new(1 << 20);
        let path = folder.path().join("f");
        let ask = || {
            let file = roots.open_read(None, "f").unwrap();
            wait_until_settled(&file);
            cache.content(&file).unwrap().unwrap()
        };
        fs::write(&path, "old").unwrap();
        let old = ask();
        assert!(Arc::ptr_eq(&old, &ask()));
        fs::write(folder.path().join("g"), "new").unwrap();
        fs::rename(folder.path().join("g"), &path).unwrap();
        assert_eq!((&*old, &*ask()), (&b"old"[..], &b"new"[..]));
    }
}
