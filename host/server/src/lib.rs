//! Tuffet: a TFTP server with a native data path and policy in WebAssembly.
//!
//! This crate decides requests and owns the workers that answer them. `tuffet-daemon` adds the log, signals and
//! privileges.

pub mod admission;
pub mod capture;
pub mod events;
pub mod explanation;
pub mod generation;
mod groups;
pub mod interfaces;
mod last_folders;
pub mod leases;
mod negotiation;
pub mod neighbours;
#[cfg(feature = "netlink")]
pub mod netlink;
pub mod origins;
#[cfg(feature = "wasm")]
mod plugins;
mod routes;
pub mod sampling;
pub mod server;
pub mod status;
pub mod vlans;
pub mod watch;
