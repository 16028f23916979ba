//! The command line.

use crate::chain::Chain;
use crate::ecmp::{Hash, Rehash};
use crate::scenario::{Costs, Scenario};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// Simulates a boot storm of many clients over many servers, with the real protocol at both ends.
#[derive(Debug, Parser)]
#[command(name = "tuffet-fleet", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Threads; they change nothing but the time it takes. As many as there are cores, if not given
    #[arg(long, global = true)]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// One storm, as told; prints JSON
    Run(Box<Run>),
    /// All of docs/fleet.md: fills in its tables, draws its pictures, writes the figures as JSON
    Study(Study),
}

#[derive(Debug, Args)]
pub(crate) struct Study {
    /// The page with the marks between which tables are written
    #[arg(long, default_value = "docs/fleet.md")]
    pub(crate) page: PathBuf,
    /// Where pictures go
    #[arg(long, default_value = "docs/pictures")]
    pub(crate) pictures: PathBuf,
    /// Where figures go
    #[arg(long, default_value = "bench/results/fleet.json")]
    pub(crate) json: PathBuf,
    /// So many times fewer clients in each simulation: quick, and only to see that it runs
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) coarser: u32,
}

/// Without flags: a million clients, 16 servers, nothing lost.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Clients that boot
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    clients: u32,
    /// Servers behind one address
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1_024))]
    servers: u16,
    /// What each client loads
    #[arg(long, value_enum, default_value = "loader")]
    chain: Chain,
    /// The time within which they are switched on
    #[arg(long, default_value = "10s", value_parser = humantime::parse_duration)]
    within: Duration,
    /// Datagrams lost in each direction, of a million
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=500_000))]
    loss: u32,
    /// From a client to its server, each way
    #[arg(long, default_value = "100us", value_parser = humantime::parse_duration)]
    delay: Duration,
    /// A client's link, in Mbit/s
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=400_000))]
    link: u64,
    /// A server's network card, in Mbit/s
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=400_000))]
    card: u64,
    /// A server's cores, with a worker each
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=256))]
    cores: u16,
    /// `limits.transfers` of each server
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    transfers: u32,
    /// Datagrams that wait in one of a server's sockets
    #[arg(long, default_value_t = 8_192, value_parser = clap::value_parser!(u32).range(1..))]
    receive_queue: u32,
    /// Nanoseconds of a core: a datagram received
    #[arg(long, default_value_t = Costs::default().datagram)]
    cost_datagram: u64,
    /// A packet or a window sent
    #[arg(long, default_value_t = Costs::default().send)]
    cost_send: u64,
    /// Each block of a window
    #[arg(long, default_value_t = Costs::default().block)]
    cost_block: u64,
    /// A request
    #[arg(long, default_value_t = Costs::default().request)]
    cost_request: u64,
    /// What policy adds to a request; five bundled plugins with kept instances, where it stands alone
    #[arg(long, default_value_t = 0, num_args = 0..=1, default_missing_value = POLICY_TEXT)]
    cost_policy: u64,
    /// Servers answer from a port of each transfer, as RFC 1350 has it, instead of the one that was asked
    #[arg(long)]
    tid_ports: bool,
    /// What routers hash
    #[arg(long, value_enum, default_value = "addresses")]
    hash: Hash,
    /// What routers do when a server is gone
    #[arg(long, value_enum, default_value = "resilient")]
    rehash: Rehash,
    /// The first server is lost at this time
    #[arg(long, value_parser = humantime::parse_duration)]
    lost: Option<Duration>,
    /// How long routers take to notice
    #[arg(long, default_value = "1s", value_parser = humantime::parse_duration)]
    noticed_after: Duration,
    /// So many times fewer clients, and servers so many times slower
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    scale: u32,
    /// The longest time that is simulated
    #[arg(long, default_value = "2h", value_parser = humantime::parse_duration)]
    horizon: Duration,
    /// Everything random follows from it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Compare every byte that arrives; slower
    #[arg(long)]
    bytes: bool,
}

/// [`POLICY`](crate::scenario::POLICY), as the command line has it.
const POLICY_TEXT: &str = "32000";

impl Run {
    pub(crate) fn scenario(&self) -> Scenario {
        let millis =
            |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX / 2_000_000).min(MOST);
        Scenario {
            clients: self.clients,
            servers: self.servers,
            chain: self.chain,
            within: millis(self.within),
            loss: self.loss,
            delay: u64::try_from(self.delay.as_nanos()).unwrap_or(MOST).min(MOST),
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
            scale: self.scale,
            horizon: millis(self.horizon),
            seed: self.seed,
            bytes: self.bytes,
            ..Scenario::default()
        }
    }
}

/// Milliseconds (or nanoseconds of delay) that no sum of which overflows: a month.
const MOST: u64 = 31 * 86_400 * 1_000;

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
