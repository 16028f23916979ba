//! Uploads: whole, in parts, refused, broken off.

use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use tuffet_config::Location;
use tuffet_request::ClientKey;
use tuffet_store::{Origin, Reach, StoreError, Waited};

use super::server::{DATE, Page, Server, Then, respond};
use super::world::{LONG, MIB, World, content, get, read};

pub fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("room");
    file
}

#[test]
fn a_web_server_gets_the_whole_upload() {
    let world = World::with(|spec| spec.cache.revalidate = Duration::from_secs(600));
    let remote = world.remote();
    assert!(get(&remote, "log").is_err(), "its absence is remembered");
    let bytes = content(700_000, 1);
    remote.store("log", &file(&bytes), bytes.len() as u64, false).expect("it is stored");
    assert_eq!(get(&remote, "log").as_deref(), Ok(&*bytes), "and forgotten");
    let taken = remote.store("log", &file(b"x"), 1, false).expect_err("it is taken");
    assert!(matches!(taken, StoreError::Exists), "{taken}");
    remote.store("log", &file(b"x"), 1, true).expect("it is replaced");
    assert_eq!(get(&remote, "log").as_deref(), Ok(&b"x"[..]), "whatever the cache had");
    assert_eq!(remote.state().counts.sent, 700_001);
}

#[test]
fn a_refusal_of_the_store_is_reported() {
    let world = World::new();
    let remote = world.remote();
    for (status, forbidden) in [(403, true), (507, false), (405, true)] {
        world.server.trick(move |_, stream, _| {
            let _ = respond(stream, status, &[], b"", false);
            Then::Next
        });
        let error = remote.store("log", &file(b"x"), 1, true).expect_err("it is refused");
        assert_eq!(matches!(error, StoreError::RefusedByOrigin { .. }), forbidden, "{status}: {error}");
        assert!(error.to_string().contains(&status.to_string()), "{error}");
    }
}

#[test]
fn s3_creates_only_missing_files() {
    let world = World::s3(|_| {});
    let remote = world.remote();
    world.server.trick(|request, stream, _| {
        let taken = request.target == "/files/taken" && request.header("if-none-match") == Some("*");
        let _ = respond(stream, if taken { 412 } else { 200 }, &[("ETag", "\"1\"".into())], b"", false);
        Then::Next
    });
    remote.store("new", &file(b"x"), 1, false).expect("it is created");
    let taken = remote.store("taken", &file(b"x"), 1, false).expect_err("it is taken");
    assert!(matches!(taken, StoreError::Exists), "{taken}");
    remote.store("taken", &file(b"x"), 1, true).expect("it is replaced");
    assert!(
        world.server.requests().iter().all(|request| request.header("authorization").is_some()),
        "signed"
    );
}

