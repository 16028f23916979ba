//! An origin that hangs costs the requests for its root, and nothing else.

use super::{far, far_and_near, setup};
use crate::harness::{Answer, Manner, Peer, Web, data, http, rrq, wrq};
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

/// More clients than threads that decide or open files.
const CLIENTS: usize = 100;

#[test]
fn an_origin_that_hangs_leaves_other_roots_alone() {
    let web = Web::with_timeout("1s");
    let yaml = format!(
        "roots:\n  - {{ name: boot, path: root }}\n{}admin: {{ address: \"127.0.0.1:0\" }}\nlimits: {{ open-time: 10s }}\n",
        web.root("far", "also-at: [/far],", "")
    );
    let server = setup().file("near", b"near").yaml(&yaml).start();
    web.be(Manner::Hangs);
    let mut waiting: Vec<Peer> = (0..CLIENTS)
        .map(|number| Peer::from(Ipv4Addr::from(0x7f03_0000 + number as u32), server.address()))
        .collect();
    for (number, peer) in waiting.iter_mut().enumerate() {
        peer.ask(&rrq(&format!("/far/file-{number}"), &[]));
    }
    web.waits(1);
    for _ in 0..20 {
        let began = Instant::now();
        assert_eq!(Peer::new(server.address()).read_plainly("near"), b"near");
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    }
    let admin = server.admin();
    assert_eq!(http(admin, "/livez", &[]).status, 200);
    server.log_line("an origin does not answer");
    let ready = http(admin, "/readyz", &[]);
    assert_eq!(ready.status, 503, "{ready:?}");
    assert!(ready.body.contains("\"origin\"") && ready.body.contains(&web.url()), "{ready:?}");
    let without = http(admin, "/readyz?exclude=origin&exclude=root", &[]);
    assert_eq!(without.status, 200, "{without:?}");
    for peer in &mut waiting {
        assert_eq!(peer.receive_within(Duration::from_millis(1)), None);
    }
}

#[test]
fn the_process_ends_while_an_origin_hangs() {
    let web = Web::start();
    let server = far_and_near(&web, "", "drain: 1s\n");
    web.be(Manner::Hangs);
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("file", &[]));
    web.waits(1);
    let began = Instant::now();
    server.terminate();
    assert_eq!(server.wait().code(), Some(0), "{}", server.log());
    // `drain` and a second, with some time for a busy machine. The origin has two.
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}\n{}", began.elapsed(), server.log());
}

#[test]
fn the_process_ends_while_an_upload_hangs() {
    let web = Web::start();
    let server = far(&web, "writable: true,", "", "drain: 1s\n");
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("file", &[]));
    peer.expect(Answer::Ack(0));
    web.be(Manner::Hangs);
    peer.send(&data(1, b"content"));
    web.waits(1);
    let began = Instant::now();
    server.terminate();
    assert_eq!(server.wait().code(), Some(0), "{}", server.log());
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}\n{}", began.elapsed(), server.log());
    assert_eq!(web.get("file"), None);
}

#[test]
fn a_server_starts_while_its_origin_is_away() {
    let web = Web::start();
    web.be(Manner::Hangs);
    let began = Instant::now();
    let server = far_and_near(&web, "", "");
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!(web.requests("").len(), 0, "nobody was asked");
    web.be(Manner::Good);
    web.put("file", b"far", "1");
    assert_eq!(Peer::new(server.address()).read_plainly("file"), b"far");
}
