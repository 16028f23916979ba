//! Files of more than 65,535 blocks: the block after 65535 is 0, or 1 if so configured.

use crate::harness::{
    Answer, Client, Options, Peer, Server, Setup, ack, assert_moved, bytes, data, each_client,
};
use crate::harness::{rrq, wrq};

const SMALL_BLOCKS: usize = 8 * 70_000;
const PLAIN_BLOCKS: usize = 512 * 65_600;

each_client!(to_zero);
/// In small blocks, for speed; those of busybox must hold its request, and tftp-hpa requests no options.
fn to_zero(client: Client) {
    let blksize = match client {
        Client::TftpHpa => 512,
        Client::Busybox => 64,
        _ => 8,
    };
    let options = Options { blksize: Some(blksize).filter(|blksize| *blksize != 512), ..Options::default() };
    let size = 65_600 * usize::from(blksize);
    let server = Setup::new().writable().sizes(&[size]).start();
    let name = size.to_string();
    assert!(client.get(server.address(), &name, options) == bytes(size), "read");
    assert_moved(&server.outcome(&name), "served", size, blksize, 1);
    client.put(server.address(), "up", &bytes(size), options);
    assert_moved(&server.outcome("up"), "stored", size, blksize, 1);
    assert!(server.root().read("up") == bytes(size), "written");
}

#[test]
fn to_zero_in_windows() {
    let server = Setup::new().writable().sizes(&[PLAIN_BLOCKS]).start();
    let options = Options { windowsize: Some(64), ..Options::default() };
    let name = PLAIN_BLOCKS.to_string();
    assert!(Client::Tuffet.get(server.address(), &name, options) == bytes(PLAIN_BLOCKS), "read");
    assert_moved(&server.outcome(&name), "served", PLAIN_BLOCKS, 512, 64);
    Client::Tuffet.put(server.address(), "up", &bytes(PLAIN_BLOCKS), options);
    assert_moved(&server.outcome("up"), "stored", PLAIN_BLOCKS, 512, 64);
    assert!(server.root().read("up") == bytes(PLAIN_BLOCKS), "written");
}

fn to_one() -> Server {
    Setup::new()
        .sizes(&[SMALL_BLOCKS])
        .yaml(
            "roots: [{ name: boot, path: root, writable: true }]\n\
             transfer: { rollover: 1, retransmit: { floor: 5s, initial: 5s, cap: 5s } }",
        )
        .start()
}

/// Returns the number of a block if 1 follows 65535.
fn wire(position: usize) -> u16 {
    ((position - 1) % 65_535 + 1) as u16
}

const OPTIONS: [(&str, &str); 2] = [("blksize", "8"), ("windowsize", "64")];

#[test]
fn to_one_read() {
    let server = to_one();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq(&SMALL_BLOCKS.to_string(), &OPTIONS));
    peer.expect(Answer::Oack("blksize=8 windowsize=64".into()));
    peer.send(&ack(0));
    let (mut content, mut position) = (Vec::new(), 1);
    loop {
        let Answer::Data(block, payload) = peer.receive() else { panic!("no DATA {position}") };
        assert_eq!(block, wire(position), "at {position}");
        content.extend_from_slice(&payload);
        let last = payload.len() < 8;
        if last || position % 64 == 0 {
            peer.send(&ack(block));
        }
        if last {
            break;
        }
        position += 1;
    }
    assert!(content == bytes(SMALL_BLOCKS));
    assert_moved(&server.outcome(&SMALL_BLOCKS.to_string()), "served", SMALL_BLOCKS, 8, 64);
}

#[test]
fn to_one_written() {
    let server = to_one();
    let content = bytes(SMALL_BLOCKS);
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &OPTIONS));
    peer.expect(Answer::Oack("blksize=8 windowsize=64".into()));
    let blocks = content.chunks(8).chain([&[][..]]);
    let last = SMALL_BLOCKS / 8 + 1;
    for (position, payload) in (1..).zip(blocks) {
        peer.send(&data(wire(position), payload));
        if position % 64 == 0 || position == last {
            peer.expect(Answer::Ack(wire(position)));
        }
    }
    assert_moved(&server.outcome("up"), "stored", SMALL_BLOCKS, 8, 64);
    assert!(server.root().read("up") == content);
}
