//! Files without a strong ETag come from one answer.

use std::fs;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::cached::end;
use super::server::{DATE, Page, Then, begin};
use super::world::{LONG, MIB, World, content, get, read};
use tuffet_store::Waited;

/// A world with one file, of 9 MiB, above `cache.whole`, and each kind of weak version.
fn worlds(bytes: &[u8]) -> Vec<World> {
    let etags = [Some("W/\"1\""), Some("w/\"1\""), None];
    let world = |etag: &Option<&str>| {
        let world = World::with(|spec| spec.cache.whole = MIB as u64);
        world.server.put_page("image", page(bytes, *etag));
        world
    };
    etags.iter().map(world).collect()
}

fn page(bytes: &[u8], etag: Option<&str>) -> Page {
    let etag = etag.map(str::to_owned);
    Page { bytes: Arc::new(bytes.to_vec()), etag, modified: Some(DATE.into()), ranges: true }
}

#[test]
fn a_large_file_comes_from_one_answer() {
    let bytes = content(9 * MIB, 1);
    for world in worlds(&bytes) {
        let remote = world.remote();
        assert_eq!(get(&remote, "image").as_deref(), Ok(&*bytes));
        assert_eq!(get(&remote, "image").as_deref(), Ok(&*bytes));
        let requests = world.server.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        assert_eq!(requests[0].header("range"), None);
        assert_eq!(remote.state().cache_bytes, 9 * MIB as u64);
    }
}

#[test]
fn a_reader_gets_the_version_that_it_began_with_or_an_error() {
    let (old, new) = (content(9 * MIB, 1), content(9 * MIB, 2));
    for world in worlds(&old) {
        let etag = world.server.page("/files/image").and_then(|page| page.etag);
        let remote = world.remote();
        let file = remote.get("image").expect("the file");
        world.server.put_page("image", page(&new, etag.as_deref()));
        let got = read(&file);
        assert!(got.as_ref() == Ok(&old) || got.is_err(), "a mixture");
    }
}

#[test]
fn a_download_that_breaks_off_is_not_continued_with_another_answer() {
    let (old, new) = (content(9 * MIB, 1), content(9 * MIB, 2));
    for world in worlds(&new) {
        let asked = AtomicU32::new(0);
        let (go, opened) = std::sync::mpsc::channel();
        let (opened, first) = (std::sync::Mutex::new(opened), old.clone());
        world.server.trick(move |request, stream, server| {
            if asked.fetch_add(1, Ordering::SeqCst) > 0 {
                return Then::Serve;
            }
            let etag = server.page(&request.target).and_then(|page| page.etag);
            let mut headers = vec![("Last-Modified", DATE.to_owned())];
            headers.extend(etag.map(|etag| ("ETag", etag)));
            let _ = begin(stream, 200, &headers, first.len());
            let _ = stream.write_all(&first[..6 * MIB]);
            let _ = opened.lock().unwrap().recv();
            Then::Close
        });
        let remote = world.remote();
        let file = remote.get("image").expect("the file");
        go.send(()).expect("the server waits");
        let got = read(&file);
        assert!(got.is_err(), "{} bytes of two answers", got.map_or(0, |bytes| bytes.len()));
        drop(file);
        assert_eq!(get(&remote, "image").as_deref(), Ok(&*new), "the next request gets the next one, whole");
        assert_eq!(remote.state().cache_bytes, 9 * MIB as u64);
    }
}

#[test]
fn a_restart_keeps_it_and_damage_has_it_fetched_again_as_a_whole() {
    let bytes = content(9 * MIB, 1);
    let world = worlds(&bytes).swap_remove(0);
    {
        let remote = world.remote();
        assert_eq!(get(&remote, "image").as_deref(), Ok(&*bytes));
        end(remote, &world.cache(), 1);
    }
    {
        let remote = world.remote();
        assert_eq!(get(&remote, "image").as_deref(), Ok(&*bytes));
        assert_eq!(world.server.requests().len(), 1, "the cache has it");
        end(remote, &world.cache(), 1);
    }
    let damaged =
        fs::read_dir(world.cache().join("content")).expect("contents").flatten().next().expect("one");
    let file = fs::OpenOptions::new().write(true).open(damaged.path()).expect("a file");
    file.write_all_at(b"damage", 5 * MIB as u64).expect("room");
    let remote = world.remote();
    let reading = remote.get("image").expect("the file");
    let arrival = reading.arrival.clone().expect("it is not verified");
    assert_eq!(arrival.wait(0, 1, LONG).ok(), Some(Waited::Arrived));
    assert_eq!(read(&reading), Err("changed".into()), "no part of another answer is put in");
    assert_eq!(get(&remote, "image").as_deref(), Ok(&*bytes));
    let ranged = world.server.requests().iter().filter(|request| request.header("range").is_some()).count();
    assert_eq!((world.server.requests().len(), ranged), (2, 0));
}
