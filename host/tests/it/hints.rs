//! Hints in the lines of ended transfers: for patterns that are known, and for no others.

use crate::harness::{Answer, Client, Options, Peer, SOON, Server, Setup, ack, bytes, rrq};
use serde_json::Value;

/// Gives up clients that say nothing for some seconds, and those that never answered after a quarter of that time.
const HASTY: &str = "transfer: { retransmit: { floor: 20ms, initial: 50ms, cap: 100ms, give-up: 6s } }\n";

const ROOT: &str = "roots: [{ name: root, path: root, writable: true }]\n";

fn server(more: &str) -> Server {
    Setup::new().sizes(&[5_000, 40_000, 200_000]).yaml(&format!("{ROOT}{HASTY}{more}")).start()
}

/// Waits for clients that a busy machine lets answer late.
fn patient() -> Server {
    let times = "transfer: { retransmit: { floor: 5s, initial: 5s, cap: 5s } }\n";
    Setup::new().sizes(&[200_000]).yaml(&format!("{ROOT}{times}")).start()
}

#[track_caller]
fn assert_hint(line: &Value, parts: &[&str]) {
    let hint = line["hint"].as_str().unwrap_or_default();
    assert!(parts.iter().all(|part| hint.contains(part)), "{parts:?} in {line:#}");
}

/// Its answers are dropped on their way, as by a firewall: it asks again and again.
#[test]
fn a_client_that_repeats_its_request_is_not_reached() {
    let server = server("");
    let mut peer = Peer::strict(server.address());
    let request = rrq("5000", &[("blksize", "1000")]);
    peer.ask(&request);
    assert!(matches!(peer.receive(), Answer::Oack(_)));
    // Whoever answers proves that it was reached.
    peer.ask_meanwhile(&request);
    let line = server.outcome("5000");
    assert_eq!(line["outcome"], "timed-out");
    assert_hint(&line, &["the client repeats its request", "ports above 1023", "`listeners[].single-port`"]);
    let live = server.live_until("its end", |live| live["finished"][0]["path"] == "5000");
    assert_eq!(live["finished"][0]["hint"], line["hint"]);
}

#[test]
fn a_single_port_is_no_remedy_for_itself() {
    let server = Setup::new().single_port().sizes(&[5_000]).yaml(&format!("{ROOT}{HASTY}")).start();
    let mut peer = Peer::new(server.address());
    let request = rrq("5000", &[]);
    peer.ask(&request);
    assert!(matches!(peer.receive(), Answer::Data(1, _)));
    peer.ask_meanwhile(&request);
    assert_hint(&server.outcome("5000"), &["a firewall or a missing route"]);
}

#[test]
fn a_client_that_goes_away_gets_no_hint() {
    let server = server("");
    let mut peer = Peer::strict(server.address());
    peer.ask(&rrq("5000", &[("blksize", "1000")]));
    assert!(matches!(peer.receive(), Answer::Oack(_)));
    assert_eq!(server.outcome("5000")["hint"], Value::Null, "it never answered");
    let mut peer = Peer::strict(server.address());
    peer.ask(&rrq("5000", &[("blksize", "1000")]));
    assert!(matches!(peer.receive(), Answer::Oack(_)));
    peer.send(&ack(0));
    assert_eq!(server.outcome("5000")["hint"], Value::Null, "it answered once");
}

/// The OACK arrives, the blocks do not: each time the client waits in vain, it repeats its ACK of block 0.
#[test]
fn large_blocks_that_never_arrive_are_named() {
    let server = server("");
    // What the same client could read before.
    let options = Options { blksize: Some(1000), windowsize: Some(1), ..Options::default() };
    assert_eq!(Client::Tuffet.get(server.address(), "40000", options), bytes(40_000));
    assert_eq!(server.outcome("40000")["hint"], Value::Null);
    for window in ["1", "8"] {
        let mut peer = Peer::strict(server.address());
        peer.ask(&rrq("40000", &[("blksize", "8192"), ("windowsize", window)]));
        assert!(matches!(peer.receive(), Answer::Oack(_)));
        peer.send(&ack(0));
        assert!(matches!(peer.receive(), Answer::Data(1, _)));
        peer.send(&ack(0));
        let line = server.outcome("40000");
        assert_eq!((&line["outcome"], &line["blocks"]), (&"timed-out".into(), &0.into()));
        assert_hint(
            &line,
            &["no block of 8192 bytes arrives", "`transfer.max-blksize`", "blocks of 1000 bytes reach it"],
        );
    }
}

/// A receiver with room for 16 datagrams: what comes beyond them is lost, window after window.
#[test]
fn a_small_receive_buffer_is_recognised() {
    const WINDOW: u64 = 64;
    const ROOM: u64 = 16;
    let server = patient();
    let mut peer = Peer::strict(server.address());
    peer.ask(&rrq("200000", &[("blksize", "512"), ("windowsize", "64")]));
    assert!(matches!(peer.receive(), Answer::Oack(_)));
    peer.send(&ack(0));
    let (mut has, last) = (0_u64, 200_000 / 512 + 1);
    while has < last {
        let (begin, end) = (has, (has + WINDOW).min(last));
        // It notices at the end of the window that something is missing.
        loop {
            let Some(Answer::Data(block, _)) = peer.receive_within(SOON) else {
                panic!("no block after {has}")
            };
            let block = u64::from(block);
            if block == has + 1 && has < begin + ROOM {
                has += 1;
            }
            if block >= end {
                break;
            }
        }
        peer.send(&ack(has as u16));
    }
    let line = server.outcome("200000");
    assert_eq!(line["outcome"], "served");
    assert_hint(&line, &["cut off after 16 blocks", "receive buffer is small", "`listeners[].burst: 14`"]);
}

#[test]
fn clean_transfers_have_none() {
    let server = patient();
    for (blksize, windowsize) in [(512, 1), (1428, 1), (1428, 16), (8192, 64)] {
        let options = Options { blksize: Some(blksize), windowsize: Some(windowsize), ..Options::default() };
        assert_eq!(Client::Tuffet.get(server.address(), "200000", options), bytes(200_000));
        assert_eq!(server.outcome("200000")["hint"], Value::Null, "{blksize} {windowsize}");
        Client::Tuffet.put(server.address(), "up", &bytes(40_000), options);
        assert_eq!(server.outcome("up")["hint"], Value::Null, "{blksize} {windowsize}");
        std::fs::remove_file(server.root().path("up")).unwrap();
    }
}
