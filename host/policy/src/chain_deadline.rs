//! The deadline of the chains for one request.

use std::time::Duration;

use tokio::time::Instant;

/// The longest time limit: longer ones would not fit into the clock.
const MAX_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// The deadline of the chains for one request.
#[derive(Debug, Clone, Copy)]
pub struct ChainDeadline {
    limit: Duration,
    until: Instant,
}

impl ChainDeadline {
    /// Starts the time limit now.
    pub fn of(limit: Duration) -> ChainDeadline {
        let limit = limit.min(MAX_LIMIT);
        ChainDeadline { limit, until: Instant::now() + limit }
    }

    /// The deadline.
    pub fn until(&self) -> Instant {
        self.until
    }

    /// The limit as configured.
    pub fn limit(&self) -> Duration {
        self.limit
    }
}
