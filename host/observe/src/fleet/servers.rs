//! The view of all servers for the page. NATS is followed only while somebody looks.

use super::{Fleet, Watching};
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::Notify;
use tokio::time::sleep;
use tuffet::watch::{FeedSource, Reason, Snapshot};
use tuffet_config::EventsSpec;

/// How long NATS is followed after the last look.
const LOOKED: Duration = Duration::from_secs(5);
/// The pause before the next connection.
const PAUSE: Duration = Duration::from_secs(1);

/// All servers that publish where this one does. Cheap to clone; clones share it.
#[derive(Clone)]
pub struct Servers(Arc<Shared>);

struct Shared {
    spec: EventsSpec,
    latest: Mutex<Arc<str>>,
    arrived: Notify,
    /// When somebody looked last.
    looked: Mutex<Instant>,
    /// Whether a thread follows NATS.
    followed: AtomicBool,
}

impl Servers {
    /// Follows the servers that publish there.
    pub fn new(spec: EventsSpec) -> Servers {
        Servers(Arc::new(Shared {
            spec,
            latest: Mutex::new(text(&nothing(None))),
            arrived: Notify::new(),
            looked: Mutex::new(Instant::now()),
            followed: AtomicBool::new(false),
        }))
    }

    fn look(&self) {
        *lock(&self.0.looked) = Instant::now();
        if self.0.followed.swap(true, SeqCst) {
            return;
        }
        let its = self.clone();
        let run = move || {
            match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime.block_on(its.follow()),
                Err(error) => its.say(&nothing(Some(error.to_string()))),
            }
            its.0.followed.store(false, SeqCst);
            its.0.arrived.notify_waiters();
        };
        if let Err(error) = std::thread::Builder::new().name("tuffet-servers".into()).spawn(run) {
            self.0.followed.store(false, SeqCst);
            tracing::warn!(target: "tuffet::events", %error, "the view of all servers has no thread");
        }
    }

    async fn follow(&self) {
        while lock(&self.0.looked).elapsed() < LOOKED {
            let why = match Watching::open(&self.0.spec.servers, &self.0.spec.subject).await {
                Ok(mut watching) => loop {
                    if lock(&self.0.looked).elapsed() > LOOKED {
                        return;
                    }
                    match watching.next().await {
                        Ok(snapshot) => self.say(&snapshot),
                        Err(why) => break why,
                    }
                },
                Err(why) => why,
            };
            self.say(&nothing(Some(why)));
            sleep(PAUSE).await;
        }
    }

    fn say(&self, snapshot: &Snapshot) {
        *lock(&self.0.latest) = text(snapshot);
        self.0.arrived.notify_waiters();
    }
}

impl FeedSource for Servers {
    fn next(&self) -> impl Future<Output = ()> + Send {
        self.look();
        let its = self.clone();
        async move {
            // The thread may have ended in between.
            tokio::select! {
                () = its.0.arrived.notified() => {}
                () = sleep(LOOKED) => {}
            }
        }
    }

    fn snapshot(&self, _: u64) -> Arc<str> {
        Arc::clone(&lock(&self.0.latest))
    }
}

/// A view without servers, and why.
fn nothing(why: Option<String>) -> Snapshot {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    let mut snapshot = Fleet::new(now).merged(Instant::now(), now);
    if let Some(detail) = why {
        snapshot.reasons.push(Reason { check: "nats".into(), detail });
        snapshot.ready = false;
    }
    snapshot
}

fn text(snapshot: &Snapshot) -> Arc<str> {
    // Numbers, text and lists: JSON can represent all of it.
    serde_json::to_string(snapshot).unwrap_or_default().into()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
