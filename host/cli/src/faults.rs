//! `tuffet faults`: a network with faults on purpose, for authors of clients.

use clap::Args;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::str::FromStr;
use std::thread;
use std::time::Duration;
use tuffet_terminal::{print, print_stderr};
use tuffet_testing::{Faults, Network, Wrong};

/// The probability of a wrong answer without one of its own.
const DEFAULT_PROBABILITY: f64 = 0.05;

/// The exit code if an address cannot be bound.
const EXIT_UNBOUND: u8 = 71;

/// The longest `--delay` and `--jitter`.
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
pub(super) struct FaultsArgs {
    /// Where clients send their requests: IP:PORT; port 0 is any free one, and the first line of the output names it.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:6970")]
    listen: SocketAddr,
    /// The server behind the network: IP:PORT.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:69")]
    server: SocketAddr,
    /// The seed: with the same one, the n-th datagram of each direction has the same fate [default: a random one, which is
    /// printed].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Loses each datagram with this probability, 0 to 1.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    lose: f64,
    /// Delivers each datagram twice with this probability.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    double: f64,
    /// Delivers each datagram 5 ms later with this probability, and so after the next ones.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    reorder: f64,
    /// Delivers all datagrams this much later, at most 1m.
    #[arg(long, value_name = "TIME", default_value = "0ms", value_parser = duration)]
    delay: Duration,
    /// Delivers each datagram later by a random time, at most this.
    #[arg(long, value_name = "TIME", default_value = "0ms", value_parser = duration)]
    jitter: Duration,
    /// Gives clients wrong answers: KIND or KIND=P, several with commas. P is the probability for each answer; without it
    /// 0.05, and 1 for `oack` and `oack-larger`, which concern the first answer alone.
    ///
    /// The kinds: `tid` (a copy from another port), `block` (an old block number first), `error` (an ERROR instead),
    /// `opcode` (an unknown opcode instead), `truncated` (cut within the header), `oack` (an option that was not
    /// requested), `oack-larger` (a larger block or window than requested).
    #[arg(long, value_name = "KIND[=P]", value_delimiter = ',')]
    wrong: Vec<WrongAnswer>,
}

/// A wrong answer with its probability.
#[derive(Debug, Clone, Copy, PartialEq)]
struct WrongAnswer(Wrong, f64);

impl FromStr for WrongAnswer {
    type Err = String;

    fn from_str(text: &str) -> Result<WrongAnswer, String> {
        let (kind, given) = text.split_once('=').map_or((text, None), |(kind, p)| (kind, Some(p)));
        let wrong: Wrong = kind.parse().map_err(|error| format!("{error}"))?;
        let otherwise = if wrong.is_about_options() { 1.0 } else { DEFAULT_PROBABILITY };
        Ok(WrongAnswer(wrong, given.map_or(Ok(otherwise), probability)?))
    }
}

/// Runs until it is ended. Exit code: 71 if the address cannot be bound.
pub(super) fn faults(args: &FaultsArgs) -> ExitCode {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..1_000_000));
    let mut faults = Faults::seeded(seed)
        .lose(args.lose)
        .double(args.double)
        .reorder(args.reorder)
        .delay(args.delay)
        .jitter(args.jitter)
        .tell(|alteration| print(&format!("{alteration}\n")));
    for WrongAnswer(wrong, probability) in &args.wrong {
        faults = faults.wrong(*wrong, *probability);
    }
    let network = match Network::between(args.listen, args.server, faults) {
        Ok(network) => network,
        Err(error) => {
            print_stderr(format_args!("{}: {error}", args.listen));
            return ExitCode::from(EXIT_UNBOUND);
        }
    };
    print(&format!("{} in front of {}, seed {seed}\n", network.address(), args.server));
    loop {
        thread::park();
    }
}

fn probability(text: &str) -> Result<f64, String> {
    let parsed = text.parse::<f64>().ok().filter(|p| (0.0..=1.0).contains(p));
    parsed.ok_or_else(|| "write a probability from 0 to 1, such as 0.05".into())
}

fn duration(text: &str) -> Result<Duration, String> {
    let parsed = humantime::parse_duration(text).ok().filter(|it| *it <= LONGEST);
    parsed.ok_or_else(|| "write a time up to 1m, such as 20ms".into())
}
