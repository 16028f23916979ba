//! Tests through the real binary: a server process, real clients, raw UDP. One module per behaviour,
//! one binary, because linking it is slow.
//!
//! A client that is not installed is skipped; `TUFFET_SKIPPED` names a file that collects what was.
#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on fails, with the place

mod addresses;
mod admin;
mod admin_places;
mod backups;
mod cached;
mod capture;
mod cli;
mod clock;
mod disks;
mod doctor;
mod drain;
mod durable;
mod exhaustion;
mod explain;
mod faults;
mod field;
mod first_mistakes;
mod get;
mod harness;
mod hints;
mod hostile;
mod http;
mod import;
mod interrupted;
mod languages;
mod limits;
mod listeners;
mod live;
mod load;
mod logging;
mod loss;
mod mtu;
mod multicast;
mod names;
mod nats;
mod netascii;
mod origins;
mod outcomes;
mod overwrite;
mod permissions;
mod policy;
mod privileges;
mod public_names;
mod rate;
mod refusals;
mod registry;
mod reload;
mod replay;
mod restart;
mod rollover;
mod secrets;
mod signals;
mod sinks;
mod sizes;
mod state;
mod systemd;
mod telemetry;
mod top;
mod total_rate;
mod tried;
mod uploads;
mod windows;
