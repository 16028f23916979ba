//! Outcomes that clients cause: rows 1 to 11 and 28 to 30.

use super::assert_facts;
use crate::harness::{
    Answer, Client, Options, Peer, Server, Setup, ack, assert_ended, bytes, data, each_client, error, rrq,
    wrq,
};
use serde_json::Value;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Starts a server with long time-outs, so that a slow test causes no retransmission.
fn patient() -> Server {
    let retransmit = "transfer: { retransmit: { floor: 5s, initial: 5s, cap: 5s, give-up: 60s } }";
    let root = "roots: [{ name: root, path: root, writable: true }]";
    Setup::new().sizes(&[600, 5000]).yaml(&format!("{root}\n{retransmit}\n")).start()
}

/// Starts a server that gives up silent clients after a second.
fn hasty() -> Server {
    let retransmit = "transfer: { retransmit: { floor: 5ms, initial: 20ms, cap: 100ms, give-up: 1s } }";
    let root = "roots: [{ name: root, path: root, writable: true }]";
    Setup::new().sizes(&[5000]).yaml(&format!("{root}\n{retransmit}\n")).start()
}

fn peer(server: &Server, request: &[u8]) -> Peer {
    let mut peer = Peer::strict(server.address());
    peer.ask(request);
    peer
}

/// Begins a plain read of which the client has acknowledged one block.
fn reading(server: &Server) -> Peer {
    let mut peer = peer(server, &rrq("5000", &[]));
    peer.expect(Answer::Data(1, bytes(5000)[..512].to_vec()));
    peer.send(&ack(1));
    peer.expect(Answer::Data(2, bytes(5000)[512..1024].to_vec()));
    peer
}

#[track_caller]
fn assert_nothing_more(server: &Server) {
    assert_eq!(server.stop(), [] as [Value; 0]);
}

each_client!(r01_served);
fn r01_served(client: Client) {
    let server = patient();
    client.get(server.address(), "5000", Options::default());
    let line = server.outcome("5000");
    assert_facts(&line, "served", "granted", 5000, 10);
    assert_eq!((&line["size"], &line["resolved"]), (&5000.into(), &"root:5000".into()));
    assert_eq!(line["timeouts"], 0);
    // On a busy machine, busybox asks again after 50 ms.
    assert!(line["retransmissions"] == 0 || client == Client::Busybox, "{line:#}");
    assert!(line["rtt_us"].is_u64() && line["verdict_by"].is_null(), "{line:#}");
    assert_nothing_more(&server);
}

#[test]
fn r01_served_as_negotiated() {
    let server = patient();
    let options = [("blksize", "1000"), ("windowsize", "3"), ("tsize", "0"), ("timeout", "7"), ("x", "1")];
    let mut peer = peer(&server, &rrq("5000", &options));
    assert!(matches!(peer.receive(), Answer::Oack(_)));
    peer.send(&ack(0));
    for block in 1..=6_u16 {
        assert!(matches!(peer.receive(), Answer::Data(..)));
        if block % 3 == 0 {
            peer.send(&ack(block));
        }
    }
    let line = server.outcome("5000");
    assert_facts(&line, "served", "granted", 5000, 6);
    for (key, due) in [("blksize", 1000), ("windowsize", 3), ("timeout_option", 7), ("tsize", 5000)] {
        assert_eq!(line[key], due, "{key}");
    }
    assert_eq!(line["asked"], "blksize=1000 windowsize=3 timeout=7 tsize=0");
}

each_client!(r02_stored);
fn r02_stored(client: Client) {
    let server = patient();
    client.put(server.address(), "up", &bytes(1024), Options::default());
    let line = server.outcome("up");
    assert_facts(&line, "stored", "granted", 1024, 3);
    assert_eq!(line["resolved"], "root:up");
    assert!(server.root().read("up") == bytes(1024));
    assert_nothing_more(&server);
}

