//! Clients that break the rules, or use them oddly, in the middle of their own transfer.

use super::{assert_silent_then_served, assert_still_serves};
use crate::harness::{Answer, Peer, Server, Setup, ack, assert_ended, assert_moved, bytes, data, error};
use crate::harness::{oack, rrq, wrq};
use std::time::Duration;

/// Starts a server that retransmits nothing for five seconds: any duplicate was provoked.
fn patient() -> Server {
    Setup::new()
        .sizes(&[2000, 2001])
        .file("good", super::GOOD)
        .yaml(
            "roots: [{ name: boot, path: root, writable: true }]\nworkers: 1\n\
             transfer: { retransmit: { floor: 5s, initial: 5s, cap: 5s, give-up: 30s } }",
        )
        .start()
}

fn block(number: u16) -> Answer {
    let from = 512 * (usize::from(number) - 1);
    Answer::Data(number, bytes(2000)[from..].iter().take(512).copied().collect())
}

#[test]
fn acks_of_blocks_that_were_not_sent() {
    let server = patient();
    let mut peer = Peer::strict(server.address());
    peer.ask(&rrq("2000", &[]));
    peer.expect(block(1));
    for future in [2, 3, 4, 5, 1000, 65_535] {
        peer.send(&ack(future));
    }
    peer.send(&ack(1));
    peer.expect(block(2));
    peer.send(&ack(2));
    assert!(peer.read_on(3) == bytes(2000)[1024..]);
    assert_moved(&server.outcome("2000"), "served", 2000, 512, 1);
}

/// RFC 1123 section 4.2.3.1, the Sorcerer's Apprentice: a duplicate ACK does not retransmit a block.
#[test]
fn repeated_acks_in_lockstep() {
    let server = patient();
    let mut peer = Peer::strict(server.address());
    peer.ask(&rrq("2000", &[]));
    for next in 1..=4 {
        peer.expect(block(next));
        (0..5).for_each(|_| peer.send(&ack(next)));
    }
    let line = server.outcome("2000");
    assert_moved(&line, "served", 2000, 512, 1);
    assert_eq!(line["retransmissions"], 0, "{line:#}");
    assert!(line["duplicates"].as_u64().unwrap() >= 12, "{line:#}");
    // If a block had been duplicated, it would arrive now.
    peer.ask(&rrq("missing", &[]));
    peer.expect_error(1);
}

/// EDK2 answers each packet beyond a gap with an ACK: the sender goes back once.
#[test]
fn many_acks_for_one_gap() {
    let server = patient();
    let mut peer = Peer::strict(server.address());
    let name = 2000.to_string();
    peer.ask(&rrq(&name, &[("blksize", "100"), ("windowsize", "8")]));
    peer.expect(Answer::Oack("blksize=100 windowsize=8".into()));
    let small = |number: u16| {
        let from = 100 * (usize::from(number) - 1);
        Answer::Data(number, bytes(2000)[from..].iter().take(100).copied().collect())
    };
    peer.send(&ack(0));
    (1..=8).for_each(|number| peer.expect(small(number)));
    // The client reports the loss of block 3 once for each of 4 to 8. If the first report comes sooner than the server
    // expects an answer, it sends blocks 9 and 10, and the others show that block 3 is missing.
    // It gets them together: otherwise a late one counts as a report of the next loss.
    server.meanwhile_stopped(|| (4..=8).for_each(|_| peer.send(&ack(2))));
    let mut next = peer.receive();
    let early = next == small(9);
    if early {
        peer.expect(small(10));
        next = peer.receive();
    }
    assert_eq!(next, small(3));
    (4..=10).for_each(|number| peer.expect(small(number)));
    peer.send(&ack(10));
    (11..=18).for_each(|number| peer.expect(small(number)));
    peer.send(&ack(18));
    (19..=21).for_each(|number| peer.expect(small(number)));
    peer.send(&ack(21));
    let line = server.outcome(&name);
    assert_moved(&line, "served", 2000, 100, 8);
    assert_eq!(line["retransmissions"], if early { 8 } else { 6 }, "blocks 3 to 8, or to 10: {line:#}");
}

/// `msftwindow` makes every ACK five bytes long.
#[test]
fn acks_with_more_than_four_bytes() {
    let server = patient();
    let mut peer = Peer::strict(server.address());
    peer.ask(&rrq("2000", &[]));
    for next in 1..=4 {
        peer.expect(block(next));
        peer.send(&[&ack(next)[..], &[16]].concat());
    }
    assert_moved(&server.outcome("2000"), "served", 2000, 512, 1);
}

