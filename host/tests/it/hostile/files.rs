//! Files that change while they are read: a client never takes a mix of two contents for a complete file.

use crate::harness::{
    Answer, Client, Options, Peer, Server, Setup, ack, assert_ended, assert_moved, bytes, rrq,
};
use std::fs::{self, OpenOptions};
use std::io::{Seek, Write};
use std::path::Path;
use std::time::Duration;

const SIZE: usize = 512 * 100 + 10;

/// Starts a server that reads only from the disk, and a read of which the client has one block.
fn begun() -> (Server, Peer) {
    begin(Setup::new().file("file", &bytes(SIZE)).rest_of_yaml("limits: { cache: 0B }"))
}

fn begin(setup: Setup) -> (Server, Peer) {
    let server = setup.start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("file", &[]));
    peer.expect(Answer::Data(1, bytes(SIZE)[..512].to_vec()));
    (server, peer)
}

/// Continues reading, and expects the ERROR before the last block.
#[track_caller]
fn assert_told(server: &Server, mut peer: Peer) {
    peer.send(&ack(1));
    let mut blocks = 1;
    loop {
        match peer.receive() {
            Answer::Data(block, payload) => {
                assert_eq!(payload.len(), 512, "block {block} looks like the last");
                blocks = blocks.max(block);
                peer.send(&ack(block));
            }
            Answer::Error(0, text) => {
                assert_eq!(text, "the file changed while it was read");
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(blocks <= 100);
    assert_ended(&server.outcome("file"), "failed", "the file changed while it was read");
}

#[test]
fn truncated() {
    for length in [0, 600, SIZE as u64 - 1] {
        let (server, peer) = begun();
        OpenOptions::new().write(true).open(server.root().path("file")).unwrap().set_len(length).unwrap();
        assert_told(&server, peer);
    }
}

#[test]
fn grown() {
    let (server, mut peer) = begun();
    let mut file = OpenOptions::new().append(true).open(server.root().path("file")).unwrap();
    file.write_all(b"more").unwrap();
    peer.send(&ack(1));
    assert!(peer.read_on(2) == bytes(SIZE)[512..]);
    assert_moved(&server.outcome("file"), "served", SIZE, 512, 1);
}

#[test]
fn written_over_in_place() {
    let (server, peer) = begun();
    fs::write(server.root().path("file"), vec![1; SIZE]).unwrap();
    assert_told(&server, peer);
}

/// The right way to change a file: active transfers get the old one completely, later ones the new one.
#[test]
fn replaced_or_removed() {
    let (server, mut peer) = begun();
    server.outside().write("new", b"new");
    fs::rename(server.outside().path("new"), server.root().path("file")).unwrap();
    peer.send(&ack(1));
    assert!(peer.read_on(2) == bytes(SIZE)[512..]);
    assert_moved(&server.outcome("file"), "served", SIZE, 512, 1);
    assert_eq!(Client::Tuffet.get(server.address(), "file", Options::default()), b"new");

    let (server, mut peer) = begun();
    fs::remove_file(server.root().path("file")).unwrap();
    peer.send(&ack(1));
    assert!(peer.read_on(2) == bytes(SIZE)[512..]);
    assert_moved(&server.outcome("file"), "served", SIZE, 512, 1);
}

/// Cached content stays the same to the end of the transfer; the next transfer gets the new content.
#[test]
fn changed_while_it_is_sent_from_memory() {
    let setup = Setup::new().file("file", &bytes(SIZE));
    wait_until_old(&setup.root().path("file"));
    let (server, mut peer) = begin(setup);
    fs::write(server.root().path("file"), vec![1; SIZE]).unwrap();
    peer.send(&ack(1));
    assert!(peer.read_on(2) == bytes(SIZE)[512..]);
    assert_moved(&server.outcome("file"), "served", SIZE, 512, 1);
    assert!(Peer::new(server.address()).read_plainly("file") == vec![1; SIZE]);
}

/// Waits until a new file can be cached, which only the clock decides.
fn wait_until_old(path: &Path) {
    let changed = fs::metadata(path).unwrap().modified().unwrap();
    while changed.elapsed().is_ok_and(|age| age < Duration::from_millis(100)) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Even within one tick of the file system's clock, and with the same size.
#[test]
fn written_over_again_and_again() {
    let server = Setup::new().file("file", b"....").start();
    let mut file = OpenOptions::new().write(true).open(server.root().path("file")).unwrap();
    for number in 0..500 {
        let content = format!("{number:04}").into_bytes();
        file.rewind().unwrap();
        file.write_all(&content).unwrap();
        assert_eq!(Peer::new(server.address()).read_plainly("file"), content);
    }
}