/// UEFI: a request for the size, ERROR 8, and the same port again for the file.
#[test]
fn r03_size_probe() {
    let server = patient();
    let mut peer = peer(&server, &rrq("5000", &[("tsize", "0"), ("blksize", "1468"), ("windowsize", "4")]));
    assert!(matches!(peer.receive(), Answer::Oack(_)));
    peer.send(&error(8, "User aborted the transfer"));
    let line = server.outcome("5000");
    assert_facts(&line, "probed", "granted", 0, 0);
    assert_ended(&line, "probed", "ERROR 8");
    assert_eq!((&line["class"], &line["tsize"]), (&"uefi".into(), &5000.into()));
    peer.ask(&rrq("5000", &[("blksize", "1468"), ("windowsize", "4")]));
    assert!(matches!(peer.receive(), Answer::Oack(_)));
    peer.send(&ack(0));
    for _ in 1..=4 {
        assert!(matches!(peer.receive(), Answer::Data(..)));
    }
    peer.send(&ack(4));
    let line = server.outcome("5000");
    assert_facts(&line, "served", "granted", 5000, 4);
    assert_eq!((&line["class"], &line["windowsize"]), (&"uefi".into(), &4.into()));
    assert_nothing_more(&server);
}

#[test]
fn r04_closed_after_the_oack() {
    let server = patient();
    let mut peer = peer(&server, &rrq("5000", &[("blksize", "1432"), ("tsize", "0")]));
    assert!(matches!(peer.receive(), Answer::Oack(_)));
    peer.send(&error(0, "TFTP Aborted"));
    let line = server.outcome("5000");
    assert_facts(&line, "probed", "granted", 0, 0);
    assert_ended(&line, "probed", "TFTP Aborted");
    assert_eq!((&line["class"], &line["size"]), (&"ipxe".into(), &5000.into()));
}

/// GRUB reads the head of a file and closes it.
#[test]
fn r05_closed_early() {
    let server = patient();
    let mut peer = peer(&server, &rrq("5000", &[("blksize", "1024"), ("tsize", "0")]));
    assert!(matches!(peer.receive(), Answer::Oack(_)));
    peer.send(&ack(0));
    for block in 1..=2 {
        peer.expect(Answer::Data(block, bytes(5000)[usize::from(block - 1) * 1024..][..1024].to_vec()));
        peer.send(&ack(block));
    }
    assert!(matches!(peer.receive(), Answer::Data(3, _)));
    peer.send(&error(0, "closed"));
    let line = server.outcome("5000");
    assert_facts(&line, "probed", "granted", 2048, 2);
    assert_ended(&line, "probed", "ERROR 0 \"closed\"");
    assert_eq!((&line["class"], &line["size"]), (&"grub".into(), &5000.into()));
}

#[test]
fn r06_other_errors_of_readers() {
    let server = patient();
    let reading = reading(&server);
    reading.send(&error(3, "disk full"));
    let line = server.outcome("5000");
    assert_facts(&line, "aborted", "granted", 512, 1);
    assert_ended(&line, "aborted", "ERROR 3 \"disk full\"");
    let mut early = peer(&server, &rrq("5000", &[("tsize", "0")]));
    assert!(matches!(early.receive(), Answer::Oack(_)));
    early.send(&error(4, ""));
    assert_facts(&server.outcome("5000"), "aborted", "granted", 0, 0);
}

#[test]
fn r07_errors_of_writers() {
    let server = patient();
    for (code, blocks) in [(0, 0), (0, 1), (8, 0), (3, 1)] {
        let mut peer = peer(&server, &wrq("up", &[]));
        peer.expect(Answer::Ack(0));
        for block in 1..=blocks {
            peer.send(&data(block, &[7; 512]));
            peer.expect(Answer::Ack(block));
        }
        peer.send(&error(code, "enough"));
        let line = server.outcome("up");
        assert_facts(&line, "aborted", "granted", usize::from(blocks) * 512, blocks.into());
    }
    server.stop();
    assert_eq!(server.root().names(), ["5000", "600"], "nothing of them is left");
}

