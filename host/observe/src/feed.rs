//! Snapshots for the viewers of the live view: one per second, shared by all viewers with the same query, and none
//! without viewers.
//!
//! Viewers have seats. When all are taken, a peer with fewer viewers than another one takes a seat of that one, so that
//! no peer keeps others out.

use crate::peer::Peer;
use parking_lot::{Mutex, MutexGuard};
use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::{Notify, broadcast};
use tuffet_server::watch::{RowQuery, Watch, unix_ms};

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
    seats: Arc<Mutex<Seats>>,
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
    _seat: Seat,
}

/// The seats of the viewers, oldest first.
#[derive(Default)]
struct Seats {
    taken: Vec<TakenSeat>,
    /// The number of the next seat.
    next: u64,
}

struct TakenSeat {
    number: u64,
    peer: Peer,
    leave: Arc<Notify>,
}

/// The seat of a viewer, free again on drop.
struct Seat {
    seats: Arc<Mutex<Seats>>,
    number: u64,
}

impl<S: FeedSource> Feed<S> {
    /// Creates a feed without viewers.
    pub fn new(source: S) -> Feed<S> {
        Feed(Arc::new(Shared { source, seats: Arc::default(), views: Mutex::default() }))
    }

    /// Adds a viewer with this query; `None` if there are too many, and no peer has more of them than this one would
    /// have. `leave` is notified when another peer takes the seat; the connection must then be closed. Must be called
    /// within a tokio runtime.
    pub fn join(&self, query: RowQuery, peer: Peer, leave: Arc<Notify>) -> Option<Viewer> {
        let number = self.0.seats.lock().take(peer, leave)?;
        let seat = Seat { seats: Arc::clone(&self.0.seats), number };
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

impl Seats {
    /// Takes a seat, if need be the newest one of the peer with the most.
    fn take(&mut self, peer: Peer, leave: Arc<Notify>) -> Option<u64> {
        if self.taken.len() >= MAX_VIEWERS {
            let most = self.taken.iter().map(|seat| seat.peer).max_by_key(|peer| self.count(*peer))?;
            // With fewer, the two would take seats from each other for ever.
            if self.count(most) < self.count(peer) + 2 {
                return None;
            }
            let at = self.taken.iter().rposition(|seat| seat.peer == most)?;
            self.taken.remove(at).leave.notify_one();
        }
        let number = self.next;
        self.next += 1;
        self.taken.push(TakenSeat { number, peer, leave });
        Some(number)
    }

    fn count(&self, peer: Peer) -> usize {
        self.taken.iter().filter(|seat| seat.peer == peer).count()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.lock().taken.retain(|seat| seat.number != self.number);
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

    fn join<S: FeedSource>(feed: &Feed<S>, sort: &str, peer: u8) -> Option<Viewer> {
        let query = RowQuery::parse(sort, "").expect("a query");
        feed.join(query, Peer::of([192, 0, 2, peer].into()), Arc::default())
    }

    #[test]
    fn no_peer_keeps_others_out() {
        let mut seats = Seats::default();
        let leave: Vec<Arc<Notify>> = (0..MAX_VIEWERS).map(|_| Arc::default()).collect();
        let peer = |last| Peer::of([192, 0, 2, last].into());
        for leave in &leave {
            assert!(seats.take(peer(1), leave.clone()).is_some());
        }
        assert_eq!(seats.take(peer(1), Arc::default()), None, "it has them all");
        // Others take its newest seats, until all have the same number.
        for _ in 0..MAX_VIEWERS / 2 {
            assert!(seats.take(peer(2), Arc::default()).is_some());
        }
        assert_eq!(seats.take(peer(2), Arc::default()), None);
        let has_left = |leave: &Notify| {
            std::pin::pin!(leave.notified())
                .poll(&mut std::task::Context::from_waker(std::task::Waker::noop()))
                .is_ready()
        };
        let left: Vec<bool> = leave.iter().map(|leave| has_left(leave)).collect();
        let due: Vec<bool> = (0..MAX_VIEWERS).map(|number| number >= MAX_VIEWERS / 2).collect();
        assert_eq!(left, due);
        assert!(seats.take(Peer::User(Some(0)), Arc::default()).is_some());
        assert_eq!((seats.count(peer(1)), seats.taken.len()), (MAX_VIEWERS / 2, MAX_VIEWERS));
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
                (join(&feed, "", 1).expect("a place"), join(&feed, "", 1).expect("a place"));
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
            let mut again = join(&feed, "", 1).expect("a place");
            assert_eq!((again.next().await.as_deref(), tasks()), (Some("3"), 1));
        });
    }

    #[test]
    fn each_query_has_its_snapshot_and_none_after_its_last_viewer() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let source = Arc::new(Counting::default());
            let feed = Feed::new(Arc::clone(&source));
            let join_one = |sort: &str| join(&feed, sort, 1).expect("a place");
            let (mut plain, mut slow, mut slow_too) = (join_one(""), join_one("-rate"), join_one("-rate"));
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
            let crowd: Vec<_> = (1..MAX_VIEWERS).map(|_| join_one("age")).collect();
            assert!(join(&feed, "age", 1).is_none(), "{} viewers", crowd.len());
        });
    }

    #[test]
    fn a_viewer_that_falls_behind_is_dropped() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let snapshots = broadcast::Sender::new(MAX_BEHIND);
        let seat = Seat { seats: Arc::default(), number: 0 };
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
