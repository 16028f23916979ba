//! Many requests without effect.

use super::{GOOD, assert_still_serves};
use crate::harness::{Answer, Peer, Server, Setup, bytes, rrq, wrq};
use std::time::Duration;

fn server(limits: &str) -> Server {
    setup(limits).start()
}

fn setup(limits: &str) -> Setup {
    Setup::new().file("good", GOOD).sizes(&[100_000]).yaml(&format!(
        "roots: [{{ name: boot, path: root, writable: true }}]\nworkers: 1\nlimits: {{ {limits} }}\n\
             transfer: {{ retransmit: {{ floor: 5ms, initial: 10ms, cap: 20ms, give-up: 10s }} }}"
    ))
}

/// A spoofed request makes the server send at most three packets of 516 bytes: docs/protocol.md.
#[test]
fn half_open_reads_are_not_amplified() {
    half_open_reads(&server("transfers: 1000"));
}

#[test]
fn half_open_reads_are_not_amplified_in_single_port_mode() {
    half_open_reads(&setup("transfers: 1000").single_port().start());
}

fn half_open_reads(server: &Server) {
    let options = [("blksize", "1428"), ("windowsize", "64")];
    for (asked, first) in [
        (rrq("100000", &[]), Answer::Data(1, bytes(100_000)[..512].to_vec())),
        (rrq("100000", &options), Answer::Oack("blksize=1428 windowsize=64".into())),
    ] {
        let mut peers: Vec<Peer> = (0..100).map(|_| Peer::new(server.address())).collect();
        peers.iter_mut().for_each(|peer| peer.ask(&asked));
        for line in server.unanswered(100) {
            assert_eq!((&line["path"], &line["bytes"]), (&"100000".into(), &0.into()), "{line:#}");
        }
        // The server has given up on all of them: everything has been sent.
        for peer in &mut peers {
            let mut got = 0;
            while let Some(answer) = peer.receive_within(Duration::from_millis(1)) {
                assert_eq!(answer, first);
                got += 1;
            }
            assert!((1..=3).contains(&got), "{got} packets for one request");
        }
    }
    assert_still_serves(server);
}

/// More transfers than places: some wait, and every client that repeats its request is served in the end.
#[test]
fn more_transfers_than_the_limit() {
    let server = server("transfers: 20, pending: 10");
    let mut peers: Vec<Peer> = (0..200).map(|_| Peer::new(server.address())).collect();
    peers.iter_mut().for_each(|peer| peer.ask(&rrq("good", &[])));
    let end = std::time::Instant::now() + crate::harness::SOON;
    let mut waiting = peers;
    while !waiting.is_empty() {
        assert!(std::time::Instant::now() < end, "{} clients are not served", waiting.len());
        waiting.retain_mut(|peer| {
            let answer = peer.receive_within(Duration::from_millis(5));
            match &answer {
                Some(answer) => {
                    assert_eq!(*answer, Answer::Data(1, GOOD.to_vec()));
                    peer.send(&crate::harness::ack(1));
                }
                None => peer.ask(&rrq("good", &[])),
            }
            answer.is_none()
        });
    }
}

/// Many uploads that stop after their request: all are cleaned up.
#[test]
fn half_open_uploads_leave_nothing() {
    let server = server("transfers: 1000, uploads-per-name: 100");
    let mut peers: Vec<Peer> = (0..100).map(|_| Peer::new(server.address())).collect();
    for (number, peer) in peers.iter_mut().enumerate() {
        // Half of them to one name.
        let name = if number % 2 == 0 { "same".into() } else { format!("up-{number}") };
        peer.ask(&wrq(&name, &[]));
        peer.expect(Answer::Ack(0));
    }
    server.unanswered(100);
    assert_eq!(server.stop().len(), 0);
    assert_eq!(server.root().names(), ["100000", "good"]);
}
