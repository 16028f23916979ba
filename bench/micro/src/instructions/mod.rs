//! Counts the instructions of the core's hot functions with callgrind.
//!
//! Wall time differs from run to run and from machine to machine; instruction counts repeat. Each program
//! runs twice, with few and with many units, and the difference is divided by the difference in units. So the
//! start and end of the process do not count.

mod callgrind;
mod stored;
mod units;

use clap::Subcommand;
use std::path::PathBuf;
use tuffet_measure::program::Failure;

/// The use of the counts.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Count, compare with the stored counts, and fail if one is out of bounds
    Check {
        /// The file with the stored counts
        #[arg(long, value_name = "FILE", default_value = "bench/instructions.json")]
        kept: PathBuf,
        /// The largest allowed deviation from a stored count, in percent
        #[arg(long, value_name = "PERCENT", default_value_t = 15.0)]
        bound: f64,
    },
    /// Count, and store the counts
    Update {
        /// The file to store the counts in
        #[arg(long, value_name = "FILE", default_value = "bench/instructions.json")]
        kept: PathBuf,
    },
    /// Run this many units of a program, for callgrind to count
    #[command(hide = true)]
    Unit {
        /// The name of the program
        name: String,
        /// The number of units
        count: u64,
    },
}

/// Runs the command; false if a count is out of bounds.
///
/// # Errors
/// Counting fails, or the file of the counts cannot be read or written.
pub(crate) fn execute(command: Command) -> Result<bool, Failure> {
    Ok(match command {
        Command::Check { kept, bound } => stored::check(&kept, bound)?,
        Command::Update { kept } => stored::update(&kept).map(|()| true)?,
        Command::Unit { name, count } => units::run(&name, count).map(|()| true)?,
    })
}
