//! What the server cannot do, and the end of the server: rows 31 to 37, 42, 44 and 45.

use super::assert_facts;
use crate::harness::{
    Answer, Pace, Peer, Server, Setup, SlowDisk, Step, ack, assert_ended, bytes, data, is_root, rrq, skipped,
    wrq,
};
use crate::policy::misbehave;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Starts a server whose plugin takes five seconds for the file `slow`, and then denies it.
pub(super) fn slow() -> Server {
    let bad = misbehave();
    Setup::new()
        .file("a", b"content")
        .rest_of_yaml(&format!(
            "policy: {{ authorize: [sleeps], time-limit: 5s }}\nplugins:\n  sleeps: {{ component: \"{bad}\", limits: \
             {{ wall: 5s }}, settings: {{ do: sleep, when: slow }} }}\n"
        ))
        .start()
}

#[test]
fn r31_the_file_changes() {
    let server = Setup::new().file("file", &bytes(5000)).rest_of_yaml("limits: { cache: 0B }\n").start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("file", &[("blksize", "2000")]));
    peer.expect(Answer::Oack("blksize=2000".into()));
    peer.send(&ack(0));
    peer.expect(Answer::Data(1, bytes(5000)[..2000].to_vec()));
    fs::write(server.root().path("file"), vec![1; 5000]).unwrap();
    peer.send(&ack(1));
    // Of the old or of the new content: the last block decides.
    assert!(matches!(peer.receive(), Answer::Data(2, _)));
    peer.send(&ack(2));
    peer.expect_error(0);
    let line = server.outcome("file");
    assert_facts(&line, "failed", "granted", 4000, 2);
    assert_ended(&line, "failed", "the file changed while it was read");
}

#[test]
fn r32_the_disk_is_full() {
    let setup = Setup::new();
    let root = setup.root().path("").display().to_string();
    let mount = format!("mount -t tmpfs -o size=64k none '{root}' && exec \"$@\"");
    let words = ["unshare", "--map-root-user", "--mount", "sh", "-c", &mount, "sh"];
    let can = Command::new(words[0]).args(&words[1..]).arg("true").output();
    if !can.is_ok_and(|ran| ran.status.success()) {
        return skipped("a full disk: unshare may not mount a file system here");
    }
    let server = setup.writable().behind(words.map(str::to_owned).to_vec()).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[("blksize", "32768")]));
    peer.expect(Answer::Oack("blksize=32768".into()));
    let mut block = 1;
    let answer = loop {
        peer.send(&data(block, &vec![7; 32768]));
        match peer.receive() {
            Answer::Ack(got) if got == block && block < 100 => block += 1,
            other => break other,
        }
    };
    assert_eq!(answer, Answer::Error(3, "no space left".into()));
    let line = server.outcome("up");
    // The disk is written behind the client: the last block may have come before or after the disk was full.
    let blocks = line["blocks"].as_u64().unwrap();
    assert!((u64::from(block) - 1..=u64::from(block)).contains(&blocks), "{line}");
    assert_facts(&line, "failed", "granted", blocks as usize * 32768, blocks);
    assert_ended(&line, "failed", "no space");
    assert_eq!(server.stop(), [] as [Value; 0]);
}

#[test]
fn r33_the_system_forbids_it() {
    let setup = Setup::new().file("secret", b"x");
    fs::set_permissions(setup.root().path("secret"), fs::Permissions::from_mode(0o000)).unwrap();
    let setup = if is_root() {
        // Root without the capability to read protected files.
        let words = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"];
        if !Command::new(words[0]).args([words[1], "true"]).output().is_ok_and(|ran| ran.status.success()) {
            return skipped("files without permission: root may read all, and setpriv does not work here");
        }
        setup.behind(words.map(str::to_owned).to_vec())
    } else {
        setup
    };
    let server = setup.start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("secret", &[]));
    peer.expect_error(2);
    let line = server.outcome("secret");
    assert_facts(&line, "failed", "refused", 0, 0);
    assert_ended(&line, "failed", "it lacks the right `r` on the file ");
}