#[test]
fn r08_the_same_request_again() {
    // To a server that reads a repeated request a second after the first, the client has started over.
    const ANEW: Duration = Duration::from_secs(1);
    for _ in 0..10 {
        let server = patient();
        let mut peer = Peer::new(server.address());
        let begun = Instant::now();
        peer.ask(&rrq("600", &[]));
        for _ in 0..3 {
            peer.ask_meanwhile(&rrq("600", &[]));
        }
        // All of them are read before an ACK, which a busy worker might find first.
        let live = server.live_until("four requests", |live| admitted(live) + repeated(live) == 4);
        if repeated(&live) < 3 && begun.elapsed() >= ANEW {
            continue;
        }
        assert!(peer.read_on(1) == bytes(600));
        let line = server.outcome("600");
        assert_facts(&line, "served", "granted", 600, 2);
        assert_eq!(line["duplicates"], 3);
        assert_nothing_more(&server);
        return;
    }
    panic!("the machine stood still for a second each time");
}

/// A server with a single port takes the same request for a copy for so long, if its upload is stored.
const COPIES_OF_STORED: Duration = Duration::from_millis(200);

/// The network duplicated the request, and lost the last block or the last ACK of the transfer that it began:
/// the client is not aware of the copy, and continues with its TID.
#[test]
fn r08_a_copy_of_the_request_when_only_the_last_ack_is_missing() {
    let retransmit = "transfer: { retransmit: { floor: 5ms, initial: 20ms, cap: 100ms, give-up: 20s } }";
    for single_port in [false, true] {
        let setup = Setup::new().sizes(&[600]).rest_of_yaml(retransmit).writable();
        let server = if single_port { setup.single_port() } else { setup }.start();
        // A copy begins another transfer, or counts as a repetition in single-port mode.
        let arrives = |copies: u64, requests: u64| {
            server.live_until("the copy", |live| admitted(live) + repeated(live) == copies + requests)
        };

        let mut reader = Peer::strict(server.address());
        reader.ask(&rrq("600", &[("tsize", "0")]));
        // A late ACK on a busy machine gets each of them again.
        let oack = Answer::Oack("tsize=600".into());
        reader.expect(oack.clone());
        reader.send(&ack(0));
        let mut first = reader.receive();
        while first == oack {
            first = reader.receive();
        }
        assert_eq!(first, Answer::Data(1, bytes(600)[..512].to_vec()));
        reader.send(&ack(1));
        let last = Answer::Data(2, bytes(600)[512..].to_vec());
        let mut next = reader.receive();
        while next != last {
            next = reader.receive();
        }
        reader.ask_meanwhile(&rrq("600", &[("tsize", "0")]));
        arrives(1, 1);
        while reader.receive_within(Duration::from_millis(1)).is_some() {}
        assert_eq!(reader.receive_within(Duration::from_secs(5)), Some(last), "single port: {single_port}");
        reader.send(&ack(2));
        assert_eq!(server.outcome("600")["outcome"], "served");

        let stored_then_copied = |attempt| {
            let name = format!("up-{attempt}");
            let before = server.live();
            let mut writer = Peer::new(server.address());
            let begun = Instant::now();
            writer.ask(&wrq(&name, &[]));
            writer.expect(Answer::Ack(0));
            writer.write_on(&bytes(600), 512);
            writer.ask_meanwhile(&wrq(&name, &[]));
            let all = admitted(&before) + repeated(&before) + 2;
            let live = server.live_until("the copy", |live| admitted(live) + repeated(live) == all);
            assert_eq!(server.outcome(&name)["outcome"], "stored");
            if single_port && repeated(&live) == repeated(&before) {
                assert!(begun.elapsed() >= COPIES_OF_STORED, "a copy began another upload");
                return None;
            }
            while writer.receive_within(Duration::from_millis(1)).is_some() {}
            writer.send(&data(2, &bytes(600)[512..]));
            Some(writer.receive_within(Duration::from_secs(5)))
        };
        let answer = (0..10).find_map(stored_then_copied).expect("a machine that does not stand still");
        assert_eq!(answer, Some(Answer::Ack(2)), "single port: {single_port}");
    }
}

