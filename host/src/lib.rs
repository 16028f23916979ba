//! Tuffet: a TFTP server whose data path is native and whose policy is WebAssembly.

mod accept;
mod admin;
mod admission;
pub mod cli;
mod client;
mod events;
mod explanation;
mod fleet;
#[doc(hidden)]
pub mod fuzzing;
mod generation;
mod groups;
mod interfaces;
mod last_folders;
mod leases;
mod logging;
mod negotiation;
mod neighbours;
mod origins;
mod privileges;
mod routes;
mod server;
mod socket_file;
mod source;
mod status;
mod systemd;
mod telemetry;
mod vlans;
mod watch;
