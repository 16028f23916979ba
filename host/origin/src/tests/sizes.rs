//! Sizes are the word of a stranger.

use std::io::Write;
use std::path::Path;

use tuffet_store::StoreError;

use super::server::{Then, begin};
use super::world::{MIB, World, error, get};
use crate::cache::{Cache, PART, Record};
use crate::version::Version;

/// A server that reports this size for its files, with a cache of this many bytes.
fn claims(size: usize, bytes: u64) -> World {
    let world = World::with(|spec| {
        spec.cache.bytes = bytes;
        // A file system in memory has no bound for sizes.
        if Path::new("/dev/shm").is_dir() {
            spec.cache.path = Path::new("/dev/shm").join(format!("tuffet-{:016x}", fastrand::u64(..)));
        }
    });
    world.server.trick(move |_, stream, _| {
        let _ = begin(stream, 200, &[("ETag", "\"1\"".into())], size);
        Then::Close
    });
    world
}

#[test]
fn a_size_above_the_limit_is_refused_with_a_reason() {
    for size in [1 << 62, 15 << 40, 257 * MIB] {
        let world = claims(size, 256 * MIB as u64);
        let why = error(&world.remote(), "file").to_string();
        let _ = std::fs::remove_dir_all(world.cache());
        assert!(why.contains(&format!("{size} bytes")) && why.contains("cache.bytes"), "{why}");
    }
}

#[test]
fn no_limit_is_high_enough_for_any_size() {
    let world = claims(1 << 62, u64::MAX);
    let why = error(&world.remote(), "file").to_string();
    let _ = std::fs::remove_dir_all(world.cache());
    assert!(why.contains(&format!("{} bytes", 1u64 << 62)), "{why}");
}

#[test]
fn the_index_has_the_parts_that_arrived_alone() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let cache = Cache::open(folder.path(), 2 << 40).expect("a cache");
    let version = Version::Strong("1".into());
    let (entry, claimed) = cache.create(("origin", "file"), version, 1 << 40, 0, false, 0).expect("room");
    assert_eq!(claimed, Some(0..1));
    entry.set_stored(((1u64 << 40) / PART) as u32 - 1);
    cache.save(&entry).expect("it is written");
    let path = cache.layout.record(&entry.key);
    assert!(std::fs::metadata(&path).expect("a record").len() < 1000);
    assert_eq!(Record::read(&path).expect("it is there").expect("a record").parts.len(), 1);
}

#[test]
fn an_error_without_an_end_is_read_no_further_than_its_reason() {
    let world = World::new();
    world.server.trick(move |_, stream, _| {
        let _ = begin(stream, 404, &[], 1 << 40);
        while stream.write_all(&[b'x'; 64 << 10]).is_ok() {}
        Then::Close
    });
    assert!(matches!(error(&world.remote(), "file"), StoreError::NotFound));
}

#[test]
fn a_long_etag_is_none() {
    let world = World::new();
    world.server.put("file", vec![1; 10]);
    let page = world.server.page("/files/file").expect("a page");
    let etag = Some(format!("\"{}\"", "x".repeat(20_000)));
    world.server.put_page("file", super::server::Page { etag, ..page });
    let remote = world.remote();
    assert_eq!(get(&remote, "file"), Ok(vec![1; 10]));
    assert!(remote.get("file").expect("the file").meta.version.starts_with("modified-"));
}
