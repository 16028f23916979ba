//! Uploads when something breaks: the process, the disk, the power. The old file or the complete new one
//! remains, never a part, and nothing else once a server runs again.

mod crash;
mod full;
mod power;
mod sweep;
pub mod trace;

use crate::harness::{Answer, Peer, Server, bytes, data, wrq};

/// With this block size, two blocks of an upload make one system call.
const BLOCK: usize = 16 << 10;

/// Returns the content that [`put_at_once`] writes: three writes to the disk.
pub fn new_content() -> Vec<u8> {
    bytes(4 * BLOCK + 100)
}

/// Requests to write all of [`new_content`] as one window.
pub fn ask_to_put(server: &Server, name: &str) -> Peer {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq(name, &[("blksize", &BLOCK.to_string()), ("windowsize", "8")]));
    peer
}

/// Also sends the content. The next answer is the last one.
fn put_at_once(server: &Server, name: &str) -> Peer {
    let mut peer = ask_to_put(server, name);
    peer.expect(Answer::Oack(format!("blksize={BLOCK} windowsize=8")));
    send_content(&peer);
    peer
}

pub fn send_content(peer: &Peer) {
    for (block, payload) in (1..).zip(new_content().chunks(BLOCK)) {
        peer.send(&data(block, payload));
    }
}

/// The last answer to [`put_at_once`].
pub const STORED: Answer = Answer::Ack(5);

/// Returns the result of [`put_at_once`]. A slow server may repeat itself before that.
#[track_caller]
fn last_answer(peer: &mut Peer) -> Answer {
    loop {
        match peer.receive() {
            Answer::Oack(_) | Answer::Ack(0..5) => {}
            last => return last,
        }
    }
}
