//! The section `limits` as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{ByteCount, TimeSpan};

/// Bounds on concurrent transfers, requests, uploads and memory. The server drops requests over a limit and
/// counts them by reason; clients ask again.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Limits {
    /// Concurrent transfers.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub transfers: usize,
    /// Requests that wait for a decision.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub pending: usize,
    /// Half-open transfers: the client has not answered yet. At the limit the oldest makes room, so that a
    /// flood of requests with forged addresses takes no place from real clients. At most `transfers`.
    /// Default: half of `transfers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(min = 1, max = 10_000_000))]
    pub half_open: Option<usize>,
    /// Admitted requests per second, over all clients. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub per_second: Option<u32>,
    /// Requests admitted at once after a pause. Needs `per-second`. Default: the value of `per-second`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub burst: Option<u32>,
    /// What one client may use, over all its ports and all workers.
    pub per_client: PerClient,
    /// Concurrent uploads to one name. A further upload is refused with ERROR 0.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub uploads_per_name: u32,
    /// ERROR packets per second to peers without a transfer, for malformed requests and stray DATA. Beyond it
    /// the server does not answer them.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub errors_per_second: u32,
    /// How long opening a file may take. A request whose root does not answer by then is dropped, so that the client
    /// asks again.
    #[schemars(extend("x-minimum" = "100ms", "x-maximum" = "5m"))]
    pub open_time: TimeSpan,
    /// Memory for the contents of frequently read files; 0B disables the cache, so that reads use the
    /// kernel's page cache.
    pub cache: ByteCount,
    /// How long the server uses cached contents before it reads the file again. Changes of a file show at once by
    /// its size and times, except writes through a memory mapping (mmap), which may leave both as they were.
    #[schemars(extend("x-minimum" = "1s", "x-maximum" = "1d"))]
    pub cache_max_age: TimeSpan,
    /// Start and end events that may wait for `policy.observe`. At the limit, new requests wait.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub events: usize,
}

/// What one client may use. A client is an IPv4 address or the prefix of an IPv6 address. Behind NAT or a
/// load balancer it may be thousands of machines, so the defaults leave them room.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct PerClient {
    /// Concurrent transfers. At most `limits.transfers`. Default: three quarters of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(min = 1, max = 10_000_000))]
    pub transfers: Option<usize>,
    /// Requests that wait for a decision. At most `limits.pending`. Default: three quarters of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(min = 1, max = 1_000_000))]
    pub pending: Option<usize>,
    /// Admitted requests per second. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub per_second: Option<u32>,
    /// Requests admitted at once after a pause. Needs `per-second`. Default: the value of `per-second`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub burst: Option<u32>,
    /// The number of leading bits of an IPv6 address that identify a client. A machine may own a whole /64;
    /// if the machines of a network share one, set 128. Each link-local address is a client. Default: 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u8", range(min = 1, max = 128))]
    pub ipv6_prefix: Option<u8>,
}
