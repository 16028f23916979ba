//! Many requests that lead to nothing.

use super::{GOOD, assert_still_serves};
use crate::harness::{Answer, Peer, Server, Setup, bytes, rrq, wrq};
use std::time::Duration;

fn server(limits: &str) -> Server {
    Setup::new()
        .file("good", GOOD)
        .sizes(&[100_000])
        .yaml(&format!(
            "roots: [{{ name: boot, path: root, writable: true }}]\nworkers: 1\nlimits: {{ {limits} }}\n\
             transfer: {{ retransmit: {{ floor: 5ms, initial: 10ms, cap: 20ms, give-up: 10s }} }}"
        ))
        .start()
}

/// Who never answers gets one answer and two repeats, whatever it asked for and through whichever port it is
/// answered; a forged ACK 0 is worth the first window, three times. See docs/protocol.md.
#[test]
fn who_has_not_proven_its_address_gets_little() {
    let server = || {
        Setup::new().file("good", GOOD).sizes(&[100_000]).yaml(
            "roots: [{ name: boot, path: root, writable: true }]\nworkers: 1\n\
             transfer: { retransmit: { floor: 5ms, initial: 10ms, cap: 20ms, give-up: 8s } }",
        )
    };
    let servers = [server().start(), server().single_port().start()];
    let options = [("blksize", "1000"), ("windowsize", "8")];
    let oack = Answer::Oack("blksize=1000 windowsize=8".into());
    let first = Answer::Data(1, bytes(100_000)[..512].to_vec());
    let refused = Answer::Error(1, "file not found".into());
    // What is asked, what is answered to it, how often at most.
    let cases = [
        (rrq("100000", &[]), first, 3),
        (rrq("100000", &options), oack.clone(), 3),
        (wrq("up", &[]), Answer::Ack(0), 3),
        (wrq("up", &options), oack.clone(), 3),
        (rrq("missing", &[]), refused, 1),
    ];
    let mut silent = Vec::new();
    let mut forged = Vec::new();
    for server in &servers {
        for (asked, answer, most) in &cases {
            for _ in 0..20 {
                let mut peer = Peer::strict(server.address());
                peer.ask(asked);
                silent.push((peer, answer, *most));
            }
        }
        let mut peer = Peer::strict(server.address());
        peer.ask(&rrq("100000", &options));
        peer.expect(oack.clone());
        peer.send(&crate::harness::ack(0));
        forged.push(peer);
    }
    // It has given up on all of them: what was sent is there.
    for server in &servers {
        for _ in 0..20 * cases.len() + 1 {
            let line = server.any_outcome();
            let expected = if line["path"] == "missing" { "not-found" } else { "timed-out" };
            assert_eq!((&line["outcome"], &line["bytes"]), (&expected.into(), &0.into()), "{line:#}");
        }
    }
    let now = Duration::from_millis(1);
    for (peer, answer, most) in &mut silent {
        let got = std::iter::from_fn(|| peer.receive_within(now)).inspect(|got| assert_eq!(got, *answer));
        let got = got.count();
        assert!((1..=*most).contains(&got), "{got} times {answer:?} for one request");
    }
    for peer in &mut forged {
        let got: Vec<Answer> = std::iter::from_fn(|| peer.receive_within(now)).collect();
        let blocks = got.iter().filter(|got| matches!(got, Answer::Data(1..=8, _))).count();
        let again = got.iter().filter(|got| **got == oack).count();
        assert!((8..=3 * 8).contains(&blocks) && again <= 2, "{blocks} blocks, {again} OACKs once more");
        assert_eq!(blocks + again, got.len());
    }
    servers.iter().for_each(assert_still_serves);
}

/// More than there is room for: some wait, and everyone who asks again is served at last.
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

/// Many uploads that stop after their request: all are cleaned away.
#[test]
fn half_open_uploads_leave_nothing() {
    let server = server("transfers: 1000");
    let mut peers: Vec<Peer> = (0..100).map(|_| Peer::new(server.address())).collect();
    for (number, peer) in peers.iter_mut().enumerate() {
        // Half of them to one name.
        let name = if number % 2 == 0 { "same".into() } else { format!("up-{number}") };
        peer.ask(&wrq(&name, &[]));
        peer.expect(Answer::Ack(0));
    }
    for _ in &peers {
        assert_eq!(server.any_outcome()["outcome"], "timed-out");
    }
    server.stop();
    assert_eq!(server.root().names(), ["100000", "good"]);
}