#[test]
fn r34_the_server_stops() {
    let server = Setup::new().sizes(&[5000]).writable().workers(2).start();
    let mut reader = Peer::new(server.address());
    reader.ask(&rrq("5000", &[]));
    assert!(matches!(reader.receive(), Answer::Data(1, _)));
    reader.send(&ack(1));
    assert!(matches!(reader.receive(), Answer::Data(2, _)));
    let mut writer = Peer::new(server.address());
    writer.ask(&wrq("up", &[]));
    writer.expect(Answer::Ack(0));
    writer.send(&data(1, &[7; 512]));
    writer.expect(Answer::Ack(1));
    stop_at_once(&server);
    for peer in [&mut reader, &mut writer] {
        assert_eq!(peer.expect_error(0), "the server is shutting down");
    }
    for (path, bytes, blocks) in [("5000", 512, 1), ("up", 512, 1)] {
        let line = server.outcome(path);
        assert_facts(&line, "failed", "granted", bytes, blocks);
        assert_ended(&line, "failed", "the server was shut down");
    }
    let totals = server.logged("totals");
    assert_eq!((&totals["admitted"], &totals["failed"]), (&2.into(), &2.into()));
    assert_eq!(server.wait().code(), Some(0));
    assert!(!server.root().has("up"));
}

#[test]
fn r35_the_server_stops_before_the_decision() {
    let server = slow();
    let mut peers: Vec<Peer> = (0..5).map(|_| Peer::new(server.address())).collect();
    peers.iter_mut().for_each(|peer| peer.ask(&rrq("slow", &[])));
    server.live_until("the requests", |live| live["totals"]["queues"]["decisions"] == 5);
    stop_at_once(&server);
    for _ in &peers {
        let line = server.outcome("slow");
        assert_facts(&line, "failed", "undecided", 0, 0);
        assert_ended(&line, "failed", "shut down before it was decided");
    }
    let totals = server.logged("totals");
    assert_eq!((&totals["admitted"], &totals["failed"]), (&5.into(), &5.into()));
    assert_eq!(server.wait().code(), Some(0));
    for peer in &mut peers {
        assert_eq!(
            peer.receive_within(Duration::from_millis(1)),
            None,
            "it asks again, maybe another server"
        );
    }
}

/// No client has proven its address: the shutdown does not wait for these as for others, and they get no
/// answer, so that they repeat their requests.
#[test]
fn r36_the_client_has_not_answered_when_the_server_stops() {
    let server = Setup::new().sizes(&[5000]).writable().start();
    let mut silent = [rrq("5000", &[]), rrq("5000", &[("blksize", "1000")]), wrq("up", &[])].map(|request| {
        let mut peer = Peer::new(server.address());
        peer.ask(&request);
        peer.receive();
        peer
    });
    let began = Instant::now();
    server.terminate();
    for path in ["5000", "5000", "up"] {
        let line = server.outcome(path);
        assert_facts(&line, "timed-out", "granted", 0, 0);
        assert_ended(&line, "timed-out", "had not answered when the server stopped");
    }
    assert_eq!(server.wait().code(), Some(0));
    assert!(began.elapsed() >= Duration::from_secs(1), "they have a second to answer");
    for peer in &mut silent {
        let mut said = std::iter::from_fn(|| peer.receive_within(Duration::from_millis(1)));
        assert!(!said.any(|answer| matches!(answer, Answer::Error(..))));
    }
}

