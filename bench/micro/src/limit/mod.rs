//! Measures what raw UDP on this machine can carry, in the shapes of TFTP.
//!
//! A server on one core answers each request of 4 bytes with a window of datagrams, and does nothing else: no parsing,
//! no files, no timers, no copy of the payload. Its cost is the floor for real servers. It makes its system calls
//! through `tuffet_udp`, as the server does.
mod client;
mod report;
mod run;
mod server;
mod shape;
mod udp_crate;

use report::Report;
use shape::Shape;
use std::time::Duration;
use tuffet_measure::Cores;
use tuffet_measure::program::Failure;
use tuffet_measure::report::json;
use udp_crate::UdpCrate;

/// The measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The duration of each measurement in seconds, after a warm-up of 0.1 s
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
    /// Measure only the traffic patterns with this text in their names; may be repeated
    #[arg(long, value_name = "NAME")]
    shape: Vec<String>,
    /// The crate for the server's system calls; may be repeated to measure several
    #[arg(long, value_enum, value_name = "CRATE", default_value = "own")]
    through: Vec<UdpCrate>,
    #[command(flatten)]
    cores: Cores,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Measures and prints.
///
/// # Errors There are no two cores, or a loopback socket fails.
pub(crate) fn measure(args: &Args) -> Result<bool, Failure> {
    let wanted =
        |shape: &&Shape| args.shape.is_empty() || args.shape.iter().any(|name| shape.name.contains(name));
    let shapes: Vec<&Shape> = shape::SHAPES.iter().filter(wanted).collect();
    let bench =
        run::Bench::new(args.cores, Duration::from_secs_f64(args.seconds)).map_err(Failure::broken)?;
    let mut figures = Vec::new();
    for shape in shapes {
        for through in args.through.iter().filter(|through| through.can(shape.send)) {
            figures.push(bench.run(shape, *through).map_err(Failure::broken)?);
        }
    }
    let report = Report { seconds: args.seconds, figures };
    if args.json {
        print!("{}", json(&report)?);
    } else {
        print!("{report}");
    }
    Ok(true)
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.01..=600.0).contains(&seconds) => Ok(seconds),
        _ => Err("write seconds from 0.01 to 600".to_owned()),
    }
}
