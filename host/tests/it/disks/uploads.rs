//! Writes that take long.

use super::{AT_MOST, SLOW, beside, download_image};
use crate::harness::{
    Answer, Pace, Peer, SOON, Server, SlowDisk, Step, assert_ended, bytes, data, error, wait_until, wrq,
};
use std::net::Ipv4Addr;
use std::thread;
use std::time::Duration;

/// Larger than what may wait for the disk.
const SIZE: usize = 1024 * 1_000 + 10;

fn put(server: &Server) -> Peer {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[("blksize", "1024")]));
    peer.expect(Answer::Oack("blksize=1024".into()));
    peer
}

/// The ACK of this block, if it comes; repeats of the last one are overlooked.
fn next_ack(peer: &mut Peer, block: u16, patience: Duration) -> Option<()> {
    loop {
        match peer.receive_within(patience)? {
            Answer::Ack(acked) if acked == block => return Some(()),
            Answer::Ack(acked) if acked + 1 == block => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_slow_upload_slows_no_other_client() {
    let Some(disk) = SlowDisk::mount() else { return };
    let server = beside(&disk, "");
    disk.set(Step::Write, "", Pace::Takes(SLOW));
    let mut peer = put(&server);
    let writer = thread::spawn(move || peer.write_on(&bytes(SIZE), 1024));
    let took = download_image(&server);
    assert!(took < AT_MOST, "{took:?}");
    writer.join().unwrap();
    assert_eq!(server.outcome("up")["outcome"], "stored");
    assert!(disk.content("up").unwrap() == bytes(SIZE));
}

#[test]
fn a_write_that_hangs_stops_its_client_after_a_while_and_no_other() {
    let Some(disk) = SlowDisk::mount() else { return };
    let server = beside(&disk, "");
    disk.set(Step::Write, "", Pace::Hangs);
    let mut peer = put(&server);
    let content = bytes(SIZE);
    let mut blocks = (1_u16..).zip(content.chunks(1024));
    // What is in memory is acknowledged, and no more than that.
    let held = loop {
        let (block, payload) = blocks.next().unwrap();
        peer.send(&data(block, payload));
        if next_ack(&mut peer, block, Duration::from_secs(2)).is_none() {
            break block;
        }
    };
    assert!((256..1_000).contains(&held), "block {held} waits");
    disk.hangs(Step::Write, 1);
    download_image(&server);
    disk.release();
    assert_eq!(next_ack(&mut peer, held, SOON), Some(()));
    peer.write_rest(blocks);
    assert_eq!(server.outcome("up")["outcome"], "stored");
    assert!(disk.content("up").unwrap() == content);
}

fn metric(server: &Server, name: &str) -> u64 {
    let metrics = server.metrics();
    metrics.lines().find_map(|text| text.strip_prefix(name)?.strip_prefix(' ')?.parse().ok()).unwrap_or(0)
}

/// Blocks that were dropped for lack of memory.
fn dropped(server: &Server) -> u64 {
    metric(server, "tuffet_datagrams_dropped_total{reason=\"slow-disk\"}")
}

/// Bytes that wait for the disk.
fn held(server: &Server) -> u64 {
    metric(server, "tuffet_root_upload_memory_bytes{root=\"slow\"}")
}

#[test]
fn a_client_that_sends_on_without_acks_takes_no_more_memory() {
    let Some(disk) = SlowDisk::mount() else { return };
    let server = beside(&disk, "");
    disk.set(Step::Write, "", Pace::Hangs);
    let mut peer = put(&server);
    let content = bytes(SIZE);
    let blocks: Vec<&[u8]> = content.chunks(1024).collect();
    let send = |peer: &Peer, block: u16| {
        if let Some(payload) = blocks.get(usize::from(block) - 1) {
            peer.send(&data(block, payload));
        }
    };
    let held = (1..).find(|block| {
        send(&peer, *block);
        next_ack(&mut peer, *block, Duration::from_secs(2)).is_none()
    });
    let held = held.unwrap();
    wait_until("most of these blocks are dropped", || {
        (held + 1..held + 100).for_each(|block| send(&peer, block));
        dropped(&server) >= 200
    });
    disk.release();
    // Its first ACK says how many were taken.
    let Answer::Ack(taken) = peer.receive() else { panic!("no ACK") };
    assert!((held..=held + 3).contains(&taken), "{taken} blocks, {held} of them in time");
    let mut acked = taken;
    while usize::from(acked) < blocks.len() {
        send(&peer, acked + 1);
        if let Some(Answer::Ack(block)) = peer.receive_within(Duration::from_secs(1)) {
            acked = acked.max(block);
        }
    }
    assert_eq!(server.outcome("up")["outcome"], "stored");
    assert!(disk.content("up").unwrap() == content);
}

/// Uploads of one address take their share of the memory for a disk, however many they are. The upload of another
/// address loses no block.
#[test]
fn uploads_of_one_address_leave_memory_to_others() {
    const MIB: u64 = 1 << 20;
    let Some(disk) = SlowDisk::mount() else { return };
    let server = beside(&disk, "");
    disk.set(Step::Write, "", Pace::Hangs);
    let begin = |last: u8, name: &str| {
        let mut peer = Peer::from(Ipv4Addr::new(127, 202, 2, last), server.address());
        peer.ask(&wrq(name, &[("blksize", "8192"), ("windowsize", "64")]));
        peer.expect(Answer::Oack("blksize=8192 windowsize=64".into()));
        peer
    };
    let before = server.memory();
    let greedy: Vec<Peer> = (0..300).map(|number| begin(1, &format!("greedy-{number}"))).collect();
    let theirs = disk.names();
    let block = bytes(8192);
    wait_until("they have their share", || {
        for peer in &greedy {
            (1..=64).for_each(|number| peer.send(&data(number, &block)));
        }
        held(&server) > 31 * MIB && dropped(&server) > 1_000
    });
    assert!(held(&server) <= 32 * MIB, "{} bytes", held(&server));
    let grown = server.memory().saturating_sub(before);
    assert!(grown < 90 * MIB, "{grown} bytes");
    server.log_line("a root is slower than its uploads");

    let mut honest = begin(2, "honest");
    let its = disk.names().into_iter().find(|name| !theirs.contains(name)).unwrap();
    disk.set(Step::Write, &its, Pace::Takes(SLOW));
    (1..=40).for_each(|number| honest.send(&data(number, &block)));
    honest.send(&data(41, b"end"));
    honest.expect(Answer::Ack(41));
    assert_eq!(server.outcome("honest")["outcome"], "stored");
    disk.release();
    wait_until("all is written", || held(&server) == 0);
}

/// As many syncs hang as may run at once for a root.
#[test]
fn an_aborted_upload_goes_while_others_are_synced() {
    const SYNCS: usize = 32;
    let Some(disk) = SlowDisk::mount() else { return };
    let server = beside(&disk, "");
    disk.set(Step::Sync, "", Pace::Hangs);
    // One address would leave half of the threads to others.
    let peer = |last| Peer::from(Ipv4Addr::new(127, 202, 0, last), server.address());
    let mut synced: Vec<Peer> = (1..=SYNCS as u8).map(peer).collect();
    for (number, peer) in synced.iter_mut().enumerate() {
        peer.ask(&wrq(&format!("up-{number}"), &[]));
        peer.expect(Answer::Ack(0));
        peer.send(&data(1, b"content"));
    }
    disk.hangs(Step::Sync, SYNCS);
    let unfinished = || disk.names().iter().filter(|name| name.ends_with(".part")).count();
    let mut aborted = Peer::new(server.address());
    aborted.ask(&wrq("aborted", &[]));
    aborted.expect(Answer::Ack(0));
    assert_eq!(unfinished(), SYNCS + 1);
    aborted.send(&error(0, "no more"));
    wait_until("the aborted upload is gone", || unfinished() == SYNCS);
    disk.release();
    for mut peer in synced {
        peer.expect(Answer::Ack(1));
    }
}

#[test]
fn a_write_that_does_not_end_ends_its_transfer_alone() {
    let Some(disk) = SlowDisk::mount() else { return };
    let server = beside(&disk, "transfer: { retransmit: { cap: 500ms, give-up: 1s } }\n");
    disk.set(Step::Write, "", Pace::Hangs);
    let mut peer = put(&server);
    for (block, payload) in (1_u16..).zip(bytes(SIZE).chunks(1024)) {
        peer.send(&data(block, payload));
        if let Answer::Error(0, text) = peer.receive() {
            assert_eq!(text, "the server's storage does not answer");
            break;
        }
    }
    assert_ended(&server.outcome("up"), "failed", "root `slow` did not answer within 1s");
    download_image(&server);
    disk.release();
}

/// Writes an upload of one block.
fn put_short(server: &Server) -> Peer {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, b"content"));
    peer
}

/// The last write, and storing, end with the limits of the configuration.
#[test]
fn an_upload_of_which_the_disk_does_not_take_the_end_fails_in_time() {
    let hung = |step, limits: &str| {
        let disk = SlowDisk::mount()?;
        let server = beside(&disk, &format!("limits: {{ {limits} }}\n"));
        disk.set(step, "", Pace::Hangs);
        let mut peer = put_short(&server);
        assert_eq!(peer.expect_error(0), "the server's storage does not answer");
        let line = server.outcome("up");
        disk.release();
        Some(line)
    };
    let Some(line) = hung(Step::Write, "write-time: 1s") else { return };
    assert_ended(&line, "failed", "root `slow` did not answer within 1s (`limits.write-time`)");
    let Some(line) = hung(Step::Sync, "commit-time: 1s") else { return };
    let detail = "did not store the upload within 1s (`limits.commit-time`); it may become visible later";
    assert_ended(&line, "failed", detail);
}

/// How long a client may be silent says nothing about the time that a disk needs to sync: the upload is stored, and
/// acknowledged afterwards.
#[test]
fn a_sync_may_take_longer_than_a_client_may_be_silent() {
    let Some(disk) = SlowDisk::mount() else { return };
    let server = beside(&disk, "transfer: { retransmit: { cap: 500ms, give-up: 1s } }\n");
    disk.set(Step::Sync, "", Pace::Takes(Duration::from_secs(3)));
    let mut peer = put_short(&server);
    peer.expect(Answer::Ack(1));
    assert_eq!(server.outcome("up")["outcome"], "stored");
    assert_eq!(disk.content("up").unwrap(), b"content");
    disk.release();
}

/// More uploads of one address than there are threads hang in `step`: the upload of another address goes on.
#[track_caller]
fn assert_stored_beside(step: Step, threads: usize) {
    let Some(disk) = SlowDisk::mount() else { return };
    let server = beside(&disk, "");
    disk.set(step, "", Pace::Hangs);
    let begin = |last: u8, name: &str| {
        let mut peer = Peer::from(Ipv4Addr::new(127, 202, 1, last), server.address());
        peer.ask(&wrq(name, &[]));
        peer.expect(Answer::Ack(0));
        peer
    };
    let greedy: Vec<Peer> = (0..2 * threads).map(|number| begin(1, &format!("greedy-{number}"))).collect();
    let theirs = disk.names();
    greedy.iter().for_each(|peer| peer.send(&data(1, b"content")));
    disk.hangs(step, threads / 2);
    let mut honest = begin(2, "honest");
    let its = disk.names().into_iter().find(|name| !theirs.contains(name)).unwrap();
    disk.set(step, &its, Pace::Takes(Duration::ZERO));
    honest.send(&data(1, b"content"));
    honest.expect(Answer::Ack(1));
    assert_eq!(server.outcome("honest")["outcome"], "stored");
    disk.release();
    for mut peer in greedy {
        peer.expect(Answer::Ack(1));
    }
}

#[test]
fn commits_of_one_address_delay_no_other_one() {
    assert_stored_beside(Step::Sync, 32);
}

#[test]
fn writes_of_one_address_delay_no_other_one() {
    assert_stored_beside(Step::Write, 16);
}
