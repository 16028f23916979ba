//! GET and HEAD.

use super::client::Client;
use super::{Served, Setup, content};
use httpdate::HttpDate;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::{Duration, SystemTime};
use tokio::net::TcpListener;
use tuffet::{BoxFuture, Bytes, Protocol, ReadAt, Source, Verdict, Version, authorize_fn, resolve_fn};

#[test]
fn a_file_is_served_with_what_is_known_about_it() {
    let served = Served::start();
    served.write("grubx64.efi", content(70_000));
    let modified = SystemTime::now() - Duration::from_secs(3600);
    let file = File::options().append(true).open(served.folder.path().join("grubx64.efi")).unwrap();
    file.set_modified(modified).unwrap();
    let answer = served.ask(&["GET /grubx64.efi?query HTTP/1.1"]);
    assert_eq!((answer.status, answer.body.len()), (200, 70_000));
    assert_eq!(answer.body, content(70_000));
    let modified = HttpDate::from(modified).to_string();
    for (name, value) in [
        ("content-type", "application/efi"),
        ("accept-ranges", "bytes"),
        ("last-modified", &modified),
        ("cache-control", "no-cache"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
    assert!(answer.header("date").is_some() && answer.header("connection").is_none());
    assert_eq!(served.end(), "served grubx64.efi");
    let answer = served.ask(&["HEAD /grubx64.efi HTTP/1.1"]);
    assert_eq!((answer.status, answer.header("content-length")), (200, Some("70000")));
    assert_eq!(answer.header("content-type"), Some("application/efi"));
    assert_eq!(served.end(), "probed grubx64.efi");
    // As a program sends it that takes the server for a proxy, and an old one.
    let answer = served.ask(&["GET http://anything/./%67rubx64.efi HTTP/1.1"]);
    assert_eq!((answer.status, answer.body.len()), (200, 70_000));
    let mut old = served.connect();
    old.send("GET /grubx64.efi HTTP/1.0\r\n\r\n");
    assert_eq!(old.answer(false).body.len(), 70_000);
    assert!(old.is_closed());
}

#[test]
fn policy_sees_who_asks_and_how() {
    let (seen, requests) = channel();
    let seen = Mutex::new(seen);
    let mut served = Served::with(Setup::default(), |builder| {
        builder.authorize(
            "see",
            authorize_fn(move |request| {
                let facts =
                    (request.protocol, request.client.ip(), request.local_address, request.class.as_str());
                let _ = seen.lock().map(|seen| seen.send(facts));
                Verdict::Abstain
            }),
        )
    });
    let client = [127, 0, 0, 9];
    let lines = ["GET /memory/1 HTTP/1.1", "User-Agent: iPXE/1.21.1+"];
    assert_eq!(served.connect_from(client).ask(&lines).status, 200);
    let server = served.address.ip();
    assert_eq!(requests.recv().unwrap(), (Protocol::Http, client.into(), Some(server), "ipxe"));
    // At a socket of both families, it is the same client.
    let Ok(socket) = served.runtime.block_on(TcpListener::bind("[::]:0")) else { return };
    let port = socket.local_addr().unwrap().port();
    let within = served.runtime.enter();
    served.http.as_mut().unwrap().http(socket, served.files.clone());
    drop(within);
    let mut both = Client::connect_from(client.into(), (server, port).into());
    assert_eq!(both.ask(&lines).status, 200);
    assert_eq!(requests.recv().unwrap(), (Protocol::Http, client.into(), Some(server), "ipxe"));
}

#[test]
fn refusals_have_a_status_and_a_line() {
    let served = Served::with(Setup::default(), |builder| {
        builder.authorize(
            "rule",
            authorize_fn(|request| match request.path.as_str() {
                "secret" => Verdict::deny("nobody gets secrets"),
                _ => Verdict::Abstain,
            }),
        )
    });
    served.write("secret", "x");
    for (request, status, line) in [
        ("GET /none HTTP/1.1", 404, Some("not-found none")),
        ("GET /secret HTTP/1.1", 403, Some("denied secret")),
        ("GET /../secret HTTP/1.1", 403, None),
        ("GET /%2e%2e/secret HTTP/1.1", 403, None),
        ("GET / HTTP/1.1", 403, None),
        ("GET /a%0ab HTTP/1.1", 403, None),
        ("GET /%zz HTTP/1.1", 400, None),
        ("GET /% HTTP/1.1", 400, None),
    ] {
        let answer = served.ask(&[request]);
        assert_eq!(answer.status, status, "{request}");
        assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
        assert!(answer.text().ends_with('\n') && answer.text().lines().count() == 1, "{answer:?}");
        if let Some(line) = line {
            assert_eq!(served.end(), line);
        } else if status == 403 {
            assert!(served.end().starts_with("denied "), "{request}");
        }
    }
    for method in ["POST", "DELETE", "OPTIONS", "TRACE", "PROPFIND"] {
        let answer = served.ask(&[&format!("{method} /secret HTTP/1.1")]);
        assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD, PUT")), "{method}");
    }
    let answer = served.ask(&["HEAD /none HTTP/1.1"]);
    assert!(answer.status == 404 && answer.header("content-length") != Some("0"), "{answer:?}");
}

#[test]
fn ranges_and_conditions() {
    let served = Served::start();
    let whole = served.ask(&["GET /memory/1000.bin HTTP/1.1"]);
    let etag = whole.header("etag").expect("contents in memory have a version").to_owned();
    assert!(etag.starts_with('"') && etag.ends_with('"'), "{etag}");
    assert_eq!(served.end(), "served memory/1000.bin");
    let mut client = served.connect();
    let mut get = |range: &str, condition: &str| {
        let range = format!("Range: {range}");
        let lines = ["GET /memory/1000.bin HTTP/1.1", &range, condition];
        client.ask(if condition.is_empty() { &lines[..2] } else { &lines })
    };
    for (range, bytes) in [("bytes=0-9", 0..10), ("bytes=990-", 990..1000), ("bytes=-1", 999..1000)] {
        let answer = get(range, "");
        let expected = format!("bytes {}-{}/1000", bytes.start, bytes.end - 1);
        assert_eq!((answer.status, answer.header("content-range")), (206, Some(&*expected)));
        assert_eq!(answer.body, content(1000)[bytes]);
        assert_eq!(answer.header("etag"), Some(&*etag));
        assert_eq!(served.end(), "served memory/1000.bin");
    }
    for range in ["bytes=0-1,5-6", "lines=1-2"] {
        assert_eq!((get(range, "").status, served.end().as_str()), (200, "served memory/1000.bin"));
    }
    let answer = get("bytes=1000-", "");
    assert_eq!((answer.status, answer.header("content-range")), (416, Some("bytes */1000")));
    assert_eq!(served.end(), "probed memory/1000.bin");
    assert_eq!(get("bytes=0-9", &format!("If-Range: {etag}")).status, 206);
    assert_eq!(get("bytes=0-9", "If-Range: \"other\"").status, 200);
    assert_eq!([served.end(), served.end()], ["served memory/1000.bin"; 2]);
    let answer = get("bytes=0-9", &format!("If-None-Match: {etag}"));
    assert_eq!((answer.status, answer.header("etag")), (304, Some(&*etag)));
    assert_eq!(served.end(), "probed memory/1000.bin");
    assert_eq!(get("bytes=0-9", "If-Match: \"other\"").status, 412);
    assert_eq!(served.end(), "probed memory/1000.bin");
    // Of HEAD, a range is ignored.
    let answer = served.ask(&["HEAD /memory/1000.bin HTTP/1.1", "Range: bytes=0-9"]);
    assert_eq!((answer.status, answer.header("content-length")), (200, Some("1000")));
}

#[test]
fn an_empty_file_and_one_of_many_pieces() {
    let served = Served::start();
    served.write("empty", "");
    let large = content((3 << 20) + 17);
    served.write("large", &large);
    let mut client = served.connect();
    assert_eq!((client.ask(&["GET /empty HTTP/1.1"]).status, served.end().as_str()), (200, "served empty"));
    let answer = client.ask(&["GET /large HTTP/1.1"]);
    assert!(answer.body == large);
    assert_eq!(served.end(), "served large");
    let answer = client.ask(&["GET /large HTTP/1.1", "Range: bytes=262143-2097153"]);
    assert!(answer.status == 206 && answer.body == large[262_143..=2_097_153]);
}

#[test]
fn a_stream_is_served_as_a_whole() {
    let served = Served::with(Setup::default(), |builder| {
        let stream = resolve_fn(|request| {
            let stream = || Source::stream(5, &b"abcde"[..]);
            (request.path == "stream").then(stream)
        });
        builder.resolve("stream", stream)
    });
    let answer = served.ask(&["GET /stream HTTP/1.1", "Range: bytes=1-2"]);
    assert_eq!((answer.status, answer.header("accept-ranges"), answer.text()), (200, Some("none"), "abcde"));
    assert_eq!(served.end(), "served stream");
}

/// A content whose end is missing. It is too large for the cache, which would read all of it first.
struct Broken;

impl ReadAt for Broken {
    fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(async move {
            match offset < 8 << 20 {
                true => Ok(vec![7; length].into()),
                false => Err(io::Error::other("the back end is gone")),
            }
        })
    }
}

#[test]
fn a_content_that_cannot_be_read_breaks_the_connection() {
    let served = Served::with(Setup::default(), |builder| {
        let broken = resolve_fn(|request| {
            (request.path == "broken").then(|| Source::ranged(1 << 30, Version::new("1"), Broken))
        });
        builder.resolve("broken", broken)
    });
    let mut client = served.connect();
    client.send_head(&["GET /broken HTTP/1.1", "Host: test"]);
    let answer = client.head();
    assert_eq!((answer.status, answer.header("content-length")), (200, Some("1073741824")));
    let mut body = Vec::new();
    let _ = client.0.read_to_end(&mut body);
    assert!(body.len() <= 8 << 20, "{}", body.len());
    assert_eq!(served.end(), "failed broken");
    // Nothing of it could be read.
    let answer = served.ask(&["GET /broken HTTP/1.1", "Range: bytes=536870912-"]);
    assert_eq!((answer.status, served.end().as_str()), (500, "failed broken"));
}

#[test]
fn a_client_that_leaves_has_aborted() {
    let served = Served::start();
    served.write("large", content(32 << 20));
    let mut client = served.connect();
    client.send_head(&["GET /large HTTP/1.1", "Host: test"]);
    assert_eq!(client.head().status, 200);
    drop(client);
    assert_eq!(served.end(), "aborted large");
}

#[test]
fn a_dropped_request_closes_the_connection() {
    let served = Served::with(Setup::default(), |builder| {
        builder.authorize("drop", authorize_fn(|_| Verdict::Drop("not today".into())))
    });
    let mut client = served.connect();
    client.send_head(&["GET /memory/1 HTTP/1.1", "Host: test"]);
    assert!(client.is_closed());
}
