//! What a worker counts and others read: plain atomics, written by one thread.

use std::sync::atomic::{AtomicU64, Ordering};

/// One number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Called by the owning worker alone.
    pub(super) fn add(&self, count: u64) {
        if count > 0 {
            self.0.fetch_add(count, Ordering::Relaxed);
        }
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counters of one worker.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Requests dropped because a limit was reached; clients ask again.
    pub(crate) overload: Counter,
    /// Datagrams that belong to no transfer and are no request.
    pub(crate) stray: Counter,
    /// Requests that could not be understood.
    pub(crate) malformed: Counter,
    /// Datagrams that the kernel did not take.
    pub(crate) send_lost: Counter,
    /// Errors while receiving.
    pub(crate) receive_errors: Counter,
}
