//! The results of a simulation.

use crate::scenario::Scenario;
use serde::Serialize;

/// Results of one server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ServerFigures {
    /// Clients that sent it their first request.
    pub(crate) clients: u32,
    /// Accepted requests, and requests that it dropped because it had too many transfers.
    pub(crate) requests: u64,
    pub(crate) unanswered: u64,
    /// Requests in its busiest second, including dropped ones.
    pub(crate) busiest_second: u64,
    /// Blocks sent, and retransmissions among them.
    pub(crate) blocks: u64,
    pub(crate) resent: u64,
    /// Datagrams that found a full socket, and datagrams that belonged to no transfer.
    pub(crate) dropped: u64,
    pub(crate) strays: u64,
    /// The most concurrent transfers.
    pub(crate) most_transfers: u32,
    /// Nanoseconds of work of all its cores, and of sending by its card.
    pub(crate) cpu: u64,
    pub(crate) card: u64,
    /// Bytes fetched from the origin, and missing names looked up there.
    pub(crate) fetched: u64,
    pub(crate) lookups: u64,
}

impl ServerFigures {
    fn scaled(self, scale: u64) -> Self {
        // Times need no scaling: with fewer clients, each piece of work took proportionally longer.
        ServerFigures {
            clients: self.clients.saturating_mul(scale as u32),
            requests: self.requests * scale,
            unanswered: self.unanswered * scale,
            busiest_second: self.busiest_second * scale,
            blocks: self.blocks * scale,
            resent: self.resent * scale,
            dropped: self.dropped * scale,
            strays: self.strays * scale,
            most_transfers: self.most_transfers.saturating_mul(scale as u32),
            cpu: self.cpu,
            card: self.card,
            fetched: self.fetched,
            lookups: self.lookups * scale,
        }
    }
}

/// Results of a whole simulation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// When each client had booted, in milliseconds, sorted.
    pub(crate) booted: Vec<u32>,
    pub(crate) clients: u32,
    /// Chains that clients started over.
    pub(crate) restarts: u64,
    /// Packets that clients retransmitted.
    pub(crate) repeated: u64,
    /// Transfers with wrong bytes. If there are any, the simulation is worthless.
    pub(crate) wrong: u64,
    pub(crate) servers: Vec<ServerFigures>,
}

/// A summary for the page and for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Summary {
    /// Milliseconds until half, 99 % and all clients had booted; `None` if never.
    pub(crate) half: Option<u32>,
    pub(crate) most: Option<u32>,
    pub(crate) all: Option<u32>,
    /// Booted clients, per thousand.
    pub(crate) booted_permille: u32,
    pub(crate) requests_per_s: u64,
    pub(crate) unanswered: u64,
    pub(crate) resent_permille: u64,
    pub(crate) repeated: u64,
    pub(crate) dropped: u64,
    pub(crate) strays: u64,
    pub(crate) restarts: u64,
    pub(crate) wrong: u64,
    /// How many clients more than its share the fullest server had, per thousand.
    pub(crate) fullest_permille: u64,
    /// Busy time of cores and card until all had booted (or the end), per thousand: average and maximum.
    pub(crate) cpu_permille: u64,
    pub(crate) cpu_most_permille: u64,
    pub(crate) card_permille: u64,
    pub(crate) card_most_permille: u64,
    /// Bytes fetched from the origin by all servers, and missing names looked up there.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) fetched: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) lookups: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Figures {
    /// Adds the results of another part of the same simulation.
    pub(crate) fn add(&mut self, other: Figures) {
        self.booted.extend(other.booted);
        self.clients += other.clients;
        self.restarts += other.restarts;
        self.repeated += other.repeated;
        self.wrong += other.wrong;
        self.servers.extend(other.servers);
    }

    /// Sorts times, and scales counts to all clients.
    pub(crate) fn finish(mut self, scale: u32) -> Self {
        self.booted.sort_unstable();
        let scale = u64::from(scale);
        self.restarts *= scale;
        self.repeated *= scale;
        self.servers = self.servers.into_iter().map(|server| server.scaled(scale)).collect();
        self
    }

    /// Milliseconds until this many of a thousand clients had booted.
    pub(crate) fn time_until(&self, permille: u64) -> Option<u32> {
        let needed = (u64::from(self.clients) * permille).div_ceil(1_000).max(1);
        self.booted.get(needed as usize - 1).copied()
    }

    /// Booted clients at this time, per thousand.
    pub(crate) fn booted_at(&self, millis: u32) -> u64 {
        let booted = self.booted.partition_point(|at| *at <= millis) as u64;
        booted * 1_000 / u64::from(self.clients.max(1))
    }

    pub(crate) fn summary(&self, scenario: &Scenario) -> Summary {
        let sum = |of: fn(&ServerFigures) -> u64| self.servers.iter().map(of).sum::<u64>();
        let most = |of: fn(&ServerFigures) -> u64| self.servers.iter().map(of).max().unwrap_or(0);
        let servers = self.servers.len().max(1) as u64;
        let cores = scenario.cores;
        let end = self.time_until(1_000).map_or(scenario.horizon, u64::from);
        let span = end.max(1) * 1_000_000;
        let permille = |part: u64, whole: u64| {
            if whole == 0 { 0 } else { (u128::from(part) * 1_000 / u128::from(whole)) as u64 }
        };
        let mean = sum(|server| u64::from(server.clients)) / servers;
        Summary {
            half: self.time_until(500),
            most: self.time_until(990),
            all: self.time_until(1_000),
            booted_permille: permille(self.booted.len() as u64, u64::from(self.clients)) as u32,
            requests_per_s: most(|server| server.busiest_second),
            unanswered: sum(|server| server.unanswered),
            resent_permille: permille(sum(|server| server.resent), sum(|server| server.blocks)),
            repeated: self.repeated,
            dropped: sum(|server| server.dropped),
            strays: sum(|server| server.strays),
            restarts: self.restarts,
            wrong: self.wrong,
            fullest_permille: permille(most(|server| u64::from(server.clients)), mean).saturating_sub(1_000),
            cpu_permille: permille(sum(|server| server.cpu), span * servers * u64::from(cores)),
            cpu_most_permille: permille(most(|server| server.cpu), span * u64::from(cores)),
            card_permille: permille(sum(|server| server.card), span * servers),
            card_most_permille: permille(most(|server| server.card), span),
            fetched: sum(|server| server.fetched),
            lookups: sum(|server| server.lookups),
        }
    }
}
