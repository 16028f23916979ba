//! Tuffet: a TFTP server whose data path is native and whose policy is WebAssembly.
#![cfg_attr(
    not(all(feature = "nats", feature = "otlp", feature = "top", feature = "doctor", feature = "admin")),
    allow(
        dead_code,
        unused_imports,
        reason = "what only a left-out feature uses; the full build finds dead code"
    )
)]

mod accept;
#[cfg_attr(not(feature = "admin"), path = "admin/absent.rs")]
mod admin;
mod admission;
pub mod cli;
mod client;
mod events;
mod explanation;
mod features;
#[cfg_attr(not(feature = "nats"), path = "fleet/absent.rs")]
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
