//! `tuffet get` and `tuffet put`.

use super::print_stderr;
use clap::Args;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::io::BufWriter;
use tuffet_client::{Builder, Client, ClientError, Interface, Mode, Progress, Report, Url};
use tuffet_config::EXIT_CONFIG;
use tuffet_terminal::{OTHER_OUTPUT, unwritten};

/// Bytes of standard output that are written at once.
const PIECE: usize = 64 << 10;

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
    let interface = || args.interface.clone().unwrap_or(Interface::OfRoute);
    let client = args.common.client().multicast(args.multicast.then(interface)).build();
    let result = run(&client, async {
        let get = client.get(&args.url).progress(|progress| show(&bar, progress));
        if output == Path::new("-") {
            get.writer(&mut BufWriter::with_capacity(PIECE, tokio::io::stdout())).await
        } else {
            get.file(&output).await
        }
    });
    let result = result.map_err(|error| Failure {
        code: exit_code(&error),
        text: match &error {
            ClientError::File { path, error } => unwritten(path, error, OTHER_OUTPUT),
            ClientError::Local(error) => unwritten(Path::new("standard output"), error, OTHER_OUTPUT),
            ClientError::NoBlocks { .. } => {
                format!("{}: {error} Without --multicast the file comes by unicast", args.url)
            }
            _ => text(&args.url, &error),
        },
    });
    conclude(&bar, args.common.quiet, args.multicast, result)
}

pub(super) fn put(args: &PutArgs) -> ExitCode {
    let bar = bar(args.common.quiet);
    let client = args.common.client().build();
    let result = run(&client, async {
        let put = client.put(&args.url).progress(|progress| show(&bar, progress));
        let failed = |error| ClientError::File { path: args.file.clone(), error };
        match content(&args.file).map_err(failed)? {
            Some(content) => put.bytes(content).await,
            None => put.file(&args.file).await,
        }
    });
    let result = result.map_err(|error| Failure { code: exit_code(&error), text: text(&args.url, &error) });
    conclude(&bar, args.common.quiet, false, result)
}

/// Returns the content of an input whose size its metadata do not tell; `None` for others, which are read as they are sent.
fn content(input: &Path) -> io::Result<Option<Vec<u8>>> {
    if input == Path::new("-") {
        let mut content = Vec::new();
        io::stdin().read_to_end(&mut content)?;
        return Ok(Some(content));
    }
    if fs::metadata(input)?.is_file() { Ok(None) } else { fs::read(input).map(Some) }
}

/// Runs a transfer, and waits until the server needs this client no more.
fn run(
    client: &Client,
    transfer: impl Future<Output = Result<Report, ClientError>>,
) -> Result<Report, ClientError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(ClientError::Network)?.block_on(async {
        let result = transfer.await;
        client.wait_idle().await;
        result
    })
}

impl CommonArgs {
    /// Returns a client with the options. Defaults of the protocol are not requested: some servers support no options at
    /// all.
    fn client(&self) -> Builder {
        Client::builder()
            .blksize(Some(self.blksize).filter(|blksize| *blksize != 512))
            .windowsize(Some(self.windowsize).filter(|windowsize| *windowsize != 1))
            .patience(Duration::from_secs(self.timeout))
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

fn show(bar: &ProgressBar, progress: Progress) {
    if let Some(total) = progress.total {
        bar.set_length(total);
    }
    bar.set_position(progress.bytes);
}

/// A transfer that failed.
struct Failure {
    code: u8,
    text: String,
}

fn text(url: &Url, error: &ClientError) -> String {
    match error {
        ClientError::Host { .. } | ClientError::File { .. } => error.to_string(),
        _ => format!("{url}: {error}"),
    }
}

/// Returns the exit code, from sysexits(3) where it has one.
fn exit_code(error: &ClientError) -> u8 {
    match error {
        ClientError::Refused { code: 1, .. } => 2,
        ClientError::Refused { .. } => 1,
        ClientError::Url(_) | ClientError::Name => 64,
        ClientError::Host { .. } => 68,
        ClientError::Silent { .. } | ClientError::Closed { .. } | ClientError::NoBlocks { .. } => 69,
        ClientError::Network(_) | ClientError::Group { .. } => 71,
        ClientError::File { .. } | ClientError::Local(_) => 74,
        ClientError::Protocol(_) => 76,
        // EX_SOFTWARE: there are no others here.
        _ => 70,
    }
}

fn conclude(bar: &ProgressBar, quiet: bool, multicast: bool, result: Result<Report, Failure>) -> ExitCode {
    bar.finish_and_clear();
    match result {
        Ok(report) => {
            if !quiet {
                print_stderr(line(&report, multicast));
            }
            ExitCode::SUCCESS
        }
        Err(failure) => {
            print_stderr(&failure.text);
            ExitCode::from(failure.code)
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
        report.blksize,
        report.windowsize,
        report.retransmissions,
    )
}
