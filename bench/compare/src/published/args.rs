//! The command line, and the run that it describes.

use crate::published::bench::{Bench, Programs};
use crate::published::page::{self, Context};
use crate::published::tables;
use crate::scale::Scale;
use crate::setup::{Setup, program_path};
use std::path::PathBuf;
use tuffet_measure::report::Facts;

/// Repeat published tables with Tuffet and one other server.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The tables to repeat, 1 to 5 [default: all]
    #[arg(value_name = "TABLE", value_parser = clap::value_parser!(u8).range(1..=5))]
    tables: Vec<u8>,
    /// The amount of work: `quick` moves an eighth of the bytes, `smoke` only checks that it works
    #[arg(long, value_enum, default_value_t = Scale::Full)]
    scale: Scale,
    /// The server beside Tuffet: rs-tftpd, tftpd-hpa, atftpd, dnsmasq or busybox
    #[arg(long, value_name = "NAME", default_value = "rs-tftpd")]
    peer: String,
    /// The folder for the results: DATE-published-N.json, .md and .svg
    #[arg(long, value_name = "DIR", default_value = "bench/results")]
    out: PathBuf,
    #[command(flatten)]
    setup: Setup,
    /// `tuffet-relay`, for the long path [default: beside this program]
    #[arg(long, value_name = "PROGRAM")]
    relay: Option<PathBuf>,
    /// The `tuffet` for running `doctor` [default: the measured one]
    #[arg(long, value_name = "PROGRAM")]
    doctor: Option<PathBuf>,
}

/// Runs the tables. Returns false if a transfer of Tuffet failed or was wrong.
///
/// # Errors
/// A program or a core is missing, or the results cannot be written.
pub(crate) fn execute(args: &Args) -> Result<bool, String> {
    let facts = Facts::now();
    let tuffet = args.setup.programs.tuffet()?;
    let programs = Programs {
        relay: program_path(args.relay.as_deref(), "tuffet-relay")?,
        doctor: args.doctor.clone().map_or(Ok(tuffet), std::path::absolute).map_err(|e| e.to_string())?,
    };
    let bench = Bench::new(&args.setup, programs, &args.peer, args.scale)?;
    let context = Context {
        facts,
        scale: args.scale,
        idle_percent: bench.rig.idle_percent(),
        versions: bench.versions(),
        missing: bench.missing.clone(),
    };
    let mut sound = true;
    for table in
        tables::ALL.iter().filter(|table| args.tables.is_empty() || args.tables.contains(&table.number))
    {
        eprintln!("{}. {}", table.number, table.title);
        let found = (table.run)(&bench);
        if bench.interrupted() {
            return Err(format!("interrupted: nothing is written of table {}", table.number));
        }
        for one in found.measurements.iter().filter(|one| one.server == "tuffet" && !one.complete()) {
            eprintln!("tuffet: {}: {}", one.describe(), one.trouble());
            sound = false;
        }
        page::write(&args.out, table, &context, &found)?;
    }
    Ok(sound)
}
