//! The exchange without I/O: in seeded worlds with every fault, and packet by packet.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

mod scripted;
mod seeds;
mod world;
