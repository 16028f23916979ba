//! `tuffet-load`: many TFTP clients in one thread, to measure servers with.
//!
//! Each transfer is a client of its own, with its own socket and port, driven by the client role of
//! `tuffet-core`. One thread and one event loop serve all of them, so that the generator costs less than
//! the server that it measures. What the figures mean is told in `README.md` beside this crate.

mod args;
mod clock;
mod cpu;
mod figures;
mod files;
mod fingerprint;
mod loss;
mod open_files;
mod over_time;
mod plan;
mod report;
mod run;
mod running;
mod schedule;
mod wire;

use args::Args;
use clap::Parser;
use plan::Plan;
use report::Report;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

/// Some transfer did not complete with the right bytes.
const EXIT_FAILED: u8 = 1;
/// The generator could not run.
const EXIT_BROKEN: u8 = 2;
/// The arguments ask for something that cannot be (EX_USAGE).
const EXIT_USAGE: u8 = 64;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { EXIT_USAGE } else { 0 });
        }
    };
    let json = args.json;
    let plan = match Plan::new(args) {
        Ok(plan) => plan,
        Err(error) => return complain(&error, EXIT_USAGE),
    };
    match run::run(plan) {
        Ok(report) => match print(&report, json) {
            Ok(()) if report.succeeded() => ExitCode::SUCCESS,
            Ok(()) => ExitCode::from(EXIT_FAILED),
            Err(error) => complain(&error, EXIT_BROKEN),
        },
        Err(error) => complain(&error, EXIT_BROKEN),
    }
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

fn complain(error: &dyn Error, code: u8) -> ExitCode {
    eprintln!("tuffet-load: {error}");
    ExitCode::from(code)
}
