//! Transfers with a rate: what clients get, and where it is shown.

use crate::harness::{
    Answer, Client, Options, Peer, Server, Setup, ack, assert_moved, bytes, each_client, error, rrq, run,
};
use serde_json::Value;
use std::process::Command;

const RATE: usize = 100 * 1024;
const SIZE: usize = 150 * 1024;

fn server(rest: &str) -> Server {
    Setup::new()
        .file("file", &bytes(SIZE))
        .yaml(&format!("roots: [{{ name: root, path: root, writable: true }}]\n{rest}"))
        .start()
}

/// Asserts that a transfer took as long as its rate demands. `burst`: what may be sent beyond it, in bytes. A busy
/// machine makes it slower.
#[track_caller]
fn assert_kept(line: &Value, rate: usize, burst: usize) {
    assert_eq!(line["rate"], rate, "{line:#}");
    let seconds = line["duration_us"].as_f64().unwrap() / 1e6;
    let moved = line["bytes"].as_f64().unwrap();
    let least = (moved - burst as f64) / rate as f64;
    assert!(seconds >= least && seconds < 2.0 * moved / rate as f64 + 0.5, "{seconds} s, {line:#}");
}

each_client!(downloads);
fn downloads(client: Client) {
    let server = server("transfer: { rate: 100KiB }\n");
    assert!(client.get(server.address(), "file", Options::default()) == bytes(SIZE));
    let line = server.outcome("file");
    assert_moved(&line, "served", SIZE, 512, 1);
    assert_kept(&line, RATE, RATE / 20);
}

each_client!(uploads);
fn uploads(client: Client) {
    let server = server("transfer: { rate: 100KiB }\n");
    client.put(server.address(), "new", &bytes(SIZE), Options::default());
    let line = server.outcome("new");
    assert_moved(&line, "stored", SIZE, 512, 1);
    assert_kept(&line, RATE, RATE / 20);
    assert!(server.root().read("new") == bytes(SIZE));
}

/// Files in memory are sent in segments; each window is longer than the burst of a rate.
#[test]
fn windows() {
    let server = server("transfer: { rate: 100KiB }\n");
    for client in [Client::Atftp, Client::Tuffet].into_iter().filter(|client| client.is_installed()) {
        let options = Options { blksize: Some(1428), windowsize: Some(16), ..Options::default() };
        for _ in 0..2 {
            assert!(client.get(server.address(), "file", options) == bytes(SIZE));
            let line = server.outcome("file");
            assert_moved(&line, "served", SIZE, 1428, 16);
            assert_kept(&line, RATE, 16 * 1428);
        }
        let name = format!("new-{client}");
        client.put(server.address(), &name, &bytes(SIZE), options);
        // The last window is not held back.
        assert_kept(&server.outcome(&name), RATE, 2 * 16 * 1428);
    }
}

/// Half a second is the longest that a window takes, a quarter the longest for a block.
#[test]
fn low_rates_lower_what_is_granted() {
    let server = server("transfer: { rate: 4KiB }\n");
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("file", &[("blksize", "65464"), ("windowsize", "64")]));
    peer.expect(Answer::Oack("blksize=1024 windowsize=2".into()));
    peer.send(&error(0, "enough"));
}

#[test]
fn a_profile_has_a_rate_and_everybody_sees_it() {
    let server = server(
        "transfer: { rate: 1GB, least-rate: 0 }\nprofiles: [{ clients: [127.0.0.0/8], rate: 2KiB }]\n\
         admin: { address: \"127.0.0.1:0\" }\n",
    );
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("file", &[]));
    assert!(matches!(peer.receive(), Answer::Data(1, _)));
    peer.send(&ack(1));
    let live = server.live_until("its first block", |live| live["active"][0]["bytes"] == 512);
    assert_eq!((&live["active"][0]["rate"], &live["totals"]["with_rate"]), (&2048.into(), &1.into()));
    let metrics = server.metrics();
    assert!(metrics.contains("\ntuffet_transfers_with_rate 1\n"), "{metrics}");
    let mut explain = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    explain.args(["explain", "--live", "--control"]).arg(server.outside().0.join("control")).arg("file");
    let ran = run(&mut explain);
    ran.assert_good();
    let text = String::from_utf8(ran.stdout).unwrap();
    assert!(text.contains("at most 2048 bytes per second, by profiles[0]"), "{text}");
    assert!(matches!(peer.receive(), Answer::Data(2, _)));
    peer.send(&error(0, "enough"));
    assert_eq!(server.outcome("file")["rate"], 2048);
}

/// What the server holds back is not the client's fault.
#[test]
fn a_rate_below_the_least_rate_ends_nothing() {
    let server = server(
        "transfer: { rate: 50KiB, least-rate: 1MiB, retransmit: { floor: 5ms, initial: 20ms, cap: 40ms, give-up: 1s } }\n",
    );
    assert!(Client::Tuffet.get(server.address(), "file", Options::default()) == bytes(SIZE));
    assert_kept(&server.outcome("file"), 50 * 1024, 50 * 1024 / 20);
}
