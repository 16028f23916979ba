//! Bounds on clients, uploads and memory.

use super::{Capacity, SettingNames, Transfer};
use crate::{Bounds, PerSecond};
use std::time::Duration;

/// The default number of leading bits of an IPv6 address that identify a client: the usual prefix of a machine's
/// network.
const IPV6_PREFIX: u8 = 64;

/// Bounds on clients, uploads and memory. The server drops requests over a limit; clients ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Half-open transfers: the client has not answered yet. `None`: half of [`Capacity::transfers`].
    pub half_open: Option<usize>,
    /// Admitted requests per second, over all clients; `None` for no limit.
    pub per_second: Option<PerSecond>,
    /// What one client may use.
    pub per_client: PerClient,
    /// Concurrent uploads to one name, at least 1.
    pub uploads_per_name: u32,
    /// ERROR packets per second to peers without a transfer, at least 1.
    pub errors_per_second: u32,
    /// How long opening a file may take before the request is dropped.
    pub open_time: Duration,
    /// How long writing what waits of an upload may take, 1 ms to 1 h; a sink is aborted then. `None`: as long as the client
    /// may be silent ([`Retransmit::give_up`](super::Retransmit::give_up), or three times its option `timeout`).
    pub write_time: Option<Duration>,
    /// How long storing a complete upload may take, 1 ms to 1 h, including the wait for earlier uploads to its name. A sink
    /// is aborted then. A folder goes on: the client gets an ERROR, and the upload may become visible later. `None`: for a
    /// sink as long as its client may be silent; for folders and origins, which may have much to sync or to send, 10
    /// minutes.
    pub commit_time: Option<Duration>,
    /// Memory in bytes for the contents of frequently read files; 0 disables that cache.
    pub cache: u64,
    /// How long cached contents are used before the file is read again.
    pub cache_max_age: Duration,
    /// Memory in bytes for pieces of contents that the program supplies and that are read ahead of their transfers.
    /// Transfers that find no room in it wait for each other. A piece that is larger than all of it is read alone, so 0 has
    /// them read one after the other.
    pub read_ahead: u64,
}

/// What one client may use, over all its ports: an IPv4 address, or the prefix of an IPv6 address.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PerClient {
    /// Concurrent transfers. `None`: three quarters of [`Capacity::transfers`].
    pub transfers: Option<usize>,
    /// Requests that wait for a decision. `None`: three quarters of [`Capacity::pending`].
    pub pending: Option<usize>,
    /// Admitted requests per second; `None` for no limit.
    pub per_second: Option<PerSecond>,
    /// The number of leading bits of an IPv6 address that identify a client, 1 to 128. `None`: 64.
    pub ipv6_prefix: Option<u8>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            half_open: None,
            per_second: None,
            per_client: PerClient::default(),
            uploads_per_name: 16,
            errors_per_second: 1000,
            open_time: Duration::from_secs(5),
            write_time: None,
            commit_time: None,
            cache: 256 << 20,
            cache_max_age: Duration::from_secs(60),
            read_ahead: 64 << 20,
        }
    }
}

impl Limits {
    /// Returns the limits that workers enforce, with the defaults that follow from others.
    pub(super) fn bounds(&self, capacity: &Capacity, transfer: &Transfer) -> Bounds {
        let client = &self.per_client;
        // One address may be a whole site behind NAT or a load balancer, but other clients need room, too.
        let share = |given: Option<usize>, all: usize| {
            u32::try_from(given.unwrap_or((all - all / 4).max(1))).unwrap_or(u32::MAX)
        };
        let errors = self.errors_per_second;
        Bounds {
            half_open: self.half_open.unwrap_or(capacity.transfers.div_ceil(2)),
            per_second: self.per_second,
            client_transfers: share(client.transfers, capacity.transfers),
            client_pending: share(client.pending, capacity.pending),
            client_per_second: client.per_second,
            ipv6_prefix: client.ipv6_prefix.unwrap_or(IPV6_PREFIX),
            errors_per_second: Some(PerSecond { per_second: errors, burst: errors }),
            uploads_per_name: self.uploads_per_name,
            least_rate: transfer.least_rate,
            max_duration: transfer.max_duration,
            names: SettingNames::default(),
        }
    }
}
