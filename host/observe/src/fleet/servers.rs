//! The view of all servers for the page. Follows NATS only while there is a viewer.

use super::{Fleet, FleetWatcher};
use crate::feed::FeedSource;
use parking_lot::Mutex;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::Notify;
use tokio::time::sleep;
use tuffet_config::EventsSpec;
use tuffet_server::status::{Reason, ServerState};
use tuffet_server::watch::{RowQuery, Snapshot};

/// How long NATS is followed after the last request of a viewer.
const FOLLOW_TIME: Duration = Duration::from_secs(5);
/// The pause before the next connection.
const PAUSE: Duration = Duration::from_secs(1);

/// All servers that publish on the same subject. Cheap to clone; clones share it.
#[derive(Clone)]
pub struct Servers(Arc<Shared>);

struct Shared {
    spec: EventsSpec,
    latest: Mutex<Arc<Snapshot>>,
    arrived: Notify,
    /// Time of the last request of a viewer.
    last_viewed: Mutex<Instant>,
    /// Whether a thread follows NATS.
    is_followed: AtomicBool,
}

impl Servers {
    /// Creates the view. It follows the servers from the first request on.
    pub fn new(spec: EventsSpec) -> Servers {
        Servers(Arc::new(Shared {
            spec,
            latest: Mutex::new(Arc::new(empty_view(None))),
            arrived: Notify::new(),
            last_viewed: Mutex::new(Instant::now()),
            is_followed: AtomicBool::new(false),
        }))
    }

    fn note_view(&self) {
        *self.0.last_viewed.lock() = Instant::now();
        if self.0.is_followed.swap(true, SeqCst) {
            return;
        }
        let servers = self.clone();
        let run = move || {
            match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime.block_on(servers.follow()),
                Err(error) => servers.set_latest(empty_view(Some(error.to_string()))),
            }
            servers.0.is_followed.store(false, SeqCst);
            servers.0.arrived.notify_waiters();
        };
        if let Err(error) = std::thread::Builder::new().name("tuffet-servers".into()).spawn(run) {
            self.0.is_followed.store(false, SeqCst);
            tracing::warn!(target: "tuffet::events", %error, "the view of all servers has no thread");
        }
    }

    async fn follow(&self) {
        while self.0.last_viewed.lock().elapsed() < FOLLOW_TIME {
            let why = match FleetWatcher::open(&self.0.spec.servers, &self.0.spec.subject).await {
                Ok(mut watcher) => loop {
                    if self.0.last_viewed.lock().elapsed() > FOLLOW_TIME {
                        return;
                    }
                    match watcher.next().await {
                        Ok(snapshot) => self.set_latest(snapshot),
                        Err(why) => break why,
                    }
                },
                Err(why) => why,
            };
            self.set_latest(empty_view(Some(why)));
            sleep(PAUSE).await;
        }
    }

    fn set_latest(&self, snapshot: Snapshot) {
        *self.0.latest.lock() = Arc::new(snapshot);
        self.0.arrived.notify_waiters();
    }
}

impl FeedSource for Servers {
    fn next(&self) -> impl Future<Output = ()> + Send {
        self.note_view();
        let servers = self.clone();
        async move {
            // The thread may have ended in between.
            tokio::select! {
                () = servers.0.arrived.notified() => {}
                () = sleep(FOLLOW_TIME) => {}
            }
        }
    }

    fn snapshot(&self, _: u64, query: &RowQuery) -> Arc<str> {
        let latest = Arc::clone(&self.0.latest.lock());
        if query.is_default() {
            return text(&latest);
        }
        // Each server publishes the ends of its list; among these rows the query looks.
        let mut snapshot = Snapshot::clone(&latest);
        query.apply(&mut snapshot);
        text(&snapshot)
    }
}

/// Creates a view without servers, with the reason of a failure.
fn empty_view(why: Option<String>) -> Snapshot {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    let mut snapshot = Fleet::new(now).merged(Instant::now(), now);
    if let Some(detail) = why {
        snapshot.state = ServerState::of_many(vec![Reason { check: "nats".into(), detail }]);
    }
    snapshot
}

fn text(snapshot: &Snapshot) -> Arc<str> {
    // Snapshots have only numbers, text and lists, so this cannot fail.
    serde_json::to_string(snapshot).unwrap_or_default().into()
}
