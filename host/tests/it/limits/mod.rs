//! Limits: each one reached by real clients, while others are served.

mod counts;
mod floods;
mod memory;
mod named;
mod rates;

use crate::harness::{Answer, Peer, Server, Setup, ack, bytes, rrq};
use serde_json::Value;
use std::net::Ipv4Addr;

/// The client that takes everything.
const GREEDY: Ipv4Addr = Ipv4Addr::new(127, 201, 0, 1);

/// Another client.
const HONEST: Ipv4Addr = Ipv4Addr::new(127, 201, 0, 2);

/// Time-outs that no slow machine reaches.
const PATIENT: &str = "transfer: { retransmit: { floor: 20s, initial: 20s, cap: 20s, give-up: 60s } }";

/// Starts a server with a file of 5000 bytes, which retransmits nothing during a test.
fn server(limits: &str) -> Server {
    Setup::new().sizes(&[5000]).yaml(&yaml(limits)).start()
}

fn yaml(limits: &str) -> String {
    let root = "roots: [{ name: root, path: root, writable: true, overwrite: true }]";
    format!("{root}\nworkers: 2\nlimits: {{ {limits} }}\n{PATIENT}\n")
}

/// Begins a read of which the client has acknowledged one block.
fn reading(from: Ipv4Addr, server: &Server) -> Peer {
    let mut peer = Peer::from(from, server.address());
    peer.ask(&rrq("5000", &[]));
    acknowledge_one(&mut peer);
    peer
}

#[track_caller]
fn acknowledge_one(peer: &mut Peer) {
    peer.expect(Answer::Data(1, bytes(5000)[..512].to_vec()));
    peer.send(&ack(1));
    peer.expect(Answer::Data(2, bytes(5000)[512..1024].to_vec()));
}

#[track_caller]
fn assert_served(from: Ipv4Addr, server: &Server) {
    assert_eq!(Peer::from(from, server.address()).read_plainly("5000"), bytes(5000));
}

/// Returns the number of datagrams dropped for this reason.
fn dropped(live: &Value, reason: &str) -> u64 {
    let rows = live["totals"]["dropped"].as_array().unwrap();
    rows.iter().find(|row| row["reason"] == reason).unwrap()["count"].as_u64().unwrap()
}

#[track_caller]
fn until_dropped(server: &Server, reason: &str, count: u64) {
    server.live_until(reason, |live| dropped(live, reason) == count);
}
