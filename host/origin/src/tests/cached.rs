//! The cache on the disk: its bound, restarts, damage, and disks that are full.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use tuffet_store::StoreError;

use super::server::Page;
use super::world::{LONG, MIB, World, content, error, get, read};
use crate::cache::{Cache, PART, Record};
use crate::version::Version;
use crate::{OriginError, Remote};

/// Ends an origin when its index is written, as if the process had ended.
pub fn end(remote: Arc<Remote>, cache: &Path, records: usize) {
    settled(&remote, cache, records);
    drop(remote);
    let deadline = Instant::now() + LONG;
    let lock = fs::File::open(cache.join("lock")).expect("the lock of the cache");
    // A process that another test is just starting has the lock until its program begins.
    while Cache::is_open(cache) || flock(&lock, FlockOperation::NonBlockingLockShared).is_err() {
        assert!(Instant::now() < deadline, "the cache stays open");
        std::thread::sleep(Duration::from_millis(2));
    }
    // Not by closing it: another such process may have it by now.
    flock(&lock, FlockOperation::Unlock).expect("the lock");
}

/// Waits until no request is running and the index is written.
pub fn settled(remote: &Remote, cache: &Path, records: usize) {
    let deadline = Instant::now() + LONG;
    while remote.state().running > 0
        || fs::read_dir(cache.join("index")).map_or(0, Iterator::count) != records
    {
        assert!(Instant::now() < deadline, "the index is not written");
        std::thread::sleep(Duration::from_millis(2));
    }
    // A record comes by rename: a temporary one may still be there instead.
    while fs::read_dir(cache.join("index"))
        .expect("the index")
        .flatten()
        .any(|it| it.path().extension().is_some())
    {
        assert!(Instant::now() < deadline, "the index is not written");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn the_least_recently_used_file_makes_room_unless_it_is_open() {
    let world = World::with(|spec| spec.cache.bytes = 4 * MIB as u64);
    for name in 0..6 {
        world.server.put(&format!("{name}"), content(MIB, name));
    }
    let remote = world.remote();
    let open = remote.get("0").expect("the file");
    assert!(read(&open).is_ok());
    for name in 1..6 {
        // Times of use are in milliseconds.
        std::thread::sleep(Duration::from_millis(3));
        assert_eq!(get(&remote, &format!("{name}")).as_deref(), Ok(&*content(MIB, name)));
    }
    let names: Vec<_> =
        remote.cached().expect("the cache").iter().map(|file| file.path.to_string()).collect();
    assert_eq!(names.first().map(String::as_str), Some("0"), "it is open: {names:?}");
    assert_eq!(names.last().map(String::as_str), Some("5"), "{names:?}");
    assert!(remote.state().cache_bytes <= 4 * MIB as u64);
    assert_eq!(read(&open).as_deref(), Ok(&*content(MIB, 0)));
    let on_disk: u64 = fs::read_dir(world.cache().join("content"))
        .expect("contents")
        .flatten()
        .map(|file| file.metadata().expect("a file").len())
        .sum();
    assert!(on_disk <= 4 * MIB as u64, "{on_disk}");
}

#[test]
fn a_record_has_all_parts_that_arrived_at_once() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let cache = Cache::open(folder.path(), 1 << 30).expect("a cache");
    for round in 0..50 {
        let name = format!("{round}");
        let (entry, _) = cache
            .create(("origin", &name), Version::Strong("1".into()), 16 * PART, 0, false, 0)
            .expect("room");
        let barrier = Barrier::new(16);
        std::thread::scope(|scope| {
            for part in 0..16 {
                let (cache, entry, barrier) = (&cache, &entry, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    entry.set_stored(part);
                    cache.save(entry).expect("it is written");
                });
            }
        });
        let record = Record::read(&cache.layout.record(&entry.key)).expect("it is there").expect("a record");
        assert_eq!(record.parts.len(), 16, "round {round}: {:?}", record.parts);
    }
}

