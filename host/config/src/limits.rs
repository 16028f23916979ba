//! The section `limits`: bounds on concurrent transfers, requests, uploads and memory.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::units::{ByteCount, TimeSpan, plain};
use tuffet_request::{PerSecond, settings};

use super::resolver::Resolver;

/// Bounds on concurrent transfers, requests, uploads and memory. The server drops requests over a limit and
/// counts them by reason; clients ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Limits {
    /// Concurrent transfers.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub transfers: usize,
    /// Requests that wait for a decision.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub pending: usize,
    /// Half-open transfers: the client has not answered yet. At the limit the oldest makes room, so that a flood of
    /// requests with forged addresses does not block real clients. At most `transfers`. Default: half of `transfers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(min = 1, max = 10_000_000))]
    half_open: Option<usize>,
    /// Admitted requests per second, over all clients. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    per_second: Option<u32>,
    /// Requests admitted at once after a pause. Needs `per-second`. Default: the value of `per-second`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    burst: Option<u32>,
    /// What one client may use, over all its ports and all workers.
    per_client: PerClient,
    /// Concurrent uploads to one name. A client has at most as many as remain for others; a request beyond that is
    /// dropped.
    #[schemars(range(min = 1, max = 1_000_000))]
    uploads_per_name: u32,
    /// ERROR packets per second to peers without a transfer, for malformed requests and stray DATA. Beyond it
    /// the server does not answer them.
    #[schemars(range(min = 1, max = 1_000_000))]
    errors_per_second: u32,
    /// How long opening a file may take. If the root does not answer by then, the request is dropped, so that the
    /// client asks again.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "100ms", "x-maximum" = "5m"))]
    pub open_time: Duration,
    /// How long a disk may take to write what waits of an upload. Its client then gets an ERROR. Default: as long as the
    /// client may be silent (`transfer.retransmit.give-up`, or three times its option `timeout`).
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    write_time: Option<Duration>,
    /// How long a root may take to make a complete upload durable: to sync its file and rename it, or to send it to an
    /// origin. The client then gets an ERROR although the upload may become visible later, so leave a slow disk the time
    /// that it needs for the largest upload. Default: 10m.
    #[serde(with = "plain", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1h"))]
    commit_time: Option<Duration>,
    /// Memory for the contents of frequently read files; 0B disables the cache, so that reads use the
    /// kernel's page cache.
    #[serde(with = "plain")]
    #[schemars(with = "ByteCount")]
    pub cache: u64,
    /// How long the server uses cached contents before it reads the file again. Changes of a file show at once by
    /// its size and times, except writes through a memory mapping (mmap), which may leave both as they were.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "1s", "x-maximum" = "1d"))]
    pub cache_max_age: Duration,
    /// Start and end events that may wait for `policy.observe`. At the limit, new requests wait.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub events: usize,
}

/// What one client may use. A client is an IPv4 address or the prefix of an IPv6 address. Behind NAT or a
/// load balancer it may be thousands of machines, so the defaults leave them room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct PerClient {
    /// Concurrent transfers. At most `limits.transfers`. Default: three quarters of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(min = 1, max = 10_000_000))]
    transfers: Option<usize>,
    /// Requests that wait for a decision. At most `limits.pending`. Default: three quarters of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(min = 1, max = 1_000_000))]
    pending: Option<usize>,
    /// Admitted requests per second. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    per_second: Option<u32>,
    /// Requests admitted at once after a pause. Needs `per-second`. Default: the value of `per-second`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    burst: Option<u32>,
    /// The number of leading bits of an IPv6 address that identify a client. A machine may own a whole /64;
    /// if the machines of a network share one, set 128. Each link-local address is a client. Default: 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u8", range(min = 1, max = 128))]
    ipv6_prefix: Option<u8>,
}

impl Default for Limits {
    fn default() -> Self {
        let (limits, capacity) = (settings::Limits::default(), settings::Capacity::default());
        Self {
            transfers: capacity.transfers,
            pending: capacity.pending,
            half_open: None,
            per_second: None,
            burst: None,
            per_client: PerClient::default(),
            uploads_per_name: limits.uploads_per_name,
            errors_per_second: limits.errors_per_second,
            open_time: limits.open_time,
            write_time: None,
            commit_time: None,
            cache: limits.cache,
            cache_max_age: limits.cache_max_age,
            events: capacity.events,
        }
    }
}

impl Limits {
    /// Returns those that a reload may change, as the server takes them.
    pub(crate) fn settings(&self) -> settings::Limits {
        let rate = |rate: Option<u32>, burst: Option<u32>| {
            rate.map(|per_second| PerSecond { per_second, burst: burst.unwrap_or(per_second) })
        };
        let client = &self.per_client;
        settings::Limits {
            half_open: self.half_open,
            per_second: rate(self.per_second, self.burst),
            per_client: settings::PerClient {
                transfers: client.transfers,
                pending: client.pending,
                per_second: rate(client.per_second, client.burst),
                ipv6_prefix: client.ipv6_prefix,
            },
            uploads_per_name: self.uploads_per_name,
            errors_per_second: self.errors_per_second,
            open_time: self.open_time,
            write_time: self.write_time,
            commit_time: self.commit_time,
            cache: self.cache,
            cache_max_age: self.cache_max_age,
            // Only programs supply contents that are read ahead.
            ..settings::Limits::default()
        }
    }

    /// Returns what tables and queues have room for.
    pub(crate) fn capacity(&self) -> settings::Capacity {
        settings::Capacity { transfers: self.transfers, pending: self.pending, events: self.events }
    }

    /// The admitted requests per second: of all clients together, and of one.
    pub(crate) fn rates(&self) -> (Option<u32>, Option<u32>) {
        (self.per_second, self.per_client.per_second)
    }

    /// The keys that cannot change while the server runs, and whether they differ.
    pub(crate) fn fixed(&self, next: &Self) -> Vec<(&'static str, bool)> {
        vec![
            ("limits.transfers", self.transfers != next.transfers),
            ("limits.pending", self.pending != next.pending),
            ("limits.events", self.events != next.events),
        ]
    }
}

impl Resolver<'_> {
    pub(crate) fn limits(&mut self, limits: &Limits) {
        let client = &limits.per_client;
        for (part, key, of, all) in [
            (limits.half_open, "half-open", "transfers", limits.transfers),
            (client.transfers, "per-client/transfers", "transfers", limits.transfers),
            (client.pending, "per-client/pending", "pending", limits.pending),
        ] {
            if let Some(part) = part.filter(|part| *part > all) {
                let message = format!(
                    "{part} exceeds the total of {all} (`limits.{of}`); lower it, raise the total, or remove it"
                );
                self.wrong(format!("/limits/{key}"), message);
            }
        }
        for (section, rate, burst) in [
            ("/limits", limits.per_second, limits.burst),
            ("/limits/per-client", client.per_second, client.burst),
        ] {
            if rate.is_none() && burst.is_some() {
                let message = "`burst` needs `per-second`; add it, or remove `burst`";
                self.wrong(format!("{section}/burst"), message);
            }
        }
    }
}
