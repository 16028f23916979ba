//! `docker pause` stops all processes of a container as they stand: to the other end it is a network that has
//! fallen silent.

use crate::harness::{
    Answer, Client, Peer, Ran, Server, Setup, block_of, bytes, docker, network, until, wrq,
};
use std::process::Child;

/// A block in a millisecond, so that a transfer is still on its way when it is stopped.
const SLOWLY: &str = "listeners: [{ address: '0.0.0.0:69', single-port: true, burst: 1 }]
roots: [{ name: boot, path: /srv/tftp }]
";
const SIZE: usize = 4_000_000;

/// A client that reads, and some of it has come.
fn reading(server: &Server, client: &Client) -> Child {
    let (name, host) = (SIZE.to_string(), server.address().ip().to_string());
    let child = client.begin(&[
        "atftp",
        "--tftp-timeout",
        "1",
        "--option",
        "blksize 1428",
        "--option",
        "windowsize 16",
        "-g",
        "-r",
        &name,
        "-l",
        "got",
        &host,
    ]);
    until("some bytes", || {
        server.active().first().is_some_and(|transfer| transfer["bytes"].as_u64() > Some(0))
    });
    child
}

#[test]
fn a_client_that_is_paused_goes_on_where_it_was() {
    let network = network();
    let server = Setup::new().sizes(&[SIZE]).yaml(SLOWLY).start(&network);
    let client = Client::start(&network);
    let reading = reading(&server, &client);
    docker(["pause", client.id()]);
    until("a retransmission", || {
        server.active().first().expect("it still runs")["retransmissions"].as_u64() > Some(0)
    });
    docker(["unpause", client.id()]);
    Ran::of(reading).good();
    assert!(client.read("got") == bytes(SIZE), "other bytes");
    let outcome = server.outcome(&SIZE.to_string());
    assert_eq!((&outcome["outcome"], &outcome["bytes"]), (&"served".into(), &SIZE.into()));
    assert!(outcome["retransmissions"].as_u64() > Some(0), "{outcome}");
}

#[test]
fn a_client_that_is_paused_for_too_long_has_timed_out() {
    let network = network();
    let yaml = format!(
        "{SLOWLY}transfer: {{ retransmit: {{ floor: 20ms, initial: 50ms, cap: 200ms, give-up: 1s }} }}"
    );
    let server = Setup::new().sizes(&[SIZE]).yaml(&yaml).start(&network);
    let client = Client::start(&network);
    let reading = reading(&server, &client);
    docker(["pause", client.id()]);
    let outcome = server.outcome(&SIZE.to_string());
    assert_eq!(outcome["outcome"], "timed-out");
    assert!(outcome["bytes"].as_u64() < Some(SIZE as u64), "{outcome}");
    docker(["unpause", client.id()]);
    let ran = Ran::of(reading);
    assert!(!ran.is_good(), "it cannot have all: {ran:?}");
}

#[test]
fn a_server_that_is_paused_goes_on_where_it_was() {
    let network = network();
    let server = Setup::new().sizes(&[SIZE]).yaml(SLOWLY).start(&network);
    let client = Client::start(&network);
    let sent = || {
        let snmp = String::from_utf8(client.read("/proc/net/snmp")).unwrap();
        let line = snmp.lines().filter(|line| line.starts_with("Udp:")).nth(1).unwrap();
        line.split_whitespace().nth(4).unwrap().parse::<u64>().unwrap()
    };
    let reading = reading(&server, &client);
    docker(["pause", server.id()]);
    // What was on its way has come; what the client sends from now on are repetitions.
    let before = sent();
    until("the client asks again", || sent() > before);
    docker(["unpause", server.id()]);
    Ran::of(reading).good();
    assert!(client.read("got") == bytes(SIZE), "other bytes");
    let outcome = server.outcome(&SIZE.to_string());
    assert_eq!((&outcome["outcome"], &outcome["bytes"]), (&"served".into(), &SIZE.into()));
}

#[test]
fn an_upload_outlives_a_pause_of_the_server() {
    let server = Setup::new().writable().start(&network());
    let content = bytes(2_000);
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("new"));
    peer.expect(Answer::Ack(0));
    peer.write(&content, 1..=2);
    docker(["pause", server.id()]);
    peer.send(&block_of(&content, 3));
    // A client repeats what is not answered.
    peer.send(&block_of(&content, 3));
    assert!(!server.path("new").exists());
    docker(["unpause", server.id()]);
    peer.expect(Answer::Ack(3));
    peer.write(&content, 4..=4);
    assert_eq!(server.outcome("new")["outcome"], "stored");
    assert_eq!(std::fs::read(server.path("new")).unwrap(), content);
}
