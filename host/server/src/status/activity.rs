//! What a server does at the moment, in numbers.

use serde::{Deserialize, Serialize};
use tuffet_request::events::Outcome;

/// What a server does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Activity {
    /// The listeners, as bound.
    pub listeners: Vec<BoundListener>,
    /// Running transfers.
    pub running: u64,
    /// Those of them that are half-open.
    pub half_open: u64,
    /// Requests that wait for a decision.
    pub pending: u64,
    /// Ended requests of the last minute, by outcome; only outcomes that occurred.
    pub last_minute: Vec<OutcomeCount>,
    /// Requests dropped at limits since the start, by limit; only limits that dropped one.
    pub dropped: Vec<DroppedAtLimit>,
    /// The calls of each plugin since the start.
    pub plugin_calls: Vec<PluginCalls>,
}

/// The calls of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginCalls {
    /// The name of the plugin.
    pub plugin: String,
    /// Attempted calls.
    pub calls: u64,
    /// Those of them that failed, by cause; only causes that occurred.
    pub failures: Vec<(String, u64)>,
}

/// A listener.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundListener {
    /// The name of the listener.
    pub listener: String,
    /// Address and port.
    pub address: String,
}

/// Ended requests with the same outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeCount {
    /// How they ended.
    pub outcome: Outcome,
    /// How many.
    pub count: u64,
}

/// Requests dropped at a limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedAtLimit {
    /// The limit: its key in the configuration, such as `limits.per-client.per-second`.
    pub limit: String,
    /// How many.
    pub requests: u64,
    /// The client of most of them in the last minute, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// How many of them were of that client, at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_client: Option<u64>,
}
