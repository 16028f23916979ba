//! Recovery loaders of routers, and switches that configure themselves, know no server: they broadcast their request.
//! dnsmasq with `listen-address` answers it from that address.

use super::servers::dnsmasq;
use crate::harness::{Answer, Network, Peer, Server, Setup, assert_moved, bytes, rrq, wrq};
use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr, UdpSocket};

const SERVER: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);

/// The broadcast address of the network, and that of all networks.
const EVERYBODY: [Ipv4Addr; 2] = [Ipv4Addr::new(192, 0, 2, 255), Ipv4Addr::BROADCAST];

fn network(number: u8) -> Option<Network> {
    let network = Network::new(&format!("02:00:5e:10:02:{number:02x}"))?;
    network.client_ip("route add default dev cable");
    Some(network)
}

fn server(network: &Network, listeners: &[&str], more: &str) -> Server {
    let listeners: Vec<String> =
        (0..).zip(listeners).map(|(number, its)| format!("- {{ name: l{number}, {its} }}\n")).collect();
    let yaml = format!(
        "listeners:\n{}roots: [{{ name: boot, path: root, writable: true }}]\n{more}",
        listeners.concat()
    );
    let setup = Setup::new().sizes(&[600]).behind(network.on_server());
    setup.whole_yaml(listeners.len(), &yaml).start()
}

/// A client that takes an answer from anybody.
fn peer(network: &Network, everybody: impl Into<IpAddr>, port: u16) -> Peer {
    let socket = network.in_client(|| UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap());
    socket.set_broadcast(true).unwrap();
    Peer::through(socket, (everybody, port).into())
}

#[test]
fn a_listener_on_an_address_answers_broadcasts_of_its_network() {
    let Some(network) = network(1) else { return };
    for (single_port, workers) in [("false", 4), ("true", 1)] {
        let listener = format!("address: \"192.0.2.1:6969\", single-port: {single_port}");
        let server = server(&network, &[&listener], &format!("workers: {workers}\n"));
        for everybody in EVERYBODY {
            let mut reader = peer(&network, everybody, 6969);
            assert!(reader.read_plainly("600") == bytes(600));
            assert_eq!(reader.tid().ip(), SERVER);
            let line = server.outcome("600");
            assert_moved(&line, "served", 600, 512, 1);
            assert_eq!(line["listener"], "l0");

            let mut refused = peer(&network, everybody, 6969);
            refused.ask(&rrq("missing", &[]));
            refused.expect_error(1);
            assert_eq!(refused.tid().ip(), SERVER);
            server.outcome("missing");

            let mut writer = peer(&network, everybody, 6969);
            writer.ask(&wrq("up", &[]));
            writer.expect(Answer::Ack(0));
            assert_eq!(writer.tid().ip(), SERVER);
            writer.write_on(&bytes(600), 512);
            assert_moved(&server.outcome("up"), "stored", 600, 512, 1);
            std::fs::remove_file(server.root().0.join("up")).unwrap();
        }
        assert_eq!(server.stop(), [] as [Value; 0], "each request began one transfer");
    }
}

/// The address of the listener is assigned after the start, as on a machine that boots.
#[test]
fn an_address_that_comes_later_gets_what_is_sent_to_everybody() {
    let Some(network) = network(4) else { return };
    network.server_ip("address del 192.0.2.1/24 dev cable");
    let server = server(&network, &["address: \"192.0.2.1:6969\", free-bind: true"], "");
    network.server_ip("address add 192.0.2.1/24 dev cable");
    let mut reader = peer(&network, Ipv4Addr::BROADCAST, 6969);
    assert!(reader.read_plainly("600") == bytes(600));
    assert_eq!(reader.tid().ip(), SERVER);
    server.outcome("600");
}

/// The same client of dnsmasq.
#[test]
fn dnsmasq_answers_them_too() {
    let Some(network) = network(2) else { return };
    let Some(server) = dnsmasq(&network, &[("600", &bytes(600))]) else { return };
    for everybody in EVERYBODY {
        let mut reader = peer(&network, everybody, server.address.port());
        assert!(reader.read_plainly("600") == bytes(600));
        assert_eq!(reader.tid().ip(), SERVER);
    }
}

/// Listeners on several addresses: one of them answers, and only in its own network.
#[test]
fn one_listener_answers_and_only_in_its_network() {
    let Some(network) = network(3) else { return };
    // A second address in the network, and another network on another cable.
    network.server_ip("address add 192.0.2.5/24 dev cable");
    network.server_ip(&format!("link add other type veth peer name other netns {}", network.client_name()));
    network.server_ip("address add 198.51.100.1/24 dev other");
    network.server_ip("link set other up");
    network.client_ip("address add 198.51.100.2/24 dev other");
    network.client_ip("link set other up");

    let addresses = ["198.51.100.1", "192.0.2.5", "192.0.2.1"];
    let listeners = addresses.map(|address| format!("address: \"{address}:6969\""));
    let both = server(&network, &listeners.each_ref().map(String::as_str), "");
    // The default route of the client leads to the first cable.
    let asked = EVERYBODY.map(|everybody| (everybody, "l2")).into_iter();
    for (everybody, listener) in asked.chain([(Ipv4Addr::new(198, 51, 100, 255), "l0")]) {
        let mut reader = peer(&network, everybody, 6969);
        assert!(reader.read_plainly("600") == bytes(600));
        assert_eq!(both.outcome("600")["listener"], listener, "{everybody}");
    }
    assert_eq!(both.stop(), [] as [Value; 0], "one transfer each");

    // The second address alone, which the kernel would not choose for answers.
    let second = server(&network, &[&listeners[1]], "");
    for everybody in EVERYBODY {
        let mut reader = peer(&network, everybody, 6969);
        assert!(reader.read_plainly("600") == bytes(600));
        assert_eq!(reader.tid().ip(), Ipv4Addr::new(192, 0, 2, 5));
        second.outcome("600");
    }
    second.stop();

    // The other network alone: what is sent before a request to its address came before it.
    let other = server(&network, &[&listeners[0]], "workers: 1\n");
    for everybody in EVERYBODY {
        peer(&network, everybody, 6969).ask(&rrq("600", &[]));
    }
    assert!(peer(&network, Ipv4Addr::new(198, 51, 100, 1), 6969).read_plainly("600") == bytes(600));
    assert_moved(&other.outcome("600"), "served", 600, 512, 1);
    assert_eq!(other.stop(), [] as [Value; 0], "nothing else");
}
