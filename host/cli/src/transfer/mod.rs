//! `tuffet get` and `tuffet put`, by TFTP, HTTP and HTTPS.

mod body;
mod http;
mod location;
mod tftp;

use super::print_stderr;
use clap::Args;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use location::Location;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tuffet_client::{ClientError, Interface, Mode};
use tuffet_config::EXIT_CONFIG;
use tuffet_terminal::{OTHER_OUTPUT, unwritten};

/// Bytes of standard output that are written at once.
const PIECE: usize = 64 << 10;

#[derive(Debug, Args)]
struct CommonArgs {
    /// TFTP: the block size in bytes, 8 to 65464 (RFC 2348). Blocks larger than the path's MTU minus 32 are
    /// fragmented [default: 1428].
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(8..=65464))]
    blksize: Option<u16>,
    /// TFTP: the window size in blocks, 1 to 32767 (RFC 7440) [default: 16].
    #[arg(long, value_name = "BLOCKS", value_parser = clap::value_parser!(u16).range(1..=32767))]
    windowsize: Option<u16>,
    /// HTTPS: a PEM file with the certificates of the authorities that the server's may come from [default: those of
    /// the system].
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// HTTPS: a PEM file with the certificate of this client, for a server that asks for one.
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,
    /// HTTPS: a PEM file with the key of --certificate, not encrypted.
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
    /// How long the server may be silent, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Print only errors.
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, Args)]
pub(super) struct GetArgs {
    /// The file to download: tftp://HOST[:PORT]/FILE[;mode=netascii], http://HOST[:PORT]/FILE or https://….
    url: Location,
    /// The file to write; `-` is standard output, and an existing file is replaced [default: the last part of the
    /// file's name].
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// TFTP: request the file from a multicast group (RFC 2090), and by unicast if the server names none.
    #[arg(long)]
    multicast: bool,
    /// TFTP: the interface that receives the blocks of the group: its name or address [default: that of the route to
    /// the server].
    #[arg(long, value_name = "NAME|ADDRESS", requires = "multicast", value_parser = |text: &str| Ok::<_, String>(Interface::from(text)))]
    interface: Option<Interface>,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Debug, Args)]
pub(super) struct PutArgs {
    /// The file to upload; `-` is standard input.
    file: PathBuf,
    /// The destination: tftp://HOST[:PORT]/FILE[;mode=netascii], http://HOST[:PORT]/FILE or https://….
    url: Location,
    #[command(flatten)]
    common: CommonArgs,
}

pub(super) fn get(args: &GetArgs) -> ExitCode {
    let output = match &args.output {
        Some(output) => output.clone(),
        None if args.url.file_name().is_empty() => {
            return misused(&format!("{} names a folder; name the output file with --output", args.url));
        }
        None => PathBuf::from(args.url.file_name()),
    };
    if let Some(problem) = args.common.misplaced(&args.url, args.multicast) {
        return misused(&problem);
    }
    let bar = bar(args.common.quiet);
    let result = match &args.url {
        Location::Tftp(url) if args.multicast && url.mode == Mode::Netascii => {
            return misused("--multicast needs mode=octet: the blocks of a group come in any order");
        }
        Location::Tftp(url) => {
            let interface = args.interface.clone().unwrap_or(Interface::OfRoute);
            tftp::get(url, &args.common, args.multicast.then_some(interface), &output, &bar)
        }
        Location::Http(url) => http::get(url, &args.common, &output, &bar),
    };
    conclude(&bar, args.common.quiet, result)
}

pub(super) fn put(args: &PutArgs) -> ExitCode {
    if let Some(problem) = args.common.misplaced(&args.url, false) {
        return misused(&problem);
    }
    let bar = bar(args.common.quiet);
    let result = match &args.url {
        Location::Tftp(url) => tftp::put(url, &args.common, &args.file, &bar),
        Location::Http(url) => http::put(url, &args.common, &args.file, &bar),
    };
    conclude(&bar, args.common.quiet, result)
}

impl CommonArgs {
    fn patience(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }

    /// Returns what is wrong if an option belongs to another protocol.
    fn misplaced(&self, location: &Location, multicast: bool) -> Option<String> {
        let (is_tftp, is_https) = (location.is_tftp(), location.is_https());
        let (_, option, protocol, _) = [
            (self.blksize.is_some(), "--blksize", "TFTP", is_tftp),
            (self.windowsize.is_some(), "--windowsize", "TFTP", is_tftp),
            (multicast, "--multicast", "TFTP", is_tftp),
            (self.ca.is_some(), "--ca", "HTTPS", is_https),
            (self.certificate.is_some(), "--certificate", "HTTPS", is_https),
        ]
        .into_iter()
        .find(|(is_given, .., fits)| *is_given && !fits)?;
        Some(format!("{option} is for {protocol} alone; leave it out for {location}"))
    }
}

fn misused(problem: &str) -> ExitCode {
    print_stderr(problem);
    ExitCode::from(EXIT_CONFIG)
}

/// Creates a progress bar on standard error, hidden if that is not a terminal.
fn bar(quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::no_length();
    let style =
        "{bar:30} {binary_bytes:>11} of {binary_total_bytes:<11} {binary_bytes_per_sec:>13} {elapsed:>4}";
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    bar
}

fn show(bar: &ProgressBar, bytes: u64, total: Option<u64>) {
    if let Some(total) = total {
        bar.set_length(total);
    }
    bar.set_position(bytes);
}

/// Runs a transfer.
fn run<T>(transfer: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure { code: 71, text: error.to_string() })?;
    let result = runtime.block_on(transfer);
    // A thread may still read standard input.
    runtime.shutdown_background();
    result
}

/// A transfer that is complete.
struct Done {
    bytes: u64,
    duration: Duration,
    /// What else its protocol knows.
    details: String,
}

/// A transfer that failed.
struct Failure {
    /// From sysexits(3) where it has one; 1 and 2 are refusals by the server.
    code: u8,
    text: String,
}

impl Failure {
    fn of_output(error: &ClientError) -> Option<Failure> {
        let text = match error {
            ClientError::File { path, error } => unwritten(path, error, OTHER_OUTPUT),
            ClientError::Local(error) => unwritten(Path::new("standard output"), error, OTHER_OUTPUT),
            _ => return None,
        };
        Some(Failure { code: 74, text })
    }
}

fn conclude(bar: &ProgressBar, quiet: bool, result: Result<Done, Failure>) -> ExitCode {
    bar.finish_and_clear();
    match result {
        Ok(done) => {
            if !quiet {
                let seconds = done.duration.as_secs_f64();
                print_stderr(format_args!(
                    "{} in {seconds:.3} s, {}/s, {}",
                    HumanBytes(done.bytes),
                    HumanBytes((done.bytes as f64 / seconds.max(1e-6)) as u64),
                    done.details
                ));
            }
            ExitCode::SUCCESS
        }
        Err(failure) => {
            print_stderr(&failure.text);
            ExitCode::from(failure.code)
        }
    }
}
