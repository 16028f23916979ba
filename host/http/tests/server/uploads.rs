//! PUT.

use super::{Served, Setup, content};
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tuffet::{Denial, ErrorCode, UploadVerdict, Verdict, accept_upload_fn, authorize_fn};

/// A server that refuses some names and some contents.
fn served(overwrite: bool) -> Served {
    let may = authorize_fn(|request| match request.path.as_str() {
        "secret" => Verdict::deny("nobody writes secrets"),
        _ => Verdict::Abstain,
    });
    let judge = accept_upload_fn(|_, upload| match upload.size {
        13 => UploadVerdict::Deny(unlucky()),
        _ => UploadVerdict::Abstain,
    });
    Served::with(Setup { overwrite, ..Setup::default() }, |builder| {
        builder.authorize("rule", may).accept_upload("judge", judge)
    })
}

fn unlucky() -> Denial {
    Denial {
        code: ErrorCode::AccessViolation,
        message: "no".into(),
        reason: "13 bytes bring bad luck".into(),
    }
}

fn put(served: &Served, name: &str, headers: &[&str], body: &[u8]) -> u16 {
    let (first, length) = (format!("PUT /{name} HTTP/1.1"), format!("Content-Length: {}", body.len()));
    let mut client = served.connect();
    client.send_head(&[&[&*first, "Host: test", &length], headers].concat());
    client.send(body);
    client.answer(false).status
}

#[test]
fn a_body_becomes_a_file() {
    let served = served(false);
    let large = content((1 << 20) + 5);
    assert_eq!(put(&served, "large", &[], &large), 201);
    assert!(served.read("large").unwrap() == large);
    assert_eq!(served.end(), "stored large");
    assert_eq!((put(&served, "large", &[], b"x"), served.end().as_str()), (409, "denied large"));
    assert_eq!(put(&served, "large", &["If-None-Match: *"], b"x"), 412);
    assert_eq!(put(&served, "empty", &["If-None-Match: *"], b""), 201);
    assert_eq!(served.read("empty").unwrap(), b"");
    // On the connection that asked before.
    let mut client = served.connect();
    assert_eq!(client.ask(&["GET /empty HTTP/1.1"]).status, 200);
    client.send("PUT /chunked HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n");
    let answer = client.answer(false);
    assert_eq!((answer.status, answer.header("connection")), (201, Some("close")));
    assert_eq!(served.read("chunked").unwrap(), b"abcde");
}

#[test]
fn an_upload_may_ask_to_replace_nothing() {
    let served = served(true);
    assert_eq!(
        (put(&served, "file", &["If-None-Match: *"], b"a"), served.end().as_str()),
        (201, "stored file")
    );
    assert_eq!(
        (put(&served, "file", &["If-None-Match: *"], b"b"), served.end().as_str()),
        (412, "denied file")
    );
    assert_eq!(served.read("file").unwrap(), b"a");
    assert_eq!((put(&served, "file", &[], b"c"), served.end().as_str()), (204, "stored file"));
}

#[test]
fn what_cannot_be_stored_is_refused() {
    let served = served(false);
    for (name, headers, body, status) in [
        ("secret", &[][..], "x", 403),
        ("part", &["Content-Range: bytes 0-0/9"], "x", 400),
        ("tagged", &["If-Match: \"a\""], "x", 501),
        ("tagged", &["If-None-Match: \"a\""], "x", 501),
        ("dated", &["If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT"], "x", 501),
        ("judged", &[], "thirteen byte", 403),
        ("../outside", &[], "x", 403),
    ] {
        assert_eq!(put(&served, name, headers, body.as_bytes()), status, "{name}");
        assert_eq!(served.read(name), None, "{name}");
    }
    assert_eq!(served.ask(&["PUT /bodiless HTTP/1.1"]).status, 411);
    assert_eq!(served.read("bodiless"), None);
}

#[test]
fn a_client_that_expects_100_sends_no_body_in_vain() {
    let served = served(false);
    let head = |name| {
        format!("PUT /{name} HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    };
    let mut client = served.connect();
    client.send(head("new"));
    assert_eq!(client.head().status, 100);
    client.send("abc");
    assert_eq!((client.answer(false).status, served.read("new").unwrap()), (201, b"abc".to_vec()));
    let mut client = served.connect();
    client.send(head("secret"));
    let answer = client.answer(false);
    assert_eq!((answer.status, answer.header("connection")), (403, Some("close")));
    assert!(client.is_closed());
}

#[test]
fn an_announced_size_is_refused_before_the_body() {
    let served = served(false);
    let mut client = served.connect();
    client.send(
        "PUT /huge HTTP/1.1\r\nHost: test\r\nContent-Length: 99999999999\r\nExpect: 100-continue\r\n\r\n",
    );
    assert_eq!(client.answer(false).status, 507);
    assert_eq!(served.end(), "denied huge");
}

/// A body of another length than it has announced.
struct Lying(Option<Bytes>);

impl Body for Lying {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(9)
    }
}

#[test]
fn another_server_may_pass_its_requests_on() {
    let served = served(false);
    let respond = |body| {
        let request =
            Request::put("/some").header("Host", "test").header("Content-Length", 9).body(body).unwrap();
        served.runtime.block_on(served.files.respond(([127, 0, 0, 1], 9).into(), request)).unwrap().status()
    };
    assert_eq!(respond(Lying(Some("abc".into()))), StatusCode::BAD_REQUEST);
    assert_eq!((served.end().as_str(), served.read("some")), ("failed some", None));
    assert_eq!(respond(Lying(Some("nine byte".into()))), StatusCode::CREATED);
    assert_eq!(served.read("some").unwrap(), b"nine byte");
}

#[test]
fn an_early_refusal_arrives_beside_a_large_body() {
    let served = served(false);
    let mut client = served.connect();
    client.send(format!("PUT /secret HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n\r\n", 1 << 30));
    // More than the server has read when it refuses, and than the sockets hold: the client looks for no answer before.
    client.send(content(20_000_000));
    assert_eq!(client.answer(false).status, 403);
}

#[test]
fn an_upload_that_breaks_off_leaves_nothing() {
    let served = served(false);
    for head in ["Content-Length: 1000", "Transfer-Encoding: chunked"] {
        let mut client = served.connect();
        client.send(format!("PUT /half HTTP/1.1\r\nHost: test\r\n{head}\r\n\r\n"));
        client.send("5\r\nabcde\r\n");
        drop(client);
        assert_eq!(served.end(), "aborted half");
        assert_eq!(served.read("half"), None);
    }
    let mut client = served.connect();
    client.send("PUT /half HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\nabc");
    assert_eq!((served.end().as_str(), served.read("half")), ("aborted half", None));
    assert!(client.is_closed());
}

#[test]
fn an_upload_replaces_a_file_where_the_root_allows_it() {
    let served = served(true);
    served.write("config", "old");
    assert_eq!(put(&served, "config", &[], b"new"), 204);
    assert_eq!(served.read("config").unwrap(), b"new");
    assert_eq!(put(&served, "other", &[], b"new"), 201);
}
