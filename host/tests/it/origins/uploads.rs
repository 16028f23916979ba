//! Uploads to a root that lives elsewhere.

use super::far;
use crate::harness::{Answer, Manner, Peer, Web, bytes, data, wrq};
use std::fs;

#[test]
fn an_upload_is_acknowledged_when_the_origin_has_it() {
    let web = Web::start();
    let server = far(&web, "writable: true,", "", "");
    let content = bytes(5_000);
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("in/new.cfg", &[]));
    peer.expect(Answer::Ack(0));
    assert_eq!(web.get("in/new.cfg"), None);
    peer.write_on(&content, 512);
    assert!(web.get("in/new.cfg").unwrap() == content);
    assert_eq!(server.outcome("in/new.cfg")["outcome"], "stored");
    // And is read from there.
    assert!(peer.read_plainly("in/new.cfg") == content);
}

#[test]
fn an_existing_file_is_kept_unless_the_root_overwrites() {
    let web = Web::start();
    web.put("file", b"old", "1");
    let server = far(&web, "writable: true,", "", "");
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("file", &[]));
    peer.expect_error(6);
    assert_eq!(web.get("file").unwrap(), b"old");
    // One that appears meanwhile is kept, too.
    peer.ask(&wrq("race", &[]));
    peer.expect(Answer::Ack(0));
    web.put("race", b"first", "1");
    peer.send(&data(1, b"second"));
    peer.expect_error(6);
    assert_eq!(web.get("race").unwrap(), b"first");
    let server = far(&web, "writable: true, overwrite: true,", "revalidate: 1h", "");
    let mut peer = Peer::new(server.address());
    assert_eq!(peer.read_plainly("file"), b"old");
    peer.ask(&wrq("file", &[]));
    peer.expect(Answer::Ack(0));
    peer.write_on(b"new", 512);
    assert_eq!(web.get("file").unwrap(), b"new");
    assert_eq!(peer.read_plainly("file"), b"new", "the cache has no older one");
}

/// A second upload within the second, to an origin that makes its versions of time and size.
#[test]
fn an_upload_is_read_although_its_version_is_that_of_the_one_before() {
    let web = Web::start();
    let server = far(&web, "writable: true, overwrite: true,", "revalidate: 1h", "");
    let mut peer = Peer::new(server.address());
    for content in [b"first one.", b"second one", b"the third."] {
        peer.ask(&wrq("file", &[]));
        peer.expect(Answer::Ack(0));
        peer.write_on(content, 512);
        // From the origin, from the disk, and from memory.
        for _ in 0..3 {
            assert_eq!(peer.read_plainly("file"), content);
        }
    }
}

#[test]
fn a_redirected_upload_is_not_stored() {
    let web = Web::start();
    web.put("thanks", b"thanks", "1");
    let server = far(&web, "writable: true,", "", "");
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("file", &[]));
    peer.expect(Answer::Ack(0));
    web.be(Manner::RedirectsUploads("thanks"));
    peer.send(&data(1, b"content"));
    peer.expect_error(2);
    let outcome = server.outcome("file");
    assert!(outcome["detail"].as_str().unwrap().contains("303"), "{outcome}");
    assert_eq!(web.get("file"), None);
}

#[test]
fn what_the_origin_refuses_is_kept_nowhere_and_told() {
    let web = Web::start();
    let server = far(&web, "writable: true,", "", "");
    for (manner, code) in [(Manner::Says(403), 2), (Manner::Away, 0)] {
        let name = format!("file-{code}");
        let mut peer = Peer::new(server.address());
        web.be(Manner::Good);
        peer.ask(&wrq(&name, &[]));
        peer.expect(Answer::Ack(0));
        web.be(manner);
        peer.send(&data(1, b"unwanted content"));
        peer.expect_error(code);
        let outcome = server.outcome(&name);
        assert!(outcome["detail"].as_str().unwrap().contains(&web.url()), "{outcome}");
    }
    assert_eq!(web.get("file-2").or(web.get("file-0")), None);
    let mut left = vec![server.outside().0.join("cache-far")];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                left.push(entry.path());
            } else {
                // Records come and go.
                let Ok(content) = fs::read(entry.path()) else { continue };
                assert!(!content.windows(8).any(|window| window == b"unwanted"), "{:?}", entry.path());
            }
        }
    }
}
