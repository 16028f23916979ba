//! How much a server has room for.

/// What a server has room for: its tables and queues are made for as much, and stay so as long as it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Concurrent transfers, at least 1. The server drops requests beyond it.
    pub transfers: usize,
    /// Requests that wait for a decision, at least 1. The server drops others.
    pub pending: usize,
    /// Start and end events that may wait for observers, at least 1. While as many wait, new requests wait for their answer.
    /// The ends of transfers that run then are queued beyond it, one for each.
    pub events: usize,
}

impl Default for Capacity {
    fn default() -> Self {
        Capacity { transfers: 20_000, pending: 4096, events: 4096 }
    }
}