#[test]
fn packets_that_have_no_place_in_a_read() {
    let server = patient();
    let mut peer = Peer::strict(server.address());
    peer.ask(&rrq("2000", &[]));
    peer.expect(block(1));
    for packet in [
        data(1, b"x"),
        data(2, &[0; 600]),
        oack(&[("blksize", "8")]),
        rrq("2000", &[]),
        rrq("good", &[]),
        wrq("2000", &[]),
        vec![],
        vec![0],
        vec![0, 4],
        vec![0, 4, 0],
        vec![0, 5],
        vec![0, 9, 0, 1],
        ack(0),
    ] {
        peer.send(&packet);
    }
    peer.send(&ack(1));
    assert!(peer.read_on(2) == bytes(2000)[512..]);
    assert_moved(&server.outcome("2000"), "served", 2000, 512, 1);
    assert_eq!(server.stop(), [] as [serde_json::Value; 0]);
}

#[test]
fn packets_that_have_no_place_in_a_write() {
    let server = patient();
    let mut peer = Peer::strict(server.address());
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    for packet in [
        ack(0),
        ack(1),
        oack(&[("tsize", "1")]),
        data(0, b"zero"),
        data(2, b"too early"),
        data(65_535, b"far"),
        vec![0, 3],
        wrq("up", &[]),
    ] {
        peer.send(&packet);
    }
    peer.write_on(&bytes(2000), 512);
    assert_moved(&server.outcome("up"), "stored", 2000, 512, 1);
    assert!(server.root().read("up") == bytes(2000));
}

#[test]
fn data_longer_than_the_block_size() {
    let server = patient();
    for (options, payload) in [(&[][..], 513), (&[("blksize", "8")], 9), (&[("blksize", "1428")], 60_000)] {
        let mut peer = Peer::strict(server.address());
        peer.ask(&wrq("up", options));
        assert!(matches!(peer.receive(), Answer::Ack(0) | Answer::Oack(_)));
        peer.send(&data(1, &vec![0; payload]));
        assert!(peer.expect_error(4).contains("longer than the block size"));
        assert_eq!(server.outcome("up")["outcome"], "aborted");
    }
    server.stop();
    assert!(!server.root().has("up"));
}

/// An ERROR ends a transfer and is never answered; its meaning depends on when it comes.
#[test]
fn errors_from_the_client() {
    let server = patient();
    let tsize = &[("tsize", "0")][..];
    for (options, after, code, outcome) in [
        // UEFI requests the size and refuses.
        (tsize, 0, 8, "probed"),
        // GRUB closes.
        (tsize, 0, 0, "probed"),
        (tsize, 1, 0, "probed"),
        (&[], 1, 0, "probed"),
        (tsize, 2, 8, "aborted"),
        (&[], 1, 3, "aborted"),
        (&[], 2, 65_535, "aborted"),
    ] {
        let mut peer = Peer::strict(server.address());
        peer.ask(&rrq("2000", options));
        if !options.is_empty() {
            peer.expect(Answer::Oack("tsize=2000".into()));
            if after > 0 {
                peer.send(&ack(0));
            }
        }
        for next in 1..=after {
            peer.expect(block(next));
            if next < after {
                peer.send(&ack(next));
            }
        }
        peer.send(&error(code, "the client's text"));
        let line = server.outcome("2000");
        assert_ended(&line, outcome, "the client's text");
        assert_ended(&line, outcome, &format!("ERROR {code} "));
        assert_silent_then_served(&mut peer);
        server.outcome("good");
    }
}

/// ERROR without a NUL, or with a text as long as a datagram carries: the classes behind old CVEs.
#[test]
fn errors_with_odd_texts() {
    let server = patient();
    for text in [&b"\0\x05\0\0no NUL"[..], b"\0\x05\0\0", &[&b"\0\x05\0\0"[..], &[b'%'; 60_000]].concat()] {
        let mut peer = Peer::strict(server.address());
        peer.ask(&rrq("2000", &[]));
        peer.expect(block(1));
        peer.send(text);
        let line = server.outcome("2000");
        assert_eq!(line["outcome"], "probed");
        assert!(line["detail"].as_str().unwrap().len() < 500);
    }
    assert_still_serves(&server);
}