#[test]
fn a_restart_keeps_the_cache() {
    let world = World::with(|spec| spec.cache.whole = 5 * MIB as u64);
    let (small, medium, large) = (content(1000, 1), content(5 * MIB, 2), content(12 * MIB, 3));
    world.server.put("small", small.clone());
    world.server.put("medium", medium.clone());
    world.server.put("large", large.clone());
    {
        let remote = world.remote();
        assert!(
            get(&remote, "small").is_ok() && get(&remote, "medium").is_ok() && get(&remote, "large").is_ok()
        );
        end(remote, &world.cache(), 3);
    }
    let requests = world.server.requests().len();
    let remote = world.remote();
    remote.start().expect("the cache");
    assert_eq!(remote.state().cache_bytes, (1000 + 17 * MIB) as u64);
    assert!(remote.get("small").expect("the file").arrival.is_none(), "it was verified at once");
    assert_eq!(get(&remote, "small").as_deref(), Ok(&*small));
    assert_eq!(get(&remote, "medium").as_deref(), Ok(&*medium));
    assert_eq!(get(&remote, "large").as_deref(), Ok(&*large));
    assert_eq!(world.server.requests().len(), requests, "no request was made");
}

#[test]
fn a_reload_goes_on_with_the_same_cache() {
    let world = World::new();
    world.server.put("file", b"kept".to_vec());
    let old = world.remote();
    assert!(get(&old, "file").is_ok());
    let new = world.remote();
    assert_eq!(get(&new, "file").as_deref(), Ok(&b"kept"[..]));
    assert_eq!(world.server.requests().len(), 1);
}

#[test]
fn damage_is_found_and_fetched_again() {
    let world = World::new();
    let (small, large) = (content(100_000, 1), content(9 * MIB, 2));
    world.server.put("small", small.clone());
    world.server.put("large", large.clone());
    {
        let remote = world.remote();
        assert!(get(&remote, "small").is_ok() && get(&remote, "large").is_ok());
        end(remote, &world.cache(), 2);
    }
    for content in fs::read_dir(world.cache().join("content")).expect("contents").flatten() {
        let file = fs::OpenOptions::new().read(true).write(true).open(content.path()).expect("a file");
        let mut byte = [0];
        file.read_exact_at(&mut byte, 50_000).expect("a byte");
        file.write_all_at(&[byte[0] ^ 1], 50_000).expect("another");
    }
    let remote = world.remote();
    assert_eq!(get(&remote, "small").as_deref(), Ok(&*small));
    assert_eq!(get(&remote, "large").as_deref(), Ok(&*large));
    assert_eq!(remote.state().counts.damaged, 2);
    let again: u64 = remote.state().counts.received;
    assert_eq!(again, 100_000 + 4 * MIB as u64, "the damaged parts alone");
}

#[test]
fn damaged_records_and_leftovers_are_swept() {
    let world = World::new();
    for name in ["a", "b", "c"] {
        world.server.put(name, content(1000, 1));
    }
    {
        let remote = world.remote();
        assert!(["a", "b", "c"].iter().all(|name| get(&remote, name).is_ok()));
        end(remote, &world.cache(), 3);
    }
    let records: Vec<_> =
        fs::read_dir(world.cache().join("index")).expect("index").flatten().map(|it| it.path()).collect();
    let text = fs::read(&records[0]).expect("a record");
    fs::write(&records[0], &text[..text.len() / 2]).expect("half of it");
    fs::write(&records[1], b"").expect("nothing");
    fs::write(world.cache().join("index/0123.tmp"), b"half").expect("a leftover");
    fs::write(world.cache().join("content/foreign"), b"half").expect("a leftover");
    let remote = world.remote();
    remote.start().expect("the cache");
    assert_eq!(remote.state().cache_files, 1);
    assert_eq!(fs::read_dir(world.cache().join("index")).expect("index").count(), 1);
    assert_eq!(fs::read_dir(world.cache().join("content")).expect("content").count(), 1);
    assert!(["a", "b", "c"].iter().all(|name| get(&remote, name).as_deref() == Ok(&*content(1000, 1))));
}

