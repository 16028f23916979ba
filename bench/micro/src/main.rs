//! `tuffet-micro`: lower bounds and small parts. `limit` measures what raw UDP on this machine can carry,
//! `instructions` counts the instructions of the core's hot functions.
#![forbid(unsafe_code)]

mod instructions;
mod limit;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use tuffet_measure::program;

/// Measure lower bounds and small parts.
#[derive(Debug, Parser)]
#[command(name = "tuffet-micro", version, max_term_width = 100)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure raw UDP in the traffic patterns of TFTP: the lower bound of the cost
    Limit(limit::Args),
    /// Count the instructions of the core's hot functions, and compare them with the stored counts
    #[command(subcommand)]
    Instructions(instructions::Command),
}

fn main() -> ExitCode {
    program::run(|args: Args| match args.command {
        Command::Limit(args) => limit::measure(&args),
        Command::Instructions(command) => instructions::execute(command),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
        for line in ["limit --shape gso --json", "instructions check --bound 1", "instructions unit x 7"] {
            let words = ["tuffet-micro"].into_iter().chain(line.split(' '));
            assert!(Args::try_parse_from(words).is_ok(), "{line}");
        }
    }
}
