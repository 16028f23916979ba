//! Uploads as backups: earlier versions, new folders, quotas.

mod folders;
mod notification;
mod quota;
mod versions;

use crate::harness::{Answer, Client, Options, Peer, SOON, Server, Setup, data, wrq};
use std::time::{Duration, Instant};

/// Starts a server with a root that overwrites, with these rules below `write`.
fn server(rules: &str) -> Server {
    let server = setup(rules).start();
    if rules.contains("quota") || rules.contains("folders") {
        server.logged("counted the contents of a root");
    }
    server
}

fn setup(rules: &str) -> Setup {
    Setup::new().yaml(&yaml(rules))
}

fn yaml(rules: &str) -> String {
    format!("roots: [{{ name: in, path: root, writable: true, overwrite: true, write: {{ {rules} }} }}]\n")
}

fn put(server: &Server, name: &str, content: &[u8]) {
    Client::Tuffet.put(server.address(), name, content, Options::default());
    assert_eq!(server.outcome(name)["outcome"], "stored", "{name}");
}

/// As a client of few words, for names that a URL would change.
fn put_plainly(server: &Server, name: &str, content: &[u8]) {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq(name, &[]));
    peer.expect(Answer::Ack(0));
    peer.write_on(content, 512);
}

/// Begins an upload of a block and a bit; returns the client, who has sent the block.
fn half(server: &Server, name: &str) -> Peer {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq(name, &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, &[7; 512]));
    assert_eq!(peer.receive(), Answer::Ack(1));
    peer
}

/// Waits until an upload gets this answer as its first one.
fn ask_until(server: &Server, packet: &[u8], wanted: &Answer) -> Peer {
    let end = Instant::now() + SOON;
    loop {
        let mut peer = Peer::new(server.address());
        peer.ask(packet);
        // Until the root is counted, there is no answer.
        if peer.receive_within(Duration::from_millis(200)).as_ref() == Some(wanted) {
            return peer;
        }
        assert!(Instant::now() < end, "it never got {wanted:?}");
    }
}
