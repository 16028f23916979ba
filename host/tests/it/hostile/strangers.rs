//! Packets for another client's transfer.

use crate::harness::{Answer, Peer, Setup, ack, assert_moved, bytes, data, error, oack, rrq, wrq};

#[test]
fn a_wrong_tid_is_told_so_and_the_transfer_goes_on() {
    let server = Setup::new().sizes(&[2000]).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("2000", &[]));
    let Answer::Data(1, first) = peer.receive() else { panic!("no DATA 1") };
    let mut stranger = Peer::new(server.address());
    // Never answered: an ERROR, and packets that may be the late end of a good transfer.
    for packet in [error(0, "die"), error(8, "die"), ack(1), ack(4), oack(&[]), rrq("2000", &[]), vec![0, 9]]
    {
        stranger.send_to(&packet, peer.tid());
    }
    stranger.send_to(&data(1, b"poison"), peer.tid());
    assert_eq!(stranger.expect_error(5), "unknown transfer ID");
    peer.send(&ack(1));
    let rest = peer.read_on(2);
    assert!([first, rest].concat() == bytes(2000));
    assert_moved(&server.outcome("2000"), "served", 2000, 512, 1);
    assert_eq!(server.stop(), [] as [serde_json::Value; 0]);
}

#[test]
fn an_upload_takes_nothing_from_strangers() {
    let server = Setup::new().writable().start();
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    let mut stranger = Peer::new(server.address());
    stranger.send_to(&data(1, b"poison"), peer.tid());
    stranger.expect_error(5);
    stranger.send_to(&error(0, "die"), peer.tid());
    peer.write_on(&bytes(700), 512);
    assert_moved(&server.outcome("up"), "stored", 700, 512, 1);
    assert!(server.root().read("up") == bytes(700));
}

/// The port of the client is not enough: both must match.
#[test]
fn from_another_address_by_the_same_port() {
    for single_port in [false, true] {
        let setup = Setup::new().writable();
        let server = if single_port { setup.single_port() } else { setup }.start();
        let mut peer = Peer::from([127, 202, 0, 1], server.address());
        peer.ask(&wrq("up", &[]));
        peer.expect(Answer::Ack(0));
        let mut stranger = Peer::with_port_of(&peer, [127, 202, 0, 2]);
        stranger.send_to(&error(0, "die"), peer.tid());
        stranger.send_to(&data(1, b"poison"), peer.tid());
        if single_port {
            // It is a client without a transfer, and its next packet is answered.
            stranger.ask(&rrq("missing", &[]));
            stranger.expect_error(1);
        } else {
            stranger.expect_error(5);
        }
        peer.write_on(&bytes(700), 512);
        assert_moved(&server.outcome("up"), "stored", 700, 512, 1);
        assert!(server.root().read("up") == bytes(700), "single port: {single_port}");
    }
}

/// In single-port mode, a stranger's packet is that of a client without a transfer.
#[test]
fn in_single_port_mode() {
    let server = Setup::new().sizes(&[2000]).single_port().start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("2000", &[]));
    let Answer::Data(1, first) = peer.receive() else { panic!("no DATA 1") };
    let mut stranger = Peer::new(server.address());
    for packet in [data(1, b"poison"), error(0, "die"), ack(1)] {
        stranger.ask(&packet);
    }
    stranger.ask(&rrq("missing", &[]));
    assert_eq!(stranger.expect_error(1), "file not found");
    peer.send(&ack(1));
    assert!([first, peer.read_on(2)].concat() == bytes(2000));
    assert_moved(&server.outcome("2000"), "served", 2000, 512, 1);
}
