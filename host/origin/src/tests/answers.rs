//! What an origin answers, and what becomes of it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use tuffet_request::ErrorCode;
use tuffet_store::{Origin, Reach, StoreError};

use super::server::{Page, Server, Then, respond};
use super::world::{World, content, error, get, spec};
use crate::{BreakerState, FetchKind};

#[test]
fn a_file_is_fetched_once_and_served_from_the_cache() {
    let world = World::new();
    let bytes = content(300_000, 1);
    world.server.put("boot/kernel", bytes.clone());
    let remote = world.remote();
    assert_eq!(get(&remote, "boot/kernel").as_deref(), Ok(&*bytes));
    let again = remote.get("boot/kernel").expect("the file");
    assert_eq!(again.meta.size, 300_000);
    assert_eq!(again.meta.modified_unix_ms, 1_667_724_577_000);
    assert!(again.arrival.is_none(), "all of it has arrived");
    assert_eq!(world.server.methods(), ["GET"]);
    let counts = remote.state().counts;
    assert_eq!((counts.hits, counts.misses, counts.fetches, counts.received), (1, 1, 1, 300_000));
}

#[test]
fn many_readers_of_a_cold_file_cause_one_request() {
    let world = World::new();
    let bytes = content(3_000_000, 2);
    world.server.put("image", bytes.clone());
    world.server.trick(|_, _, _| {
        // The others come meanwhile.
        std::thread::sleep(Duration::from_millis(100));
        Then::Serve
    });
    let (remote, barrier) = (world.remote(), Barrier::new(200));
    std::thread::scope(|scope| {
        for _ in 0..200 {
            scope.spawn(|| {
                barrier.wait();
                assert_eq!(get(&remote, "image").as_deref(), Ok(&*bytes));
            });
        }
    });
    assert_eq!(world.server.methods(), ["GET"]);
}

#[test]
fn many_requests_for_a_missing_file_cause_one_and_its_absence_is_remembered() {
    let world = World::with(|spec| spec.cache.negative = Duration::from_secs(1));
    let (remote, barrier) = (world.remote(), Barrier::new(50));
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| {
                barrier.wait();
                assert!(matches!(error(&remote, "none"), StoreError::NotFound));
            });
        }
    });
    assert_eq!(world.server.methods(), ["GET"]);
    std::thread::sleep(Duration::from_millis(1010));
    world.server.put("none", b"now".to_vec());
    assert_eq!(get(&remote, "none").as_deref(), Ok(&b"now"[..]), "it is looked for again");
}

#[test]
fn statuses_have_their_meaning() {
    let world = World::with(|spec| spec.cache.negative = Duration::ZERO);
    world.server.trick(|request, stream, _| {
        let status = request.target.rsplit('/').next().and_then(|name| name.parse().ok()).unwrap_or(200);
        let _ = respond(stream, status, &[], b"<Code>SomeReason</Code>", request.method == "HEAD");
        Then::Next
    });
    let remote = world.remote();
    let codes = [
        ("404", ErrorCode::FileNotFound),
        ("410", ErrorCode::FileNotFound),
        ("401", ErrorCode::AccessViolation),
        ("403", ErrorCode::AccessViolation),
    ];
    for (status, code) in codes {
        assert_eq!(error(&remote, status).code(), code, "{status}");
    }
    assert!(error(&remote, "403").to_string().contains("403 (SomeReason)"));
    // Nobody can do anything with these, and another server may do better.
    for status in ["400", "500", "503"] {
        let error = error(&remote, status);
        assert!(matches!(error, StoreError::Unreachable { .. }), "{status}: {error}");
        assert!(error.to_string().contains(status), "{error}");
    }
}

