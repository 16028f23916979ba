//! Packets of hostile or broken clients: answered correctly, or dropped; and the server continues.
//!
//! The tests prove silence without waiting: packets of one client are handled in order, so the next packet
//! must be the answer to the request that follows.

mod changes;
mod closed_ports;
mod counted;
mod files;
mod floods;
mod guessing;
mod kinds;
mod names;
mod options;
mod port_zero;
mod requests;
mod socket_folder;
mod spelling;
mod strangers;
mod swaps;
mod transfers;

use crate::harness::{Answer, Peer, Server, Setup, ack, rrq};

const GOOD: &[u8] = b"still served";

/// Starts a server with a file `good`.
fn server() -> Server {
    setup().start()
}

fn setup() -> Setup {
    Setup::new().file("good", GOOD)
}

/// Asserts that this peer's next packet answers a request for `good`, so nothing came before it.
#[track_caller]
fn assert_silent_then_served(peer: &mut Peer) {
    peer.ask(&rrq("good", &[]));
    peer.expect(Answer::Data(1, GOOD.to_vec()));
    peer.send(&ack(1));
}

#[track_caller]
fn assert_still_serves(server: &Server) {
    let mut peer = Peer::new(server.address());
    assert_silent_then_served(&mut peer);
    server.outcome("good");
}
