//! Killed in the middle, and started again.

use crate::harness::{Answer, Peer, Setup, block_of, bytes, network, rrq, until, wrq};

#[test]
fn what_was_being_uploaded_when_it_was_killed_is_not_there() {
    let yaml = "
listeners: [{ address: '0.0.0.0:69', single-port: true }]
roots: [{ name: boot, path: /srv/tftp, writable: true, overwrite: true }]
";
    let (old, content) = (b"the old one".as_slice(), bytes(40_000));
    let mut server = Setup::new().writable().file("there", old).yaml(yaml).start(&network());
    let mut peers = ["there", "new"].map(|name| {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq(name));
        peer.expect(Answer::Ack(0));
        peer.write(&content, 1..=70);
        peer
    });
    server.kill();
    let visible =
        || server.names().into_iter().filter(|name| !name.starts_with(".tuffet-")).collect::<Vec<_>>();
    assert_eq!(visible(), ["there"]);
    assert_eq!(std::fs::read(server.path("there")).unwrap(), old);
    let left: Vec<String> = server.names().into_iter().filter(|name| name.starts_with(".tuffet-")).collect();

    server.start_again();
    assert_eq!(Peer::new(server.address()).read("there"), old);
    assert_eq!(server.outcome("there")["outcome"], "served");
    // What the crash left behind has no name for clients.
    for name in &left {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name));
        assert!(matches!(peer.receive(), Answer::Error(..)), "{name}");
    }
    // Who was writing hears nothing, whoever may have sent that: it is counted. It gives up and begins again.
    let [_, peer] = &mut peers;
    peer.send(&block_of(&content, 71));
    until("a datagram that belongs to nothing", || {
        server.metrics().contains("tuffet_datagrams_dropped_total{reason=\"stray\"} 1")
    });
    for name in ["there", "new"] {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq(name));
        peer.expect(Answer::Ack(0));
        peer.write(&content, 1..=79);
        assert_eq!(server.outcome(name)["outcome"], "stored");
        assert_eq!(std::fs::read(server.path(name)).unwrap(), content);
    }
}
