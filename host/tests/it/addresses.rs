//! The source of answers: the address that the request was sent to, and in single-port mode its port too.

use crate::harness::{Answer, Client, Options, Peer, Setup, ack, assert_moved, bytes, data, each_client};
use crate::harness::{rrq, wrq};
use std::net::SocketAddr;

/// Reads and writes with one peer, and returns the source of each packet.
fn sources(server: SocketAddr) -> Vec<SocketAddr> {
    let mut peer = Peer::new(server);
    let mut sources = Vec::new();
    let mut expect = |peer: &mut Peer, answer| {
        peer.expect(answer);
        sources.push(peer.tid());
    };
    peer.ask(&rrq("600", &[("tsize", "0")]));
    expect(&mut peer, Answer::Oack("tsize=600".into()));
    peer.send(&ack(0));
    expect(&mut peer, Answer::Data(1, bytes(600)[..512].to_vec()));
    peer.send(&ack(1));
    expect(&mut peer, Answer::Data(2, bytes(600)[512..].to_vec()));
    peer.send(&ack(2));
    let mut peer = Peer::new(server);
    peer.ask(&rrq("missing", &[]));
    expect(&mut peer, Answer::Error(1, "file not found".into()));
    let mut peer = Peer::new(server);
    peer.ask(&wrq("up", &[]));
    expect(&mut peer, Answer::Ack(0));
    peer.send(&data(1, b"x"));
    expect(&mut peer, Answer::Ack(1));
    sources
}

#[test]
fn a_server_with_many_addresses_answers_from_the_one_that_was_asked() {
    for single_port in [false, true] {
        let setup = Setup::new().sizes(&[600]).writable().listen("0.0.0.0:0");
        let server = if single_port { setup.single_port() } else { setup }.start();
        for asked in ["127.0.0.1", "127.0.0.5", "127.77.0.9"] {
            let asked = SocketAddr::new(asked.parse().unwrap(), server.address().port());
            for source in sources(asked) {
                assert_eq!(source.ip(), asked.ip());
                assert_eq!(source.port() == asked.port(), single_port, "{source}");
            }
            let _ = std::fs::remove_file(server.root().path("up"));
        }
    }
}

#[test]
fn without_single_port_each_transfer_has_a_tid_of_its_own() {
    let server = Setup::new().sizes(&[600]).start();
    let mut tids = std::collections::HashSet::new();
    for _ in 0..64 {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("600", &[]));
        peer.receive();
        assert_ne!(peer.tid().port(), server.address().port());
        tids.insert(peer.tid());
    }
    assert!(tids.len() > 1, "chosen at random (RFC 1350 section 4): {tids:?}");
}

/// One port, two concurrent transfers of one client: its ports distinguish them.
#[test]
fn single_port_tells_clients_apart() {
    let server = Setup::new().sizes(&[1500, 1501]).single_port().start();
    let (mut one, mut two) = (Peer::new(server.address()), Peer::new(server.address()));
    one.ask(&rrq("1500", &[]));
    two.ask(&rrq("1501", &[]));
    assert!(two.read_on(1) == bytes(1501));
    assert!(one.read_on(1) == bytes(1500));
}

each_client!(single_port);
fn single_port(client: Client) {
    let setup = Setup::new().writable().single_port().sizes(&[100_000]);
    let server = setup.listen("127.0.0.1:0").listen("[::1]:0").start();
    for (number, &address) in server.addresses().iter().enumerate() {
        assert!(client.get(address, "100000", Options::default()) == bytes(100_000));
        assert_moved(&server.outcome("100000"), "served", 100_000, 512, 1);
        let upload = format!("up-{number}");
        client.put(address, &upload, &bytes(100_000), Options::default());
        assert_moved(&server.outcome(&upload), "stored", 100_000, 512, 1);
        assert!(server.root().read(&upload) == bytes(100_000));
    }
}

/// Network gear that configures itself broadcasts its request. It gets one answer, from a unicast address.
#[test]
fn a_broadcast() {
    for single_port in [false, true] {
        let setup = Setup::new().sizes(&[600]).listen("0.0.0.0:0");
        // Each worker has a copy of the request.
        let server = if single_port { setup.single_port().workers(1) } else { setup.workers(4) }.start();
        let everyone = SocketAddr::new([127, 255, 255, 255].into(), server.address().port());
        let mut peer = Peer::broadcasting(everyone);
        assert!(peer.read_plainly("600") == bytes(600));
        assert_eq!(peer.tid().ip(), std::net::Ipv4Addr::LOCALHOST);
        assert_eq!(server.outcome("600")["outcome"], "served");
        assert_eq!(server.stop(), [] as [serde_json::Value; 0], "one transfer");
    }
}

#[test]
fn the_unspecified_ipv6_address() {
    let server = Setup::new().sizes(&[600]).writable().listen("[::]:0").start();
    let asked = SocketAddr::new("::1".parse().unwrap(), server.address().port());
    assert!(sources(asked).iter().all(|source| source.ip() == asked.ip()));
}
