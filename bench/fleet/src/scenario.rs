//! What is simulated: clients, servers, the network between them, and what work costs.

use crate::chain::Chain;
use crate::ecmp::{Hash, Rehash};
use serde::Serialize;
use std::time::Duration;
use tuffet_core::{Settings, Timing};

/// What a server's work costs, in nanoseconds of one core.
///
/// The figures are those of `bench/results/2026-11-21.md`, one core of a virtual machine over loopback:
/// 3.45 µs for a block of 1400 bytes in lockstep, 58 µs for 64 KiB in windows of 8, 5.69 ms for 10 MiB in
/// windows of 64 are a datagram in, a send and so many blocks; 19 µs for 2 KiB in lockstep leave the rest
/// to the request, and 51 µs with five plugins is what they add.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Costs {
    /// A datagram received.
    pub(crate) datagram: u64,
    /// A packet or window sent.
    pub(crate) send: u64,
    /// Each block of it.
    pub(crate) block: u64,
    /// A request, from being read to being decided, its file opened and its end logged.
    pub(crate) request: u64,
    /// What policy adds to that.
    pub(crate) policy: u64,
}

impl Default for Costs {
    fn default() -> Self {
        Costs { datagram: 1_300, send: 1_400, block: 750, request: 6_000, policy: 0 }
    }
}

/// What five plugins cost for each request: `tuffet-policy` less `tuffet`, small files.
pub(crate) const POLICY: u64 = 32_000;

/// One simulation. Two that are equal bring the same figures to the last digit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Scenario {
    pub(crate) clients: u32,
    pub(crate) servers: u16,
    pub(crate) chain: Chain,
    /// Clients are switched on within this time, in milliseconds.
    pub(crate) within: u64,
    /// Datagrams lost in each direction, of a million.
    pub(crate) loss: u32,
    /// Each way between a client and its server, in nanoseconds.
    pub(crate) delay: u64,
    /// A client's link, in bits per second.
    pub(crate) link: u64,
    /// A server's network card, in bits per second.
    pub(crate) nic: u64,
    /// A server's cores, each with one worker.
    pub(crate) cores: u16,
    pub(crate) costs: Costs,
    /// Transfers that a server has at a time; it does not answer more.
    pub(crate) transfers: u32,
    /// Datagrams that wait in one of a server's sockets; more are dropped.
    pub(crate) receive_queue: u32,
    /// Bytes that wait for a server's network card; then its workers wait.
    pub(crate) send_queue: u64,
    pub(crate) single_port: bool,
    pub(crate) hash: Hash,
    pub(crate) rehash: Rehash,
    /// When the first server is lost, and when routers notice, both in milliseconds.
    pub(crate) lost: Option<(u64, u64)>,
    /// One client and a thousandth of a server's speed and queues stand for a thousand of each.
    pub(crate) scale: u32,
    /// The longest time that is simulated, in milliseconds.
    pub(crate) horizon: u64,
    pub(crate) seed: u64,
    /// Compare every byte that arrives, instead of where it lies alone.
    #[serde(skip)]
    pub(crate) bytes: bool,
}

impl Default for Scenario {
    fn default() -> Self {
        Scenario {
            clients: 1_000_000,
            servers: 16,
            chain: Chain::Loader,
            within: 10_000,
            loss: 0,
            delay: 100_000,
            link: 1_000_000_000,
            nic: 10_000_000_000,
            cores: 4,
            costs: Costs::default(),
            transfers: 20_000,
            receive_queue: 8_192,
            send_queue: 4 << 20,
            single_port: true,
            hash: Hash::Addresses,
            rehash: Rehash::Resilient,
            lost: None,
            scale: 1,
            horizon: 7_200_000,
            seed: 1,
            bytes: false,
        }
    }
}

/// How often a client repeats: every 4 seconds, six times (EDK2's `PXEBC_MTFTP_TIMEOUT` and
/// `PXEBC_MTFTP_RETRIES`).
const CLIENT_WAIT: Duration = Duration::from_secs(4);
const CLIENT_PATIENCE: Duration = Duration::from_secs(28);

/// After how many seconds a client that failed begins its chain anew: PXE 2.1's times for discovery.
pub(crate) const BACK_OFF: [u64; 4] = [4, 8, 16, 32];

/// Sockets for transfers that each worker has (`host/engine/src/worker`).
pub(crate) const TID_SOCKETS: u16 = 4;

/// Datagrams that a worker takes with one call, and calls before it looks after other things.
pub(crate) const BATCH: usize = 32;
pub(crate) const TURN: usize = 4;

/// What a frame has around a datagram's payload: Ethernet (with preamble and gap), IPv4, UDP.
pub(crate) const FRAME: u64 = 38 + 20 + 8;

impl Scenario {
    /// The clients' state machines: a boot ROM's patience instead of the adaptive timers.
    pub(crate) fn client_settings() -> Settings {
        let timing = Timing::new(CLIENT_WAIT, CLIENT_WAIT, CLIENT_WAIT, CLIENT_PATIENCE, Duration::ZERO);
        Settings { timing, ..Settings::default() }
    }

    /// Nothing passes from one server to another, so that each can be simulated alone.
    pub(crate) fn is_independent(&self) -> bool {
        self.lost.is_none() && self.hash == Hash::Addresses
    }

    /// Nanoseconds that a payload takes on a server's card.
    pub(crate) fn on_card(&self, payload: u64) -> u64 {
        ((payload + FRAME) * 8_000_000_000 / self.nic.max(1)).max(1) * u64::from(self.scale)
    }

    /// Nanoseconds that a payload takes on a client's link.
    pub(crate) fn on_link(&self, payload: u64) -> u64 {
        ((payload + FRAME) * 8_000_000_000 / self.link.max(1)).max(1)
    }

    /// Work on a core: as much slower as there are fewer clients.
    pub(crate) fn work(&self, nanos: u64) -> u64 {
        nanos * u64::from(self.scale)
    }

    /// A bound of a server, as much lower as there are fewer clients, but never so low that it would bind
    /// a single one.
    pub(crate) fn bound(&self, whole: u64, least: u64) -> u64 {
        (whole / u64::from(self.scale)).max(least)
    }
}
