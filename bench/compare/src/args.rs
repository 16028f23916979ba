//! The command line.

use crate::{abuse, peers, published, soak};
use clap::{Parser, Subcommand};
use tuffet_measure::program::Failure;

/// Compare TFTP servers that run as processes.
#[derive(Debug, Parser)]
#[command(name = "tuffet-compare", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the same cases against Tuffet and other TFTP servers, side by side
    Peers(Box<peers::Args>),
    /// Repeat published tables with Tuffet and one other server
    Published(published::Args),
    /// Measure what honest clients see while a server is abused
    Abuse(abuse::Args),
    /// Run a server for a long time with every kind of load at once, and fail if it grows
    Soak(soak::Args),
}

/// Runs the command. Returns false if a measurement is not sound.
///
/// # Errors
/// A program or a core is missing, or the results cannot be written.
pub(crate) fn execute(args: &Args) -> Result<bool, Failure> {
    Ok(match &args.command {
        Command::Peers(args) => peers::execute(args)?,
        Command::Published(args) => published::execute(args)?,
        Command::Abuse(args) => abuse::execute(args)?,
        Command::Soak(args) => soak::execute(args)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
        let parses = |line: &str| Args::try_parse_from(["tuffet-compare"].into_iter().chain(line.split(' ')));
        for good in [
            "peers --peer tuffet --case small-files --rounds 5 --client-core 3",
            "published 1 3 --scale smoke --cache x --no-install",
            "abuse --kind half-open --peer dnsmasq --server-core 2",
            "soak --misbehave m.wasm --out x --duration 60s --tuffet a --load b",
        ] {
            assert!(parses(good).is_ok(), "{good}: {:?}", parses(good));
        }
        for bad in ["peers --case nothing", "published 6", "abuse --kind friendly", "soak", "peers --peer x"]
        {
            assert!(parses(bad).is_err(), "{bad}");
        }
    }
}
