//! `tuffet get` and `tuffet put`.

use super::print_stderr;
use crate::client::{self, ClientError, ClientOptions, GetOptions, Interface, PutOptions, Report, Url};
use clap::Args;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tuffet_config::EXIT_CONFIG;
use tuffet_core::Mode;

#[derive(Debug, Args)]
struct CommonArgs {
    /// The block size in bytes, 8 to 65464 (RFC 2348). Blocks larger than the path's MTU minus 32 are
    /// fragmented.
    #[arg(long, value_name = "BYTES", default_value_t = 1428, value_parser = clap::value_parser!(u16).range(8..=65464))]
    blksize: u16,
    /// The window size in blocks, 1 to 32767 (RFC 7440).
    #[arg(long, value_name = "BLOCKS", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=32767))]
    windowsize: u16,
    /// How long the server may be silent, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Print only errors.
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, Args)]
pub(super) struct GetArgs {
    /// The file to download: tftp://HOST[:PORT]/FILE[;mode=netascii].
    url: Url,
    /// The file to write; `-` is standard output, and an existing file is replaced [default: the last part of the
    /// file's name].
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Request the file from a multicast group (RFC 2090), and by unicast if the server names none.
    #[arg(long)]
    multicast: bool,
    /// The interface that receives the blocks of the group: its name or address [default: that of the route to the
    /// server].
    #[arg(long, value_name = "NAME|ADDRESS", requires = "multicast", value_parser = |text: &str| Ok::<_, String>(Interface::from(text)))]
    interface: Option<Interface>,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Debug, Args)]
pub(super) struct PutArgs {
    /// The file to upload; `-` is standard input.
    file: PathBuf,
    /// The destination: tftp://HOST[:PORT]/FILE[;mode=netascii].
    url: Url,
    #[command(flatten)]
    common: CommonArgs,
}

pub(super) fn get(args: &GetArgs) -> ExitCode {
    let output = match &args.output {
        Some(output) => output.clone(),
        None if args.url.file_name().is_empty() => {
            print_stderr(format_args!("{} names a folder; name the output file with --output", args.url));
            return ExitCode::from(EXIT_CONFIG);
        }
        None => PathBuf::from(args.url.file_name()),
    };
    if args.multicast && args.url.mode == Mode::Netascii {
        print_stderr(format_args!("--multicast needs mode=octet: the blocks of a group come in any order"));
        return ExitCode::from(EXIT_CONFIG);
    }
    let bar = bar(args.common.quiet);
    let mut progress = |done, of| show(&bar, done, of);
    let interface = || args.interface.clone().unwrap_or(Interface::OfRoute);
    let client = ClientOptions { multicast: args.multicast.then(interface), ..args.common.options() };
    let result = client::get(&args.url, GetOptions { client, output: &output, progress: &mut progress });
    conclude(&bar, args.common.quiet, args.multicast, result)
}

pub(super) fn put(args: &PutArgs) -> ExitCode {
    let bar = bar(args.common.quiet);
    let mut progress = |done, of| show(&bar, done, of);
    let client = args.common.options();
    let result = client::put(&args.url, PutOptions { client, input: &args.file, progress: &mut progress });
    conclude(&bar, args.common.quiet, false, result)
}

impl CommonArgs {
    /// Returns the options. Defaults of the protocol are not requested: some servers support no options at
    /// all.
    fn options(&self) -> ClientOptions {
        ClientOptions {
            blksize: Some(self.blksize).filter(|blksize| *blksize != 512),
            windowsize: Some(self.windowsize).filter(|windowsize| *windowsize != 1),
            patience: Duration::from_secs(self.timeout),
            multicast: None,
        }
    }
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

fn show(bar: &ProgressBar, done: u64, of: Option<u64>) {
    if let Some(of) = of {
        bar.set_length(of);
    }
    bar.set_position(done);
}

fn conclude(
    bar: &ProgressBar,
    quiet: bool,
    multicast: bool,
    result: Result<Report, ClientError>,
) -> ExitCode {
    bar.finish_and_clear();
    match result {
        Ok(report) => {
            if !quiet {
                print_stderr(line(&report, multicast));
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            print_stderr(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

fn line(report: &Report, multicast: bool) -> String {
    let group = match report.group {
        Some(group) => format!(", group {group}"),
        None if multicast => ", unicast: the server named no group".to_owned(),
        None => String::new(),
    };
    let seconds = report.duration.as_secs_f64();
    format!(
        "{} in {seconds:.3} s, {}/s, blksize {}, windowsize {}, {} retransmissions{group}",
        HumanBytes(report.bytes),
        HumanBytes((report.bytes as f64 / seconds.max(1e-6)) as u64),
        report.options.block_size(),
        report.options.window_size(),
        report.retransmissions,
    )
}
