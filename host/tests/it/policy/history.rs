//! The grant `client-history`: what a client asked for before.

use crate::harness::{Answer, Client, Options, Peer, Server, Setup, ack, rrq};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};

fn server(grants: &str) -> Server {
    let guest = tuffet_test_guests::component("reference");
    Setup::new()
        .file("a", b"there")
        .yaml(&format!(
            r#"
listeners: [{{ name: lan, address: "127.0.0.1:0" }}]
roots: [{{ name: boot, path: root }}]
state: state
policy: {{ resolve: [looks] }}
plugins:
  looks:
    component: "{guest}"
    grants: [{grants}]
    limits: {{ time: 20s, wall: 40s }}
    settings:
      configure: [[history]]
      rules:
        - {{ hook: resolve, path: "seen*", do: [[history]], answer: tell }}
        - {{ hook: resolve, path: rendered, answer: {{ serve: {{ candidates: [{{ rendering: key }}] }} }} }}
      renders: {{ "*": {{ do: [[history]] }} }}
"#
        ))
        .start()
}

fn seen_by(server: &Server, client: [u8; 4], path: &str) -> Value {
    let mut peer = Peer::from(IpAddr::from(Ipv4Addr::from(client)), server.address());
    peer.ask(&rrq(path, &[]));
    match peer.receive() {
        Answer::Data(1, content) => {
            peer.send(&ack(1));
            serde_json::from_slice(&content).unwrap()
        }
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn a_plugin_sees_the_last_requests_of_the_client() {
    let server = server("client-history");
    let none = json!({ "error": "wrong-phase" });
    assert_eq!(seen_by(&server, [127, 0, 0, 1], "seen/1"), json!([none, []]));
    server.outcome("seen/1");
    assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"there");
    server.outcome("a");
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("missing", &[]));
    peer.expect_error(1);
    server.outcome("missing");
    let expected = json!([
        ["read", "missing", "not-found", true],
        ["read", "a", "served", true],
        ["read", "seen/1", "served", true]
    ]);
    assert_eq!(seen_by(&server, [127, 0, 0, 1], "seen/2"), json!([none, expected]));
    assert_eq!(seen_by(&server, [127, 0, 0, 2], "seen/3"), json!([none, []]), "another client");
    // A rendering is for all clients.
    assert_eq!(seen_by(&server, [127, 0, 0, 1], "rendered"), json!([none]));
    server.hang_up();
    server.logged("reloaded");
    let after = seen_by(&server, [127, 0, 0, 1], "seen/4");
    assert!(after[1].to_string().contains("seen/1"), "it outlives a reload: {after}");
}

#[test]
fn without_the_grant_it_sees_none() {
    let server = server("");
    let expected = json!([{ "error": "wrong-phase" }, { "error": "not-granted" }]);
    assert_eq!(seen_by(&server, [127, 0, 0, 1], "seen/1"), expected);
}
