//! Who learns of ended requests inside the process.

use std::sync::Arc;
use tokio::time::Instant;
use tuffet_request::events::Summary;

/// Is passed each ended request exactly once, before the observers are. It must not block.
pub trait Subscriber: Send + 'static {
    /// Takes a request that has ended.
    fn ended(&mut self, summary: &Arc<Summary>, now: Instant);

    /// Returns when [`Subscriber::when_due`] is to be called although no request ends.
    fn due(&self) -> Option<Instant>;

    /// Does what is due at this moment, if anything. Called after each batch of requests, too.
    fn when_due(&mut self, now: Instant);

    /// The last request has ended.
    fn finish(&mut self, now: Instant);
}
