//! `tuffet-compare`: measures TFTP servers that run as processes.
//!
//! [`peers`] runs the same cases on Tuffet and on other servers, [`published`] repeats published tables, [`abuse`] runs
//! hostile clients beside honest ones, and [`soak`] does everything at once for a long time. They share the
//! installation and start of servers ([`install`], [`server`]), the load generator, third-party [`clients`], the files,
//! and the cores ([`setup`]).
//!
//! Each server runs on one core, the load generator on another. The cost of a transfer is the busy time of the server's
//! core, including children and softirq.
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
    tuffet_measure::program::run(|parsed: args::Args| args::execute(&parsed))
}
