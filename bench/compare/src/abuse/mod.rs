//! Honest clients fetch at a constant rate, first alone, then beside each kind of abuse; what they see is a table.
//!
//! The server runs on one core, honest clients (`tuffet-load`) and abusers on another. Abusers have the
//! addresses of 127.200.0.0/13, which all belong to a Linux machine: no privilege is needed to send from them.

mod abuser;
mod args;
mod around;
mod bench;
mod disk;
mod forger;
mod kind;
mod patient;
mod report;

pub(crate) use args::{Args, obey};
