//! `tid-ports` as a range: transfers use its ports and no others, whatever else has some of them.

use crate::harness::{Peer, Setup, bytes, own_loopback, rrq};
use std::collections::HashSet;
use std::net::{Ipv4Addr, UdpSocket};

/// Consecutive free ports of an address, and the sockets that keep them until they are dropped.
fn ports_in_a_row(address: Ipv4Addr, count: u16) -> Vec<UdpSocket> {
    let from =
        |first: u16| (first..first + count).map(|port| UdpSocket::bind((address, port)).ok()).collect();
    (20_000..30_000).step_by(50).find_map(from).expect("free ports")
}

fn port(socket: &UdpSocket) -> u16 {
    socket.local_addr().unwrap().port()
}

fn yaml(address: Ipv4Addr, range: &str, workers: usize) -> String {
    format!(
        "listeners: [{{ name: lan, address: \"{address}:0\", tid-ports: {range} }}]\nworkers: {workers}\n\
         roots: [{{ name: boot, path: root }}]\n"
    )
}

#[test]
fn transfers_use_the_free_ports_of_the_range_at_random() {
    let address = own_loopback();
    let mut sockets = ports_in_a_row(address, 11);
    let (first, last) = (port(&sockets[0]), port(&sockets[10]));
    let taken = sockets.swap_remove(4);
    drop(sockets);
    let server =
        Setup::new().sizes(&[600]).whole_yaml(1, &yaml(address, &format!("{first}-{last}"), 2)).start();
    let line = server.log_line("TID ports used by other processes are skipped");
    let message = line["message"].as_str().unwrap();
    let skipped = format!("skipped: {}; 10 of {first}-{last} remain", port(&taken));
    assert!(message.contains(&skipped), "{message}");
    let mut seen = HashSet::new();
    for number in 1..=120 {
        let mut peer = Peer::from(Ipv4Addr::new(127, 77, 1, number), server.address());
        assert!(peer.read_plainly("600") == bytes(600));
        seen.insert(peer.tid().port());
    }
    let expected: HashSet<u16> = (first..=last).filter(|its| *its != port(&taken)).collect();
    assert_eq!(seen, expected, "each of them, and no other");
}

#[test]
fn too_few_free_ports_are_an_error_that_names_the_remedy() {
    let address = own_loopback();
    let sockets = ports_in_a_row(address, 3);
    let range = format!("{}-{}", port(&sockets[0]), port(&sockets[2]));
    let start = || Setup::new().whole_yaml(1, &yaml(address, &range, 2)).run_to_its_end();
    start()
        .assert_fails(69, &["listener `lan`", &format!("0 of the TID ports {range} are free"), "ss -ulpn"]);
    let mut sockets = sockets;
    sockets.pop();
    start().assert_fails(69, &["1 of the TID ports", "2 workers need one each"]);
}

/// A range is served like any other TID ports: with windows, and beside a second listener with its own range.
#[test]
fn two_listeners_have_a_range_each() {
    let (one, other) = (own_loopback(), own_loopback());
    let sockets = ports_in_a_row(one, 4);
    let range = format!("{}-{}", port(&sockets[0]), port(&sockets[3]));
    drop(sockets);
    let listener =
        |address, name| format!("{{ name: {name}, address: \"{address}:0\", tid-ports: {range} }}");
    let yaml = format!(
        "listeners: [{}, {}]\nworkers: 1\nroots: [{{ name: boot, path: root }}]\n",
        listener(one, "one"),
        listener(other, "other")
    );
    let server = Setup::new().sizes(&[100_000]).whole_yaml(2, &yaml).start();
    for address in server.addresses() {
        let mut peer = Peer::new(*address);
        peer.ask(&rrq("100000", &[("blksize", "1400"), ("windowsize", "8")]));
        peer.receive();
        let tid = peer.tid();
        assert!(tid.ip() == address.ip() && range_has(&range, tid.port()), "{tid}");
    }
}

fn range_has(range: &str, port: u16) -> bool {
    let (first, last) = range.split_once('-').unwrap();
    (first.parse().unwrap()..=last.parse().unwrap()).contains(&port)
}
