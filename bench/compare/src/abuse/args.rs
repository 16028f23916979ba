//! The command line, and the run that it describes.

use crate::abuse::bench::{Bench, Scale};
use crate::abuse::kind::Kind;
use crate::abuse::report::{self, CaseRow, Report, ServerSection};
use crate::setup::Setup;
use std::path::PathBuf;
use tuffet_measure::report::Facts;

/// Measure what honest clients see while a TFTP server is abused.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A kind of abuse; may be repeated [default: all]
    #[arg(long = "kind", value_enum, value_name = "KIND")]
    kinds: Vec<Kind>,
    /// Another server, beside Tuffet with its defaults (`tuffet`) and with tightened limits (`tuffet-tight`):
    /// dnsmasq, rs-tftpd, tftpd-hpa, atftpd or busybox; may be repeated
    #[arg(long = "peer", value_name = "NAME")]
    peers: Vec<String>,
    /// How long honest clients send requests in each case, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Honest transfers started per second
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    honest: u32,
    /// A factor for the rate of each kind of abuse
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    rate: f64,
    /// Run each case for a second at a tenth of the rates, on Tuffet with its defaults only: checks that it works
    #[arg(long)]
    smoke: bool,
    /// A folder to write the page and the figures to as well: DATE-abuse.md and .json
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    setup: Setup,
}

/// Runs the cases. Returns false if an honest client of Tuffet got wrong bytes, or a case could not be run.
///
/// # Errors
/// A program or a core is missing, or the results cannot be written.
pub(crate) fn execute(args: &Args) -> Result<bool, String> {
    if !args.rate.is_finite() || args.rate <= 0.0 {
        return Err("--rate: a factor above 0 is needed".to_owned());
    }
    let facts = Facts::now();
    let scale = if args.smoke {
        Scale { seconds: 1, honest: 50, factor: 0.1 * args.rate }
    } else {
        Scale { seconds: args.seconds, honest: args.honest, factor: args.rate }
    };
    let bench = Bench::new(&args.setup, &args.peers, scale, !args.smoke)?;
    let kinds = if args.kinds.is_empty() { Kind::ALL.to_vec() } else { args.kinds.clone() };
    let mut sound = true;
    let mut report = Report { facts, scale, servers: Vec::new() };
    println!("{}", report.head());
    for name in bench.names().into_iter().take(if args.smoke { 1 } else { usize::MAX }) {
        let mut rows = Vec::new();
        for kind in [None].into_iter().chain(kinds.iter().copied().map(Some)) {
            if let Some(why) = bench.why_skipped(&name, kind) {
                rows.push(CaseRow { kind, row: Err(why.to_owned()) });
                continue;
            }
            let row = bench.run(&name, kind);
            sound &= match &row {
                Ok(row) => row.wrong_bytes == 0,
                // A case that fails on a peer is not an error.
                Err(_) => !name.starts_with("tuffet"),
            };
            rows.push(CaseRow { kind, row });
        }
        let server = ServerSection { version: bench.version(&name), server: name, rows };
        print!("{}", report::section(&server, &report.scale));
        report.servers.push(server);
    }
    if let Some(folder) = &args.out {
        report.write(folder)?;
    }
    Ok(sound)
}
