//! Clients that ask again, acknowledge too little, or leave early.

use crate::harness::{Answer, Peer, Server, Setup, ack, assert_ended, bytes, data, rrq, wrq};
use std::time::{Duration, Instant};

/// Loaders that seek read a few blocks, and ask for the same file again from the same port.
#[test]
fn a_loader_that_seeks_is_served_from_the_start_at_once() {
    for setup in [Setup::new(), Setup::new().single_port()] {
        let server = setup.file("kernel", &bytes(20_000)).start();
        let mut loader = Peer::new(server.address());
        for _ in 0..5 {
            let began = Instant::now();
            loader.ask(&rrq("kernel", &[]));
            for block in 1..=3_u16 {
                loader.expect(Answer::Data(
                    block,
                    bytes(20_000)[usize::from(block - 1) * 512..][..512].to_vec(),
                ));
                // Its processor is slower than the copies that networks make.
                std::thread::sleep(Duration::from_millis(15));
                loader.send(&ack(block));
            }
            // It is on its way already, and the loader drops it.
            loader.receive();
            assert!(began.elapsed() < Duration::from_millis(900), "{:?}", began.elapsed());
        }
    }
}

fn with_a_file(size: usize) -> Server {
    Setup::new().file("file", &bytes(size)).start()
}

/// Some boot ROMs have the file when its last block arrives, and never say so. The next request follows from another port.
#[test]
fn a_file_is_served_without_its_last_ack() {
    let server = with_a_file(1_000);
    let mut rom = Peer::strict(server.address());
    rom.ask(&rrq("file", &[]));
    rom.expect(Answer::Data(1, bytes(1_000)[..512].to_vec()));
    rom.send(&ack(1));
    let last = Answer::Data(2, bytes(1_000)[512..].to_vec());
    // The block, and three copies.
    for _ in 0..4 {
        rom.expect(last.clone());
    }
    let line = server.outcome("file");
    assert_ended(&line, "served", "the ACK of the last block is missing");
    assert_eq!(line["level"], "INFO", "{line:#}");
    assert_eq!(line["retransmissions"], 3, "{line:#}");
    assert_eq!(rom.receive_within(Duration::from_millis(100)), None);
    // A ROM that lacks the last block after all learns that it must ask again.
    rom.send(&ack(1));
    assert_eq!(rom.expect_error(5), "the transfer has ended");
}

#[test]
fn a_file_is_served_without_its_last_ack_when_its_client_asks_for_another() {
    let server = Setup::new().file("file", &bytes(1_000)).file("next", b"next").start();
    let mut rom = Peer::new(server.address());
    rom.ask(&rrq("file", &[]));
    rom.expect(Answer::Data(1, bytes(1_000)[..512].to_vec()));
    rom.send(&ack(1));
    rom.expect(Answer::Data(2, bytes(1_000)[512..].to_vec()));
    rom.ask(&rrq("next", &[]));
    rom.expect(Answer::Data(1, b"next".to_vec()));
    assert_ended(&server.outcome("file"), "served", "the ACK of the last block is missing");
}

/// A monitor takes the first packet and closes its port: that is no alarm.
#[test]
fn a_monitor_is_no_failure() {
    for (size, options) in [(100, &[][..]), (5_000, &[]), (5_000, &[("tsize", "0")])] {
        let server = with_a_file(size);
        let mut monitor = Peer::new(server.address());
        monitor.ask(&rrq("file", options));
        monitor.receive();
        drop(monitor);
        let line = server.outcome("file");
        assert_ended(&line, "probed", "closed its port");
        assert_ne!(line["level"], "WARN", "{line:#}");
    }
}

/// A client that goes on after it was given up is told so, for blocks as for ACKs.
#[test]
fn what_comes_after_the_end_is_answered() {
    let hasty = "transfer: { retransmit: { cap: 250ms, give-up: 1s } }\n";
    let server = Setup::new().writable().rest_of_yaml(hasty).file("file", &bytes(5_000)).start();
    let mut reader = Peer::new(server.address());
    reader.ask(&rrq("file", &[]));
    reader.expect(Answer::Data(1, bytes(5_000)[..512].to_vec()));
    reader.send(&ack(1));
    reader.expect(Answer::Data(2, bytes(5_000)[512..1_024].to_vec()));
    assert_ended(&server.outcome("file"), "timed-out", "silent after block 1");
    reader.send(&ack(2));
    assert_eq!(reader.expect_error(5), "the transfer has ended");
    let mut writer = Peer::new(server.address());
    writer.ask(&wrq("up", &[]));
    writer.expect(Answer::Ack(0));
    writer.send(&data(1, &[7; 512]));
    writer.expect(Answer::Ack(1));
    assert_ended(&server.outcome("up"), "timed-out", "silent after block 1");
    writer.send(&data(2, &[7; 512]));
    assert_eq!(writer.expect_error(5), "the transfer has ended");
}
