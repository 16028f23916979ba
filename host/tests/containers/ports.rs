//! Through a port of the host that the engine maps to the container's.

use crate::harness::{Answer, Peer, Setup, bytes, network, rrq, wrq};
use std::time::Duration;

#[test]
fn single_port_mode_works_through_a_mapped_port() {
    let server = Setup::new().sizes(&[100_000]).writable().single_port().start(&network());
    let mut peer = Peer::new(server.mapped());
    assert_eq!(peer.read("100000"), bytes(100_000));
    assert_eq!(server.outcome("100000")["outcome"], "served");
    let content = bytes(3_000);
    let mut writer = Peer::new(server.mapped());
    writer.ask(&wrq("new"));
    writer.expect(Answer::Ack(0));
    writer.write(&content, 1..=6);
    assert_eq!(server.outcome("new")["outcome"], "stored");
    assert_eq!(std::fs::read(server.path("new")).unwrap(), content);
}

/// The reason why single-port mode is there: the mapping knows one port, and answers come from another.
#[test]
fn without_it_answers_do_not_come_back_through_a_mapped_port() {
    let yaml = "
listeners: [{ address: '0.0.0.0:69' }]
roots: [{ name: boot, path: /srv/tftp }]
transfer: { retransmit: { floor: 20ms, initial: 50ms, cap: 100ms, give-up: 400ms } }
";
    let server = Setup::new().sizes(&[600]).yaml(yaml).start(&network());
    let mut peer = Peer::new(server.mapped());
    peer.ask(&rrq("600"));
    let outcome = server.outcome("600");
    // The engine's host reports that the port is closed, as that of a monitor does. The line names both.
    assert_eq!((&outcome["outcome"], &outcome["bytes"]), (&"probed".into(), &0.into()));
    assert!(outcome["detail"].as_str().unwrap().contains("needs `single-port`"), "{outcome:#}");
    assert_eq!(peer.within(Duration::from_millis(100)), None, "the server has said all that it had to say");
    // In its own network it is reached.
    assert_eq!(Peer::new(server.address()).read("600"), bytes(600));
    assert_eq!(server.outcome("600")["outcome"], "served");
}
