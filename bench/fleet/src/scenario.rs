//! The parameters of a simulation: clients, servers, the network between them, and the cost of work.

use crate::chain::Chain;
use crate::ecmp::{Hash, Rehash};
use crate::origin::Origin;
use serde::Serialize;
use std::time::Duration;
use tuffet_core::{Settings, Timing};

/// The costs of a server's work, in nanoseconds of one core.
///
/// The figures are those of `bench/results/2026-11-21.md`, one core of a virtual machine over loopback: 3.45
/// µs for a block of 1400 bytes in lockstep, 58 µs for 64 KiB in windows of 8, 5.69 ms for 10 MiB in windows
/// of 64 each consist of a received datagram, a send and the blocks. The rest of 19 µs for 2 KiB in lockstep
/// is the request, and the difference to 51 µs with five plugins is their cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Costs {
    /// A datagram received.
    pub(crate) datagram: u64,
    /// A packet or window sent.
    pub(crate) send: u64,
    /// Each block of the packet or window.
    pub(crate) block: u64,
    /// A request, from receiving it to the decision, the opened file and the log line at the end.
    pub(crate) request: u64,
    /// The additional cost of policy per request.
    pub(crate) policy: u64,
}

impl Default for Costs {
    fn default() -> Self {
        Costs { datagram: 1_300, send: 1_400, block: 750, request: 6_000, policy: 0 }
    }
}

/// The cost of five plugins per request: `tuffet-policy` minus `tuffet`, small files.
pub(crate) const POLICY: u64 = 32_000;

/// One simulation. Equal scenarios produce identical results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Scenario {
    pub(crate) clients: u32,
    pub(crate) servers: u16,
    pub(crate) chain: Chain,
    /// Clients are switched on within this time, in milliseconds.
    pub(crate) within: u64,
    /// Datagrams lost in each direction, per million.
    pub(crate) loss: u32,
    /// The one-way delay between a client and its server, in nanoseconds.
    pub(crate) delay: u64,
    /// A client's link, in bits per second.
    pub(crate) link: u64,
    /// A server's network card, in bits per second.
    pub(crate) nic: u64,
    /// A server's cores, each with one worker.
    pub(crate) cores: u16,
    pub(crate) costs: Costs,
    /// Concurrent transfers of a server; it drops further requests.
    pub(crate) transfers: u32,
    /// Datagrams queued in one of a server's sockets; further ones are lost.
    pub(crate) receive_queue: u32,
    /// Bytes queued for a server's network card; when it is full, its workers wait.
    pub(crate) send_queue: u64,
    pub(crate) single_port: bool,
    pub(crate) hash: Hash,
    pub(crate) rehash: Rehash,
    /// When the first server is lost, and when routers notice, both in milliseconds.
    pub(crate) lost: Option<(u64, u64)>,
    /// The store that the servers fetch from at first; `None`: all files are at the servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<Origin>,
    /// One client, and one thousandth of a server's speed and queues, stand for a thousand of each.
    pub(crate) scale: u32,
    /// The longest simulated time, in milliseconds.
    pub(crate) horizon: u64,
    pub(crate) seed: u64,
    /// Whether to compare every received byte, instead of only offsets.
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
            origin: None,
            scale: 1,
            horizon: 7_200_000,
            seed: 1,
            bytes: false,
        }
    }
}

/// The retransmission timer of a client: 4 seconds, six times (EDK2's `PXEBC_MTFTP_TIMEOUT` and
/// `PXEBC_MTFTP_RETRIES`).
const CLIENT_WAIT: Duration = Duration::from_secs(4);
const CLIENT_PATIENCE: Duration = Duration::from_secs(28);

/// Seconds after which a failed client starts its chain over: PXE 2.1's times for discovery.
pub(crate) const BACK_OFF: [u64; 4] = [4, 8, 16, 32];

/// TID sockets of each worker (`host/engine/src/worker`).
pub(crate) const TID_SOCKETS: u16 = 4;

/// Datagrams that a worker receives with one call, and calls before it turns to other work.
pub(crate) const BATCH: usize = 32;
pub(crate) const TURN: usize = 4;

/// The overhead of a frame: Ethernet (with preamble and gap), IPv4, UDP.
pub(crate) const FRAME: u64 = 38 + 20 + 8;

impl Scenario {
    /// The settings of clients: a boot ROM's timers instead of adaptive ones.
    pub(crate) fn client_settings() -> Settings {
        let timing = Timing::new(CLIENT_WAIT, CLIENT_WAIT, CLIENT_WAIT, CLIENT_PATIENCE, Duration::ZERO);
        Settings { timing, ..Settings::default() }
    }

    /// Whether servers do not affect each other, so that each can be simulated separately.
    pub(crate) fn is_independent(&self) -> bool {
        self.lost.is_none() && self.hash == Hash::Addresses
    }

    /// Nanoseconds to send a payload on a server's card.
    pub(crate) fn on_card(&self, payload: u64) -> u64 {
        ((payload + FRAME) * 8_000_000_000 / self.nic.max(1)).max(1) * u64::from(self.scale)
    }

    /// Nanoseconds to send a payload on a client's link.
    pub(crate) fn on_link(&self, payload: u64) -> u64 {
        ((payload + FRAME) * 8_000_000_000 / self.link.max(1)).max(1)
    }

    /// Scales work on a core: with fewer clients, it takes proportionally longer.
    pub(crate) fn work(&self, nanos: u64) -> u64 {
        nanos * u64::from(self.scale)
    }

    /// Scales a limit of a server: with fewer clients, it is proportionally lower, but never so low that it
    /// limits a single client.
    pub(crate) fn bound(&self, whole: u64, least: u64) -> u64 {
        (whole / u64::from(self.scale)).max(least)
    }
}
