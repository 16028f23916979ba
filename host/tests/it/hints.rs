//! Hints in the lines of ended transfers: for patterns that are known, and for no others.

use crate::harness::{Answer, Client, Options, Peer, SOON, Server, Setup, ack, bytes, error, rrq};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// Gives up clients that say nothing for some seconds, and those that never answered after a quarter of that time.
const HASTY: &str = "transfer: { retransmit: { floor: 20ms, initial: 50ms, cap: 100ms, give-up: 6s } }\n";

/// Answers do not reach the client.
const UNREACHED: [&str; 4] = [
    "has acknowledged nothing",
    "does a firewall or NAT drop",
    "`single-port: true`",
    "ct helper set \"tftp\"",
];

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
    assert_hint(&line, &UNREACHED);
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

/// Repeats its request from its port, as most clients do: after a second each one begins anew, and the first line says why.
#[test]
fn the_first_line_of_a_client_that_asks_again_from_its_port_has_the_hint() {
    let server = patient();
    let request = rrq("200000", &[("blksize", "1000")]);
    let peer = Peer::new(server.address());
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let end = Instant::now() + SOON;
            while !ended.load(Relaxed) && Instant::now() < end {
                peer.ask_meanwhile(&request);
                thread::sleep(Duration::from_millis(200));
            }
        });
        let line = server.outcome("200000");
        ended.store(true, Relaxed);
        assert_eq!(line["outcome"], "aborted");
        assert_hint(&line, &UNREACHED);
        let detail = line["detail"].as_str().unwrap();
        assert!(
            detail.contains("acknowledged nothing: the answers do not reach it, or it started over"),
            "{line:#}"
        );
    });
}

/// As the ROMs that take another port each time.
#[test]
fn the_first_line_of_a_client_that_asks_again_from_another_port_has_the_hint() {
    let times = "transfer: { retransmit: { floor: 20ms, initial: 50ms, cap: 100ms, give-up: 20s } }\n";
    let server = Setup::new().sizes(&[5_000, 40_000]).yaml(&format!("{ROOT}{times}")).start();
    let mut ports = [Peer::new(server.address()), Peer::new(server.address())];
    for peer in &mut ports {
        peer.ask(&rrq("5000", &[]));
        assert!(matches!(peer.receive(), Answer::Data(1, _)));
        // The time-out of the client: the first request ends while the second one waits.
        thread::sleep(Duration::from_secs(1));
    }
    // This one lost an answer, and was reached at another port.
    let [mut lost, mut reached] = [Peer::new(server.address()), Peer::new(server.address())];
    lost.ask(&rrq("40000", &[]));
    assert!(matches!(lost.receive(), Answer::Data(1, _)));
    reached.ask(&rrq("40000", &[]));
    assert!(matches!(reached.receive(), Answer::Data(1, _)));
    reached.send(&ack(1));
    // The one that was asked first has it at once.
    let lines = [server.outcome("5000"), server.outcome("5000")];
    assert!(lines.iter().all(|line| line["outcome"] == "timed-out"), "{lines:#?}");
    assert_hint(lines.iter().find(|line| line["hint"].is_string()).unwrap_or(&lines[0]), &UNREACHED);
    assert_eq!(server.outcome("40000")["hint"], Value::Null, "it was reached");
}

/// Beyond the lines that each has alone, the sum counts them.
#[test]
fn clients_that_ask_again_are_counted_in_the_sum_of_a_flood() {
    let server = patient();
    let request = rrq("200000", &[("blksize", "1000")]);
    let all: Vec<Peer> = (0..1_000).map(|_| Peer::new(server.address())).collect();
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let end = Instant::now() + SOON;
            while !ended.load(Relaxed) && Instant::now() < end {
                all.iter().for_each(|peer| peer.ask_meanwhile(&request));
                thread::sleep(Duration::from_millis(100));
            }
        });
        let line = server.logged("refused and aborted requests, summed up");
        ended.store(true, Relaxed);
        assert!(line["aborted"].as_u64() > Some(0), "{line:#}");
        assert_eq!(line["asked_again"], line["aborted"], "{line:#}");
    });
}

/// A transfer that is stuck has a line while it runs: the operator waits for it, too.
#[test]
fn a_path_that_drops_large_blocks_is_named_while_the_client_waits() {
    let times = "transfer: { retransmit: { floor: 50ms, initial: 50ms, cap: 100ms, give-up: 60s } }\n";
    let server = Setup::new().sizes(&[40_000]).yaml(&format!("{ROOT}{times}")).start();
    let mut peer = Peer::strict(server.address());
    peer.ask(&rrq("40000", &[("blksize", "1428")]));
    assert!(matches!(peer.receive(), Answer::Oack(_)));
    peer.send(&ack(0));
    assert!(matches!(peer.receive(), Answer::Data(1, _)));
    peer.send(&ack(0));
    let line = server.logged("a transfer is slow, and goes on");
    assert_eq!((&line["path"], &line["bytes"]), (&"40000".into(), &0.into()), "{line:#}");
    assert!(line["running_seconds"].as_u64() < Some(30), "{line:#}");
    assert_hint(&line, &["no block of 1428 bytes arrives", "`transfer.max-blksize`"]);
    // It gives up by itself.
    peer.send(&error(0, "timeout"));
    let line = server.outcome("40000");
    assert_eq!(line["outcome"], "probed");
    assert_hint(&line, &["no block of 1428 bytes arrives"]);
}

/// What moves, but slowly, has one, too, and only once.
#[test]
fn a_transfer_that_stands_still_is_told_once_while_it_runs() {
    let server = patient();
    let mut peer = Peer::strict(server.address());
    peer.ask(&rrq("200000", &[]));
    assert!(matches!(peer.receive(), Answer::Data(1, _)));
    peer.send(&ack(1));
    let line = server.logged("a transfer is slow, and goes on");
    assert_eq!((&line["path"], &line["bytes"], &line["hint"]), (&"200000".into(), &512.into(), &Value::Null));
    // It is sampled each second.
    let before = server.live()["samples"].as_array().unwrap().last().cloned();
    server.live_until("two samples", |live| {
        let samples = live["samples"].as_array().unwrap();
        samples.iter().rev().take_while(|sample| Some(*sample) != before.as_ref()).count() >= 2
    });
    peer.send(&error(0, "enough"));
    server.outcome("200000");
    assert!(!server.log().contains("more transfers are slow"));
    assert_eq!(server.log().matches("a transfer is slow").count(), 1);
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
