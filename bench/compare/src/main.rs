//! `tuffet-compare`: TFTP servers that run as processes, measured.
//!
//! [`peers`] runs the same cases on Tuffet and on other servers, [`published`] repeats tables that others published,
//! [`abuse`] puts hostile clients beside honest ones, and [`soak`] does everything at once for a long time. They
//! share how servers are had and started ([`install`], [`server`]), the load generator, third-party [`clients`], the
//! files, and the cores ([`setup`]).
//!
//! Each server runs on one core, the load generator on another, and the busy time of the server's core
//! is what a transfer costs: children and softirq included, whoever they are booked to.
#![forbid(unsafe_code)]

mod abuse;
mod args;
mod clients;
mod command;
mod files;
mod generator;
mod install;
mod load;
mod peers;
mod published;
mod scale;
mod server;
mod setup;
mod soak;

use std::process::ExitCode;

fn main() -> ExitCode {
    tuffet_measure::program::run(|parsed: args::Args| args::obey(&parsed))
}
