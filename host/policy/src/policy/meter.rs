//! The computing time of a guest.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Sums the time in which the future of a call is polled: the guest's computing time, without its sleep and
/// without the time of others after it has yielded.
#[derive(Debug)]
pub(super) struct Meter {
    origin: Instant,
    /// Nanoseconds of all polls that are over.
    spent: AtomicU64,
    /// Nanoseconds from `origin` to the start of the poll that runs.
    since: AtomicU64,
}

impl Meter {
    pub fn new() -> Arc<Meter> {
        Arc::new(Meter { origin: Instant::now(), spent: AtomicU64::new(0), since: AtomicU64::new(0) })
    }

    /// Starts at nothing again, for the next call of an instance that is kept.
    pub fn reset(&self) {
        self.spent.store(0, Ordering::Relaxed);
    }

    /// The time so far. Only for use from within the metered future.
    pub fn spent(&self) -> Duration {
        let running = self.now().saturating_sub(self.since.load(Ordering::Relaxed));
        Duration::from_nanos(self.spent.load(Ordering::Relaxed).saturating_add(running))
    }

    /// The time of the call that is over.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.spent.load(Ordering::Relaxed))
    }

    /// Meters a future.
    pub async fn run<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        std::future::poll_fn(|context| {
            self.since.store(self.now(), Ordering::Relaxed);
            let polled = future.as_mut().poll(context);
            let ran = self.now().saturating_sub(self.since.load(Ordering::Relaxed));
            self.spent.fetch_add(ran, Ordering::Relaxed);
            polled
        })
        .await
    }

    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
