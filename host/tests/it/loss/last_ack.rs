//! The last ACK of an upload is lost, and its client is slow to ask again.

use crate::harness::{Network, Setup, assert_moved, bytes, run, skipped};
use std::process::Command;

const SIZE: usize = 300;

/// curl asks for a `timeout` of 6 s or less, and repeats its last block a little later than that. ERROR 5 would make it
/// exit with 72.
#[test]
fn of_an_upload_by_curl() {
    let Some(network) = Network::new("02:00:5e:10:00:1f") else { return };
    let inside = network.on_server();
    let run_inside = |words: &[&str]| run(Command::new(&inside[0]).args(&inside[1..]).args(words));
    for tool in ["curl", "iptables"] {
        if !run_inside(&[tool, "--version"]).status.success() {
            return skipped(&format!("{tool} is not installed"));
        }
    }
    let server = Setup::new().writable().behind(inside.clone()).listen("127.0.0.1:6969").start();
    let local = server.outside().path("local");
    std::fs::write(&local, bytes(SIZE)).unwrap();
    // One packet as long as an ACK. An OACK comes before, and the only block fills no ACK's packet.
    let lose = "iptables -A INPUT -p udp -m length --length 32 -m quota --quota 32 -j DROP";
    run_inside(&lose.split(' ').collect::<Vec<_>>()).assert_good();
    let limit = ["curl", "--silent", "--show-error", "--max-time", "20", "--upload-file"];
    let words = [local.to_str().unwrap(), "tftp://127.0.0.1:6969/up"];
    run_inside(&[&limit[..], &words].concat()).assert_good();
    let line = server.outcome("up");
    assert_moved(&line, "stored", SIZE, 512, 1);
    assert!(server.root().read("up") == bytes(SIZE));
}
