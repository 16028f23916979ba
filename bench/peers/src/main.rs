//! `tuffet-peers`: Tuffet and other TFTP servers, the same cases in one run, side by side.
//!
//! Each server runs on one core, the load generator on another, and the busy time of the server's core
//! is what a transfer costs: children and softirq included, whoever they are booked to.
#![forbid(unsafe_code)]

mod args;
mod cases;
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
mod target;

use args::Args;
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match args::obey(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("tuffet-peers: {error}");
            ExitCode::FAILURE
        }
    }
}