/// The answer was lost: the same request again gets the same answer from the same TID, and there is one
/// transfer.
#[test]
fn a_request_that_is_repeated() {
    let server = patient();
    let mut peer = Peer::strict(server.address());
    peer.ask(&rrq("2000", &[("tsize", "0")]));
    peer.expect(Answer::Oack("tsize=2000".into()));
    let tid = peer.tid();
    peer.ask_meanwhile(&rrq("2000", &[("tsize", "0")]));
    peer.expect(Answer::Oack("tsize=2000".into()));
    assert_eq!(peer.tid(), tid);
    peer.send(&ack(0));
    peer.expect(block(1));
    // Too late: the transfer has begun.
    peer.send(&ack(1));
    peer.expect(block(2));
    peer.ask_meanwhile(&rrq("2000", &[("tsize", "0")]));
    peer.send(&ack(2));
    assert!(peer.read_on(3) == bytes(2000)[1024..]);
    assert_moved(&server.outcome("2000"), "served", 2000, 512, 1);
    assert_eq!(server.stop(), [] as [serde_json::Value; 0], "one transfer, one outcome");
}

/// iPXE and U-Boot reuse their port: the new request counts.
#[test]
fn another_file_from_the_same_port() {
    let server = patient();
    let mut peer = Peer::strict(server.address());
    peer.ask(&rrq("2000", &[]));
    peer.expect(block(1));
    let content = peer.read_plainly("2001");
    assert!(content == bytes(2001));
    assert_ended(
        &server.outcome("2000"),
        "aborted",
        "another request from the same port, and had acknowledged nothing",
    );
    assert_moved(&server.outcome("2001"), "served", 2001, 512, 1);
    // And the same file again, after the first has ended.
    assert!(peer.read_plainly("2001") == bytes(2001));
    assert_moved(&server.outcome("2001"), "served", 2001, 512, 1);
    assert_eq!(server.stop(), [] as [serde_json::Value; 0]);
}

/// A device that stores its configuration again at once, from a fixed port.
#[test]
fn the_same_upload_again_from_the_same_port() {
    let server = Setup::new()
        .yaml(
            "roots: [{ name: boot, path: root, writable: true, overwrite: true }]\nworkers: 1\n\
             transfer: { retransmit: { floor: 5s, initial: 5s, cap: 5s, give-up: 30s } }",
        )
        .start();
    for content in [b"one".as_slice(), b"two", b"three"] {
        let mut peer = Peer::strict(server.address());
        for _ in 0..3 {
            peer.ask(&wrq("up", &[]));
            peer.expect(Answer::Ack(0));
            peer.write_on(content, 512);
            assert_moved(&server.outcome("up"), "stored", content.len(), 512, 1);
        }
    }
    assert_eq!(server.stop(), [] as [serde_json::Value; 0]);
}

/// In single-port mode, a request that may be a copy is not answered: the device repeats it, as after a loss,
/// and is served then.
#[test]
fn the_same_upload_again_in_single_port_mode() {
    let root = "roots: [{ name: boot, path: root, writable: true, overwrite: true }]";
    let server = Setup::new().yaml(root).single_port().start();
    let mut peer = Peer::new(server.address());
    for content in [b"one".as_slice(), b"two", b"three"] {
        let asks = (0..2).find(|_| {
            peer.ask(&wrq("up", &[]));
            peer.receive_within(Duration::from_secs(2)) == Some(Answer::Ack(0))
        });
        assert!(asks.is_some(), "it asked twice");
        peer.write_on(content, 512);
        assert_moved(&server.outcome("up"), "stored", content.len(), 512, 1);
        assert!(server.root().read("up") == content);
    }
    assert_eq!(server.stop(), [] as [serde_json::Value; 0]);
}

/// A slow client answers only retransmissions: it is slow, but gets its file.
#[test]
fn one_ack_for_each_time_out() {
    let server = Setup::new()
        .sizes(&[2000])
        .rest_of_yaml("transfer: { retransmit: { floor: 2ms, initial: 5ms, cap: 10ms, give-up: 10s } }")
        .start();
    let mut peer = Peer::strict(server.address());
    peer.ask(&rrq("2000", &[]));
    for next in 1..=4 {
        // The previous block may have been retransmitted.
        let before = (next > 1).then(|| block(next - 1));
        let due = std::iter::repeat_with(|| peer.receive()).find(|answer| Some(answer) != before.as_ref());
        assert_eq!(due, Some(block(next)));
        peer.expect(block(next));
        peer.send(&ack(next));
    }
    let line = server.outcome("2000");
    assert_moved(&line, "served", 2000, 512, 1);
    assert!(line["retransmissions"].as_u64().unwrap() >= 4, "{line:#}");
}
