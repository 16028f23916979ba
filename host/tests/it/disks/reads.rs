//! Reads that take long.

use super::{AT_MOST, SIZE, SLOW, beside, download_image};
use crate::harness::{Answer, Pace, Peer, SlowDisk, Step, ack, assert_ended, bytes, rrq};
use std::thread;
use std::time::Duration;

#[test]
fn a_slow_read_slows_no_other_client() {
    let Some(disk) = SlowDisk::mount() else { return };
    disk.file("cold", &bytes(SIZE));
    disk.set(Step::Read, "cold", Pace::Takes(AT_MOST));
    // Shorter than a read, and longer than a machine may take to wake a client.
    let server = beside(&disk, "transfer: { retransmit: { floor: 1500ms, initial: 1500ms } }\n");
    let mut slow = Peer::new(server.address());
    let reader = thread::spawn(move || slow.read_plainly("cold"));
    let took = download_image(&server);
    assert!(took < AT_MOST, "{took:?}");
    disk.set(Step::Read, "cold", Pace::Takes(SLOW));
    assert!(reader.join().unwrap() == bytes(SIZE));
    assert_eq!(server.outcome("cold")["retransmissions"], 0, "{}", server.log());
}

#[test]
fn a_read_that_hangs_stops_no_other_client_and_goes_on_where_it_was() {
    let Some(disk) = SlowDisk::mount() else { return };
    disk.file("cold", &bytes(SIZE));
    let server = beside(&disk, "");
    disk.set(Step::Read, "cold", Pace::Hangs);
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("cold", &[("windowsize", "4")]));
    peer.expect(Answer::Oack("windowsize=4".into()));
    peer.send(&ack(0));
    disk.hangs(Step::Read, 1);
    for _ in 0..8 {
        download_image(&server);
        // The client says again what it has; nothing can be said to it.
        peer.send(&ack(0));
    }
    assert_eq!(peer.receive_within(Duration::from_millis(1)), None);
    disk.release();
    let mut next = 1;
    for (block, payload) in (1_u16..).zip(bytes(SIZE).chunks(512)) {
        peer.expect(Answer::Data(block, payload.to_vec()));
        if block.is_multiple_of(4) || payload.len() < 512 {
            peer.send(&ack(block));
        }
        next = block;
    }
    assert_eq!(usize::from(next), SIZE / 512 + 1);
    assert_eq!(server.outcome("cold")["outcome"], "served");
}

#[test]
fn a_read_that_does_not_end_ends_its_transfer_alone() {
    let Some(disk) = SlowDisk::mount() else { return };
    disk.file("cold", &bytes(SIZE));
    let server = beside(&disk, "transfer: { retransmit: { cap: 500ms, give-up: 1s } }\n");
    disk.set(Step::Read, "cold", Pace::Hangs);
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("cold", &[]));
    assert_eq!(peer.expect_error(0), "the server's storage does not answer");
    assert_ended(&server.outcome("cold"), "failed", "root `slow` did not answer within 1s");
    download_image(&server);
}

/// The client of a boot ROM repeats its request while the disk spins up: one answer, from the beginning.
#[test]
fn a_repeated_request_does_not_begin_anew() {
    let Some(disk) = SlowDisk::mount() else { return };
    disk.file("cold", &bytes(SIZE));
    let server = beside(&disk, "");
    disk.set(Step::Read, "cold", Pace::Hangs);
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("cold", &[]));
    disk.hangs(Step::Read, 1);
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(600));
        peer.ask_meanwhile(&rrq("cold", &[]));
    }
    download_image(&server);
    disk.release();
    assert!(peer.read_on(1) == bytes(SIZE));
    assert_eq!(server.outcome("cold")["outcome"], "served");
    let others = server.stop();
    assert!(others.iter().all(|line| line["path"] != "cold"), "{others:?}");
}

#[test]
fn a_slow_file_in_netascii_comes_whole_too() {
    let Some(disk) = SlowDisk::mount() else { return };
    let text = "a line\n".repeat(40_000);
    disk.file("text", text.as_bytes());
    let server = beside(&disk, "");
    disk.set(Step::Read, "text", Pace::Takes(Duration::from_millis(20)));
    let mut peer = Peer::new(server.address());
    peer.ask(&crate::harness::request(1, b"text", b"netascii", &[]));
    assert!(peer.read_on(1) == text.replace('\n', "\r\n").into_bytes());
}
