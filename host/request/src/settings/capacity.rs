//! How much a server has room for.

use super::range::{MAX_COUNT, OutOfRange, number};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a server has room for: its tables and queues are made for as much, and stay so as long as it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", default)]
pub struct Capacity {
    /// Concurrent transfers.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 10_000_000)))]
    pub transfers: usize,
    /// Requests that wait for a decision.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000)))]
    pub pending: usize,
    /// Start and end events that may wait for observers, at least 1. While as many wait, new requests wait for their answer.
    /// The ends of transfers that run then are queued beyond it, one for each.
    #[cfg_attr(
        feature = "schema",
        schemars(
            range(min = 1, max = 1_000_000),
            description = "Start and end events that may wait for `policy.observe`. At the limit, new requests wait."
        )
    )]
    pub events: usize,
}

impl Default for Capacity {
    fn default() -> Self {
        Capacity { transfers: 20_000, pending: 4096, events: 4096 }
    }
}

impl Capacity {
    pub(super) fn check(&self, of: &str) -> Result<(), OutOfRange> {
        let Capacity { transfers, pending, events } = *self;
        for (name, count) in [("transfers", transfers), ("pending", pending), ("events", events)] {
            number(&format!("{of}.{name}"), count, 1..=MAX_COUNT)?;
        }
        Ok(())
    }
}
