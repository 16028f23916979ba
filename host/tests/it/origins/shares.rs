//! What one name, or one client, may cost the others.

use super::{far, metric};
use crate::harness::{Answer, Manner, Peer, Web, rrq};
use std::net::Ipv4Addr;
use std::time::Duration;

/// Long enough for all attempts of a request, which must not be answered.
const SILENCE: Duration = Duration::from_millis(1500);

#[test]
fn a_name_that_the_origin_fails_for_shuts_no_root() {
    let web = Web::start();
    web.put("good", b"good", "1");
    let server = far(&web, "", "", "");
    web.be(Manner::SaysOn("bad", 500));
    let mut peer = Peer::new(server.address());
    for _ in 0..3 {
        peer.ask(&rrq("bad", &[]));
        assert_eq!(peer.receive_within(SILENCE), None);
    }
    assert!(server.outcome("bad")["detail"].as_str().unwrap().contains("500"));
    // At once, and also while the other name is asked for again.
    peer.ask(&rrq("bad", &[]));
    let mut honest = Peer::new(server.address());
    honest.ask(&rrq("good", &[]));
    honest.expect(Answer::Data(1, b"good".to_vec()));
    assert_eq!(metric(&server, "tuffet_origin_breaker_open"), 0);
    assert_eq!(metric(&server, "tuffet_origin_away"), 0);
}

#[test]
fn made_up_names_of_one_client_keep_nobody_from_files() {
    let web = Web::start();
    web.put("cached", b"cached", "1");
    web.put("cold", b"cold", "1");
    let server = far(&web, "", "revalidate: 1h", "limits: { open-time: 30s }\n");
    assert_eq!(Peer::new(server.address()).read_plainly("cached"), b"cached");
    web.be(Manner::HangsOn("made-up"));
    // More than are looked up at a time.
    let mut flood = Peer::from(Ipv4Addr::new(127, 3, 0, 1), server.address());
    for number in 0..100 {
        flood.ask(&rrq(&format!("made-up-{number}"), &[]));
    }
    web.waits(10);
    let mut honest = Peer::from(Ipv4Addr::new(127, 3, 0, 2), server.address());
    assert_eq!(honest.read_plainly("cached"), b"cached");
    assert_eq!(honest.read_plainly("cold"), b"cold");
    // Its own share is used up, and what the cache has waits for none.
    let mut same = Peer::from(Ipv4Addr::new(127, 3, 0, 1), server.address());
    assert_eq!(same.read_plainly("cached"), b"cached");
}