/// Files cannot be opened and connections cannot be accepted: clients are left to retry, active transfers
/// continue, and the server does not retry in a busy loop.
#[test]
fn r37_no_descriptor_is_left() {
    let server = Setup::new().sizes(&[5000]).rest_of_yaml("limits: { cache: 0B }\n").start();
    let mut running = Peer::new(server.address());
    running.ask(&rrq("5000", &[]));
    running.receive();

    // Below the number of open files: nothing more can be opened.
    server.limit_descriptors(Some(3));
    let mut asks = Peer::new(server.address());
    asks.ask(&rrq("5000", &[]));
    let line = server.outcome("5000");
    assert_facts(&line, "failed", "dropped", 0, 0);
    assert_ended(&line, "failed", "LimitNOFILE");
    running.send(&ack(1));
    assert_eq!(running.read_on(2).len(), 5000 - 512);
    assert_eq!(server.outcome("5000")["outcome"], "served");
    thread::scope(|scope| {
        let status = scope.spawn(|| server.ask("status"));
        server.log_line("the control socket cannot accept connections");
        let before = server.cpu_time();
        thread::sleep(Duration::from_millis(1500));
        let busy = server.cpu_time() - before;
        assert!(busy < Duration::from_millis(700), "{busy:?} of 1.5 s");
        server.limit_descriptors(None);
        status.join().unwrap().assert_good();
    });
    assert_eq!(asks.receive_within(Duration::from_millis(1)), None);
    asks.ask(&rrq("5000", &[]));
    assert_eq!(asks.read_on(1).len(), 5000, "as if nothing had been");
    assert_eq!(server.log().matches("cannot accept connections").count(), 1, "it is told once in a while");
}

/// Only the last ACK is missing: not a failure of the server, however it ends.
#[test]
fn r42_the_last_ack_is_missing_when_the_server_stops() {
    // By the end of `drain`, by a second signal, and by that before the client has answered once.
    for (options, at_once) in [(&[("tsize", "0")][..], false), (&[("tsize", "0")], true), (&[], true)] {
        let server = Setup::new().sizes(&[300]).rest_of_yaml("drain: 1500ms").start();
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("300", options));
        if !options.is_empty() {
            peer.expect(Answer::Oack("tsize=300".into()));
            peer.send(&ack(0));
        }
        peer.expect(Answer::Data(1, bytes(300)));
        if at_once {
            stop_at_once(&server);
        } else {
            server.terminate();
        }
        let line = server.outcome("300");
        assert_facts(&line, "timed-out", "granted", 0, 0);
        assert_ended(&line, "timed-out", "the last ACK had not come when the server stopped");
        assert_eq!(line["level"], "WARN", "{line:#}");
        let totals = server.logged("totals");
        assert_eq!((&totals["timed_out"], &totals["failed"]), (&1.into(), &0.into()), "{totals:#}");
        assert_eq!(server.wait().code(), Some(0));
    }
}

/// Two signals.
pub(super) fn stop_at_once(server: &Server) {
    server.terminate();
    server.logged("stopping; waiting for running transfers");
    server.terminate();
}

/// A server of a root whose disk can hang.
fn hanging(disk: &SlowDisk, rest: &str) -> Server {
    disk.file("file", &bytes(2_000));
    Setup::new().yaml(&format!("roots: [{{ name: slow, path: {} }}]\n{rest}", disk.path().display())).start()
}

#[test]
fn r45_the_root_does_not_open_the_file() {
    let Some(disk) = SlowDisk::mount() else { return };
    let server = hanging(&disk, "limits: { open-time: 200ms }\n");
    disk.set(Step::Open, "file", Pace::Hangs);
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("file", &[]));
    let line = server.outcome("file");
    assert_facts(&line, "failed", "dropped", 0, 0);
    assert_ended(&line, "failed", "root `slow` did not open the file within 200ms");
    assert_eq!(peer.receive_within(Duration::from_millis(1)), None);
    disk.release();
    assert_eq!(server.stop(), [] as [Value; 0]);
}

#[test]
fn r46_the_disk_does_not_read() {
    let Some(disk) = SlowDisk::mount() else { return };
    let server =
        hanging(&disk, "limits: { cache: 0B }\ntransfer: { retransmit: { cap: 500ms, give-up: 1s } }\n");
    disk.set(Step::Read, "file", Pace::Hangs);
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("file", &[]));
    assert_eq!(peer.expect_error(0), "the server's storage does not answer");
    let line = server.outcome("file");
    assert_facts(&line, "failed", "granted", 0, 0);
    assert_ended(&line, "failed", "root `slow` did not answer within 1s");
    disk.release();
    assert_eq!(server.stop(), [] as [Value; 0]);
}