#[test]
fn s3_gets_large_uploads_in_parts_and_forgets_those_that_fail() {
    let world = World::s3(|_| {});
    let failing = Arc::new(AtomicU32::new(0));
    let (parts, fails) = (Arc::new(Mutex::new(Vec::new())), Arc::clone(&failing));
    let received = Arc::clone(&parts);
    world.server.trick(move |request, stream, _| {
        let query = request.target.split_once('?').map(|(_, query)| query).unwrap_or_default();
        let (status, headers, body) = match (&*request.method, query) {
            ("POST", query) if query.starts_with("uploads") => (
                200,
                vec![],
                "<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>",
            ),
            ("PUT", query) if query.contains("partNumber") => {
                let fails = fails.load(Ordering::SeqCst) == 1 && query.contains("partNumber=2");
                received.lock().unwrap().push(request.body.len());
                (if fails { 400 } else { 200 }, vec![("ETag", "\"part\"".to_owned())], "")
            }
            ("POST", _) => (
                200,
                vec![],
                "<CompleteMultipartUploadResult><ETag>\"whole\"</ETag></CompleteMultipartUploadResult>",
            ),
            _ => (204, vec![], ""),
        };
        let _ = respond(stream, status, &headers, body.as_bytes(), false);
        Then::Next
    });
    let remote = world.remote();
    let bytes = content(17 * MIB, 1);
    remote.store("dump", &file(&bytes), bytes.len() as u64, false).expect("it is stored");
    assert_eq!(*parts.lock().unwrap(), [8 * MIB, 8 * MIB, MIB]);
    let requests = world.server.requests();
    let end = requests.last().expect("requests");
    assert_eq!(
        (&*end.method, end.header("if-none-match")),
        ("POST", Some("*")),
        "it must not replace a file"
    );

    failing.store(1, Ordering::SeqCst);
    let error = remote.store("dump", &file(&bytes), bytes.len() as u64, true).expect_err("a part fails");
    assert!(error.to_string().contains("400"), "{error}");
    let deadline = Instant::now() + LONG;
    while world.server.methods().last().map(String::as_str) != Some("DELETE") {
        assert!(Instant::now() < deadline, "the upload in parts is not aborted");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A server that stores the first upload, and answers it with this status; with none, it closes the connection.
fn stores_and_says(
    world: &World,
    status: Option<u16>,
    stored: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static,
) {
    let first = AtomicU32::new(0);
    world.server.trick(move |request, stream, server| {
        if request.method != "PUT" || first.fetch_add(1, Ordering::SeqCst) > 0 {
            return Then::Serve;
        }
        server.put("log", stored(&request.body));
        match status {
            Some(status) => {
                let _ = respond(stream, status, &[], b"", false);
                Then::Next
            }
            None => Then::Close,
        }
    });
}

#[test]
fn an_upload_that_was_stored_without_a_word_is_stored() {
    let bytes = content(300_000, 1);
    for status in [None, Some(500)] {
        let world = World::new();
        let remote = world.remote();
        stores_and_says(&world, status, <[u8]>::to_vec);
        remote.store("log", &file(&bytes), bytes.len() as u64, false).expect("the origin has it");
        assert_eq!(world.server.methods(), ["PUT", "PUT", "GET"], "{status:?}");
        assert_eq!(get(&remote, "log").as_deref(), Ok(&*bytes));
    }
}

#[test]
fn the_file_of_another_writer_fails_the_second_attempt() {
    let bytes = content(300_000, 1);
    for other in [bytes[1..].to_vec(), [&*bytes, b"x"].concat(), vec![0; bytes.len()]] {
        let world = World::new();
        stores_and_says(&world, Some(503), move |_| other.clone());
        let taken = world.remote().store("log", &file(&bytes), bytes.len() as u64, false);
        assert!(matches!(taken, Err(StoreError::Exists)), "{taken:?}");
    }
}

#[test]
fn an_upload_that_never_gets_an_answer_fails() {
    let world = World::with(|spec| spec.timeout = Duration::from_millis(300));
    world.server.trick(|_, _, _| Then::Close);
    assert!(world.remote().store("log", &file(b"x"), 1, false).is_err());
}

/// 202 promises to store it later, 206 and 203 speak of something else, and what a redirect leads to is another
/// request.
#[test]
fn few_statuses_say_that_an_upload_is_stored() {
    for (s3, status) in
        [(false, 202), (false, 203), (false, 206), (false, 302), (false, 303), (false, 307), (true, 202)]
    {
        let world = if s3 { World::s3(|_| {}) } else { World::new() };
        world.server.put("thanks", b"thanks".to_vec());
        world.server.trick(move |request, stream, _| {
            if request.method != "PUT" {
                return Then::Serve;
            }
            let headers = [("Location", "/files/thanks".to_owned()), ("ETag", "\"1\"".to_owned())];
            let _ = respond(stream, status, &headers, b"", false);
            Then::Next
        });
        let remote = world.remote();
        let error = remote.store("log", &file(b"x"), 1, true).expect_err("it is not stored");
        assert!(matches!(error, StoreError::RefusedByOrigin { .. }), "{status}: {error}");
        assert!(error.to_string().contains(&status.to_string()), "{error}");
        assert_eq!(world.server.methods(), ["PUT"], "it leads nowhere");
    }
    for status in [200, 201, 204] {
        let world = World::new();
        world.server.trick(move |_, stream, _| {
            let _ = respond(stream, status, &[], b"", status == 204);
            Then::Next
        });
        world.remote().store("log", &file(b"x"), 1, true).expect("it is stored");
    }
}

/// A server that calls each version of a file the same.
fn same_version(server: &Server, name: &str, bytes: &[u8]) {
    let (bytes, etag) = (Arc::new(bytes.to_vec()), Some("\"same\"".to_owned()));
    server.put_page(name, Page { bytes, etag, modified: Some(DATE.into()), ranges: true });
}

/// Has uploads of `log` stored under the version that it had before.
fn keep_version(server: &Server) {
    server.trick(|request, stream, server| {
        if request.method != "PUT" {
            return Then::Serve;
        }
        same_version(server, "log", &request.body);
        let _ = respond(stream, 201, &[], b"", false);
        Then::Next
    });
}

#[test]
fn an_upload_is_read_whatever_its_version_is_called() {
    let world = World::new();
    keep_version(&world.server);
    // Another root of this server has the same folder, and a separate cache.
    let mut spec = world.spec.clone();
    spec.cache.path = world.folder.path().join("other");
    let (remote, other) = (world.remote(), crate::Remote::open(spec).expect("a client"));
    let mut contents = Vec::new();
    for bytes in [b"one", b"two", b"six"] {
        remote.store("log", &file(bytes), 3, true).expect("it is stored");
        for remote in [&remote, &other] {
            let open = remote.get("log").expect("the file");
            assert_eq!(read(&open).as_deref(), Ok(&bytes[..]));
            assert!(!contents.contains(&open.content), "memory takes them for one");
            contents.push(open.content);
        }
    }
}

/// Past the cache, each piece comes from a separate answer: an equal ETag does not join two contents.
#[test]
fn reads_past_the_cache_do_not_mix_versions() {
    const SIZE: usize = 256 << 10;
    let world = World::with(|spec| spec.cache.bytes = 8 * (SIZE as u64 + 8192));
    keep_version(&world.server);
    for name in ["a", "b"] {
        world.server.put(name, content(SIZE, 1));
    }
    same_version(&world.server, "log", &content(SIZE, 2));
    let remote = world.remote();
    // A root of the folder above, which has the same file under another path.
    let mut above = world.spec.clone();
    above.location =
        Location::Http { url: world.server.url().trim_end_matches("/files").parse().expect("a URL") };
    above.cache.path = world.folder.path().join("other");
    let above = crate::Remote::open(above).expect("a client");
    let client = ClientKey::of(&([192, 0, 2, 1], 2000).into(), 64);
    let open = |name| remote.open(name, client, Reach::Origin).expect("the file").expect("an answer");
    let _share = [open("a"), open("b")];
    let log = open("log");
    let at_once = remote.open("log", client, Reach::Cache);
    assert!(matches!(at_once, Ok(None)), "its bytes come over the network");
    let arrival = log.arrival.as_ref().expect("it is read past the cache");
    assert_eq!(arrival.wait(0, 1000, LONG).ok(), Some(Waited::NoRoom));
    assert_eq!(arrival.read_past(0, 1000, LONG).ok().flatten(), Some(content(SIZE, 2)[..1000].to_vec()));
    remote.store("log", &file(&content(SIZE, 3)), SIZE as u64, true).expect("it is stored");
    assert_eq!(arrival.read_past(1000, 1000, LONG).ok(), Some(None), "it has changed");
    assert_eq!(
        open("log").arrival.expect("past the cache").read_past(0, 9, LONG).ok().flatten().as_deref(),
        Some(&content(SIZE, 3)[..9])
    );
    let arrival = open("log").arrival.expect("past the cache");
    above.store("files/log", &file(&content(SIZE, 4)), SIZE as u64, true).expect("it is stored");
    assert_eq!(
        arrival.read_past(1000, 1000, LONG).ok(),
        Some(None),
        "it has changed by way of the other root"
    );
}

/// Downloads and look-ups that begin before an upload, and end after it was acknowledged.
#[test]
fn a_download_in_flight_is_not_taken_for_the_upload() {
    let world = World::new();
    same_version(&world.server, "log", b"old");
    let (come, has_come) = mpsc::channel();
    let (go, may_go) = mpsc::channel::<()>();
    let (come, may_go) = (Mutex::new(come), Mutex::new(may_go));
    let first = AtomicU32::new(0);
    world.server.trick(move |request, stream, server| {
        if request.method == "PUT" {
            same_version(server, "log", &request.body);
            let _ = respond(stream, 201, &[], b"", false);
            return Then::Next;
        }
        if first.fetch_add(1, Ordering::SeqCst) > 0 {
            return Then::Serve;
        }
        come.lock().unwrap().send(()).unwrap();
        let _ = may_go.lock().unwrap().recv();
        let _ = respond(stream, 200, &[("ETag", "\"same\"".into())], b"old", false);
        Then::Next
    });
    let remote = world.remote();
    std::thread::scope(|scope| {
        let early = scope.spawn(|| get(&remote, "log"));
        has_come.recv_timeout(LONG).expect("it asks");
        remote.store("log", &file(b"new"), 3, true).expect("it is stored");
        let late = scope.spawn(|| get(&remote, "log"));
        go.send(()).unwrap();
        assert_eq!(late.join().unwrap().as_deref(), Ok(&b"new"[..]));
        assert_eq!(early.join().unwrap().as_deref(), Ok(&b"new"[..]), "it had not begun");
    });
    assert_eq!(get(&remote, "log").as_deref(), Ok(&b"new"[..]));
}

/// The answer to an upload is lost. What the origin has since then is read, here and after a restart, although its
/// version has the same name: neither is a part of the old content joined to it, nor is the old one taken for it.
#[test]
fn an_upload_without_an_answer_may_have_replaced_the_file() {
    let (old, new) = (content(9 * MIB, 1), content(9 * MIB, 2));
    for restart in [false, true] {
        for whole in [MIB, 16 * MIB] {
            let world = World::with(|spec| {
                spec.cache.whole = whole as u64;
                spec.timeout = Duration::from_secs(1);
            });
            same_version(&world.server, "log", &old);
            let mut remote = world.remote();
            let first = remote.get("log").expect("the file");
            let arrival = first.arrival.as_ref().map(|arrival| arrival.wait(0, 4 * MIB as u64, LONG));
            assert!(arrival.is_none_or(|arrived| arrived.ok() == Some(Waited::Arrived)));
            if whole > 9 * MIB {
                assert!(read(&first).is_ok());
            }
            drop(first);
            super::cached::settled(&remote, &world.cache(), 1);
            world.server.trick(|request, _, server| {
                if request.method != "PUT" {
                    return Then::Serve;
                }
                same_version(server, "log", &request.body);
                Then::Close
            });
            let stored = remote.store("log", &file(&new), new.len() as u64, true);
            assert!(stored.is_err(), "the answer was lost");
            if restart {
                super::cached::end(remote, &world.cache(), 0);
                remote = world.remote();
            }
            assert!(get(&remote, "log").as_deref() == Ok(&*new), "restart {restart}, whole {whole}");
        }
    }
}

#[test]
fn a_region_that_is_the_usual_one_makes_no_other_place() {
    let place = |change: fn(&mut Option<url::Url>, &mut Option<String>)| {
        let world = World::s3(|spec| {
            if let Location::S3 { endpoint, region, .. } = &mut spec.location {
                *endpoint = Some("http://store.example:9000".parse().expect("a URL"));
                change(endpoint, region);
            }
        });
        crate::core::Core::new(world.spec.clone()).expect("a client").home
    };
    let usual = place(|endpoint, region| (*endpoint, *region) = (None, None));
    assert_eq!(usual, place(|endpoint, region| (*endpoint, *region) = (None, Some("us-east-1".into()))));
    assert_ne!(usual, place(|endpoint, region| (*endpoint, *region) = (None, Some("us-gov-west-1".into()))));
    assert_eq!(place(|_, _| {}), place(|_, region| *region = None), "the endpoint alone says where it is");
}
