//! Each admitted request has exactly one outcome, under hundreds of clients of every kind, a reload, and two
//! signals.

use super::server_ends::stop_at_once;
use crate::harness::{Answer, Peer, Server, Setup, ack, bytes, data, error, rrq, wrq};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

const ROOT: &str = "roots: [{ name: root, path: root, writable: true }]
transfer: { retransmit: { floor: 100ms, initial: 500ms, cap: 1s, give-up: 20s } }
";

/// A kind of client, and its possible outcomes.
const KINDS: [(&str, &[&str]); 10] = [
    ("reads", &["served"]),
    ("misses", &["not-found"]),
    ("leads out", &["denied"]),
    ("asks for the size", &["probed"]),
    ("closes", &["probed"]),
    ("breaks off", &["aborted"]),
    ("writes", &["stored"]),
    ("stops writing", &["aborted"]),
    ("changes its mind", &["aborted", "served"]),
    ("is silent", &["timed-out"]),
];

fn first(server: &Server, number: usize) -> Peer {
    let name = KINDS[number % KINDS.len()].0;
    let request = match name {
        "misses" => rrq("missing", &[]),
        "leads out" => rrq("../out", &[]),
        "asks for the size" => rrq("5000", &[("tsize", "0")]),
        "writes" | "stops writing" => wrq(&format!("up-{number}"), &[]),
        _ => rrq("5000", &[]),
    };
    let mut peer = Peer::new(server.address());
    peer.ask(&request);
    if name == "reads" {
        // A repetition is not another request.
        peer.ask_meanwhile(&request);
    }
    peer
}

fn go_on(peer: &mut Peer, number: usize) {
    let answer = peer.receive();
    match (KINDS[number % KINDS.len()].0, answer) {
        ("reads", Answer::Data(1, _)) => {
            peer.send(&ack(1));
            assert!(peer.read_on(2) == bytes(5000)[512..]);
        }
        ("misses", Answer::Error(1, _))
        | ("leads out", Answer::Error(2, _))
        | ("is silent", Answer::Data(..)) => {}
        ("asks for the size", Answer::Oack(_)) => peer.send(&error(8, "size")),
        ("closes", Answer::Data(..)) => peer.send(&error(0, "closed")),
        ("breaks off", Answer::Data(..)) => peer.send(&error(3, "full")),
        ("writes", Answer::Ack(0)) => peer.write_on(&bytes(1000), 512),
        ("stops writing", Answer::Ack(0)) => {
            peer.send(&data(1, &[1; 512]));
            peer.expect(Answer::Ack(1));
            peer.send(&error(0, "enough"));
        }
        ("changes its mind", Answer::Data(..)) => {
            peer.ask(&rrq("7", &[]));
            // The first block of the other file may have been sent again before.
            while peer.receive() != Answer::Data(1, bytes(7)) {}
            peer.send(&ack(1));
        }
        (name, other) => panic!("a client that {name} got {other:?}"),
    }
}

#[test]
fn every_request_ends_once() {
    const WAVES: usize = 12;
    const WAVE: usize = 40;
    let server = Setup::new().sizes(&[5000, 7]).yaml(ROOT).workers(2).start();
    let mut due: BTreeMap<&str, u64> = BTreeMap::new();
    // Kept, so that no later client gets the port of a silent one: that would end its transfer.
    let mut all = Vec::new();
    for wave in 0..WAVES {
        let numbers = wave * WAVE..(wave + 1) * WAVE;
        let mut peers: Vec<Peer> = numbers.clone().map(|number| first(&server, number)).collect();
        if wave == WAVES / 2 {
            assert_eq!(server.ask("reload").code(), 0, "{}", server.log());
        }
        for (peer, number) in peers.iter_mut().zip(numbers) {
            go_on(peer, number);
            for outcome in KINDS[number % KINDS.len()].1 {
                *due.entry(outcome).or_default() += 1;
            }
        }
        all.extend(peers);
    }
    let expected: u64 = due.values().sum();
    // All but the silent ones have ended; those that changed their request, twice.
    server.live_until("their ends", |live| live["totals"]["active"] == 0);
    // And some that are active when the server stops.
    let mut cut_off: Vec<Peer> = (0..30).map(|_| Peer::new(server.address())).collect();
    cut_off.iter_mut().for_each(|peer| peer.ask(&rrq("5000", &[])));
    server.live_until("the last requests", |live| live["totals"]["admitted"] == expected + 30);
    stop_at_once(&server);
    assert_eq!(server.wait().code(), Some(0));
    *due.entry("failed").or_default() += 30;

    let totals = server.logged("totals");
    let lines: Vec<Value> =
        server.unread().into_iter().filter(|line| line["message"] == "transfer").collect();
    let ids: HashSet<&str> = lines.iter().filter_map(|line| line["id"].as_str()).collect();
    assert_eq!((ids.len(), lines.len()), (lines.len(), expected as usize + 30), "one line for each");
    assert_eq!(totals["admitted"], expected + 30);
    let mut got: BTreeMap<&str, u64> = BTreeMap::new();
    for line in &lines {
        *got.entry(line["outcome"].as_str().unwrap()).or_default() += 1;
    }
    assert_eq!(got, due);
    for (outcome, count) in due {
        assert_eq!(totals[outcome.replace('-', "_")], count, "{outcome}");
    }
}
