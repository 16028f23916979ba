//! `tuffet capture`: what passes between a running server and its clients, for Wireshark.

use super::control::ControlArgs;
use super::print_stderr;
use clap::Args;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tuffet_config::EXIT_CONFIG;
use tuffet_server::capture::{CaptureSpec, CaptureTotals, LONGEST};

const OTHER_FILE: &str = "name another file";

#[derive(Debug, Args)]
pub(super) struct CaptureArgs {
    /// The file to write, in the format pcapng; `-` is standard output, as for `wireshark -k -i -`.
    file: PathBuf,
    #[command(flatten)]
    server: ControlArgs,
    /// Only this client: IP, IP:PORT or [IPv6]:PORT; may be repeated [default: all clients].
    #[arg(long = "client", value_name = "ADDR", value_parser = client)]
    clients: Vec<ClientFilter>,
    /// How long to capture, at most 24h.
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = duration)]
    duration: Duration,
    /// The largest size of the file in MiB, at most 4096.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=4096))]
    size: u64,
    /// Stop after this many datagrams and segments of connections.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct ClientFilter(IpAddr, Option<u16>);

/// Captures datagrams. Exit code: 0 when the capture is complete, 69 if no server answers or another capture runs.
pub(super) fn capture(args: &CaptureArgs) -> ExitCode {
    let socket = match args.server.socket() {
        Ok(socket) => socket,
        Err(error) => {
            print_stderr(&error);
            return ExitCode::from(error.code());
        }
    };
    let wanted = CaptureSpec {
        clients: args.clients.iter().map(|client| (client.0, client.1)).collect(),
        milliseconds: u64::try_from(args.duration.as_millis()).unwrap_or(u64::MAX),
        bytes: args.size << 20,
        datagrams: args.count,
    };
    let begun = match tuffet_daemon::begin_capture(&socket, &wanted) {
        Ok(begun) => begun,
        Err(error) => {
            print_stderr(format_args!("no capture by the server at {}: {error}", socket.display()));
            return ExitCode::from(69);
        }
    };
    let mut output = match output(args) {
        Ok(output) => output,
        Err(why) => {
            print_stderr(why);
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    print_stderr(format_args!("capturing to {}", args.file.display()));
    match begun.copy_to(&mut output) {
        Ok(CaptureTotals { datagrams, bytes, dropped }) => {
            let missing = if dropped > 0 {
                format!("; {dropped} more were lost, because they came faster than they could be written")
            } else {
                String::new()
            };
            print_stderr(format_args!("{datagrams} datagrams, {bytes} bytes{missing}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            print_stderr(format_args!("the capture is incomplete: {error}"));
            ExitCode::from(74)
        }
    }
}

/// The capture contains file contents, so only this user may read it: it goes into a new file. An older capture of the
/// same name is replaced, because others may be allowed to read that file, or have it open.
fn output(args: &CaptureArgs) -> Result<Box<dyn Write>, String> {
    let path = &args.file;
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdout()));
    }
    let unwritten = |error| tuffet_terminal::unwritten(path, &error, OTHER_FILE);
    match fs::symlink_metadata(path) {
        Ok(found) => {
            replaceable(&found).map_err(|what| format!("{} {what}; {OTHER_FILE}", path.display()))?;
            fs::remove_file(path).map_err(unwritten)?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(unwritten(error)),
    }
    // A file that appears meanwhile, also a link, is not opened.
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(unwritten)?;
    Ok(Box::new(file))
}

/// Returns why a capture does not replace this file.
fn replaceable(found: &Metadata) -> Result<(), &'static str> {
    match found.file_type() {
        kind if kind.is_symlink() => Err("is a symbolic link, which is not followed; remove it"),
        kind if kind.is_dir() => Err("is a folder"),
        kind if !kind.is_file() => Err("is not a regular file; write `-` and redirect standard output to it"),
        _ if found.uid() != rustix::process::geteuid().as_raw() => Err("belongs to another user; remove it"),
        _ => Ok(()),
    }
}

fn client(text: &str) -> Result<ClientFilter, String> {
    let address = text.parse::<IpAddr>().map(|address| ClientFilter(address.to_canonical(), None));
    let with_port =
        |_| text.parse::<SocketAddr>().map(|at| ClientFilter(at.ip().to_canonical(), Some(at.port())));
    address.or_else(with_port).map_err(|_| "write an address such as 192.0.2.7 or [2001:db8::7]:2000".into())
}

fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "write a time up to 24h, such as 30s or 5m".to_owned();
    let duration = humantime::parse_duration(text).map_err(|_| wrong())?;
    Some(duration).filter(|it| !it.is_zero() && *it <= LONGEST).ok_or_else(wrong)
}
