//! Which contents the cache keeps, for how long, and when it loads files. On real files.

use super::*;
use crate::Roots;
use std::fs;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Condvar, Mutex};
use std::time::SystemTime;
use tempfile::TempDir;
use tuffet_request::RootSpec;

const HOUR: Duration = Duration::from_secs(3600);

struct Scene {
    folder: TempDir,
    roots: Roots,
    cache: FileCache,
}

impl Scene {
    fn new(cache: FileCache) -> Scene {
        let folder = TempDir::new().unwrap();
        let roots = Roots::open(&[RootSpec::read_only("r", folder.path())]).unwrap();
        Scene { folder, roots, cache }
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.folder.path().join(name), content).unwrap();
    }

    fn open(&self, name: &str) -> Arc<OpenFile> {
        let file = Arc::new(self.roots.open_read(None, name).unwrap());
        // Only the clock shows that the time has passed.
        soon("settled", || file.is_settled());
        file
    }

    /// The cached content that a request for this file gets.
    fn ask(&self, name: &str) -> Option<MemoryBytes> {
        self.cache.content(&self.open(name)).unwrap()
    }

    /// As [`Scene::ask`], once no load is running.
    fn ask_later(&self, name: &str) -> Option<MemoryBytes> {
        self.loaded();
        self.ask(name)
    }

    /// Waits until no load is running.
    fn loaded(&self) {
        let shared = self.cache.shared.as_ref().unwrap();
        soon("loaded", || shared.loads.running() == 0);
    }
}

