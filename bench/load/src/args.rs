//! The command line as it is written.

use bytesize::ByteSize;
use clap::{ArgGroup, Parser};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use tuffet_measure::program::Part;

/// Load a TFTP server with many clients at once and report what they saw.
#[derive(Debug, Clone, Parser)]
#[command(name = "tuffet-load", version, max_term_width = 100)]
#[command(group = ArgGroup::new("timer").args(["client_timeout", "adaptive"]))]
pub(crate) struct Args {
    /// The server's address and port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:6969")]
    pub(crate) server: SocketAddr,

    /// A file to request, with its weight [default: 1]; may be repeated, transfers then choose by weight
    #[arg(long = "file", value_name = "NAME[:WEIGHT]", required = true)]
    pub(crate) files: Vec<WeightedName>,

    /// Write files instead of reading them, each under its own name: NAME.TAG and a number
    #[arg(long)]
    pub(crate) write: bool,

    /// The text between the name and the number of a written file
    #[arg(long, value_name = "TAG", default_value = "w", requires = "write")]
    pub(crate) tag: String,

    /// A folder with the server's files: reads are compared with them, writes send them
    #[arg(long, value_name = "DIR")]
    pub(crate) expect: Option<PathBuf>,

    /// Write this many pseudo-random bytes, such as 10MiB, instead of files of a folder
    #[arg(long, value_name = "BYTES", requires = "write", conflicts_with = "expect")]
    pub(crate) size: Option<ByteSize>,

    /// The number of concurrent transfers [default: 8, or 4096 with --rate]
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<u32>,

    /// The total number of transfers [default: 32, or unlimited with --duration]
    #[arg(long, value_name = "N")]
    pub(crate) transfers: Option<u64>,

    /// Start this many transfers per second, even if the server falls behind, and measure each from its
    /// scheduled start
    #[arg(long, value_name = "PER-SECOND")]
    pub(crate) rate: Option<f64>,

    /// Start no transfer after this time; running transfers finish
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) duration: Option<Duration>,

    /// Request this block size in bytes (RFC 2348)
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(8..=65_464))]
    pub(crate) blksize: Option<u16>,

    /// Request this window size in blocks (RFC 7440)
    #[arg(long, value_name = "BLOCKS", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) windowsize: Option<u16>,

    /// Request the size of the file, or announce it with --write (RFC 2349)
    #[arg(long)]
    pub(crate) tsize: bool,

    /// Request this retransmission time-out of the server, in seconds (RFC 2349)
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) timeout_option: Option<u8>,

    /// Receive with UDP_GRO: a window arrives in few buffers
    #[arg(long)]
    pub(crate) gro: bool,

    /// Give each client a receive buffer of this size (SO_RCVBUF), such as 64KiB, instead of one for two windows
    #[arg(long, value_name = "SIZE", conflicts_with = "write")]
    pub(crate) receive_buffer: Option<ByteSize>,

    /// Send with UDP_SEGMENT: a written window leaves in few messages
    #[arg(long, requires = "write")]
    pub(crate) gso: bool,

    /// The retransmission time-out of clients; fixed, as in ordinary clients
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = humantime::parse_duration)]
    pub(crate) client_timeout: Duration,

    /// Derive the clients' retransmission time-out from the measured round-trip time
    #[arg(long)]
    pub(crate) adaptive: bool,

    /// Fail a transfer after this time without a datagram from the server
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration)]
    pub(crate) timeout: Duration,

    /// Drop this share of the datagrams in each direction, such as 0.01 or 1%
    #[arg(long, value_name = "PART", default_value = "0")]
    pub(crate) loss: Part,

    /// Drop datagrams beyond this number per client and millisecond, as a small receiver does
    #[arg(long, value_name = "DATAGRAMS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) take: Option<u32>,

    /// Reuse the socket of a finished transfer for the next one
    #[arg(long)]
    pub(crate) reuse_sockets: bool,

    /// Each client stops answering after this many blocks and keeps its transfer open
    #[arg(long, value_name = "BLOCKS")]
    pub(crate) stall: Option<u64>,

    /// How long a stalled client keeps its transfer open before it ends it with an ERROR
    #[arg(long, value_name = "TIME", default_value = "10s", requires = "stall", value_parser = humantime::parse_duration)]
    pub(crate) stall_for: Duration,

    /// The seed of everything random: file mix, loss, contents
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Also report the rate over time: in each interval, and since the start
    #[arg(long, value_name = "INTERVAL", value_parser = humantime::parse_duration)]
    pub(crate) report: Option<Duration>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A file's name and how often it is requested, relative to the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WeightedName {
    pub(crate) name: String,
    pub(crate) weight: u32,
}

impl FromStr for WeightedName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.rsplit_once(':').and_then(|(name, weight)| Some((name, weight.parse().ok()?)));
        let (name, weight) = parts.unwrap_or((text, 1));
        match (name, weight) {
            ("", _) => Err("it has no name; write NAME or NAME:WEIGHT"),
            (_, 0) => Err("its weight is 0, so it would never be requested; leave it out"),
            _ => Ok(WeightedName { name: name.to_owned(), weight }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
        let args = Args::try_parse_from(["tuffet-load", "--file", "a.img"]).unwrap();
        assert_eq!((args.client_timeout, args.loss), (Duration::from_secs(1), Part(0.0)));
        assert!(Args::try_parse_from(["tuffet-load"]).is_err(), "no file");
        assert!(Args::try_parse_from(["tuffet-load", "--file", "a", "--size", "1MiB"]).is_err());
        assert!(Args::try_parse_from(["tuffet-load", "--file", "a", "--blksize", "7"]).is_err());
    }

    #[test]
    fn names_with_and_without_a_weight() {
        let parse = |text: &str| text.parse::<WeightedName>().map(|file| (file.name, file.weight));
        assert_eq!(parse("a.img"), Ok(("a.img".into(), 1)));
        assert_eq!(parse("a.img:7"), Ok(("a.img".into(), 7)));
        assert_eq!(parse("c:/x"), Ok(("c:/x".into(), 1)), "not a weight");
        assert!(parse("").is_err() && parse(":3").is_err() && parse("a:0").is_err());
    }
}
