//! The command line.

use crate::link::Path;
use crate::relay::Plan;
use clap::{Parser, Subcommand};
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;
use tuffet_measure::program::Part;

/// Relay UDP between clients and a server with delay, jitter, loss, reordering, duplication and a rate.
///
/// Up is the direction from clients to the server, down the other one. Flags without a direction apply to
/// both; flags with one override them. Ports are mapped as by a NAT, so that TFTP's TID ports pass.
#[derive(Debug, Parser)]
#[command(
    name = "tuffet-relay",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// The address on which the relay receives from clients
    #[arg(long, value_name = "ADDRESS:PORT", required = true)]
    listen: Option<SocketAddr>,
    /// The server's address
    #[arg(long, value_name = "ADDRESS:PORT", required = true)]
    to: Option<SocketAddr>,
    /// The delay in each direction
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = humantime::parse_duration)]
    delay: Duration,
    /// The delay from clients to the server
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    delay_up: Option<Duration>,
    /// The delay from the server to clients
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    delay_down: Option<Duration>,
    /// The largest additional delay, chosen for each datagram; the order stays
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = humantime::parse_duration)]
    jitter: Duration,
    /// The jitter from clients to the server
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    jitter_up: Option<Duration>,
    /// The jitter from the server to clients
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    jitter_down: Option<Duration>,
    /// The share of lost datagrams, such as 0.01 or 1%
    #[arg(long, value_name = "PART", default_value = "0")]
    loss: Part,
    /// The loss from clients to the server
    #[arg(long, value_name = "PART")]
    loss_up: Option<Part>,
    /// The loss from the server to clients
    #[arg(long, value_name = "PART")]
    loss_down: Option<Part>,
    /// The share of datagrams that are held back behind later ones, by one to three delays (at least milliseconds)
    #[arg(long, value_name = "PART", default_value = "0")]
    reorder: Part,
    /// The reordering from clients to the server
    #[arg(long, value_name = "PART")]
    reorder_up: Option<Part>,
    /// The reordering from the server to clients
    #[arg(long, value_name = "PART")]
    reorder_down: Option<Part>,
    /// The share of datagrams that arrive twice
    #[arg(long, value_name = "PART", default_value = "0")]
    duplicate: Part,
    /// The duplication from clients to the server
    #[arg(long, value_name = "PART")]
    duplicate_up: Option<Part>,
    /// The duplication from the server to clients
    #[arg(long, value_name = "PART")]
    duplicate_down: Option<Part>,
    /// The rate of the line that all clients share, such as 50mbit, 1gbit or 640kbit, with IP and UDP headers
    /// [default: unlimited]
    #[arg(long, value_name = "RATE")]
    rate: Option<Rate>,
    /// The rate from clients to the server
    #[arg(long, value_name = "RATE")]
    rate_up: Option<Rate>,
    /// The rate from the server to clients
    #[arg(long, value_name = "RATE")]
    rate_down: Option<Rate>,
    /// The queue in front of the line, in bytes [default: 100 ms at the rate, at least 64 KiB]
    #[arg(long, value_name = "BYTES")]
    queue: Option<bytesize::ByteSize>,
    /// The queue from clients to the server
    #[arg(long, value_name = "BYTES")]
    queue_up: Option<bytesize::ByteSize>,
    /// The queue from the server to clients
    #[arg(long, value_name = "BYTES")]
    queue_down: Option<bytesize::ByteSize>,
    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Forget a client after this time without a datagram
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = humantime::parse_duration)]
    idle: Duration,
    /// Stop after this time
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) time: Option<Duration>,
    /// Print a line of figures to standard error at this interval if anything arrived, and one at the end of --for
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "1s", value_parser = humantime::parse_duration)]
    pub(crate) stats: Option<Duration>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure what the relay carries on this machine and its cost, compared with the same path without it
    Measure {
        /// The duration of each measurement
        #[arg(long, value_name = "TIME", default_value = "2s", value_parser = humantime::parse_duration)]
        time: Duration,
    },
}

impl Args {
    /// Returns the plan; `None` only with a subcommand.
    pub(crate) fn plan(&self) -> Option<Plan> {
        let path = |delay: Option<Duration>,
                    jitter: Option<Duration>,
                    parts: [Option<Part>; 3],
                    rate: Option<Rate>,
                    queue: Option<bytesize::ByteSize>| {
            let [loss, reorder, duplicate] = parts;
            let rate = rate.or(self.rate).map_or(0, |rate| rate.0);
            Path {
                delay: delay.unwrap_or(self.delay),
                jitter: jitter.unwrap_or(self.jitter),
                loss: loss.unwrap_or(self.loss).0,
                reorder: reorder.unwrap_or(self.reorder).0,
                duplicate: duplicate.unwrap_or(self.duplicate).0,
                rate,
                queue: queue.or(self.queue).map_or((rate / 80).max(64 << 10), |queue| queue.0),
            }
        };
        Some(Plan {
            listen: self.listen?,
            to: self.to?,
            up: path(
                self.delay_up,
                self.jitter_up,
                [self.loss_up, self.reorder_up, self.duplicate_up],
                self.rate_up,
                self.queue_up,
            ),
            down: path(
                self.delay_down,
                self.jitter_down,
                [self.loss_down, self.reorder_down, self.duplicate_down],
                self.rate_down,
                self.queue_down,
            ),
            seed: self.seed,
            idle: self.idle,
        })
    }
}

/// Bits per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rate(u64);

impl FromStr for Rate {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let unit = match unit {
            "bit" | "" => 1,
            "kbit" => 1_000,
            "mbit" => 1_000_000,
            "gbit" => 1_000_000_000,
            _ => return Err("write a whole number and bit, kbit, mbit or gbit"),
        };
        let rate = number.parse().ok().and_then(|number: u64| number.checked_mul(unit));
        rate.filter(|rate| (1_000..=400_000_000_000).contains(rate))
            .map(Rate)
            .ok_or("not between 1kbit and 400gbit")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn a_direction_takes_the_place_of_both() {
        Args::command().debug_assert();
        let line = "tuffet-relay --listen 127.0.0.1:1 --to 127.0.0.1:2 --delay 25ms --loss 1% --rate-down 50mbit \
                    --rate-up 10mbit --delay-up 5ms --queue-up 1KiB";
        let plan = Args::try_parse_from(line.split_whitespace()).unwrap().plan().unwrap();
        assert_eq!((plan.up.delay, plan.down.delay), (Duration::from_millis(5), Duration::from_millis(25)));
        assert_eq!((plan.up.rate, plan.down.rate), (10_000_000, 50_000_000));
        assert_eq!((plan.up.queue, plan.down.queue), (1_024, 625_000));
        assert_eq!((plan.up.loss, plan.down.loss), (0.01, 0.01));
        assert!(Args::try_parse_from(["tuffet-relay"]).is_err(), "nowhere to listen");
        assert!(Args::try_parse_from(["tuffet-relay", "measure"]).is_ok());
    }

    #[test]
    fn rates() {
        assert_eq!(
            ["50mbit", "640kbit", "1gbit", "9600"].map(|text| text.parse::<Rate>().map(|rate| rate.0)),
            [Ok(50_000_000), Ok(640_000), Ok(1_000_000_000), Ok(9_600)]
        );
        for bad in ["", "mbit", "1.5mbit", "10mb", "1bit", "999gbit"] {
            assert!(bad.parse::<Rate>().is_err(), "{bad}");
        }
    }
}
