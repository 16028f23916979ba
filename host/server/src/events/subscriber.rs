//! The subscriber to ended requests, inside the process.

use std::sync::Arc;
use tokio::time::Instant;
use tuffet_request::events::Summary;

/// Gets each ended request exactly once, before the observers. It must not block.
pub trait Subscriber: Send + 'static {
    /// Takes an ended request.
    fn ended(&mut self, summary: &Arc<Summary>, now: Instant);

    /// Returns when to call [`Subscriber::when_due`] if no request ends.
    fn due(&self) -> Option<Instant>;

    /// Does the work that is due, if any. Also called after each batch of requests.
    fn when_due(&mut self, now: Instant);

    /// The last request has ended.
    fn finish(&mut self, now: Instant);
}
