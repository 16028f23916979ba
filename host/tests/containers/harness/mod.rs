//! Containers through testcontainers, what is asked of the engine itself, and a client packet by packet.

mod client;
mod engine;
mod load;
mod log;
mod peer;
mod server;
mod setup;

pub use client::{Client, Ran};
pub use engine::{docker, inspect, network, unique};
pub use load::load;
pub use peer::{Answer, Peer, block_of, rrq, wrq};
pub use server::Server;
pub use setup::Setup;

use std::thread::sleep;
use std::time::{Duration, Instant};

/// What happens at all happens within this, on the slowest machine.
pub const SOON: Duration = Duration::from_secs(60);

/// Waits for what nothing tells.
#[track_caller]
pub fn until(what: &str, mut is_it: impl FnMut() -> bool) {
    let end = Instant::now() + SOON;
    while !is_it() {
        assert!(Instant::now() < end, "not seen: {what}");
        sleep(Duration::from_millis(20));
    }
}

/// `length` bytes that look random and differ between lengths.
pub fn bytes(length: usize) -> Vec<u8> {
    let mut state = length as u64 + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}
