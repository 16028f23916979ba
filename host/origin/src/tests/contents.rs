//! How bytes arrive.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use tuffet_store::Waited;

use super::server::{Page, Then, begin};
use super::world::{LONG, MIB, World, content, get, read};

/// Sends this many bytes of the whole file, and ends.
fn cut(length: usize, at: usize, etag: Option<&str>, stream: &mut std::net::TcpStream, bytes: &[u8]) -> Then {
    let headers: Vec<_> = etag.map(|etag| ("ETag", etag.to_owned())).into_iter().collect();
    let _ = begin(stream, 200, &headers, length);
    let _ = stream.write_all(&bytes[..at]);
    Then::Close
}

#[test]
fn readers_get_bytes_before_the_download_has_ended() {
    let world = World::new();
    let bytes = content(2 * MIB, 1);
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let (sent, opened) = (bytes.clone(), Arc::clone(&gate));
    world.server.trick(move |_, stream, _| {
        let _ = begin(stream, 200, &[("ETag", "\"1\"".into())], sent.len());
        let _ = stream.write_all(&sent[..MIB]);
        let open = opened.0.lock().unwrap();
        drop(opened.1.wait_while(open, |open| !*open).unwrap());
        let _ = stream.write_all(&sent[MIB..]);
        Then::Next
    });
    let file = world.remote().get("file").expect("the file");
    assert_eq!(file.meta.size, 2 * MIB as u64, "its size is known");
    let arrival = file.arrival.clone().expect("it is still arriving");
    assert_eq!(arrival.wait(0, MIB as u64, LONG).expect("the first half"), Waited::Arrived);
    assert!(arrival.arrived(0, 2 * MIB as u64) < 2 * MIB as u64);
    let late = arrival.wait(MIB as u64, 1, Duration::from_millis(50)).expect_err("the second is not there");
    assert_eq!(late.kind(), std::io::ErrorKind::TimedOut);
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    assert_eq!(read(&file).as_deref(), Ok(&*bytes));
}

#[test]
fn a_download_that_breaks_off_goes_on_where_it_was() {
    let world = World::new();
    let bytes = content(9 * MIB, 2);
    world.server.put("file", bytes.clone());
    let asked = AtomicU32::new(0);
    world.server.trick(move |request, stream, server| {
        if asked.fetch_add(1, Ordering::SeqCst) > 0 {
            return Then::Serve;
        }
        let page = server.page(&request.target).expect("a page");
        cut(page.bytes.len(), 5 * MIB, page.etag.as_deref(), stream, &page.bytes)
    });
    let remote = world.remote();
    assert_eq!(get(&remote, "file").as_deref(), Ok(&*bytes));
    let requests = world.server.requests();
    assert_eq!(requests.len(), 2);
    let range = requests[1].header("range").expect("a range");
    assert!(range.ends_with(&format!("-{}", 9 * MIB - 1)) && !range.starts_with("bytes=0-"), "{range}");
    assert!(requests[1].header("if-match").is_some(), "of the same version");
    assert!(remote.get("file").expect("the file").arrival.is_none());
}

#[test]
fn a_server_without_ranges_resends_cached_bytes() {
    let world = World::new();
    let bytes = content(MIB, 3);
    world.server.put("file", bytes.clone());
    let page = world.server.page("/files/file").expect("a page");
    world.server.put_page("file", Page { ranges: false, ..page });
    let asked = AtomicU32::new(0);
    world.server.trick(move |request, stream, server| {
        if asked.fetch_add(1, Ordering::SeqCst) > 0 {
            return Then::Serve;
        }
        let page = server.page(&request.target).expect("a page");
        cut(page.bytes.len(), MIB / 2, page.etag.as_deref(), stream, &page.bytes)
    });
    assert_eq!(get(&world.remote(), "file").as_deref(), Ok(&*bytes));
}

