//! Files that change while they are read: a client never takes a mix of two contents for a whole file.

use crate::harness::{
    Answer, Client, Options, Peer, Server, Setup, ack, assert_ended, assert_moved, bytes, rrq,
};
use std::fs::{self, OpenOptions};
use std::io::Write;

const SIZE: usize = 512 * 100 + 10;

/// A read of which the client has one block, from the disk.
fn begun() -> (Server, Peer) {
    begun_with("0B")
}

fn begun_with(cache: &str) -> (Server, Peer) {
    let yaml = format!("roots: [{{ name: boot, path: root }}]\nlimits: {{ cache: {cache} }}");
    let server = Setup::new().file("file", &bytes(SIZE)).yaml(&yaml).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("file", &[]));
    peer.expect(Answer::Data(1, bytes(SIZE)[..512].to_vec()));
    (server, peer)
}

/// Goes on reading, and expects the ERROR before the last block.
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
    let (server, peer) = begun();
    let mut file = OpenOptions::new().append(true).open(server.root().path("file")).unwrap();
    file.write_all(b"more").unwrap();
    assert_told(&server, peer);
}

#[test]
fn written_over_in_place() {
    let (server, peer) = begun();
    fs::write(server.root().path("file"), vec![1; SIZE]).unwrap();
    assert_told(&server, peer);
}

/// What is in memory stays as it was for those who have begun; who comes later gets the new content.
#[test]
fn written_over_in_place_while_it_is_sent_from_memory() {
    let (server, mut peer) = begun_with("1MiB");
    fs::write(server.root().path("file"), b"new").unwrap();
    peer.send(&ack(1));
    assert!(peer.read_on(2) == bytes(SIZE)[512..]);
    assert_moved(&server.outcome("file"), "served", SIZE, 512, 1);
    assert_eq!(Client::Tuffet.get(server.address(), "file", Options::default()), b"new");
}

/// The right way to change a file: who has begun gets the old one whole, who comes later the new one.
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
