//! `limits.cache` bounds the contents of files in memory, whoever holds them.

use crate::harness::{Answer, Peer, Server, Setup, bytes, rrq, wait_until};
use std::fs;

const MIB: usize = 1 << 20;

/// Waits until no file is being loaded into memory.
fn loaded(server: &Server) {
    wait_until("no file is being loaded", || {
        let threads = fs::read_dir(format!("/proc/{}/task", server.id())).unwrap();
        !threads.flatten().any(|thread| {
            fs::read_to_string(thread.path().join("comm")).is_ok_and(|name| name.trim() == "tuffet-cache")
        })
    });
}

/// Waits until so many bytes are in memory.
fn holds(server: &Server, bytes: usize) {
    server.live_until("that they are loaded", |live| {
        live["totals"]["file_cache"]["bytes"].as_u64() >= Some(bytes as u64)
    });
}

/// Asks for a file and takes its first block; the server waits for the ACK.
fn begin(server: &Server, name: &str, first: &[u8]) -> Peer {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq(name, &[]));
    peer.expect(Answer::Data(1, first.to_vec()));
    peer
}

#[test]
fn slow_readers_of_many_large_files_hold_no_more_than_the_cache_may_have() {
    const FILES: usize = 20;
    const FIT: usize = 4;
    let content = bytes(7 * MIB);
    let mut setup = Setup::new();
    for number in 0..FILES {
        setup = setup.file(&number.to_string(), &content);
    }
    let server = setup
        .rest_of_yaml(
            "workers: 1\nlimits: { cache: 32MiB }\n\
             transfer: { retransmit: { floor: 20s, initial: 20s, cap: 20s, give-up: 10m } }",
        )
        .start();
    let before = server.memory();
    let mut readers = Vec::new();
    for number in 0..FILES {
        // The second request has it loaded, the third finds it in memory, as far as it fits.
        for request in 1..=3 {
            readers.push(begin(&server, &number.to_string(), &content[..512]));
            if request == 2 && number < FIT {
                holds(&server, (number + 1) * content.len());
            }
            loaded(&server);
        }
    }
    let grown = server.memory().saturating_sub(before);
    assert!(grown < 48 * MIB as u64, "{} MiB for 32 of cache", grown / MIB as u64);
    let cache = &server.live()["totals"]["file_cache"];
    assert!(cache["bytes"].as_u64().unwrap() <= 32 * MIB as u64, "{cache}");
    assert_eq!(cache["hits"], FIT, "more do not fit");
    // Those that did not fit are served all the same.
    let mut last = Peer::new(server.address());
    last.ask(&rrq("19", &[("blksize", "8192"), ("windowsize", "8")]));
    last.expect(Answer::Oack("blksize=8192 windowsize=8".into()));
    last.send(&crate::harness::ack(0));
    let mut got = Vec::new();
    while got.len() < content.len() {
        let Answer::Data(block, payload) = last.receive() else { panic!("DATA was due") };
        assert_eq!(usize::from(block), got.len() / 8192 + 1);
        got.extend(payload);
        if block.is_multiple_of(8) {
            last.send(&crate::harness::ack(block));
        }
    }
    assert!(got == content);
}
