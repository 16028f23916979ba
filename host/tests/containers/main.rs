//! The server in containers: its image, as examples/container/Containerfile makes it, with clients, a collector
//! and a balancer in containers of their own. `make test SUITE=containers` builds the images and runs this. Every
//! server here runs as the documentation says: not as root, nothing writable but what is mounted, no capability.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by a panic")]

mod across;
mod balanced;
mod hardened;
mod harness;
mod limits;
mod pause;
mod ports;
mod restart;
mod telemetry;
