//! Snapshots for the viewers of the live view: one per second, shared by all of them, and none without viewers.

use parking_lot::{Mutex, MutexGuard};
use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};
use tuffet::watch::{Watch, unix_ms};

/// The most viewers.
const MAX_VIEWERS: usize = 16;

/// The most snapshots that a viewer may be behind before it is dropped.
const MAX_BEHIND: usize = 8;

/// The age of the samples in each but the first snapshot, in milliseconds: a few samples, so that a new
/// viewer misses none.
const OVERLAP_MS: u64 = 3_500;

/// The source of the viewers' snapshots. Cheap to clone; clones share it.
pub struct Feed<S = Watch>(Arc<Shared<S>>);

impl<S> Clone for Feed<S> {
    fn clone(&self) -> Self {
        Feed(Arc::clone(&self.0))
    }
}

/// The source of snapshots.
pub trait FeedSource: Send + Sync + 'static {
    /// Waits for the next sample.
    fn next(&self) -> impl Future<Output = ()> + Send;

    /// Returns the current state as JSON, with the samples from `since` on.
    fn snapshot(&self, since: u64) -> Arc<str>;
}

impl FeedSource for Watch {
    fn next(&self) -> impl Future<Output = ()> + Send {
        self.next_second()
    }

    fn snapshot(&self, since: u64) -> Arc<str> {
        // Cannot fail: JSON represents numbers, text and lists.
        serde_json::to_string(&Watch::snapshot(self, since)).unwrap_or_default().into()
    }
}

struct Shared<S> {
    source: S,
    snapshots: broadcast::Sender<Arc<str>>,
    seats: Arc<Semaphore>,
    /// Whether the task that sends snapshots is running.
    is_filled: Mutex<bool>,
}

/// A viewer.
pub struct Viewer {
    first: Option<Arc<str>>,
    rest: broadcast::Receiver<Arc<str>>,
    _seat: OwnedSemaphorePermit,
}

impl<S: FeedSource> Feed<S> {
    /// Creates a feed without viewers.
    pub fn new(source: S) -> Feed<S> {
        let snapshots = broadcast::Sender::new(MAX_BEHIND);
        let seats = Arc::new(Semaphore::new(MAX_VIEWERS));
        Feed(Arc::new(Shared { source, snapshots, seats, is_filled: Mutex::new(false) }))
    }

    /// Adds a viewer; `None` if there are too many. Must be called within a tokio runtime.
    pub fn join(&self) -> Option<Viewer> {
        let seat = Arc::clone(&self.0.seats).try_acquire_owned().ok()?;
        let mut is_filled = self.is_filled();
        let rest = self.0.snapshots.subscribe();
        if !std::mem::replace(&mut *is_filled, true) {
            tokio::spawn(self.clone().fill());
        }
        drop(is_filled);
        Some(Viewer { first: Some(self.0.source.snapshot(0)), rest, _seat: seat })
    }

    /// Sends a snapshot after each second's sample, until there are no viewers.
    async fn fill(self) {
        loop {
            self.0.source.next().await;
            let mut is_filled = self.is_filled();
            if self.0.snapshots.receiver_count() == 0 {
                *is_filled = false;
                return;
            }
            drop(is_filled);
            // The last viewer may have left meanwhile.
            let since = unix_ms(SystemTime::now()).saturating_sub(OVERLAP_MS);
            let _ = self.0.snapshots.send(self.0.source.snapshot(since));
        }
    }

    fn is_filled(&self) -> MutexGuard<'_, bool> {
        self.0.is_filled.lock()
    }
}

impl Viewer {
    /// Returns the next snapshot as JSON, without line ends. The first has all samples, the others the
    /// newest. `None` if this viewer was too slow.
    pub async fn next(&mut self) -> Option<Arc<str>> {
        match self.first.take() {
            Some(first) => Some(first),
            None => self.rest.recv().await.ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use tokio::sync::Notify;

    /// Counts the snapshots; the test triggers the next sample.
    #[derive(Default)]
    struct Counting(AtomicU64, Notify);

    impl FeedSource for Arc<Counting> {
        async fn next(&self) {
            self.1.notified().await;
        }

        fn snapshot(&self, _: u64) -> Arc<str> {
            self.0.fetch_add(1, Relaxed).to_string().into()
        }
    }

    #[test]
    fn one_snapshot_for_all_viewers_and_none_without() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let source = Arc::new(Counting::default());
            let feed = Feed::new(Arc::clone(&source));
            let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
            assert_eq!(tasks(), 0);
            let (mut one, mut two) = (feed.join().expect("a place"), feed.join().expect("a place"));
            assert_eq!(tasks(), 1);
            for viewer in [&mut one, &mut two] {
                viewer.next().await;
            }
            source.1.notify_one();
            assert_eq!((one.next().await.as_deref(), two.next().await.as_deref()), (Some("2"), Some("2")));
            drop((one, two));
            source.1.notify_one();
            while tasks() > 0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(source.0.load(Relaxed), 3, "without viewers");
            let mut again = feed.join().expect("a place");
            assert_eq!((again.next().await.as_deref(), tasks()), (Some("3"), 1));
        });
    }

    #[test]
    fn a_viewer_that_falls_behind_is_dropped() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let snapshots = broadcast::Sender::new(MAX_BEHIND);
        let seat = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("a place");
        let mut viewer = Viewer { first: Some("0".into()), rest: snapshots.subscribe(), _seat: seat };
        let mut next = || runtime.block_on(viewer.next());
        assert_eq!(next().as_deref(), Some("0"));
        let send = |count: usize| {
            for _ in 0..count {
                snapshots.send("1".into()).expect("a viewer");
            }
        };
        send(MAX_BEHIND);
        for _ in 0..MAX_BEHIND {
            assert_eq!(next().as_deref(), Some("1"));
        }
        send(MAX_BEHIND + 1);
        assert_eq!(next(), None);
    }
}
