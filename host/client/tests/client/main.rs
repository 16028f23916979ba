//! The client over real sockets: beside the server of this workspace, others, and scripted ones.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

mod peers;
mod scripted;
mod tuffet_server;

use std::time::Duration;

/// No awaited event takes so long.
const SOON: Duration = Duration::from_secs(30);

/// The content of files.
fn bytes(length: usize) -> Vec<u8> {
    (0..length as u32).map(|n| (n / 3 + n / 70_000) as u8).collect()
}