/// A device that stores its file again from the same port, after its last ACK: it is answered at once.
#[test]
fn r09_an_upload_anew_in_single_port_mode() {
    let root = "roots: [{ name: root, path: root, writable: true, overwrite: true }]\n";
    let server = Setup::new().single_port().yaml(root).start();
    let mut writer = Peer::new(server.address());
    for content in [bytes(600), bytes(700)] {
        writer.ask(&wrq("up", &[]));
        // It does not repeat its request within this time.
        let answer = writer.receive_within(Duration::from_secs(10));
        assert_eq!(answer, Some(Answer::Ack(0)), "{} bytes", content.len());
        writer.write_on(&content, 512);
        assert_facts(&server.outcome("up"), "stored", "granted", content.len(), 2);
        assert!(server.root().read("up") == content);
        // Later than copies, and sooner than clients repeat themselves.
        sleep(Duration::from_millis(300));
    }
    assert_nothing_more(&server);
}

fn admitted(live: &Value) -> u64 {
    live["totals"]["admitted"].as_u64().unwrap()
}

fn repeated(live: &Value) -> u64 {
    let rows = live["totals"]["dropped"].as_array().unwrap();
    rows.iter().find(|row| row["reason"] == "repeated").map_or(0, |row| row["count"].as_u64().unwrap())
}

#[test]
fn r09_the_same_request_anew() {
    let server = patient();
    // The last block is in flight: a client that sends its request again does not know that it has
    // everything.
    let mut peer = peer(&server, &rrq("600", &[]));
    assert!(matches!(peer.receive(), Answer::Data(1, _)));
    peer.send(&ack(1));
    assert!(matches!(peer.receive(), Answer::Data(2, _)));
    peer.ask(&rrq("600", &[]));
    // So far it may be a copy: the first transfer ends when the client answers the second.
    assert!(peer.read_on(1) == bytes(600));
    let line = server.outcome("600");
    assert_facts(&line, "served", "granted", 512, 1);
    assert_ended(&line, "served", "the ACK of the last block is missing");
    assert_facts(&server.outcome("600"), "served", "granted", 600, 2);
    // A second after the last packet.
    let mut late = reading(&server);
    sleep(Duration::from_millis(1_200));
    late.ask(&rrq("5000", &[]));
    assert_facts(&server.outcome("5000"), "aborted", "granted", 512, 1);
    assert!(late.read_on(1) == bytes(5000));
    assert_facts(&server.outcome("5000"), "served", "granted", 5000, 10);
    assert_nothing_more(&server);
}

#[test]
fn r10_another_request_from_the_same_port() {
    let server = patient();
    let mut peer = reading(&server);
    peer.ask(&rrq("600", &[]));
    assert!(peer.read_on(1) == bytes(600));
    let line = server.outcome("5000");
    assert_facts(&line, "aborted", "granted", 512, 1);
    assert_ended(&line, "aborted", "another request from the same port after block 1");
    assert_facts(&server.outcome("600"), "served", "granted", 600, 2);
    assert_nothing_more(&server);
}

#[test]
fn r10_another_request_before_the_decision() {
    let server = super::server_ends::slow();
    let mut peer = peer(&server, &rrq("slow", &[]));
    server.live_until("the request", |live| live["totals"]["queues"]["decisions"] == 1);
    peer.ask(&rrq("a", &[]));
    peer.expect(Answer::Data(1, b"content".to_vec()));
    peer.send(&ack(1));
    assert_facts(&server.outcome("a"), "served", "granted", 7, 1);
    let line = server.outcome("slow");
    assert_facts(&line, "aborted", "undecided", 0, 0);
    assert_ended(&line, "aborted", "another request from the same port before this one was decided");
    assert_nothing_more(&server);
}

