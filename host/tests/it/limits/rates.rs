//! Limits on rates.

use super::{GREEDY, HONEST, assert_served, dropped, server};
use crate::harness::{Answer, Peer, Server, rrq};
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

/// Sends 20 requests, each from another port. Returns how many are answered, and the maximum at one per
/// second with a burst of three.
fn answered(from: Ipv4Addr, server: &Server, reason: &str) -> (u64, u64) {
    let began = Instant::now();
    let mut peers: Vec<Peer> = (0..20).map(|_| Peer::from(from, server.address())).collect();
    peers.iter_mut().for_each(|peer| peer.ask(&rrq("5000", &[])));
    let mut answered = 0;
    server.live_until(reason, |live| {
        let more = peers.iter_mut().filter_map(|peer| peer.receive_within(Duration::from_millis(1)));
        answered += more.filter(|answer| matches!(answer, Answer::Data(1, _))).count() as u64;
        answered + dropped(live, reason) == 20
    });
    (answered, 3 + began.elapsed().as_secs() + 1)
}

#[test]
fn of_one_client() {
    let server = server("per-client: { per-second: 1, burst: 3 }");
    let (answered, most) = answered(GREEDY, &server, "limit-client-per-second");
    assert!((3..=most).contains(&answered), "{answered} of {most}");
    assert_served(HONEST, &server);
}

#[test]
fn of_all_together() {
    let server = server("per-second: 1, burst: 3");
    let (answered, most) = answered(GREEDY, &server, "limit-per-second");
    assert!((3..=most).contains(&answered), "{answered} of {most}");
    // A client that repeats its request is served in turn.
    let mut peer = Peer::from(HONEST, server.address());
    let end = Instant::now() + crate::harness::SOON;
    while peer.receive_within(Duration::from_millis(200)).is_none() {
        assert!(Instant::now() < end, "never answered");
        peer.ask_meanwhile(&rrq("5000", &[]));
    }
}

/// Malformed requests with a spoofed address do not make the server flood it with ERRORs.
#[test]
fn of_errors_to_strangers() {
    let server = server("errors-per-second: 5");
    let began = Instant::now();
    let mut peer = Peer::strict(server.address());
    for _ in 0..200 {
        peer.ask_meanwhile(b"\0\x01");
    }
    server.live_until("malformed", |live| dropped(live, "malformed") == 200);
    let mut answered = 0;
    while let Some(answer) = peer.receive_within(Duration::from_millis(50)) {
        assert!(matches!(answer, Answer::Error(4, _)), "{answer:?}");
        answered += 1;
    }
    let most = 5 + 5 * (began.elapsed().as_secs() + 1);
    assert!((5..=most).contains(&answered), "{answered} of {most}");
    assert_served(HONEST, &server);
}
