//! Tuffet: a TFTP server with a native data path and policy in WebAssembly.

mod accept;
mod admin;
mod admission;
pub mod cli;
mod client;
mod events;
#[doc(hidden)]
pub mod fuzzing;
mod generation;
mod neighbours;
mod privileges;
mod server;
mod socket_file;
mod status;
mod systemd;
mod telemetry;
mod watch;