#[test]
fn removed_content_is_fetched_again() {
    let world = World::new();
    world.server.put("file", content(1000, 1));
    let remote = world.remote();
    assert!(get(&remote, "file").is_ok());
    for content in fs::read_dir(world.cache().join("content")).expect("contents").flatten() {
        fs::remove_file(content.path()).expect("a file");
    }
    assert_eq!(get(&remote, "file").as_deref(), Ok(&*content(1000, 1)));
}

#[test]
fn a_clock_that_was_set_back_makes_no_file_fresh_for_ever() {
    let mut world = World::with(|spec| spec.cache.revalidate = Duration::from_secs(86400));
    world.server.put("file", b"old".to_vec());
    {
        let remote = world.remote();
        assert!(get(&remote, "file").is_ok());
        end(remote, &world.cache(), 1);
    }
    // The record is from the future.
    let record =
        fs::read_dir(world.cache().join("index")).expect("index").flatten().next().expect("a record").path();
    let text = fs::read_to_string(&record).expect("text");
    let body = text.split_once('\n').expect("two lines").1;
    let (before, behind) = body.split_once("\"validated_unix_ms\":").expect("a time");
    let body = format!("{before}\"validated_unix_ms\":9{behind}");
    let digest = crate::cache::digest_of(body.as_bytes());
    fs::write(&record, format!("{digest}\n{body}")).expect("a record");
    world.server.put("file", b"new".to_vec());
    assert_eq!(get(&world.remote(), "file").as_deref(), Ok(&b"new"[..]), "the origin is asked");
    world.spec.cache.revalidate = Duration::ZERO;
    world.server.stop();
    assert_eq!(get(&world.remote(), "file").as_deref(), Ok(&b"new"[..]), "stale");
}

#[test]
fn many_tiny_files_take_no_more_of_the_disk_than_the_limit() {
    let world = World::with(|spec| spec.cache.bytes = MIB as u64);
    for name in 0..200 {
        world.server.put(&format!("{name}"), vec![1]);
    }
    let remote = world.remote();
    assert!((0..200).all(|name| get(&remote, &format!("{name}")).is_ok()));
    let files = remote.state().cache_files;
    assert!((64..=128).contains(&files), "{files} files of two blocks each");
}

