//! The state of a bucket of keys, for status, metrics and readiness.

use serde::{Deserialize, Serialize};

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
