//! Outcomes of limits: rows 38 to 41.

use super::assert_facts;
use crate::harness::{Answer, Peer, SOON, Server, Setup, ack, assert_ended, bytes, data, rrq, wrq};
use serde_json::Value;
use std::thread::sleep;
use std::time::{Duration, Instant};

fn server(limits: &str, transfer: &str, give_up: &str) -> Server {
    let retransmit = format!("retransmit: {{ floor: 20ms, initial: 20ms, cap: 50ms, give-up: {give_up} }}");
    Setup::new()
        .sizes(&[5000])
        .file("long", &bytes(4 << 20))
        .yaml(&format!(
            "roots: [{{ name: root, path: root, writable: true }}]\nworkers: 1\nlimits: {{ {limits} }}\n\
             transfer: {{ {transfer} {retransmit} }}\n"
        ))
        .start()
}

#[test]
fn r38_the_place_of_who_has_not_answered_is_needed() {
    // At most two, both of which are taken and overdue when the third request comes.
    let server = server("transfers: 2, half-open: 2", "", "60s");
    let mut silent: Vec<Peer> = (0..2).map(|_| Peer::new(server.address())).collect();
    for peer in &mut silent {
        peer.ask(&rrq("5000", &[]));
        peer.expect(Answer::Data(1, bytes(5000)[..512].to_vec()));
    }
    // Another client, because one address gets no more than its share.
    let mut third = Peer::from([127, 201, 0, 1], server.address());
    let end = Instant::now() + SOON;
    third.ask(&rrq("long", &[]));
    while third.receive_within(Duration::from_millis(20)).is_none() {
        assert!(Instant::now() < end, "nobody made room");
        third.ask(&rrq("long", &[]));
    }
    let line = server.outcome("5000");
    assert_facts(&line, "timed-out", "granted", 0, 0);
    assert_ended(&line, "timed-out", "another took its place (`limits.transfers`)");
}

/// Reads the long file slowly, until the server ends it.
fn read_slowly(server: &Server) -> String {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("long", &[]));
    let end = Instant::now() + SOON;
    loop {
        assert!(Instant::now() < end, "it goes on and on");
        match peer.receive() {
            Answer::Data(block, _) => {
                sleep(Duration::from_millis(20));
                peer.send(&ack(block));
            }
            Answer::Error(0, text) => return text,
            other => panic!("{other:?}"),
        }
    }
}

/// Writes for as long as the server accepts it.
fn write_slowly(server: &Server) -> String {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[("blksize", "8")]));
    peer.expect(Answer::Oack("blksize=8".into()));
    let end = Instant::now() + SOON;
    for block in 1_u16.. {
        assert!(Instant::now() < end, "it goes on and on");
        peer.send(&data(block, b"12345678"));
        match peer.receive() {
            Answer::Ack(got) if got == block => sleep(Duration::from_millis(20)),
            Answer::Error(0, text) => return text,
            other => panic!("{other:?}"),
        }
    }
    unreachable!("65,535 blocks take longer than a test may")
}

#[test]
fn r39_too_slow() {
    let server = server("", "least-rate: 1MiB,", "1s");
    assert_eq!(read_slowly(&server), "the transfer is too slow");
    let line = server.outcome("long");
    assert_ended(&line, "timed-out", "less than `transfer.least-rate` (1048576 bytes a second)");
    assert_facts_of_a_part(&line);
    assert_eq!(write_slowly(&server), "the transfer is too slow");
    assert_facts_of_a_part(&server.outcome("up"));
    assert_eq!(server.stop(), [] as [Value; 0]);
    assert_eq!(server.root().names(), ["5000", "long"]);
}

#[test]
fn r40_too_long() {
    let server = server("", "least-rate: 0, max-duration: 1s,", "5s");
    assert_eq!(read_slowly(&server), "the transfer took too long");
    let line = server.outcome("long");
    assert_ended(&line, "timed-out", "it took longer than `transfer.max-duration` (1s)");
    assert_facts_of_a_part(&line);
    assert_eq!(write_slowly(&server), "the transfer took too long");
    assert_facts_of_a_part(&server.outcome("up"));
    assert_eq!(server.stop(), [] as [Value; 0]);
    assert_eq!(server.root().names(), ["5000", "long"]);
}

#[track_caller]
fn assert_facts_of_a_part(line: &Value) {
    let (bytes, blocks) = (line["bytes"].as_u64().unwrap(), line["blocks"].as_u64().unwrap());
    assert!(bytes > 0 && blocks > 0, "{line:#}");
    assert_facts(line, "timed-out", "granted", bytes as usize, blocks);
}

#[test]
fn r41_as_many_uploads_to_the_name_as_may() {
    let server = server("uploads-per-name: 1", "", "60s");
    let mut first = Peer::new(server.address());
    first.ask(&wrq("up", &[]));
    first.expect(Answer::Ack(0));
    let mut second = Peer::new(server.address());
    second.ask(&wrq("up", &[]));
    let line = server.outcome("up");
    assert_facts(&line, "denied", "dropped", 0, 0);
    assert_ended(&line, "denied", "as many as `limits.uploads-per-name` allows");
    assert_eq!(second.receive_within(Duration::from_millis(1)), None);
    first.write_on(b"content", 512);
    assert_eq!(server.outcome("up")["outcome"], "stored");
    assert_eq!(server.stop(), [] as [Value; 0]);
}
