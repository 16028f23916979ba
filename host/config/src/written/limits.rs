//! Who may take how much.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{ByteCount, TimeSpan};

/// How much is accepted at a time. Requests over a limit are not answered, and counted by reason: clients ask
/// again.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Limits {
    /// Transfers in all.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub transfers: usize,
    /// Requests that wait for a decision.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub pending: usize,
    /// Transfers whose client has not answered yet. One more, and the oldest of them makes room: so a flood of
    /// requests in the names of others takes no place from who answers. At most `transfers`; without it, half
    /// of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(min = 1, max = 10_000_000))]
    pub half_open: Option<usize>,
    /// Requests that are admitted in a second, of all clients together. Without it, as many as come.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub per_second: Option<u32>,
    /// Requests that are admitted at once after a pause; only with `per-second`. Without it, as many as in a
    /// second.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub burst: Option<u32>,
    /// What one client may take of it, whatever its ports and whichever workers it meets.
    pub per_client: PerClient,
    /// Uploads to one name at once. One more is refused with ERROR 0.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub uploads_per_name: u32,
    /// ERRORs in a second to who has no transfer: for malformed requests and stray DATA. What is over it is
    /// not answered.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub errors_per_second: u32,
    /// Memory for the contents of hot files; 0B reads every file from the disk's own cache.
    pub cache: ByteCount,
    /// How long a content is used from memory before it is read from the disk again. A change of the file shows at
    /// once by its size and times, but for writes through a memory mapping (mmap), which may leave both as they
    /// were: they show after this time at the latest.
    #[schemars(extend("x-minimum" = "1s", "x-maximum" = "1d"))]
    pub cache_max_age: TimeSpan,
    /// Starts and ends of transfers that wait for `policy.observe`; then new requests wait.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub events: usize,
}

/// What one client may take of it. A client is an IPv4 address or the beginning of an IPv6 address; behind NAT
/// or a load balancer it may be thousands of machines, so what is not configured leaves them room.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct PerClient {
    /// Transfers. At most `limits.transfers`; without it, three quarters of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(min = 1, max = 10_000_000))]
    pub transfers: Option<usize>,
    /// Requests that wait for a decision. At most `limits.pending`; without it, three quarters of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "usize", range(min = 1, max = 1_000_000))]
    pub pending: Option<usize>,
    /// Requests that are admitted in a second. Without it, as many as come.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub per_second: Option<u32>,
    /// Requests that are admitted at once after a pause; only with `per-second`. Without it, as many as in a
    /// second.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 1_000_000))]
    pub burst: Option<u32>,
    /// How many leading bits of an IPv6 address are one client. A machine may have a whole /64 to itself; where
    /// the machines of a network share one, write 128. Without it, 64. Link-local addresses are a client each.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u8", range(min = 1, max = 128))]
    pub ipv6_prefix: Option<u8>,
}
