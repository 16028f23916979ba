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
#[command(name = "tuffet-load", version, about, max_term_width = 100)]
#[command(group = ArgGroup::new("timer").args(["client_timeout", "adaptive"]))]
pub(crate) struct Args {
    /// The server's address and port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:6969")]
    pub(crate) server: SocketAddr,

    /// A file to ask for; given several times, transfers pick one by weight (default 1)
    #[arg(long = "file", value_name = "NAME[:WEIGHT]", required = true)]
    pub(crate) files: Vec<WeightedName>,

    /// Write files instead of reading them; each under a name of its own, NAME.TAG and a number
    #[arg(long)]
    pub(crate) write: bool,

    /// What stands between the name and the number of a file that is written
    #[arg(long, value_name = "TAG", default_value = "w", requires = "write")]
    pub(crate) tag: String,

    /// The files as the server has them: reads are compared with them, writes send them
    #[arg(long, value_name = "DIR")]
    pub(crate) expect: Option<PathBuf>,

    /// Write this many bytes, made up from the seed, instead of files of a folder (such as 10MiB)
    #[arg(long, value_name = "BYTES", requires = "write", conflicts_with = "expect")]
    pub(crate) size: Option<ByteSize>,

    /// How many transfers run at once at most (default 8, with --rate 4096)
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<u32>,

    /// How many transfers run in all (default 32; without end if --duration is given)
    #[arg(long, value_name = "N")]
    pub(crate) transfers: Option<u64>,

    /// Start so many transfers per second, whether the server keeps up or not, and measure from the
    /// moment that each should have started
    #[arg(long, value_name = "PER-SECOND")]
    pub(crate) rate: Option<f64>,

    /// Start no transfer after this time; what runs is finished
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) duration: Option<Duration>,

    /// Ask for blocks of this many bytes (RFC 2348)
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(8..=65_464))]
    pub(crate) blksize: Option<u16>,

    /// Ask for windows of this many blocks (RFC 7440)
    #[arg(long, value_name = "BLOCKS", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) windowsize: Option<u16>,

    /// Ask for, or announce, the size of the file (RFC 2349)
    #[arg(long)]
    pub(crate) tsize: bool,

    /// Ask the server to repeat after so many seconds (the timeout option, RFC 2349)
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) timeout_option: Option<u8>,

    /// Receive with UDP_GRO: a window comes in few buffers
    #[arg(long)]
    pub(crate) gro: bool,

    /// Send with UDP_SEGMENT: a window that is written goes in few messages
    #[arg(long, requires = "write")]
    pub(crate) gso: bool,

    /// How long a client waits before it repeats what it sent; fixed, as in ordinary clients
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = humantime::parse_duration)]
    pub(crate) client_timeout: Duration,

    /// Clients repeat by the measured round-trip time instead of a fixed one
    #[arg(long)]
    pub(crate) adaptive: bool,

    /// A transfer fails when the server was silent for this long
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration)]
    pub(crate) timeout: Duration,

    /// Lose this part of the datagrams of each direction (0.01 or 1%)
    #[arg(long, value_name = "PART", default_value = "0")]
    pub(crate) loss: Part,

    /// Lose what reaches a client beyond so many datagrams in a millisecond, as a small receiver does
    #[arg(long, value_name = "DATAGRAMS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) take: Option<u32>,

    /// Use the socket of a finished transfer for the next one instead of opening another
    #[arg(long)]
    pub(crate) reuse_sockets: bool,

    /// Each client stops answering after so many blocks and holds its transfer open
    #[arg(long, value_name = "BLOCKS")]
    pub(crate) stall: Option<u64>,

    /// How long a stalled client holds its transfer; then it ends it with an ERROR
    #[arg(long, value_name = "TIME", default_value = "10s", requires = "stall", value_parser = humantime::parse_duration)]
    pub(crate) stall_for: Duration,

    /// What is random (file mix, loss, made-up contents) follows from this number
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Report the rate over time, too: since the last interval, and since the start
    #[arg(long, value_name = "INTERVAL", value_parser = humantime::parse_duration)]
    pub(crate) report: Option<Duration>,

    /// Report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A file's name and how often it is asked for, relative to the others.
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
            (_, 0) => Err("its weight is 0, so it would never be asked for; leave it out"),
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