#[test]
fn r11_data_longer_than_agreed() {
    let server = patient();
    let mut peer = peer(&server, &wrq("up", &[("blksize", "600")]));
    peer.expect(Answer::Oack("blksize=600".into()));
    peer.send(&data(1, &[1; 600]));
    peer.expect(Answer::Ack(1));
    peer.send(&data(2, &[1; 601]));
    peer.expect_error(4);
    let line = server.outcome("up");
    assert_facts(&line, "aborted", "granted", 600, 1);
    assert_ended(&line, "aborted", "broke the protocol");
    assert!(!server.root().has("up"));
}

#[test]
fn r47_a_monitor_takes_one_packet() {
    let server = patient();
    let mut monitor = peer(&server, &rrq("5000", &[]));
    assert!(matches!(monitor.receive(), Answer::Data(1, _)));
    drop(monitor);
    let line = server.outcome("5000");
    assert_facts(&line, "probed", "granted", 0, 0);
    assert_ended(&line, "probed", "closed its port");
    assert_nothing_more(&server);
}

#[test]
fn r48_a_copy_is_counted_as_a_block() {
    let server = patient();
    let mut client = peer(&server, &rrq("5000", &[]));
    assert!(matches!(client.receive(), Answer::Data(1, _)));
    client.send(&ack(1));
    assert!(matches!(client.receive(), Answer::Data(2, _)));
    client.send(&ack(3));
    client.expect_error(4);
    let line = server.outcome("5000");
    assert_facts(&line, "failed", "granted", 512, 1);
    assert_ended(&line, "failed", "the client counted a repeated block");
    assert_nothing_more(&server);
}

#[test]
fn r28_never_answered() {
    let server = hasty();
    for options in [&[][..], &[("blksize", "1000")]] {
        let mut peer = peer(&server, &rrq("5000", options));
        assert!(matches!(peer.receive(), Answer::Data(1, _) | Answer::Oack(_)));
        let line = server.outcome("5000");
        assert_facts(&line, "timed-out", "granted", 0, 0);
        assert_ended(&line, "timed-out", "never answered");
        assert!(line["retransmissions"].as_u64().is_some_and(|times| (1..=4).contains(&times)), "{line:#}");
        assert!(line["timeouts"].as_u64().is_some_and(|times| times >= 1), "{line:#}");
    }
}

#[test]
fn r29_silent_reader() {
    let server = hasty();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("5000", &[]));
    for block in 1..=3 {
        peer.expect(Answer::Data(block, bytes(5000)[usize::from(block - 1) * 512..][..512].to_vec()));
        peer.send(&ack(block));
    }
    let line = server.outcome("5000");
    assert_facts(&line, "timed-out", "granted", 3 * 512, 3);
    assert_ended(&line, "timed-out", "silent after block 3");
    assert!(line["retransmissions"].as_u64() > Some(0) && line["timeouts"].as_u64() > Some(0), "{line:#}");
    assert!(line["duration_us"].as_u64() > Some(900_000), "{line:#}");
}

#[test]
fn r30_silent_writer() {
    let server = hasty();
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[("tsize", "5000")]));
    peer.expect(Answer::Oack("tsize=5000".into()));
    peer.send(&data(1, &[1; 512]));
    peer.expect(Answer::Ack(1));
    let line = server.outcome("up");
    assert_facts(&line, "timed-out", "granted", 512, 1);
    assert_ended(&line, "timed-out", "silent after block 1");
    assert_eq!(line["size"], 5000);
    server.stop();
    assert!(!server.root().has("up"));
}