#[track_caller]
fn soon(what: &str, is_it: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_it() {
        assert!(Instant::now() < end, "not {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A reader that waits for the test before it reads.
struct Gate {
    /// The path of each file, sent when its reading begins.
    begun: Receiver<String>,
    open: Arc<(Mutex<bool>, Condvar)>,
    reads: Arc<AtomicUsize>,
}

impl Gate {
    fn cache(capacity: u64, fails: bool) -> (FileCache, Gate) {
        let (tell, begun): (Sender<String>, _) = mpsc::channel();
        let open = Arc::new((Mutex::new(false), Condvar::new()));
        let reads = Arc::new(AtomicUsize::new(0));
        let (gate, count, tell) = (Arc::clone(&open), Arc::clone(&reads), Mutex::new(tell));
        let read = move |file: &OpenFile| {
            count.fetch_add(1, Relaxed);
            tell.lock().unwrap().send(file.path().to_owned()).unwrap();
            let mut open = gate.0.lock().unwrap();
            while !*open {
                open = gate.1.wait(open).unwrap();
            }
            if fails { Err(io::Error::other("a bad sector")) } else { file.read_shared() }
        };
        let cache = FileCache::with_reader(capacity, HOUR, Box::new(read));
        (cache, Gate { begun, open, reads })
    }

    fn open(&self) {
        *self.open.0.lock().unwrap() = true;
        self.open.1.notify_all();
    }

    #[track_caller]
    fn begun(&self) -> String {
        self.begun.recv_timeout(Duration::from_secs(60)).expect("a load begins")
    }
}

#[test]
fn a_file_that_was_just_written_is_not_cached() {
    let scene = Scene::new(FileCache::new(0, HOUR));
    scene.write("f", "new");
    let file = scene.roots.open_read(None, "f").unwrap();
    let written = fs::metadata(scene.folder.path().join("f")).unwrap().modified().unwrap();
    assert!(!file.is_settled_at(written));
    assert!(!file.is_settled_at(written + Duration::from_millis(20)), "within a step of the clock");
    assert!(file.is_settled_at(written + Duration::from_secs(3)));
    assert!(!file.is_settled_at(SystemTime::UNIX_EPOCH), "a clock that was set back");
}

#[test]
fn small_files_at_once_large_ones_when_asked_again_too_large_ones_never() {
    let scene = Scene::new(FileCache::new(1 << 20, HOUR));
    for (name, size) in [("small", 10_usize), ("large", 100_000), ("huge", 300_000)] {
        scene.write(name, vec![7; size]);
    }
    let ask = |name| scene.ask_later(name).map(|bytes| bytes.len());
    assert_eq!([ask("small"), ask("large"), ask("huge")], [Some(10), None, None]);
    assert_eq!([ask("small"), ask("large"), ask("huge")], [Some(10), None, None]);
    assert_eq!([ask("small"), ask("large"), ask("huge")], [Some(10), Some(100_000), None]);
    let usage = scene.cache.usage();
    assert_eq!((usage.hits, usage.misses), (3, 6));
    assert!(usage.bytes >= 100_010 && usage.capacity == 1 << 20, "{usage:?}");
    let resized = scene.cache.resized(4096, HOUR).usage();
    assert_eq!((resized.hits, resized.misses, resized.bytes, resized.capacity), (3, 6, 0, 4096));
    let none = FileCache::new(0, HOUR);
    assert!(none.content(&scene.open("small")).unwrap().is_none());
}

/// With one shard per core, the file would be read again for each request.
#[test]
fn the_largest_file_is_kept() {
    let scene = Scene::new(FileCache::new(64 << 20, HOUR));
    scene.write("f", vec![7; 16 << 20]);
    assert!(scene.ask("f").is_none(), "asked for once");
    assert!(scene.ask("f").is_none(), "asked for again, so it is loaded");
    let kept = scene.ask_later("f").unwrap();
    assert!(Arc::ptr_eq(kept.shared(), scene.ask("f").unwrap().shared()));
    assert_eq!(scene.cache.usage().hits, 2);
}

/// The load ends after all of these requests were answered, so none of them waited for it.
#[test]
fn requests_are_answered_while_their_file_is_loaded() {
    let (cache, gate) = Gate::cache(1 << 20, false);
    let scene = Scene::new(cache);
    scene.write("f", vec![7; 100_000]);
    for _ in 0..5 {
        assert!(scene.ask("f").is_none(), "from the disk");
    }
    assert_eq!(gate.begun(), "f");
    assert_eq!(gate.reads.load(Relaxed), 1, "concurrent requests share one load");
    gate.open();
    assert_eq!(scene.ask_later("f").map(|bytes| bytes.len()), Some(100_000));
    assert_eq!(gate.reads.load(Relaxed), 1);
}

/// Hanging disks occupy the places for loads, and nothing else.
#[test]
fn hanging_loads_are_bounded_and_delay_no_request() {
    let (cache, gate) = Gate::cache(1 << 20, false);
    let scene = Scene::new(cache);
    let names = ["a", "b", "c", "d"];
    names.iter().for_each(|name| scene.write(name, vec![7; 100_000]));
    for name in names.iter().cycle().take(3 * names.len()) {
        assert!(scene.ask(name).is_none(), "{name}");
    }
    let mut loading = [gate.begun(), gate.begun()];
    loading.sort();
    assert_eq!((loading, gate.reads.load(Relaxed)), (["a".into(), "b".into()], loads::MAX_LOADS));
    // Once the disk answers, the others get a slot.
    gate.open();
    scene.loaded();
    assert!(scene.ask("c").is_none());
    assert!(names[..3].iter().all(|name| scene.ask_later(name).is_some()));
}

#[test]
fn a_load_that_fails_costs_nothing_and_is_tried_again() {
    let (cache, gate) = Gate::cache(1 << 20, true);
    gate.open();
    let scene = Scene::new(cache);
    scene.write("f", vec![7; 100_000]);
    assert!(scene.ask("f").is_none());
    for tries in 1..4 {
        assert!(scene.ask("f").is_none());
        scene.loaded();
        assert_eq!(gate.reads.load(Relaxed), tries);
    }
}

#[test]
fn a_file_that_changes_while_it_is_loaded_is_not_kept() {
    let (cache, gate) = Gate::cache(1 << 20, false);
    let scene = Scene::new(cache);
    scene.write("f", vec![b'a'; 100_000]);
    assert!(scene.ask("f").is_none() && scene.ask("f").is_none());
    gate.begun();
    scene.write("f", vec![b'b'; 100_000]);
    gate.open();
    scene.loaded();
    assert_eq!(scene.cache.usage().bytes, 0, "neither the old nor the new one");
    assert!(scene.ask("f").is_none() && scene.ask("f").is_none());
    assert!(scene.ask_later("f").unwrap().iter().all(|byte| *byte == b'b'));
}

#[test]
fn a_file_has_its_bytes_and_no_others() {
    let scene = Scene::new(FileCache::new(0, HOUR));
    let bytes: Vec<u8> = (0..700_000_u32).map(|at| at.to_be_bytes()[2]).collect();
    scene.write("f", &bytes);
    let file = scene.open("f");
    assert!(file.has(&bytes).unwrap());
    for other in [&bytes[1..], &[&bytes[..], b"x"].concat(), &[&bytes[..699_999], b"x"].concat(), b""] {
        assert!(!file.has(other).unwrap(), "{}", other.len());
    }
    scene.write("f", &bytes);
    assert!(!file.has(&bytes).unwrap(), "it was written again");
    scene.write("empty", b"");
    assert!(scene.open("empty").has(b"").unwrap());
}

#[test]
fn content_is_shared_and_a_changed_file_is_another_file() {
    let scene = Scene::new(FileCache::new(1 << 20, HOUR));
    scene.write("f", "old");
    let old = scene.ask("f").unwrap();
    assert!(Arc::ptr_eq(old.shared(), scene.ask("f").unwrap().shared()));
    scene.write("g", "new");
    fs::rename(scene.folder.path().join("g"), scene.folder.path().join("f")).unwrap();
    assert_eq!((&*old, &*scene.ask("f").unwrap()), (&b"old"[..], &b"new"[..]));
}

/// A content beyond its maximum age is read again for the request if it is small, and compared in the background if it
/// is large.
#[test]
fn no_content_is_used_for_longer_than_its_maximum_age() {
    let reads = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&reads);
    let read = move |file: &OpenFile| {
        count.fetch_add(1, Relaxed);
        file.read_shared()
    };
    // Every content is expired at once.
    let cache = FileCache::with_reader(1 << 20, Duration::ZERO, Box::new(read));
    let scene = Scene::new(cache);
    scene.write("small", "small");
    scene.write("large", vec![7; 100_000]);
    for due in 1..4 {
        assert_eq!(scene.ask("small").as_deref(), Some(&b"small"[..]));
        assert_eq!(reads.load(Relaxed), due);
    }
    assert!(scene.ask("large").is_none());
    assert!(scene.ask_later("large").is_none(), "from the disk while it is read");
    scene.loaded();
    assert_eq!(reads.load(Relaxed), 4);
    // It is compared with the file from then on, which takes no memory.
    let identity = scene.open("large").identity();
    let kept = || scene.cache.shared.as_ref().unwrap().contents.peek(&identity).unwrap();
    for _ in 0..3 {
        let before = kept();
        assert!(scene.ask("large").is_none(), "from the disk while it is compared");
        scene.loaded();
        assert!(Arc::ptr_eq(&before.bytes, &kept().bytes) && kept().read > before.read);
    }
    assert_eq!(reads.load(Relaxed), 4);
    assert_eq!(scene.cache.usage().hits, 0);
}

/// Readers that never end: their contents count, and other files are read from the disk.
#[test]
fn contents_in_use_count_until_their_last_reader_lets_go() {
    let scene = Scene::new(FileCache::new(1 << 20, HOUR));
    for number in 0..40 {
        scene.write(&format!("{number}"), vec![7; 200_000]);
    }
    let mut readers = Vec::new();
    for number in 0..40 {
        let name = number.to_string();
        assert!(
            scene.ask(&name).is_none() && scene.ask_later(&name).is_none(),
            "requested twice, and loaded"
        );
        readers.extend(scene.ask_later(&name));
        assert!(scene.cache.usage().bytes <= 1 << 20, "{:?} at {number}", scene.cache.usage());
    }
    assert_eq!(readers.len(), 5, "no more fit");
    // The same holds for small files.
    scene.write("small", vec![7; 60_000]);
    assert!(scene.ask("small").is_none());
    // Contents in use are still found, and the memory of the others is free again.
    assert_eq!(scene.ask("4").map(|bytes| bytes.len()), Some(200_000));
    readers.clear();
    assert!(scene.ask("small").is_some() && scene.ask("39").is_none());
    assert_eq!(scene.ask_later("39").map(|bytes| bytes.len()), Some(200_000));
    assert!(scene.cache.usage().bytes <= 1 << 20, "{:?}", scene.cache.usage());
}

/// Contents that only transfers of an earlier configuration hold count, too.
#[test]
fn contents_of_a_cache_before_a_reload_count() {
    let scene = Scene::new(FileCache::new(4 << 20, HOUR));
    for name in ["held", "forgotten", "next"] {
        scene.write(name, vec![7; 600_000]);
        assert!(scene.ask(name).is_none() && scene.ask_later(name).is_none());
    }
    let held = scene.ask_later("held").unwrap();
    let resized = FileCache { ..scene.cache.resized(3 << 20, HOUR) };
    assert_eq!(resized.usage().bytes, 600_000, "the others have no reader");
    assert_eq!(held.len(), 600_000);
    let scene = Scene { cache: resized, ..scene };
    assert!(scene.ask("next").is_none() && scene.ask_later("next").is_none());
    assert!(scene.ask_later("next").is_some());
    assert_eq!(scene.cache.usage().bytes, 1_200_000);
    drop(held);
    assert_eq!(scene.cache.usage().bytes, 600_000);
}

/// A request waits only for the size of a small file. A large file is counted once, in the background.
#[test]
fn sizes_on_the_wire_are_counted_once() {
    static COUNTED: AtomicUsize = AtomicUsize::new(0);
    fn growth(piece: &[u8]) -> u64 {
        COUNTED.fetch_add(piece.len(), Relaxed);
        piece.len() as u64
    }
    let scene = Scene::new(FileCache::new(0, HOUR));
    scene.write("small", vec![b'\n'; 60_000]);
    scene.write("large", vec![b'\n'; 1_000_000]);
    let huge = fs::File::create(scene.folder.path().join("huge")).unwrap();
    huge.set_len(1 << 30).unwrap();
    let size = |name: &str| scene.cache.wire_size(&scene.open(name), growth).unwrap();
    assert_eq!((size("small"), size("small")), (Some(120_000), Some(120_000)));
    assert_eq!(COUNTED.load(Relaxed), 60_000);
    assert_eq!(size("large"), None);
    soon("counted", || scene.cache.wire_sizes.running() == 0);
    assert_eq!((size("large"), size("large")), (Some(2_000_000), Some(2_000_000)));
    assert_eq!((size("huge"), scene.cache.wire_sizes.running()), (None, 0));
    assert_eq!(COUNTED.load(Relaxed), 1_060_000, "each once");
}
