//! Somebody who cannot see the server's answers tries to have them sent to a victim.

use super::{GOOD, setup};
use crate::harness::{Answer, Peer, ack, bytes, rrq};
use std::collections::HashSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

const WINDOWED: &[(&str, &str)] = &[("blksize", "1428"), ("windowsize", "64")];

/// Ports that requests from other addresses are answered from.
fn learn(server: SocketAddr, addresses: u8) -> HashSet<SocketAddr> {
    let ports = (1..=addresses).flat_map(|last| {
        (0..8).map(move |_| {
            let mut peer = Peer::from(Ipv4Addr::new(127, 77, 0, last), server);
            peer.ask(&rrq("good", &[]));
            peer.expect(Answer::Data(1, GOOD.to_vec()));
            peer.send(&ack(1));
            peer.tid()
        })
    });
    ports.collect()
}

#[test]
fn the_ports_of_one_address_are_a_few_of_many() {
    let server = setup().workers(1).start();
    let all = learn(server.address(), 60);
    assert!(all.len() >= 64, "{} TID ports", all.len());
    let own: HashSet<SocketAddr> = (0..50)
        .map(|_| {
            let mut peer = Peer::from(Ipv4Addr::new(127, 78, 0, 1), server.address());
            peer.ask(&rrq("good", &[]));
            peer.expect(Answer::Data(1, GOOD.to_vec()));
            peer.send(&ack(1));
            peer.tid()
        })
        .collect();
    assert!(own.len() <= 16 && own.len() > 1, "{} ports for one address", own.len());
    // Few of its own are among those of a few others.
    let few = learn(server.address(), 1);
    assert!(few.len() <= 16, "{} ports for another", few.len());
}

/// ACKs in the victim's name to ports that are not its TID, and then one that would hit.
#[test]
fn a_transfer_whose_port_is_guessed_ends_before_it_is_found() {
    let yaml = "workers: 1\ntransfer: { retransmit: { floor: 20s, initial: 20s, cap: 20s, give-up: 60s } }";
    let server = setup().sizes(&[500_000]).rest_of_yaml(yaml).start();
    let ports = learn(server.address(), 20);
    let mut victim = Peer::strict(server.address());
    victim.ask(&rrq("500000", WINDOWED));
    assert!(matches!(victim.receive(), Answer::Oack(_)));
    let tid = victim.tid();
    for port in ports.iter().filter(|port| **port != tid).take(8) {
        victim.send_to(&ack(0), *port);
    }
    let line = server.outcome("500000");
    assert_eq!((&line["outcome"], &line["bytes"]), (&"timed-out".into(), &0.into()), "{line:#}");
    assert!(line["detail"].as_str().unwrap().contains("forged"), "{line:#}");
    victim.send_to(&ack(0), tid);
    // Packets of one client are handled in order: this is the answer to the next request, and there was no window.
    victim.ask(&rrq("good", &[]));
    victim.expect(Answer::Data(1, GOOD.to_vec()));
}

/// Late ACKs of earlier transfers are no guesses.
#[test]
fn a_few_stray_acks_do_no_harm() {
    let server = setup().sizes(&[50_000]).workers(1).start();
    let ports = learn(server.address(), 20);
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("50000", &[]));
    peer.expect(Answer::Data(1, bytes(50_000)[..512].to_vec()));
    let tid = peer.tid();
    for port in ports.iter().filter(|port| **port != tid).take(4) {
        peer.send_to(&ack(9), *port);
    }
    peer.send(&ack(1));
    assert!(peer.read_on(2) == bytes(50_000)[512..]);
    assert_eq!(server.outcome("50000")["outcome"], "served");
}

/// One ACK moves 512 KiB at most.
#[test]
fn windows_are_bounded_in_bytes() {
    let server = setup().sizes(&[5_000_000]).start();
    for (blksize, windowsize) in [("65464", 8), ("8192", 64), ("1428", 64), ("512", 64)] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("5000000", &[("blksize", blksize), ("windowsize", "64")]));
        peer.expect(Answer::Oack(format!("blksize={blksize} windowsize={windowsize}")));
    }
    assert!(Peer::new(server.address()).receive_within(Duration::from_millis(1)).is_none());
}

/// Whoever configures larger windows, for a long path, gets them with the blocks that such paths carry.
#[test]
fn windows_of_frames_are_as_large_as_configured() {
    let server = setup().sizes(&[5_000_000]).rest_of_yaml("transfer: { max-windowsize: 2048 }\n").start();
    for (blksize, windowsize) in [("65464", 45), ("8192", 367), ("1468", 2048), ("512", 2048)] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("5000000", &[("blksize", blksize), ("windowsize", "4000")]));
        peer.expect(Answer::Oack(format!("blksize={blksize} windowsize={windowsize}")));
    }
}
