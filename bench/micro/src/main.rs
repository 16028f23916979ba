//! `tuffet-micro`: the lower bound and small parts. `floor` serves files with the least that UDP sockets cost,
//! `instructions` counts the instructions of the core's hot functions.
#![forbid(unsafe_code)]

mod floor;
mod instructions;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use tuffet_measure::program;

/// Measure the lower bound and small parts.
#[derive(Debug, Parser)]
#[command(name = "tuffet-micro", version, max_term_width = 100)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve files from memory with the least that UDP sockets cost, until it is stopped
    Floor(floor::Args),
    /// Count the instructions of the core's hot functions, and compare them with the stored counts
    #[command(subcommand)]
    Instructions(instructions::Command),
}

fn main() -> ExitCode {
    program::run(|args: Args| match args.command {
        Command::Floor(args) => floor::serve(&args),
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
        for line in
            ["floor --listen 127.0.0.1:6969 files", "instructions check --bound 1", "instructions unit x 7"]
        {
            let words = ["tuffet-micro"].into_iter().chain(line.split(' '));
            assert!(Args::try_parse_from(words).is_ok(), "{line}");
        }
    }
}
