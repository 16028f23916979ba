//! Bounds on clients, uploads and memory.

use super::range::{MAX_COUNT, OutOfRange, optional};
use super::retransmit::TIMES;
use super::{Capacity, SettingNames, Transfer};
use crate::units::plain;
#[cfg(feature = "schema")]
use crate::units::{ByteCount, TimeSpan};
use crate::{Bounds, PerSecond};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The default number of leading bits of an IPv6 address that identify a client: the usual prefix of a machine's
/// network.
const IPV6_PREFIX: u8 = 64;

/// Bounds on clients, uploads and memory. The server drops requests over a limit and counts them by reason; clients ask
/// again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", default)]
pub struct Limits {
    /// Half-open transfers: the client has not answered yet. At the limit the oldest makes room, so that a flood of
    /// requests with forged addresses does not block real clients. At most `transfers`. Default: half of `transfers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "usize", range(min = 1, max = 10_000_000)))]
    pub half_open: Option<usize>,
    /// Admitted requests per second, over all clients. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32", range(min = 1, max = 1_000_000)))]
    pub per_second: Option<u32>,
    /// Requests admitted at once after a pause. Needs `per-second`. Default: the value of `per-second`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32", range(min = 1, max = 1_000_000)))]
    pub burst: Option<u32>,
    /// What one client may use, over all its ports and all workers.
    pub per_client: PerClient,
    /// Concurrent uploads to one name. A client has at most as many as remain for others; a request beyond that is
    /// dropped.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000)))]
    pub uploads_per_name: u32,
    /// ERROR packets per second to peers without a transfer, for malformed requests and stray DATA. Beyond it
    /// the server does not answer them.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000)))]
    pub errors_per_second: u32,
    /// How long opening a file may take. If the root does not answer by then, the request is dropped, so that the
    /// client asks again.
    #[serde(with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "TimeSpan", extend("x-minimum" = "100ms", "x-maximum" = "5m"))
    )]
    pub open_time: Duration,
    /// How long writing what waits of an upload may take, 1 ms to 1 h; a sink is aborted then. `None`: as long as the client
    /// may be silent ([`Retransmit::give_up`](super::Retransmit::give_up), or three times its option `timeout`).
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(
            with = "TimeSpan",
            extend("x-minimum" = "1ms", "x-maximum" = "1h"),
            description = "How long a disk may take to write what waits of an upload. Its client then gets an ERROR. \
                           Default: as long as the client may be silent (`transfer.retransmit.give-up`, or three times its \
                           option `timeout`)."
        )
    )]
    pub write_time: Option<Duration>,
    /// How long storing a complete upload may take, 1 ms to 1 h, including the wait for earlier uploads to its name. A sink
    /// is aborted then. A folder goes on: the client gets an ERROR, and the upload may become visible later. `None`: for a
    /// sink as long as its client may be silent; for folders and origins, which may have much to sync or to send, 10
    /// minutes.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(
            with = "TimeSpan",
            extend("x-minimum" = "1ms", "x-maximum" = "1h"),
            description = "How long a root may take to make a complete upload durable: to sync its file and rename it, or \
                           to send it to an origin. The client then gets an ERROR although the upload may become visible \
                           later, so leave a slow disk the time that it needs for the largest upload. Default: 10m."
        )
    )]
    pub commit_time: Option<Duration>,
    /// Memory for the contents of frequently read files; 0B disables the cache, so that reads use the
    /// kernel's page cache.
    #[serde(with = "plain")]
    #[cfg_attr(feature = "schema", schemars(with = "ByteCount"))]
    pub cache: u64,
    /// How long the server uses cached contents before it reads the file again. Changes of a file show at once by
    /// its size and times, except writes through a memory mapping (mmap), which may leave both as they were.
    #[serde(with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "TimeSpan", extend("x-minimum" = "1s", "x-maximum" = "1d"))
    )]
    pub cache_max_age: Duration,
    /// Memory in bytes for pieces of contents that the program supplies and that are read ahead of their transfers.
    /// Transfers that find no room in it wait for each other. A piece that is larger than all of it is read alone, so 0 has
    /// them read one after the other.
    // No key: only programs supply contents that are read ahead.
    #[serde(skip)]
    pub read_ahead: u64,
}