#[test]
fn a_server_that_fails_is_asked_again() {
    let world = World::new();
    world.server.put("file", b"good".to_vec());
    let asked = AtomicU32::new(0);
    world.server.trick(move |_, stream, _| match asked.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => {
            let _ = respond(stream, 500, &[], b"", false);
            Then::Next
        }
        _ => Then::Serve,
    });
    let remote = world.remote();
    let records = Arc::new(std::sync::Mutex::new(Vec::new()));
    let hook = Arc::clone(&records);
    remote.on_fetch(Arc::new(move |fetch| hook.lock().unwrap().push(fetch.clone())));
    assert_eq!(get(&remote, "file").as_deref(), Ok(&b"good"[..]));
    // The record of the last attempt comes when the answer has been stored.
    let deadline = Instant::now() + super::world::LONG;
    while records.lock().unwrap().len() < 3 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    let records = records.lock().unwrap();
    let seen: Vec<_> = records.iter().map(|fetch| (fetch.attempt, fetch.status, fetch.bytes)).collect();
    assert_eq!(seen, [(1, Some(500), 0), (2, Some(500), 0), (3, Some(200), 4)]);
    assert!(records.iter().all(|fetch| fetch.kind == FetchKind::Whole && &*fetch.path == "file"));
    assert!(records[0].error.as_ref().is_some_and(|error| error.contains("500")));
    assert!(remote.state().away.is_none());
}

#[test]
fn a_server_that_hangs_is_given_up_in_time() {
    let world = World::with(|spec| spec.timeout = Duration::from_millis(300));
    world.server.trick(|_, _, _| {
        std::thread::sleep(super::world::LONG);
        Then::Close
    });
    let remote = world.remote();
    let started = Instant::now();
    let error = error(&remote, "file");
    assert!(error.to_string().contains("no answer within 300ms"), "{error}");
    assert!(started.elapsed() < super::world::LONG / 2, "{:?}", started.elapsed());
    assert!(remote.state().away.is_some_and(|away| away.why.contains("300ms")));
}

#[test]
fn a_dead_server_opens_the_breaker_and_a_living_one_closes_it() {
    let world = World::new();
    let remote = world.remote();
    world.server.stop();
    let deadline = Instant::now() + super::world::LONG;
    while remote.state().breaker == BreakerState::Closed && Instant::now() < deadline {
        let error = error(&remote, "file");
        assert!(error.to_string().contains("refused"), "{error}");
    }
    let fetches = remote.state().counts.fetches;
    assert!(matches!(error(&remote, "other"), StoreError::Unreachable { .. }));
    assert_eq!(remote.state().counts.fetches, fetches, "without a request");
    let server = Server::start_at(world.server.address);
    server.put("file", b"back".to_vec());
    while get(&remote, "file").is_err() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(remote.state().breaker, BreakerState::Closed);
    assert!(remote.state().away.is_none());
    server.stop();
}

#[test]
fn versions_are_validated_and_replaced() {
    let world = World::with(|spec| spec.cache.revalidate = Duration::ZERO);
    world.server.put("config", b"one".to_vec());
    let remote = world.remote();
    assert_eq!(get(&remote, "config").as_deref(), Ok(&b"one"[..]));
    assert_eq!(get(&remote, "config").as_deref(), Ok(&b"one"[..]));
    let requests = world.server.requests();
    assert_eq!(requests.len(), 2);
    let etag = world.server.page("/files/config").and_then(|page| page.etag);
    assert_eq!(requests[1].header("if-none-match"), etag.as_deref());
    let open = remote.get("config").expect("the file");
    world.server.put("config", b"another".to_vec());
    assert_eq!(get(&remote, "config").as_deref(), Ok(&b"another"[..]));
    assert_eq!(super::world::read(&open).as_deref(), Ok(&b"one"[..]), "its reader reads it to the end");
    world.server.remove("config");
    assert!(matches!(error(&remote, "config"), StoreError::NotFound));
    assert_eq!(remote.state().cache_files, 0);
}

#[test]
fn a_server_that_ignores_conditions_resends_a_cached_file_in_vain() {
    let world = World::with(|spec| spec.cache.revalidate = Duration::ZERO);
    world.server.put("file", b"same".to_vec());
    world.server.trick(|request, stream, server| {
        let mut request = request.clone();
        request.headers.remove("if-none-match");
        let _ = server.answer(&request, stream);
        Then::Next
    });
    let remote = world.remote();
    let first = remote.get("file").expect("the file").meta;
    assert_eq!(get(&remote, "file").as_deref(), Ok(&b"same"[..]));
    assert_eq!(remote.get("file").expect("the file").meta, first);
}

