//! The state of what plugins use: sinks and keys.

use serde::{Deserialize, Serialize};

/// The counters of a sink at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SinkCounted {
    /// The sink's name.
    pub sink: String,
    /// Its kind: `file`, `stdout`, `udp`, `syslog`, `http`, `nats` or `otlp`.
    pub kind: String,
    /// Lines accepted from plugins.
    pub queued: u64,
    /// Lines refused because the sink was full.
    pub refused: u64,
    /// Delivered lines, as far as the sink knows; some may have arrived more than once.
    pub delivered: u64,
    /// Lines accepted but lost: refused by the receiver, damaged on disk, or undelivered at shutdown.
    pub dropped: u64,
    /// Deliveries that failed and were retried.
    pub retried: u64,
    /// Lines queued now.
    pub waiting: u64,
    /// Bytes queued on disk now.
    pub spooled_bytes: u64,
    /// Whether the last delivery failed.
    pub broken: bool,
}

/// The state of a bucket of keys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KvState {
    /// The name of the bucket.
    pub bucket: String,
    /// Seconds since the servers stopped answering; `None` if they answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away_seconds: Option<u64>,
    /// Why they do not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The mirrored keys of the plugins of this server.
    pub keys: u64,
    /// The bytes of these keys and of their values.
    pub bytes: u64,
    /// Finished operations.
    pub operations: u64,
    /// Operations that failed because the servers did not answer.
    pub failed: u64,
    /// Reads that were answered with the last known value.
    pub last_known: u64,
    /// Changes that were retried because another server had changed the key.
    pub conflicts: u64,
}
