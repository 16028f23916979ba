//! Lines of transfers that begin, for those who want them.

use crate::harness::{Answer, Peer, Setup, ack, bytes, rrq};

const ROOT: &str = "roots: [{ name: boot, path: root }]\n";

#[test]
fn a_running_request_has_a_line_if_the_configuration_says_so() {
    let server = Setup::new().sizes(&[600]).yaml(&format!("{ROOT}log: {{ started: true }}\n")).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("600", &[]));
    assert!(matches!(peer.receive(), Answer::Data(1, _)));
    // It runs.
    let line = server.logged("started");
    assert_eq!(
        (&line["path"], &line["resolved"], &line["size"]),
        (&"600".into(), &"boot:600".into(), &600.into())
    );
    assert_eq!((&line["operation"], &line["level"]), (&"read".into(), &"INFO".into()), "{line:#}");
    peer.send(&ack(1));
    assert!(peer.read_on(2) == bytes(600)[512..]);
    assert_eq!(server.outcome("600")["id"], line["id"]);

    server.rewrite(&format!("{ROOT}log: {{ started: false }}\n"));
    server.ask("reload").assert_good();
    assert!(Peer::new(server.address()).read_plainly("600") == bytes(600));
    server.outcome("600");
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    assert!(server.unread().iter().all(|line| line["message"] != "started"), "none after the reload");
}

#[test]
fn a_storm_is_counted_beyond_a_rate() {
    let server = Setup::new().sizes(&[600]).yaml(&format!("{ROOT}log: {{ started: true }}\n")).start();
    let peers: Vec<Peer> = (0..1_000).map(|_| Peer::new(server.address())).collect();
    peers.iter().for_each(|peer| peer.ask_meanwhile(&rrq("600", &[])));
    server.live_until("all of them", |live| live["totals"]["admitted"] == 1_000);
    server.terminate();
    server.wait();
    let lines = server.unread();
    let single = lines.iter().filter(|line| line["message"] == "started").count() as u64;
    let more = "more transfers have started; they are not logged one by one";
    let summed = lines.iter().filter(|line| line["message"] == more);
    let summed: u64 = summed.map(|line| line["transfers"].as_u64().unwrap()).sum();
    assert!(single >= 200, "{single}");
    assert!(single + summed <= 1_000, "{single} and {summed}");
}
