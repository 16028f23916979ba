//! `tuffet-fleet`: a boot storm over many servers, simulated.
//!
//! Each transfer is two real state machines of `tuffet-core` that exchange real datagrams on a virtual clock.
//! This program models the host's part: sockets and their queues, the duration of work, network cards,
//! routers. The simulator in `core/tests/simulation` is for two ends and any fault of a path. A million ends
//! need another one: it stores no datagrams, moves windows as one event, and schedules with a radix heap.
#![forbid(unsafe_code)]

mod args;
mod chain;
mod ecmp;
mod figures;
mod origin;
mod packet;
mod queue;
mod report;
mod scenario;
mod simulate;
mod study;
#[cfg(test)]
mod tests;
mod world;

use args::{Cli, Command};
use report::FleetError;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use tuffet_measure::program::{self, Failure};

fn main() -> ExitCode {
    program::run(|cli: Cli| {
        let usual = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        run(&cli.command, cli.threads.unwrap_or_else(usual)).map_err(Failure::broken)?;
        Ok(true)
    })
}

fn run(command: &Command, threads: usize) -> Result<(), FleetError> {
    match command {
        Command::Run(run) => {
            let scenario = run.scenario();
            for figures in simulate::simulate(std::slice::from_ref(&scenario), threads, &|_| ()) {
                print!("{}", report::json(&figures, &scenario)?);
            }
            Ok(())
        }
        Command::Study(study) => report::write(&run_all(study::storms(study.coarser), threads), study),
        Command::Origins(origins) => {
            report::write_origins(&run_all(study::origins(origins.coarser), threads), origins)
        }
    }
}

fn run_all(storms: Vec<study::Storm>, threads: usize) -> Vec<study::StormResult> {
    let scenarios: Vec<_> = storms.iter().map(|storm| storm.scenario.clone()).collect();
    let done = AtomicUsize::new(0);
    let progress = |_| {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(100) {
            eprintln!("{done} servers simulated");
        }
    };
    let all = simulate::simulate(&scenarios, threads, &progress);
    let with_summary = |(storm, figures): (study::Storm, figures::Figures)| {
        let summary = figures.summary(&storm.scenario);
        study::StormResult { storm, summary, figures }
    };
    storms.into_iter().zip(all).map(with_summary).collect()
}
