//! Tuffet: a TFTP server whose data path is native and whose policy is WebAssembly.

mod admission;
pub mod cli;
mod client;
pub mod config;
mod events;
pub mod names;
mod neighbours;
mod policy;
pub mod request;
mod server;
pub mod store;
pub mod udp;
mod worker;