#[test]
fn a_download_without_a_version_is_never_continued() {
    let world = World::new();
    let (first, second) = (content(MIB, 4), content(MIB, 5));
    let asked = AtomicU32::new(0);
    let (open, opened) = std::sync::mpsc::channel();
    let opened = Mutex::new(opened);
    world
        .server
        .put_page("file", Page { bytes: Arc::new(second.clone()), etag: None, modified: None, ranges: true });
    world.server.trick(move |_, stream, _| {
        if asked.fetch_add(1, Ordering::SeqCst) > 0 {
            return Then::Serve;
        }
        let then = cut(MIB, MIB / 2, None, stream, &first);
        // A download that ends before a reader opens the file would be replaced by the next one.
        let _ = opened.lock().unwrap().recv();
        then
    });
    let remote = world.remote();
    let file = remote.get("file").expect("the file");
    open.send(()).expect("the server waits");
    let arrival = file.arrival.clone().expect("it is still arriving");
    let ended = arrival.wait(0, MIB as u64, LONG);
    assert!(!matches!(ended, Ok(Waited::Arrived)), "{ended:?}");
    assert!(read(&file).is_err(), "its rest would be of another file");
    assert_eq!(get(&remote, "file").as_deref(), Ok(&*second), "the next request gets the next one, whole");
}

#[test]
fn a_server_that_always_sends_too_little_is_given_up() {
    let world = World::with(|spec| spec.timeout = Duration::from_secs(2));
    let bytes = content(4096, 6);
    world.server.trick(move |request, stream, _| {
        let etag = [("ETag", "\"1\"".to_owned())];
        if let Some(range) = request.header("range") {
            let from: usize = range.trim_start_matches("bytes=").split('-').next().unwrap().parse().unwrap();
            let range = ("Content-Range", format!("bytes {from}-8191/8192"));
            let _ = begin(stream, 206, &[etag[0].clone(), range], 8192 - from);
            return Then::Close;
        }
        let _ = begin(stream, 200, &etag, 8192);
        let _ = stream.write_all(&bytes);
        Then::Close
    });
    let file = world.remote().get("file").expect("its beginning");
    let error = read(&file).expect_err("no end");
    assert!(error.contains("broke off") || error.contains("ended early"), "{error}");
}

#[test]
fn a_server_that_stops_sending_is_given_up() {
    let world = World::with(|spec| spec.timeout = Duration::from_millis(200));
    let stopped = Arc::new(AtomicBool::new(false));
    let stopping = Arc::clone(&stopped);
    world.server.trick(move |_, stream, _| {
        let _ = begin(stream, 200, &[("ETag", "\"1\"".into())], 100_000);
        let _ = stream.write_all(&[1; 1000]);
        while !stopping.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(10));
        }
        Then::Close
    });
    // A busy machine may not begin in time.
    let file = (0..20).find_map(|name| world.remote().get(&name.to_string()).ok()).expect("its beginning");
    let error = read(&file).expect_err("no end");
    stopped.store(true, Ordering::SeqCst);
    assert!(error.contains("200ms"), "{error}");
}

#[test]
fn a_file_that_changes_under_a_reader_is_never_mixed() {
    let world = World::with(|spec| spec.cache.whole = MIB as u64);
    let (old, new) = (content(12 * MIB, 7), content(12 * MIB, 8));
    world.server.put("file", old.clone());
    let remote = world.remote();
    let file = remote.get("file").expect("the file");
    let arrival = file.arrival.clone().expect("only a part has arrived");
    assert_eq!(arrival.wait(0, 4 * MIB as u64, LONG).expect("the first part"), Waited::Arrived);
    world.server.put("file", new.clone());
    assert_eq!(
        arrival.wait(8 * MIB as u64, 1, LONG).expect("an answer"),
        Waited::Changed,
        "there is no such part any more"
    );
    assert_eq!(read(&file), Err("changed".into()));
    assert_eq!(get(&remote, "file").as_deref(), Ok(&*new));
}

#[test]
fn parts_of_another_version_are_refused_where_the_server_heeds_no_conditions() {
    let world = World::with(|spec| spec.cache.whole = MIB as u64);
    world.server.put("file", content(12 * MIB, 9));
    world.server.trick(|request, stream, server| {
        let mut request = request.clone();
        request.headers.remove("if-match");
        let _ = server.answer(&request, stream);
        Then::Next
    });
    let remote = world.remote();
    let file = remote.get("file").expect("the file");
    let arrival = file.arrival.clone().expect("only a part has arrived");
    assert_eq!(arrival.wait(0, 1, LONG).expect("the first part"), Waited::Arrived);
    world.server.put("file", content(12 * MIB, 10));
    assert_eq!(arrival.wait(8 * MIB as u64, 1, LONG).expect("an answer"), Waited::Changed);
}