#[test]
fn a_second_process_is_refused_by_name() {
    let world = World::new();
    fs::create_dir_all(world.cache()).expect("a folder");
    let lock = fs::File::create(world.cache().join("lock")).expect("a file");
    flock(&lock, FlockOperation::LockExclusive).expect("the lock");
    let remote = world.remote();
    let refused = remote.start().expect_err("it is locked");
    assert!(matches!(refused, OriginError::Locked { .. }), "{refused}");
    assert!(refused.to_string().contains("another process"), "{refused}");
    world.server.put("file", b"x".to_vec());
    let request = error(&remote, "file").to_string();
    assert!(request.contains("another process"), "{request}");
    assert!(remote.state().cache_error.is_some());
    drop(lock);
    let deadline = Instant::now() + LONG;
    while get(&remote, "file").is_err() {
        assert!(Instant::now() < deadline, "it is tried again");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn two_origins_share_a_folder_without_mixing() {
    let (one, mut other) = (World::new(), World::new());
    other.spec.cache.path = one.cache();
    one.server.put("file", b"one".to_vec());
    other.server.put("file", b"other".to_vec());
    let remotes = (one.remote(), other.remote());
    assert_eq!(get(&remotes.0, "file").as_deref(), Ok(&b"one"[..]));
    assert_eq!(get(&remotes.1, "file").as_deref(), Ok(&b"other"[..]));
    assert_eq!(remotes.0.cached().map(|files| files.len()).ok(), Some(1));
}

#[test]
fn files_are_warmed_listed_and_dropped() {
    let world = World::with(|spec| spec.cache.whole = MIB as u64);
    world.server.put("dir/large", content(9 * MIB, 1));
    let remote = world.remote();
    assert_eq!(remote.warm("dir/large", LONG).ok(), Some(9 * MIB as u64));
    let files = remote.cached().expect("the cache");
    assert_eq!((files.len(), &*files[0].path, files[0].stored), (1, "dir/large", 9 * MIB as u64));
    let requests = world.server.requests().len();
    assert!(get(&remote, "dir/large").is_ok());
    assert_eq!(world.server.requests().len(), requests);
    assert_eq!(remote.remove("dir/large").ok(), Some(true));
    assert_eq!(remote.remove("dir/large").ok(), Some(false));
    assert_eq!((remote.state().cache_files, remote.state().cache_bytes), (0, 0));
    assert!(matches!(remote.warm("none", LONG), Err(StoreError::NotFound)));
}

/// A file system of 8 MiB; unmounted at the end.
struct Small(std::path::PathBuf);

impl Small {
    fn mount(folder: &Path) -> Option<Self> {
        fs::create_dir_all(folder).ok()?;
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"]).arg(folder).output();
        mounted.is_ok_and(|mounted| mounted.status.success()).then(|| Self(folder.to_owned()))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

#[test]
fn a_full_disk_loses_only_files_that_do_not_fit() {
    let world = World::with(|spec| spec.cache.whole = 6 * MIB as u64);
    let Some(_small) = Small::mount(&world.cache()) else {
        eprintln!("not tested: only root can mount a small disk");
        return;
    };
    let remote = world.remote();
    for name in 0..5u64 {
        let bytes = content(3 * MIB, name);
        world.server.put(&format!("{name}"), bytes.clone());
        assert_eq!(get(&remote, &format!("{name}")).as_deref(), Ok(&*bytes), "older ones make room");
        std::thread::sleep(Duration::from_millis(3));
    }
    // Another writer has filled the disk.
    let open = remote.get("4").expect("a file");
    let hog = world.cache().join("hog");
    let filled =
        Command::new("dd").args(["if=/dev/zero", "bs=64k"]).arg(format!("of={}", hog.display())).output();
    assert!(filled.is_ok_and(|filled| !filled.status.success()), "the disk is full");
    world.server.put("new", content(5 * MIB, 9));
    assert_eq!(get(&remote, "new").as_deref(), Ok(&*content(5 * MIB, 9)), "past the cache");
    let page = world.server.page("/files/new").expect("a page");
    world.server.put_page("weak", Page { etag: None, ..page });
    let full = error(&remote, "weak").to_string();
    assert!(full.contains("full") && full.contains("cache"), "{full}");
    assert_eq!(remote.state().counts.unstored, 2);
    assert_eq!(read(&open).as_deref(), Ok(&*content(3 * MIB, 4)), "readers continue");
    fs::remove_file(hog).expect("room");
    drop(open);
    assert_eq!(get(&remote, "new").as_deref(), Ok(&*content(5 * MIB, 9)));
}

/// A restart without a gap: the successor has the files at once, and its predecessor ends its transfers.
#[test]
fn a_cache_is_handed_over_while_it_is_read() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let cache = Cache::open(folder.path(), 1 << 30).expect("a cache");
    let version = || Version::Strong("1".into());
    let create = |name: &str| {
        let (entry, _) = cache.create(("origin", name), version(), PART, 0, false, 0).expect("room");
        cache.save(&entry).expect("it is written");
        entry
    };
    let (read, idle, replaced) = (create("read"), create("idle"), create("replaced"));
    let open = cache.open_entry(&read).expect("the disk").expect("it is there");
    let lock = || fs::File::open(cache.layout.lock()).expect("the lock");
    let is_locked = || flock(lock(), FlockOperation::NonBlockingLockExclusive).is_err();
    assert!(is_locked());
    cache.hand_over();
    assert!(!is_locked());
    // What happens to its files now is the successor's business.
    let records = || fs::read_dir(cache.layout.index()).expect("the index").count();
    cache.remove(&read);
    cache.remove(&idle);
    cache.doubt(&replaced);
    let late = create("late");
    assert_eq!(records(), 3);
    open.file.write_all_at(b"arrives", 0).expect("it is open");

    let successor = lock();
    flock(&successor, FlockOperation::NonBlockingLockExclusive).expect("free");
    assert!(!cache.take_back());
    drop(successor);
    assert!(cache.take_back());
    assert!(is_locked());
    assert!(cache.layout.record(&late.key).exists(), "begun meanwhile");
    assert!(!cache.layout.record(&replaced.key).exists(), "replaced meanwhile");
}
