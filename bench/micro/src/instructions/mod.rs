//! Counts the instructions of the core's hot functions with callgrind.
//!
//! Wall time differs from run to run and from machine to machine; instruction counts repeat. Each program
//! runs twice, with few and with many units, and the difference is divided by the difference in units. So the
//! start and end of the process do not count.

mod callgrind;
mod kept;
mod units;

use clap::Subcommand;
use std::path::PathBuf;
use tuffet_measure::program::Failure;

/// What to do with the counts.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Count, compare, and fail if one is out of bounds
    Check {
        /// The counts that are kept
        #[arg(long, value_name = "FILE", default_value = "bench/instructions.json")]
        kept: PathBuf,
        /// How far a count may be from the one kept, in percent
        #[arg(long, value_name = "PERCENT", default_value_t = 15.0)]
        bound: f64,
    },
    /// Count, and keep the counts
    Update {
        /// Where they are kept
        #[arg(long, value_name = "FILE", default_value = "bench/instructions.json")]
        kept: PathBuf,
    },
    /// Run so many units of a program: what callgrind counts
    #[command(hide = true)]
    Unit {
        /// Which program
        name: String,
        /// How many units
        count: u64,
    },
}

/// Runs the command; false if a count is out of bounds.
///
/// # Errors
/// Counting fails, or the file of the counts cannot be read or written.
pub(crate) fn obey(command: Command) -> Result<bool, Failure> {
    Ok(match command {
        Command::Check { kept, bound } => kept::check(&kept, bound)?,
        Command::Update { kept } => kept::update(&kept).map(|()| true)?,
        Command::Unit { name, count } => units::run(&name, count).map(|()| true)?,
    })
}
