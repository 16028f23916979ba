//! Tuffet: a TFTP server whose data path is native and whose policy is WebAssembly.

mod accept;
mod admin;
mod admission;
mod class;
pub mod cli;
mod client;
pub mod config;
mod events;
#[doc(hidden)]
pub mod fuzzing;
mod kv;
mod limits;
pub mod names;
mod neighbours;
mod open_once;
mod policy;
mod privileges;
pub mod request;
mod server;
mod sinks;
mod socket_file;
pub mod store;
mod systemd;
mod telemetry;
mod tls;
mod watch;
mod worker;
