//! The command line, and what it sets in motion.

use crate::bench::{Bench, Scale};
use crate::kind::Kind;
use crate::report;
use clap::Parser;
use std::path::PathBuf;
use tuffet_measure::Machine;
use tuffet_peers::beside;

/// What honest clients see while a TFTP server is abused.
#[derive(Debug, Parser)]
#[command(name = "tuffet-abuse", version, max_term_width = 100)]
pub(crate) struct Args {
    /// Which kinds of abuse; all unless given
    #[arg(long = "kind", value_enum, value_name = "KIND")]
    kinds: Vec<Kind>,
    /// Servers beside Tuffet with its defaults (`tuffet`) and with tightened limits (`tuffet-tight`): dnsmasq,
    /// rs-tftpd, tftpd-hpa, atftpd or busybox
    #[arg(long = "peer", value_name = "NAME")]
    peers: Vec<String>,
    /// How long honest clients ask in each case, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Honest transfers that are begun in a second
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    honest: u32,
    /// So many times the rate of each kind of abuse
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    rate: f64,
    /// A second of each and a tenth of the rates, on Tuffet with its defaults alone: shows that it runs
    #[arg(long)]
    smoke: bool,
    /// Where peers are kept that were fetched or built
    #[arg(long, value_name = "DIR", default_value = "target/peers")]
    cache: PathBuf,
    /// Use the peers that are here, fetch and build nothing
    #[arg(long)]
    no_install: bool,
    /// The server that is measured; the one beside this program unless given, as for the next
    #[arg(long, value_name = "PROGRAM")]
    tuffet: Option<PathBuf>,
    /// The load generator
    #[arg(long, value_name = "PROGRAM")]
    load: Option<PathBuf>,
    /// The core of the servers
    #[arg(long, value_name = "CORE", default_value_t = 0)]
    server_core: usize,
    /// The core of everything else
    #[arg(long, value_name = "CORE", default_value_t = 1)]
    generator_core: usize,
}

/// Does what was asked; false if an honest client of Tuffet got wrong bytes, or a case could not be run.
///
/// # Errors
/// When something that is needed is not here.
pub(crate) fn obey(args: &Args) -> Result<bool, String> {
    if !args.rate.is_finite() || args.rate <= 0.0 {
        return Err("--rate: a factor above 0 is needed".to_owned());
    }
    tuffet_peers::raise_descriptors();
    // Before this program keeps to one core.
    println!("{}", report::head(&Machine::read()));
    let scale = if args.smoke {
        Scale { seconds: 1, honest: 50, factor: 0.1 * args.rate }
    } else {
        Scale { seconds: args.seconds, honest: args.honest, factor: args.rate }
    };
    let bench = Bench::new(
        [beside(args.tuffet.as_deref(), "tuffet")?, beside(args.load.as_deref(), "tuffet-load")?],
        &args.cache,
        !args.no_install && !args.smoke,
        &args.peers,
        scale,
        [args.server_core, args.generator_core],
    )?;
    let kinds = if args.kinds.is_empty() { Kind::ALL.to_vec() } else { args.kinds.clone() };
    let mut sound = true;
    for name in bench.names().into_iter().take(if args.smoke { 1 } else { usize::MAX }) {
        let mut rows = Vec::new();
        for kind in [None].into_iter().chain(kinds.iter().copied().map(Some)) {
            match bench.run(&name, kind) {
                Ok(row) => {
                    sound &= row.wrong_bytes == 0;
                    rows.push(Ok(row));
                }
                Err(why) => {
                    // What a peer cannot be asked for is no fault.
                    sound &= !name.starts_with("tuffet");
                    rows.push(Err((kind, why)));
                }
            }
        }
        print!("{}", report::table(&name, &bench.version(&name), &scale, &rows));
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
        let args =
            Args::try_parse_from(["tuffet-abuse", "--kind", "half-open", "--peer", "dnsmasq"]).unwrap();
        assert_eq!((args.kinds, args.peers), (vec![Kind::HalfOpen], vec!["dnsmasq".to_owned()]));
        assert!(Args::try_parse_from(["tuffet-abuse", "--kind", "friendly"]).is_err());
    }
}
