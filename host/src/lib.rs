//! Tuffet: a TFTP server whose data path is native and whose policy is WebAssembly.

mod accept;
mod admin;
mod admission;
pub mod cli;
mod client;
mod events;
#[doc(hidden)]
pub mod fuzzing;
mod generation;
mod logging;
mod neighbours;
mod privileges;
mod server;
mod socket_file;
mod status;
mod systemd;
mod telemetry;
mod watch;
