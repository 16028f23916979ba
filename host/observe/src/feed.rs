//! Snapshots for the viewers of the live view: one per second, shared by all viewers with the same query, and none
//! without viewers.

use parking_lot::{Mutex, MutexGuard};
use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};
use tuffet::watch::{RowQuery, Watch, unix_ms};

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

    /// Returns the current state as JSON, with the samples from `since` on, and the rows that `query` asks for.
    fn snapshot(&self, since: u64, query: &RowQuery) -> Arc<str>;
}

impl FeedSource for Watch {
    fn next(&self) -> impl Future<Output = ()> + Send {
        self.next_second()
    }

    fn snapshot(&self, since: u64, query: &RowQuery) -> Arc<str> {
        // Cannot fail: JSON represents numbers, text and lists.
        serde_json::to_string(&self.snapshot_of(since, query)).unwrap_or_default().into()
    }
}

struct Shared<S> {
    source: S,
    seats: Arc<Semaphore>,
    views: Mutex<Views>,
}

/// The distinct queries of the viewers; at most as many as there are seats.
#[derive(Default)]
struct Views {
    channels: Vec<(RowQuery, broadcast::Sender<Arc<str>>)>,
    /// Whether the task that sends snapshots is running.
    is_filled: bool,
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
        let seats = Arc::new(Semaphore::new(MAX_VIEWERS));
        Feed(Arc::new(Shared { source, seats, views: Mutex::default() }))
    }

    /// Adds a viewer with this query; `None` if there are too many. Must be called within a tokio runtime.
    pub fn join(&self, query: RowQuery) -> Option<Viewer> {
        let seat = Arc::clone(&self.0.seats).try_acquire_owned().ok()?;
        let mut views = self.views();
        let rest = match views.channels.iter().find(|(its, _)| *its == query) {
            Some((_, channel)) => channel.subscribe(),
            None => {
                let channel = broadcast::Sender::new(MAX_BEHIND);
                let rest = channel.subscribe();
                views.channels.push((query.clone(), channel));
                rest
            }
        };
        if !std::mem::replace(&mut views.is_filled, true) {
            tokio::spawn(self.clone().fill());
        }
        drop(views);
        Some(Viewer { first: Some(self.0.source.snapshot(0, &query)), rest, _seat: seat })
    }

    /// Sends snapshots after each second's sample, until there are no viewers.
    async fn fill(self) {
        loop {
            self.0.source.next().await;
            let channels = {
                let mut views = self.views();
                views.channels.retain(|(_, channel)| channel.receiver_count() > 0);
                if views.channels.is_empty() {
                    views.is_filled = false;
                    return;
                }
                views.channels.clone()
            };
            let since = unix_ms(SystemTime::now()).saturating_sub(OVERLAP_MS);
            for (query, channel) in channels {
                // The last viewer may have left meanwhile.
                let _ = channel.send(self.0.source.snapshot(since, &query));
                // Other tasks have their turn between two queries.
                tokio::task::yield_now().await;
            }
        }
    }

    fn views(&self) -> MutexGuard<'_, Views> {
        self.0.views.lock()
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

        fn snapshot(&self, _: u64, query: &RowQuery) -> Arc<str> {
            format!("{}{}", query.sort(), self.0.fetch_add(1, Relaxed)).into()
        }
    }

    fn query(sort: &str) -> RowQuery {
        RowQuery::parse(sort, "").expect("a query")
    }

    #[test]
    fn one_snapshot_for_all_viewers_and_none_without() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let source = Arc::new(Counting::default());
            let feed = Feed::new(Arc::clone(&source));
            let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
            assert_eq!(tasks(), 0);
            let (mut one, mut two) =
                (feed.join(query("")).expect("a place"), feed.join(query("")).expect("a place"));
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
            let mut again = feed.join(query("")).expect("a place");
            assert_eq!((again.next().await.as_deref(), tasks()), (Some("3"), 1));
        });
    }

    #[test]
    fn each_query_has_its_snapshot_and_none_after_its_last_viewer() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let source = Arc::new(Counting::default());
            let feed = Feed::new(Arc::clone(&source));
            let join = |sort: &str| feed.join(query(sort)).expect("a place");
            let (mut plain, mut slow, mut slow_too) = (join(""), join("-rate"), join("-rate"));
            for viewer in [&mut plain, &mut slow, &mut slow_too] {
                viewer.next().await;
            }
            source.1.notify_one();
            assert_eq!(plain.next().await.as_deref(), Some("3"));
            let both = (slow.next().await, slow_too.next().await);
            assert_eq!((both.0.as_deref(), both.1.as_deref()), (Some("-rate4"), Some("-rate4")));
            drop((slow, slow_too));
            source.1.notify_one();
            assert_eq!(plain.next().await.as_deref(), Some("5"), "one query is left");
            let crowd: Vec<_> = (1..MAX_VIEWERS).map(|_| join("age")).collect();
            assert!(feed.join(query("age")).is_none(), "{} viewers", crowd.len());
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
