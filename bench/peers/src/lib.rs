//! Tuffet and other TFTP servers, the same cases in one run, side by side: `tuffet-peers`; and what other
//! measurements share with it: getting and starting servers, running the load generator, files, plots.
//!
//! Each server runs on one core, the load generator on another, and the busy time of the server's core
//! is what a transfer costs: children and softirq included, whoever they are booked to.
#![forbid(unsafe_code)]
#![allow(missing_docs)] // for the benchmarks of this folder alone; fields are named by what they hold

mod args;
mod cases;
pub mod chart;
mod command;
mod files;
mod generator;
mod install;
mod limit;
mod measure;
mod metric;
mod report;
mod results;
mod run;
mod scale;
mod server;
mod surroundings;
mod svg;
mod target;

pub use args::{commit, raise_descriptors};
pub use cases::Load;
pub use command::{Done, Running, last_lines, run as run_command, succeed, tied};
pub use files::Workplace;
pub use generator::{Generator, Quantiles, Report, Sample};
pub use install::{Installed, Workshop, on_this_machine};
pub use metric::short;
pub use server::{Contender, Launch, Places, SERVERS, Server, Where};
pub use surroundings::{all_there, beside, folder, keep_to};

use args::Args;
use clap::Parser;
use std::process::ExitCode;

/// Runs the command line of `tuffet-peers`.
pub fn main() -> ExitCode {
    match args::obey(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("tuffet-peers: {error}");
            ExitCode::FAILURE
        }
    }
}