/// What one client may use. A client is an IPv4 address or the prefix of an IPv6 address. Behind NAT or a
/// load balancer it may be thousands of machines, so the defaults leave them room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct PerClient {
    /// Concurrent transfers. At most `limits.transfers`. Default: three quarters of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "usize", range(min = 1, max = 10_000_000)))]
    pub transfers: Option<usize>,
    /// Requests that wait for a decision. At most `limits.pending`. Default: three quarters of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "usize", range(min = 1, max = 1_000_000)))]
    pub pending: Option<usize>,
    /// Admitted requests per second. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32", range(min = 1, max = 1_000_000)))]
    pub per_second: Option<u32>,
    /// Requests admitted at once after a pause. Needs `per-second`. Default: the value of `per-second`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32", range(min = 1, max = 1_000_000)))]
    pub burst: Option<u32>,
    /// The number of leading bits of an IPv6 address that identify a client. A machine may own a whole /64;
    /// if the machines of a network share one, set 128. Each link-local address is a client. Default: 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u8", range(min = 1, max = 128)))]
    pub ipv6_prefix: Option<u8>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            half_open: None,
            per_second: None,
            burst: None,
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
    pub(super) fn check(&self, of: &str) -> Result<(), OutOfRange> {
        let client = &self.per_client;
        let counts = [
            ("uploads_per_name", Some(self.uploads_per_name as usize)),
            ("errors_per_second", Some(self.errors_per_second as usize)),
            ("half_open", self.half_open),
            ("per_client.transfers", client.transfers),
            ("per_client.pending", client.pending),
        ];
        for (name, count) in counts {
            optional(&format!("{of}.{name}"), count, 1..=MAX_COUNT)?;
        }
        optional(&format!("{of}.per_client.ipv6_prefix"), client.ipv6_prefix, 1..=128)?;
        let rates =
            [("burst", self.per_second, self.burst), ("per_client.burst", client.per_second, client.burst)];
        for (name, rate, burst) in rates {
            let has_rate = rate.is_some() || burst.is_none();
            OutOfRange::unless(has_rate, &format!("{of}.{name}"), "beside `per_second`")?;
        }
        OutOfRange::unless(!self.open_time.is_zero(), &format!("{of}.open_time"), "more than 0")?;
        for (name, time) in [("write_time", self.write_time), ("commit_time", self.commit_time)] {
            let is_good = time.is_none_or(|time| TIMES.contains(&time));
            OutOfRange::unless(is_good, &format!("{of}.{name}"), "1 ms to 1 h")?;
        }
        Ok(())
    }

    /// Returns the limits that workers enforce, with the defaults that follow from others.
    pub(super) fn bounds(&self, capacity: &Capacity, transfer: &Transfer) -> Bounds {
        let client = &self.per_client;
        // One address may be a whole site behind NAT or a load balancer, but other clients need room, too.
        let share = |given: Option<usize>, all: usize| {
            u32::try_from(given.unwrap_or((all - all / 4).max(1))).unwrap_or(u32::MAX)
        };
        let rate = |per_second: Option<u32>, burst: Option<u32>| {
            per_second.map(|per_second| PerSecond { per_second, burst: burst.unwrap_or(per_second) })
        };
        Bounds {
            half_open: self.half_open.unwrap_or(capacity.transfers.div_ceil(2)),
            per_second: rate(self.per_second, self.burst),
            client_transfers: share(client.transfers, capacity.transfers),
            client_pending: share(client.pending, capacity.pending),
            client_per_second: rate(client.per_second, client.burst),
            ipv6_prefix: client.ipv6_prefix.unwrap_or(IPV6_PREFIX),
            errors_per_second: rate(Some(self.errors_per_second), None),
            uploads_per_name: self.uploads_per_name,
            least_rate: transfer.least_rate,
            max_duration: transfer.max_duration,
            names: SettingNames::default(),
        }
    }
}