#[test]
fn only_the_parts_of_a_large_file_that_are_read_are_fetched() {
    let world = World::with(|spec| spec.cache.whole = MIB as u64);
    let bytes = content(40 * MIB, 11);
    world.server.put("disk.img", bytes.clone());
    let remote = world.remote();
    let file = remote.get("disk.img").expect("the file");
    let arrival = file.arrival.clone().expect("only a part has arrived");
    assert_eq!(arrival.wait(20 * MIB as u64, 1, LONG).expect("a part"), Waited::Arrived);
    let mut piece = [0; 100];
    std::os::unix::fs::FileExt::read_exact_at(&*file.file, &mut piece, 20 * MIB as u64).expect("bytes");
    assert_eq!(piece, bytes[20 * MIB..][..100]);
    // The one that was read and the one behind it, beside the first.
    let deadline = std::time::Instant::now() + LONG;
    while remote.state().running > 0 && std::time::Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    let ranges: Vec<_> =
        world.server.requests().iter().filter_map(|it| it.header("range").map(str::to_owned)).collect();
    assert!(ranges.contains(&format!("bytes={}-{}", 20 * MIB, 24 * MIB - 1)), "{ranges:?}");
    assert!(ranges.len() <= 2, "{ranges:?}");
    assert_eq!(read(&file).as_deref(), Ok(&*bytes));
    let state = remote.state();
    assert_eq!(state.cache_bytes, 40 * MIB as u64);
}

/// Each request costs a round trip.
#[test]
fn a_reader_that_goes_on_gets_more_with_each_request() {
    let world = World::with(|spec| spec.cache.whole = MIB as u64);
    let bytes = content(116 * MIB, 13);
    world.server.put("disk.img", bytes.clone());
    assert!(get(&world.remote(), "disk.img").as_deref() == Ok(&*bytes));
    // Parts 0, 1 and 2, 3 and 4, 5 to 8, 9 to 12, 13 to 20, and the rest.
    let requests = world.server.requests();
    let ranges: Vec<_> = requests.iter().filter_map(|it| it.header("range")).collect();
    assert!(ranges.len() <= 6, "{ranges:?}");
    let longest = format!("bytes={}-{}", 52 * MIB, 84 * MIB - 1);
    assert!(ranges.contains(&&*longest), "{ranges:?}");
}

#[test]
fn a_large_file_of_a_server_without_ranges_is_not_fetched_once_for_each_part() {
    let world = World::with(|spec| spec.cache.whole = MIB as u64);
    let bytes = content(48 * MIB, 12);
    world.server.put("disk.img", bytes.clone());
    let page = world.server.page("/files/disk.img").expect("a page");
    world.server.put_page("disk.img", Page { ranges: false, ..page });
    let remote = world.remote();
    assert_eq!(get(&remote, "disk.img").as_deref(), Ok(&*bytes));
    // The first, two parts that were wanted before this was known, each once more, and the rest.
    assert!(world.server.requests().len() <= 6, "{}", world.server.requests().len());
    let before = world.server.requests().len();
    world.server.put("other", bytes.clone());
    assert_eq!(get(&remote, "other").as_deref(), Ok(&*bytes));
    assert_eq!(world.server.requests().len(), before + 1, "now it is known");
}

#[test]
fn an_empty_file_is_a_file() {
    let world = World::new();
    world.server.put("empty", Vec::new());
    let remote = world.remote();
    assert_eq!(get(&remote, "empty").as_deref(), Ok(&b""[..]));
    assert_eq!(get(&remote, "empty").as_deref(), Ok(&b""[..]));
    assert_eq!(world.server.methods(), ["GET"]);
}

#[test]
fn an_answer_without_a_length_is_refused_by_name() {
    let world = World::new();
    world.server.trick(|_, stream, _| {
        let _ =
            stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n");
        Then::Close
    });
    let error = super::world::error(&world.remote(), "file").to_string();
    assert!(error.contains("Content-Length"), "{error}");
}
