//! The command line.

use crate::chain::Chain;
use crate::ecmp::{Hash, Rehash};
use crate::origin::Origin;
use crate::scenario::{Costs, Scenario};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// Simulate a boot storm of many clients over many servers, with the real protocol at both ends.
#[derive(Debug, Parser)]
#[command(name = "tuffet-fleet", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// The number of threads, which affects only the duration [default: the number of cores]
    #[arg(long, global = true)]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate one storm, and print JSON
    Run(Box<Run>),
    /// Renew docs/fleet.md: fill in its tables, draw its pictures, write the figures as JSON
    Study(Study),
    /// Renew the table of docs/scale.md: servers with cold caches before an origin
    Origins(Origins),
}

#[derive(Debug, Args)]
pub(crate) struct Origins {
    /// The page, with the marks around its table
    #[arg(long, default_value = "docs/scale.md")]
    pub(crate) page: PathBuf,
    /// The folder for the picture and the figures
    #[arg(long, default_value = "bench/results")]
    pub(crate) out: PathBuf,
    /// The prefix of both names, usually the date
    #[arg(long)]
    pub(crate) date: String,
    /// Divide the number of clients by this: quick, only to check that it works
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) coarser: u32,
}

#[derive(Debug, Args)]
pub(crate) struct Study {
    /// The page, with the marks around its tables
    #[arg(long, default_value = "docs/fleet.md")]
    pub(crate) page: PathBuf,
    /// The folder for pictures
    #[arg(long, default_value = "docs/pictures")]
    pub(crate) pictures: PathBuf,
    /// The file for figures
    #[arg(long, default_value = "bench/results/fleet.json")]
    pub(crate) json: PathBuf,
    /// Divide the number of clients by this: quick, only to check that it works
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) coarser: u32,
}

/// Without flags: a million clients, 16 servers, no loss.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The number of clients
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    clients: u32,
    /// The number of servers behind one address
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1_024))]
    servers: u16,
    /// The files that each client loads
    #[arg(long, value_enum, default_value = "loader")]
    chain: Chain,
    /// The time within which the clients are switched on
    #[arg(long, default_value = "10s", value_parser = humantime::parse_duration)]
    within: Duration,
    /// Lost datagrams per million, in each direction
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=500_000))]
    loss: u32,
    /// The delay between a client and its server, in each direction
    #[arg(long, default_value = "100us", value_parser = humantime::parse_duration)]
    delay: Duration,
    /// The rate of a client's link, in Mbit/s
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=400_000))]
    link: u64,
    /// The rate of a server's network card, in Mbit/s
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=400_000))]
    card: u64,
    /// The cores of a server, with a worker each
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=256))]
    cores: u16,
    /// `limits.transfers` of each server
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    transfers: u32,
    /// The size of a socket's receive queue at a server, in datagrams
    #[arg(long, default_value_t = 8_192, value_parser = clap::value_parser!(u32).range(1..))]
    receive_queue: u32,
    /// The cost of a received datagram, in nanoseconds of a core
    #[arg(long, default_value_t = Costs::default().datagram)]
    cost_datagram: u64,
    /// The cost of a sent packet or window, in nanoseconds of a core
    #[arg(long, default_value_t = Costs::default().send)]
    cost_send: u64,
    /// The cost of each block of a window, in nanoseconds of a core
    #[arg(long, default_value_t = Costs::default().block)]
    cost_block: u64,
    /// The cost of a request, in nanoseconds of a core
    #[arg(long, default_value_t = Costs::default().request)]
    cost_request: u64,
    /// The cost of policy per request, in nanoseconds of a core; without a value, that of the five bundled plugins
    /// with reused instances
    #[arg(long, default_value_t = 0, num_args = 0..=1, default_missing_value = POLICY_TEXT)]
    cost_policy: u64,
    /// Servers answer from TID ports (RFC 1350) instead of the listening port
    #[arg(long)]
    tid_ports: bool,
    /// The fields that routers hash
    #[arg(long, value_enum, default_value = "addresses")]
    hash: Hash,
    /// How routers spread the clients of a lost server
    #[arg(long, value_enum, default_value = "resilient")]
    rehash: Rehash,
    /// The time at which the first server is lost
    #[arg(long, value_parser = humantime::parse_duration)]
    lost: Option<Duration>,
    /// The time after which routers notice a lost server
    #[arg(long, default_value = "1s", value_parser = humantime::parse_duration)]
    noticed_after: Duration,
    /// The line of an origin that the servers fetch all files from at first, in Mbit/s; without it they have all files
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    origin: Option<u64>,
    /// The time from a request to the first byte of the origin's answer
    #[arg(long, default_value = "20ms", value_parser = humantime::parse_duration)]
    origin_latency: Duration,
    /// The requests that the origin answers in a second
    #[arg(long, default_value_t = 5_500, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    origin_requests: u64,
    /// Look up missing names at the origin, too
    #[arg(long)]
    origin_lookups: bool,
    /// Divide the number of clients and the speed of servers by this
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    scale: u32,
    /// The longest simulated time
    #[arg(long, default_value = "2h", value_parser = humantime::parse_duration)]
    horizon: Duration,
    /// The seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Compare every received byte; slower
    #[arg(long)]
    bytes: bool,
}

