//! Measures honest clients at a constant rate, first alone, then beside each kind of abuse.
//!
//! The server runs on one core, honest clients (`tuffet-load`) and abusers on another. Abusers use the addresses of
//! 127.200.0.0/13. A Linux machine owns all of them, so sending from them needs no privilege.

mod abuser;
mod args;
mod attack;
mod bench;
mod disk;
mod fixture;
mod forger;
mod kind;
mod report;
mod slow_clients;

pub(crate) use args::{Args, execute};