#[test]
fn a_modification_time_takes_the_place_of_a_tag_even_in_the_future() {
    let world = World::with(|spec| spec.cache.revalidate = Duration::ZERO);
    let page = |date: &str| Page {
        bytes: Arc::new(b"dated".to_vec()),
        etag: None,
        modified: Some(date.into()),
        ranges: false,
    };
    let future = "Sun, 06 Nov 2044 08:49:37 GMT";
    world.server.put_page("file", page(future));
    let remote = world.remote();
    let first = remote.get("file").expect("the file").meta;
    assert_eq!(remote.get("file").expect("the file").meta, first);
    assert_eq!(world.server.requests()[1].header("if-modified-since"), Some(future));
    world.server.put_page("file", page("Sun, 06 Nov 2044 08:49:38 GMT"));
    assert_ne!(remote.get("file").expect("the file").meta.version, first.version);
}

#[test]
fn stale_files_are_served_within_their_bound_while_the_origin_is_down() {
    let mut world = World::with(|spec| {
        spec.cache.revalidate = Duration::ZERO;
        spec.timeout = Duration::from_secs(1);
    });
    world.server.put("file", b"stale".to_vec());
    let remote = world.remote();
    assert_eq!(get(&remote, "file").as_deref(), Ok(&b"stale"[..]));
    world.server.trick(|_, stream, _| {
        let _ = respond(stream, 503, &[], b"", false);
        Then::Next
    });
    assert_eq!(get(&remote, "file").as_deref(), Ok(&b"stale"[..]), "it fails");
    world.server.stop();
    assert_eq!(get(&remote, "file").as_deref(), Ok(&b"stale"[..]), "it is gone");
    assert_eq!(remote.state().counts.stale, 2);
    assert!(matches!(error(&remote, "unknown"), StoreError::Unreachable { .. }));
    // Another generation of the server, with a shorter bound, on the same cache.
    world.spec.cache.stale_if_error = Duration::ZERO;
    assert!(matches!(error(&world.remote(), "file"), StoreError::Unreachable { .. }));
}

#[test]
fn sizes_are_looked_up_without_a_download() {
    let world = World::new();
    world.server.put("file", content(100_000, 3));
    let remote = world.remote();
    assert_eq!(remote.look_up("file", Reach::Origin).ok().flatten().map(|meta| meta.size), Some(100_000));
    assert_eq!(remote.look_up("file", Reach::Origin).ok().flatten().map(|meta| meta.size), Some(100_000));
    assert_eq!(world.server.methods(), ["HEAD"]);
    assert!(get(&remote, "file").is_ok());
    assert_eq!(world.server.methods(), ["HEAD", "GET"]);
}

#[test]
fn a_server_without_head_is_asked_for_the_file() {
    let world = World::new();
    world.server.put("file", content(1_000, 4));
    world.server.trick(|request, stream, _| match &*request.method {
        "HEAD" => {
            let _ = respond(stream, 405, &[], b"", true);
            Then::Next
        }
        _ => Then::Serve,
    });
    let remote = world.remote();
    assert_eq!(remote.look_up("file", Reach::Origin).expect("an answer").expect("the origin").size, 1_000);
    assert_eq!(world.server.methods(), ["HEAD", "GET"]);
}

#[test]
fn redirects_are_followed_but_not_for_ever() {
    let world = World::new();
    world.server.put("real", b"found".to_vec());
    world.server.trick(|request, stream, _| {
        let location = match &*request.target {
            "/files/moved" => "/files/real",
            "/files/loop" => "/files/loop",
            _ => return Then::Serve,
        };
        let _ = respond(stream, 302, &[("Location", location.into())], b"", false);
        Then::Next
    });
    let remote = world.remote();
    assert_eq!(get(&remote, "moved").as_deref(), Ok(&b"found"[..]));
    assert!(matches!(error(&remote, "loop"), StoreError::Unreachable { .. }));
    assert!(world.server.requests().len() < 15);
}

#[test]
fn a_store_that_finds_the_clock_wrong_says_so() {
    let world = World::s3(|_| {});
    world.server.trick(|_, stream, _| {
        let body = b"<?xml version=\"1.0\"?><Error><Code>RequestTimeTooSkewed</Code></Error>";
        let _ = respond(stream, 403, &[], body, false);
        Then::Next
    });
    let error = error(&world.remote(), "file");
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("clock"), "{error}");
}

