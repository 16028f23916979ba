//! `tuffet-load`: many TFTP clients in one thread, for measuring servers.
//!
//! Each transfer is a separate client with its own socket and port, driven by the client role of
//! `tuffet-core`. One thread and one event loop serve all of them, so that the generator costs less than the
//! server that it measures. The README.md of this crate explains the results.

mod args;
mod clock;
mod figures;
mod files;
mod fingerprint;
mod loss;
mod open_files;
mod over_time;
mod plan;
mod report;
mod run;
mod running_transfer;
mod schedule;
mod wire;

use args::Args;
use plan::Plan;
use report::Report;
use std::io::{self, Write};
use std::process::ExitCode;
use tuffet_measure::program::{self, Failure};

fn main() -> ExitCode {
    program::run(|args: Args| {
        let json = args.json;
        let plan = Plan::new(args).map_err(Failure::usage)?;
        let report = run::run(plan).map_err(Failure::broken)?;
        print(&report, json).map_err(Failure::broken)?;
        Ok(report.succeeded())
    })
}

fn print(report: &Report, json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer_pretty(&mut out, report)?;
        writeln!(out)
    } else {
        write!(out, "{report}")
    }
}
