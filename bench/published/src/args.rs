//! The command line, and what it sets in motion.

use crate::bench::{Bench, Programs};
use crate::page::{self, Facts};
use crate::scale::Scale;
use crate::tables;
use clap::Parser;
use std::path::PathBuf;
use std::time::SystemTime;
use tuffet_measure::Machine;
use tuffet_peers::beside;

/// Runs tables that others published again, on Tuffet beside one peer.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Args {
    /// Which tables, 1 to 5; all without one
    #[arg(value_name = "TABLE", value_parser = clap::value_parser!(u8).range(1..=5))]
    tables: Vec<u8>,
    /// How much of each is run: `quick` moves an eighth, `smoke` only shows that it works
    #[arg(long, value_enum, default_value_t = Scale::Full)]
    scale: Scale,
    /// The server beside Tuffet: rs-tftpd, tftpd-hpa, atftpd, dnsmasq or busybox
    #[arg(long, value_name = "NAME", default_value = "rs-tftpd")]
    peer: String,
    /// Where the results go: DATE-published-N.json, .md and .svg
    #[arg(long, value_name = "DIR", default_value = "bench/results")]
    out: PathBuf,
    /// Where peers are kept that were fetched or built
    #[arg(long, value_name = "DIR", default_value = "target/peers")]
    cache: PathBuf,
    /// Use the peer that is here, fetch and build nothing
    #[arg(long)]
    no_install: bool,
    /// The server that is measured; the one beside this program unless given, as for the next three
    #[arg(long, value_name = "PROGRAM")]
    tuffet: Option<PathBuf>,
    /// The load generator
    #[arg(long, value_name = "PROGRAM")]
    load: Option<PathBuf>,
    /// The long path
    #[arg(long, value_name = "PROGRAM")]
    relay: Option<PathBuf>,
    /// The `tuffet` whose `doctor` is asked
    #[arg(long, value_name = "PROGRAM")]
    doctor: Option<PathBuf>,
    /// The core of the servers
    #[arg(long, value_name = "CORE", default_value_t = 0)]
    server_core: usize,
    /// The core of everything else
    #[arg(long, value_name = "CORE", default_value_t = 1)]
    generator_core: usize,
}

/// Does what was asked; false if Tuffet did not do all that it should.
///
/// # Errors
/// When something that is needed is not here, or the results cannot be written.
pub(crate) fn obey(args: &Args) -> Result<bool, String> {
    let tuffet = beside(args.tuffet.as_deref(), "tuffet")?;
    let programs = Programs {
        load: beside(args.load.as_deref(), "tuffet-load")?,
        relay: beside(args.relay.as_deref(), "tuffet-relay")?,
        doctor: args
            .doctor
            .clone()
            .map_or(Ok(tuffet.clone()), std::path::absolute)
            .map_err(|e| e.to_string())?,
        tuffet,
    };
    tuffet_peers::raise_descriptors();
    // Before this program keeps to one core.
    let machine = Machine::read();
    let may_install = !args.no_install && args.scale != Scale::Smoke;
    let bench = Bench::new(
        programs,
        &args.cache,
        may_install,
        &args.peer,
        args.scale,
        [args.server_core, args.generator_core],
    )?;
    let facts = Facts {
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        commit: tuffet_peers::commit(),
        machine,
        scale: args.scale,
        idle_percent: bench.idle_percent(),
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
        page::write(&args.out, table, &facts, &found)?;
    }
    Ok(sound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
        let args = Args::try_parse_from(["tuffet-published", "1", "3", "--scale", "smoke"]).unwrap();
        assert_eq!((args.tables, args.scale), (vec![1, 3], Scale::Smoke));
        assert!(Args::try_parse_from(["tuffet-published", "6"]).is_err());
    }
}
