//! What hostile or broken clients send: answered as it should be, or met with silence; and the server
//! serves on.
//!
//! Silence is shown without waiting: packets of one client are handled in order, so what comes next must
//! be the answer to the question that follows.

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

/// A server with a file `good`.
fn server() -> Server {
    setup().start()
}

fn setup() -> Setup {
    Setup::new().file("good", GOOD)
}

/// The next packet that this peer gets answers a request for `good`: nothing else was to come.
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