/// [`POLICY`](crate::scenario::POLICY), as the command line has it.
const POLICY_TEXT: &str = "32000";

impl Run {
    pub(crate) fn scenario(&self) -> Scenario {
        let millis =
            |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX / 2_000_000).min(MAX_MILLIS);
        Scenario {
            clients: self.clients,
            servers: self.servers,
            chain: self.chain,
            within: millis(self.within),
            loss: self.loss,
            delay: u64::try_from(self.delay.as_nanos()).unwrap_or(MAX_MILLIS).min(MAX_MILLIS),
            link: self.link * 1_000_000,
            nic: self.card * 1_000_000,
            cores: self.cores,
            costs: Costs {
                datagram: self.cost_datagram,
                send: self.cost_send,
                block: self.cost_block,
                request: self.cost_request,
                policy: self.cost_policy,
            },
            transfers: self.transfers,
            receive_queue: self.receive_queue,
            single_port: !self.tid_ports,
            hash: self.hash,
            rehash: self.rehash,
            // The only server cannot be spread over others: it is never withdrawn.
            lost: self.lost.map(|lost| (millis(lost), millis(lost) + millis(self.noticed_after))),
            origin: self.origin.map(|line| Origin {
                line: line * 1_000_000,
                latency: u64::try_from(self.origin_latency.as_nanos()).unwrap_or(MAX_MILLIS).min(MAX_MILLIS),
                requests: self.origin_requests,
                lookups: self.origin_lookups,
            }),
            scale: self.scale,
            horizon: millis(self.horizon),
            seed: self.seed,
            bytes: self.bytes,
            ..Scenario::default()
        }
    }
}

/// The largest time in milliseconds (or delay in nanoseconds), a month: sums of such times do not overflow.
const MAX_MILLIS: u64 = 31 * 86_400 * 1_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::POLICY;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
        let run = |flags: &[&str]| {
            let words = ["tuffet-fleet", "run"].iter().chain(flags);
            match Cli::try_parse_from(words).map(|cli| cli.command) {
                Ok(Command::Run(run)) => Some(run.scenario()),
                _ => None,
            }
        };
        assert_eq!(run(&[]), Some(Scenario::default()), "flags and scenarios have the same defaults");
        let policy = run(&["--cost-policy", "--lost", "5s"]).unwrap();
        assert_eq!((policy.costs.policy, policy.lost), (POLICY, Some((5_000, 6_000))));
        assert_eq!(run(&["--servers", "0"]), None);
    }
}
