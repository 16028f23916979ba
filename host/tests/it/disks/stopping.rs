//! SIGTERM while a disk hangs.

use super::{SIZE, beside};
use crate::harness::{Answer, Pace, Peer, Server, SlowDisk, Step, ack, bytes, data, rrq, wrq};
use std::time::{Duration, Instant};

/// How long the end may take beyond `drain`, with some time for a busy machine. It never came before.
const SOON_AFTER: Duration = Duration::from_secs(4);

/// Brings a request to the point where the disk hangs in this step.
fn hang_in(step: Step, disk: &SlowDisk, server: &Server) {
    disk.file("file", &bytes(2_000));
    let mut peer = Peer::new(server.address());
    match step {
        Step::Folder | Step::Lookup | Step::Open | Step::Read => {
            disk.set(step, "file", Pace::Hangs);
            peer.ask(&rrq("file", &[("blksize", "8")]));
            if step == Step::Read {
                peer.expect(Answer::Oack("blksize=8".into()));
                peer.send(&ack(0));
            }
        }
        Step::Close => {
            disk.set(step, "file", Pace::Hangs);
            // More than what is read when it is opened; that is closed at once, and later than this answer.
            assert!(peer.read_plainly("file") == bytes(2_000));
        }
        Step::Write | Step::Sync => {
            disk.set(step, "", Pace::Hangs);
            peer.ask(&wrq("up", &[]));
            peer.expect(Answer::Ack(0));
            peer.send(&data(1, b"all"));
        }
    }
    disk.hangs(step, 1);
}

#[test]
fn the_process_ends_whatever_hangs() {
    for step in [Step::Lookup, Step::Open, Step::Read, Step::Write, Step::Sync, Step::Close] {
        let Some(disk) = SlowDisk::mount() else { return };
        // Nothing is read when a file is opened.
        let server = beside(&disk, "drain: 1s\nlimits: { cache: 0B }\n");
        hang_in(step, &disk, &server);
        let told = Instant::now();
        server.terminate();
        assert_eq!(server.wait().code(), Some(0), "{step:?}: {}", server.log());
        let took = told.elapsed();
        assert!(took < Duration::from_secs(1) + SOON_AFTER, "{step:?}: {took:?}\n{}", server.log());
        println!("{step:?}: {took:?}");
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    for step in [Step::Open, Step::Read, Step::Sync] {
        let Some(disk) = SlowDisk::mount() else { return };
        let server = beside(&disk, "drain: 1h\nlimits: { cache: 0B }\n");
        hang_in(step, &disk, &server);
        server.terminate();
        server.logged("stopping; waiting for running transfers");
        let told = Instant::now();
        server.terminate();
        assert_eq!(server.wait().code(), Some(0), "{step:?}: {}", server.log());
        let took = told.elapsed();
        assert!(took < SOON_AFTER, "{step:?}: {took:?}\n{}", server.log());
        println!("{step:?}: {took:?}");
    }
}

/// Each request has its outcome also then.
#[test]
fn what_a_disk_keeps_still_has_an_outcome() {
    let Some(disk) = SlowDisk::mount() else { return };
    let server = beside(&disk, "drain: 0s\nlimits: { cache: 0B }\n");
    disk.file("open", b"");
    disk.set(Step::Open, "open", Pace::Hangs);
    Peer::new(server.address()).ask(&rrq("open", &[]));
    disk.hangs(Step::Open, 1);
    hang_in(Step::Read, &disk, &server);
    let outcomes = server.stop();
    let of =
        |path: &str| outcomes.iter().find(|line| line["path"] == path).map(|line| line["outcome"].clone());
    assert_eq!((of("open"), of("file")), (Some("failed".into()), Some("failed".into())), "{outcomes:?}");
}

/// The file is as large as what a plain read takes in a few blocks.
#[test]
fn without_a_hung_disk_everything_is_tidied_up() {
    let Some(disk) = SlowDisk::mount() else { return };
    let server = beside(&disk, "drain: 0s\n");
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, &bytes(SIZE)[..512]));
    peer.expect(Answer::Ack(1));
    server.stop();
    assert_eq!(disk.names(), [] as [String; 0], "no temporary file is left");
}

/// The deadline comes while an upload is synced: its client gets an ERROR, and the old file stays.
#[test]
fn an_upload_that_was_given_up_does_not_become_visible() {
    let Some(disk) = SlowDisk::mount() else { return };
    let server = beside(&disk, "drain: 0s\n");
    disk.set(Step::Sync, "", Pace::Hangs);
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, b"all"));
    disk.hangs(Step::Sync, 1);
    server.terminate();
    assert_eq!(peer.expect_error(0), "the server is shutting down");
    disk.release();
    assert_eq!(server.wait().code(), Some(0));
    assert_eq!(disk.content("up"), None);
}
