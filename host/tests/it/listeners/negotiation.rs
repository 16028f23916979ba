//! What clients may negotiate: by listener, by network, by class, by the MTU of their route.

use crate::harness::{Answer, Network, Peer, Server, Setup, error, own_loopback, rrq, run};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::time::Duration;

const ALL: &[(&str, &str)] = &[("blksize", "65464"), ("tsize", "0"), ("timeout", "3"), ("windowsize", "4")];

/// What is granted to a request with these options.
#[track_caller]
fn granted(mut peer: Peer, options: &[(&str, &str)]) -> String {
    peer.ask(&rrq("3000", options));
    match peer.receive() {
        Answer::Oack(options) => {
            peer.send(&error(0, "enough"));
            options
        }
        Answer::Data(..) => {
            peer.send(&error(0, "enough"));
            "nothing".into()
        }
        other => panic!("{other:?}"),
    }
}

fn explained(server: &Server, arguments: &[&str]) -> String {
    let socket = server.outside().0.join("control");
    let mut explain = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    explain.args(["explain", "--live", "--control"]).arg(socket).args(arguments);
    let ran = run(&mut explain);
    ran.assert_good();
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn options_are_refused_for_all_or_at_one_listener() {
    let yaml = |at_lab: &str| {
        format!(
            "listeners:\n\
             - {{ name: lan, address: \"{}:0\" }}\n\
             - {{ name: lab, address: \"{}:0\"{at_lab} }}\n\
             roots: [{{ name: boot, path: root }}]\n\
             transfer: {{ options: {{ timeout: refuse }} }}\n",
            own_loopback(),
            own_loopback()
        )
    };
    let first =
        yaml(", max-blksize: 1000, max-windowsize: 2, options: { tsize: refuse, timeout: acknowledge }");
    let server = Setup::new().sizes(&[3000]).whole_yaml(2, &first).start();
    let [lan, lab] = [server.addresses()[0], server.addresses()[1]];
    assert_eq!(granted(Peer::new(lan), ALL), "blksize=65464 tsize=3000 windowsize=4");
    assert_eq!(granted(Peer::new(lab), ALL), "blksize=1000 timeout=3 windowsize=2");
    assert_eq!(granted(Peer::new(lan), &[("timeout", "3")]), "nothing");
    let text =
        explained(&server, &["3000", "--listener", "lab", "--option", "tsize=0", "--option", "blksize=2000"]);
    assert!(
        text.contains("refused: tsize") && text.contains("at most blksize=1000 by the listener"),
        "{text}"
    );

    // A reload changes it, without a socket.
    let second = first.replace(
        "max-blksize: 1000, max-windowsize: 2, options: { tsize: refuse",
        "options: { blksize: refuse",
    );
    server.rewrite(&second);
    server.ask("reload").assert_good();
    assert_eq!(granted(Peer::new(lab), ALL), "timeout=3 tsize=3000 windowsize=4");
}

#[test]
fn profiles_are_for_networks_and_classes() {
    let yaml = "roots: [{ name: boot, path: root }]\n\
                profiles:\n\
                - { clients: [127.88.0.0/16], classes: [u-boot], max-windowsize: 32 }\n\
                - { clients: [127.88.0.0/16], max-blksize: 1200 }\n\
                - { classes: [grub], options: { tsize: refuse } }\n";
    let server = Setup::new().sizes(&[3000]).yaml(yaml).start();
    let peer = |inside| {
        let address = if inside { Ipv4Addr::new(127, 88, 0, 1) } else { Ipv4Addr::new(127, 89, 0, 1) };
        Peer::from(address, server.address())
    };
    let u_boot = &[("timeout", "5"), ("tsize", "0"), ("blksize", "1468"), ("windowsize", "64")];
    assert_eq!(granted(peer(true), u_boot), "blksize=1200 timeout=5 tsize=3000 windowsize=32");
    assert_eq!(
        granted(peer(false), u_boot),
        "blksize=1468 timeout=5 tsize=3000 windowsize=12",
        "the server's own"
    );
    let grub = &[("blksize", "1024"), ("tsize", "0")];
    assert_eq!(granted(peer(false), grub), "blksize=1024");
    let words = [
        "3000",
        "--client",
        "127.88.0.1",
        "--option",
        "timeout=5",
        "--option",
        "tsize=0",
        "--option",
        "blksize=1468",
        "--option",
        "windowsize=64",
    ];
    let text = explained(&server, &words);
    assert!(text.contains("blksize=1200 by profiles[1], windowsize=32 by profiles[0]"), "{text}");
    let words = words.map(|word| if word == "127.88.0.1" { "127.89.0.1" } else { word });
    let text = explained(&server, &words);
    assert!(text.contains("windowsize=12 by the class, by a profile of the server"), "{text}");
}

/// The peer outside asks first, so its answer would have been repeated before the last one of the peer inside.
#[test]
fn a_profile_sets_when_the_server_retransmits() {
    let yaml = |initial| {
        format!(
            "listeners: [{{ address: 127.0.0.1:0 }}]\n\
             roots: [{{ name: boot, path: root }}]\n\
             transfer: {{ retransmit: {{ floor: 20s, initial: 20s, cap: 20s, give-up: 60s }} }}\n\
             profiles: [{{ clients: [127.88.0.0/16], retransmit: {{ floor: {initial}, initial: {initial}, \
             lockstep-floor: {initial} }} }}]\n"
        )
    };
    let server = Setup::new().sizes(&[3000]).whole_yaml(1, &yaml("50ms")).start();
    let mut outside = Peer::from(Ipv4Addr::new(127, 89, 0, 1), server.address());
    outside.ask(&rrq("3000", &[("tsize", "0")]));
    assert_eq!(outside.receive(), Answer::Oack("tsize=3000".into()));
    let mut inside = Peer::from(Ipv4Addr::new(127, 88, 0, 1), server.address());
    inside.ask(&rrq("3000", &[("tsize", "0")]));
    for _answer_and_repetitions in 0..3 {
        let answer = inside.receive_within(Duration::from_secs(10));
        assert_eq!(answer, Some(Answer::Oack("tsize=3000".into())));
    }
    assert_eq!(outside.receive_within(Duration::from_millis(1)), None);
    let words = ["3000", "--client", "127.88.0.1"];
    let text = explained(&server, &words);
    let line = "retransmits after 50ms at first, then 50ms to 20s; gives up after 1m, by profiles[0]";
    assert!(text.contains(line), "{text}");

    // A reload changes it, although it may not change `transfer.retransmit`.
    server.rewrite(&yaml("19s"));
    server.ask("reload").assert_good();
    assert!(explained(&server, &words).contains("retransmits after 19s at first"));
    let text = explained(&server, &["3000", "--client", "127.89.0.1"]);
    assert!(text.contains("gives up after 1m, by transfer"), "{text}");
}

#[test]
fn blocks_fill_one_packet_of_the_route() {
    let Some(network) = Network::new("02:00:5e:10:00:1e") else { return };
    let yaml = "listeners:\n\
                - { name: lan, address: 0.0.0.0:69, max-blksize: auto }\n\
                - { name: six, address: \"[::]:69\" }\n\
                - { name: cable, address: 192.0.2.1:6969, interface: cable, max-blksize: auto }\n\
                roots: [{ name: boot, path: root }]\n\
                transfer: { max-blksize: auto }\n";
    let server = Setup::new().sizes(&[3000]).behind(network.on_server()).whole_yaml(3, yaml).start();
    let blksize = |address: &str| {
        let mut get = network.on_client(env!("CARGO_BIN_EXE_tuffet"));
        get.args(["get", &format!("tftp://{address}/3000"), "--output", "-", "--blksize", "65464"]);
        run(&mut get).assert_good();
        server.outcome("3000")["blksize"].as_u64().unwrap()
    };
    assert_eq!(blksize("192.0.2.1"), 1468);
    assert_eq!(blksize("[2001:db8::1]"), 1448);
    assert_eq!(blksize("192.0.2.1:6969"), 1468);
    // Another client, whose route has a smaller one.
    network.client_ip("address add 192.0.2.3/24 dev cable");
    network.server_ip("route add 192.0.2.3/32 dev cable mtu 1300");
    network.client_ip("route add 192.0.2.1/32 dev cable src 192.0.2.3");
    assert_eq!(blksize("192.0.2.1"), 1268);
    let text = explained(&server, &["3000", "--client", "192.0.2.2", "--option", "blksize=9000"]);
    assert!(
        text.contains(
            "at most blksize=1468 by the listener (auto: the route to the client has an MTU of 1500 bytes)"
        ),
        "{text}"
    );
    let text = explained(&server, &["3000", "--client", "203.0.113.1", "--option", "blksize=9000"]);
    assert!(
        text.contains("blksize=1468") && text.contains("the kernel knows no route to the client"),
        "{text}"
    );
    let listener: SocketAddr = server.address();
    assert_eq!(listener.port(), 69);
}