#[test]
fn secrets_are_not_shown() {
    let world = World::s3(|_| {});
    let remote = world.remote();
    world.server.trick(|_, stream, _| {
        let _ = respond(stream, 403, &[], b"the-secret-key the-key-id", false);
        Then::Next
    });
    let refused = error(&remote, "file").to_string();
    world.server.stop();
    let gone = error(&remote, "other").to_string();
    for text in [refused, gone, format!("{remote:?}"), format!("{:?}", remote.state())] {
        assert!(!text.contains("the-secret-key") && !text.contains("the-key-id"), "{text}");
    }
}

#[test]
fn an_authority_that_is_none_is_refused() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let mut spec = spec("https://localhost/", folder.path());
    let path = folder.path().join("ca.pem");
    std::fs::write(&path, "no certificate").expect("a file");
    spec.ca = Some(path);
    let error = crate::Remote::open(spec).expect_err("no client").to_string();
    assert!(error.contains("ca.pem") && error.contains("no certificate"), "{error}");
}

#[test]
fn made_up_names_take_bounded_memory() {
    let world = World::new();
    let core = crate::core::Core::new(world.spec.clone()).expect("a client");
    let mut paths = core.paths();
    for name in 0..30_000 {
        core.bound(&mut paths);
        let slot = paths.entry(format!("name-{name}").into()).or_default();
        slot.absent = Some(Instant::now());
    }
    assert!(paths.len() <= 20_000);
}

/// A web server that redirects to another one, which redirects once more: only the first gets the login.
#[test]
fn a_login_goes_to_no_other_server() {
    let mut world = World::with(|spec| {
        spec.credentials = tuffet_config::Credentials::Bearer(tuffet_config::Secret::new("s3cr3t"));
    });
    let other = Server::start();
    other.put("real", b"found".to_vec());
    let (first, second) = (format!("{}/step", other.url()), format!("{}/real", other.url()));
    world.server.trick(move |_, stream, _| {
        let _ = respond(stream, 302, &[("Location", first.clone())], b"", false);
        Then::Next
    });
    other.trick(move |request, stream, _| match &*request.target {
        "/files/step" => {
            let _ = respond(stream, 307, &[("Location", second.clone())], b"", false);
            Then::Next
        }
        _ => Then::Serve,
    });
    world.spec.redirect_hosts = vec![other.address.to_string().parse().expect("a host")];
    assert_eq!(get(&world.remote(), "moved").as_deref(), Ok(&b"found"[..]));
    let login = |server: &Server| -> Vec<_> {
        server.requests().iter().map(|request| request.header("authorization").is_some()).collect()
    };
    assert_eq!((login(&world.server), login(&other)), (vec![true], vec![false, false]));
    other.stop();
}

/// Another port of this machine stands for whatever the origin cannot reach itself.
#[test]
fn redirects_lead_to_no_other_server_unless_it_is_named() {
    let mut world = World::new();
    let other = Server::start();
    other.put("secret", b"secret".to_vec());
    let secret = format!("{}/secret", other.url());
    world.server.trick(move |_, stream, _| {
        let _ = respond(stream, 302, &[("Location", secret.clone())], b"", false);
        Then::Next
    });
    let error = error(&world.remote(), "moved").to_string();
    assert!(error.contains(&other.address.to_string()) && error.contains("redirect-hosts"), "{error}");
    assert_eq!(other.requests().len(), 0);
    world.spec.redirect_hosts = vec![other.address.to_string().parse().expect("a host")];
    assert_eq!(get(&world.remote(), "moved").as_deref(), Ok(&b"secret"[..]));
    other.stop();
}

#[test]
fn a_file_comes_with_the_status_200_alone() {
    let world = World::with(|spec| spec.cache.negative = Duration::ZERO);
    world.server.trick(|request, stream, _| {
        let status = request.target.rsplit('/').next().and_then(|name| name.parse().ok()).unwrap_or(200);
        let headers = [("ETag", "\"1\"".to_owned()), ("Content-Range", "bytes 0-3/9".to_owned())];
        let _ = respond(stream, status, &headers, b"part", request.method == "HEAD");
        Then::Next
    });
    let remote = world.remote();
    for status in ["201", "202", "203", "206"] {
        let error = error(&remote, status);
        assert!(matches!(error, StoreError::Unreachable { .. }), "{status}: {error}");
        assert!(error.to_string().contains(status), "{error}");
        assert!(remote.look_up(status, Reach::Origin).is_err(), "{status}");
    }
    assert_eq!(remote.state().cache_files, 0);
}
