//! A cache that one client, or all together, would fill with what they read slowly.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tuffet_request::ClientKey;
use tuffet_store::{Origin, Reach, RemoteFile};

use super::server::Page;
use super::world::{LONG, MIB, World, content, error, get, read};
use crate::Remote;

const UNIT: usize = 256 << 10;

fn client(number: u8) -> ClientKey {
    ClientKey::of(&([192, 0, 2, number], 2000).into(), 64)
}

fn open_for(remote: &Remote, path: &str, client: ClientKey) -> RemoteFile {
    remote.open(path, client, Reach::Origin).expect("the file").expect("an answer")
}

/// A world with files of 256 KiB and room for 20 of them.
fn twenty() -> World {
    let world = World::with(|spec| spec.cache.bytes = (20 * UNIT + 20 * 8192) as u64);
    for number in 0..40 {
        world.server.put(&format!("{number}"), content(UNIT, number));
    }
    world
}

#[test]
fn one_client_has_its_share_of_the_cache_and_reads_on_past_it() {
    let world = twenty();
    let remote = world.remote();
    let slow: Vec<_> = (0..19).map(|number| open_for(&remote, &format!("{number}"), client(1))).collect();
    let kept = slow.iter().filter(|file| file.place.is_some()).count();
    assert_eq!(kept, 5, "a quarter");
    // Until it has been read past, what has no place takes room.
    let deadline = Instant::now() + LONG;
    while remote.permits_held() > 0 {
        assert!(Instant::now() < deadline, "it is still read");
        thread::sleep(Duration::from_millis(5));
    }
    // Others have the rest, in the cache.
    let others: Vec<_> =
        (20..35).map(|number| open_for(&remote, &format!("{number}"), client(number))).collect();
    assert!(others.iter().all(|file| file.place.is_some()));
    assert!(others.iter().zip(20..).all(|(file, seed)| read(file).as_deref() == Ok(&*content(UNIT, seed))));
    assert!(slow.iter().zip(0..).all(|(file, seed)| read(file).as_deref() == Ok(&*content(UNIT, seed))));
    assert!(remote.state().cache_bytes <= 20 * UNIT as u64);
    // Its share is free again, and the same file counts once.
    drop(slow);
    let same: Vec<_> = (0..9).map(|_| open_for(&remote, "7", client(1))).collect();
    assert!(same.iter().all(|file| file.place.is_some()));
    assert!(same.iter().all(|file| file.content == same[0].content));
}

#[test]
fn a_cache_that_is_full_of_open_files_is_read_past() {
    let world = twenty();
    world.server.put("large", content(21 * UNIT, 1));
    let page = world.server.page("/files/39").expect("a page");
    let weak_page = Page { etag: Some("W/\"1\"".into()), ..page };
    world.server.put_page("weak", weak_page.clone());
    let remote = world.remote();
    let mut pinned: Vec<_> =
        (0..20).map(|number| remote.get(&format!("{number}")).expect("the file")).collect();
    let past = open_for(&remote, "30", client(1));
    assert!(past.place.is_none());
    assert_eq!((past.meta.size, read(&past).as_deref()), (UNIT as u64, Ok(&*content(UNIT, 30))));
    let weak = error(&remote, "weak").to_string();
    assert!(weak.contains("cache.bytes"), "its bytes could be of two answers: {weak}");
    assert_eq!(remote.state().counts.unstored, 2);
    // What can make no room for a file stays.
    pinned.truncate(15);
    let before = remote.state().cache_files;
    world.server.put_page("weak", Page { bytes: Arc::new(content(6 * UNIT, 39)), ..weak_page.clone() });
    assert!(error(&remote, "weak").to_string().contains("cache.bytes"));
    assert_eq!(remote.state().cache_files, before);
    world.server.put_page("weak", weak_page);
    // What changes there is no mixture.
    world.server.put("30", content(UNIT, 99));
    assert_eq!(read(&past), Err("changed".into()));
    let large = error(&remote, "large").to_string();
    assert!(large.contains("5505024 bytes") && large.contains("cache.bytes"), "{large}");
    assert!(pinned.iter().zip(0..).all(|(file, seed)| read(file).as_deref() == Ok(&*content(UNIT, seed))));
    drop(pinned);
    assert!(remote.get("30").expect("the file").place.is_some());
    assert_eq!(get(&remote, "weak").as_deref(), Ok(&*content(UNIT, 39)));
}

#[test]
fn room_that_runs_out_in_the_middle_of_a_file_ends_no_transfer() {
    let world = World::with(|spec| {
        spec.cache.whole = MIB as u64;
        spec.cache.bytes = 16 * MIB as u64;
    });
    let bytes = content(12 * MIB, 50);
    world.server.put("image", bytes.clone());
    for number in 0..9 {
        world.server.put(&format!("{number}"), content(MIB, number));
    }
    let remote = world.remote();
    let image = remote.get("image").expect("the file");
    assert_eq!(image.arrival.as_ref().map(|arrival| arrival.wait(0, 1, LONG).is_ok()), Some(true));
    let pinned: Vec<_> = (0..9).map(|number| remote.get(&format!("{number}")).expect("the file")).collect();
    assert!(pinned.iter().zip(0..).all(|(file, seed)| read(file).as_deref() == Ok(&*content(MIB, seed))));
    for _ in 0..3 {
        assert_eq!(read(&image).as_deref(), Ok(&*bytes));
        assert!(remote.state().cache_bytes <= 16 * MIB as u64);
    }
    // What could not be reserved was not given back.
    assert!(remote.state().cache_bytes >= 13 * MIB as u64, "{}", remote.state().cache_bytes);
    drop((image, pinned));
    assert_eq!(get(&remote, "image").as_deref(), Ok(&*bytes));
    let cached: Vec<_> =
        remote.cached().expect("the cache").iter().map(|file| Arc::clone(&file.path)).collect();
    for path in cached {
        assert!(remote.remove(&path).expect("it is there"));
    }
    let deadline = Instant::now() + LONG;
    while remote.state().cache_bytes > 0 {
        assert!(Instant::now() < deadline, "{} bytes are lost", remote.state().cache_bytes);
        thread::sleep(Duration::from_millis(2));
    }
}
