//! Keys in a bucket of NATS JetStream, for many servers.
//!
//! A separate thread has the connection ([`connection`]). Calls reach it through a bounded queue and wait for at most
//! `timeout`. After one operation that takes longer, NATS counts as away: further calls fail at once, or return the
//! last known values ([`mirror`]), until NATS answers again. So a hanging server costs a few calls their `timeout`,
//! and transfers nothing.

mod connection;
mod mirror;
mod names;
mod operations;

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::timeout;

use super::usage::Usage;
use super::{Change, KvError, KvOpenError, KvState, Listing, Namespace, Quota, Versioned, now_ms};
use mirror::Mirror;
use tuffet_config::{KvBucket, WhenAway};

/// The maximum number of calls that wait for NATS; further ones fail.
const QUEUE_LENGTH: usize = 1024;

/// An open bucket.
#[derive(Debug)]
pub(crate) struct NatsStore {
    shared: Arc<Shared>,
    calls: mpsc::Sender<Call>,
    timeout: Duration,
}

/// The state that the connection and the callers share.
#[derive(Debug)]
struct Shared {
    bucket: String,
    availability: Mutex<Availability>,
    mirror: Mutex<Mirror>,
    /// The namespaces of the plugins of this server, each with the largest quota of a plugin.
    namespaces: Mutex<BTreeMap<Arc<str>, Quota>>,
    /// Notified of a new namespace, or a larger quota.
    joined: Notify,
    operations: AtomicU64,
    failed: AtomicU64,
    last_known: AtomicU64,
    conflicts: AtomicU64,
}

/// Whether NATS answers.
#[derive(Debug)]
enum Availability {
    /// The first connection is being made: calls wait for it.
    Connecting,
    Answering,
    Away {
        since: Instant,
        why: String,
        /// The counter `last_known` when this began.
        last_known: u64,
    },
}

/// A call.
enum Call {
    Get { namespace: Arc<str>, key: String, answer: Reply<Option<Versioned>> },
    List { namespace: Arc<str>, listing: Listing, answer: Reply<Vec<(String, Versioned)>> },
    Change { of: Namespace, key: String, change: Change, answer: Reply<i64> },
}

type Reply<T> = oneshot::Sender<Result<T, KvError>>;

impl Call {
    fn refuse(self, error: KvError) {
        // If the caller is gone, it has timed out.
        match self {
            Call::Get { answer, .. } => drop(answer.send(Err(error))),
            Call::List { answer, .. } => drop(answer.send(Err(error))),
            Call::Change { answer, .. } => drop(answer.send(Err(error))),
        }
    }
}

impl NatsStore {
    /// Starts the thread that connects.
    ///
    /// # Errors
    /// No thread could be started.
    pub(crate) fn open(spec: &KvBucket) -> Result<NatsStore, KvOpenError> {
        let shared = Arc::new(Shared {
            bucket: spec.bucket.clone(),
            availability: Mutex::new(Availability::Connecting),
            mirror: Mutex::default(),
            namespaces: Mutex::default(),
            joined: Notify::new(),
            operations: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            last_known: AtomicU64::new(0),
            conflicts: AtomicU64::new(0),
        });
        let (calls, receiver) = mpsc::channel(QUEUE_LENGTH);
        connection::start(spec.clone(), Arc::clone(&shared), receiver).map_err(KvOpenError::Thread)?;
        Ok(NatsStore { shared, calls, timeout: spec.timeout })
    }

    pub(super) fn join(&self, namespace: &Namespace) {
        let mut namespaces = self.shared.namespaces.lock();
        let before = namespaces.get(&namespace.name).copied();
        let Quota { keys, bytes } = namespace.quota;
        let quota = before.map_or(namespace.quota, |before| Quota {
            keys: keys.max(before.keys),
            bytes: bytes.max(before.bytes),
        });
        if before != Some(quota) {
            namespaces.insert(Arc::clone(&namespace.name), quota);
            self.shared.joined.notify_one();
        }
    }

    pub(super) fn state(&self) -> KvState {
        let shared = &*self.shared;
        let (keys, bytes) = shared.mirror.lock().size();
        let (away_seconds, error) = match &*shared.availability.lock() {
            Availability::Away { since, why, .. } => (Some(since.elapsed().as_secs()), Some(why.clone())),
            Availability::Connecting | Availability::Answering => (None, None),
        };
        KvState {
            bucket: shared.bucket.clone(),
            away_seconds,
            error,
            keys,
            bytes,
            operations: shared.operations.load(Relaxed),
            failed: shared.failed.load(Relaxed),
            last_known: shared.last_known.load(Relaxed),
            conflicts: shared.conflicts.load(Relaxed),
        }
    }

    pub(super) async fn get(&self, of: &Namespace, key: String) -> Result<Option<Versioned>, KvError> {
        let (namespace, call_key) = (Arc::clone(&of.name), key.clone());
        let found = self.call(|answer| Call::Get { namespace, key: call_key, answer }).await;
        self.or_last_known(of, found, |mirror| {
            mirror.find(&of.name, &key).and_then(|known| known.versioned(now_ms()))
        })
    }

    /// Returns the size of a namespace, as far as its keys have arrived.
    pub(super) fn usage(&self, namespace: &str) -> Usage {
        self.shared.mirror.lock().usage(namespace)
    }

    pub(super) async fn list(
        &self,
        of: &Namespace,
        listing: Listing,
    ) -> Result<Vec<(String, Versioned)>, KvError> {
        let (namespace, call_listing) = (Arc::clone(&of.name), listing.clone());
        let found = self.call(|answer| Call::List { namespace, listing: call_listing, answer }).await;
        self.or_last_known(of, found, |mirror| mirror.list(&of.name, &listing, now_ms()).unwrap_or_default())
    }

    /// Returns the result, or the last known value if NATS is away and the namespace permits that.
    fn or_last_known<T>(
        &self,
        of: &Namespace,
        found: Result<T, KvError>,
        known: impl FnOnce(&Mirror) -> T,
    ) -> Result<T, KvError> {
        match found {
            Err(KvError::Unavailable(_)) if of.when_away == WhenAway::LastKnown => {
                let mirror = self.shared.mirror.lock();
                if !mirror.is_complete() {
                    return found;
                }
                self.shared.last_known.fetch_add(1, Relaxed);
                Ok(known(&mirror))
            }
            found => found,
        }
    }

    pub(super) async fn change(&self, of: &Namespace, key: String, change: Change) -> Result<i64, KvError> {
        let of = of.clone();
        self.call(|answer| Call::Change { of, key, change, answer }).await
    }

    async fn call<T>(&self, call: impl FnOnce(Reply<T>) -> Call) -> Result<T, KvError> {
        let done = self.try_call(call).await;
        let counter = match done {
            Err(KvError::Unavailable(_)) => &self.shared.failed,
            _ => &self.shared.operations,
        };
        counter.fetch_add(1, Relaxed);
        done
    }

    async fn try_call<T>(&self, call: impl FnOnce(Reply<T>) -> Call) -> Result<T, KvError> {
        if let Availability::Away { why, .. } = &*self.shared.availability.lock() {
            return Err(away(why));
        }
        let (answer, answered) = oneshot::channel();
        self.calls.try_send(call(answer)).map_err(|_| away("too many calls wait for it"))?;
        match timeout(self.timeout, answered).await {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => Err(away("the connection was lost")),
            Err(_) => Err(away(&format!("it did not answer within {:?}", self.timeout))),
        }
    }
}

impl Shared {
    /// Records that NATS answers.
    fn answering(&self) {
        let before = std::mem::replace(&mut *self.availability.lock(), Availability::Answering);
        if let Availability::Away { since, last_known, .. } = before {
            tracing::info!(
                target: "tuffet::kv",
                bucket = self.bucket,
                away_seconds = since.elapsed().as_secs(),
                last_known = self.last_known.load(Relaxed).saturating_sub(last_known),
                "the NATS servers of the keys answer again"
            );
        }
    }

    /// Records that NATS does not answer.
    fn lost(&self, why: String) {
        let mut availability = self.availability.lock();
        if let Availability::Away { why: before, .. } = &mut *availability {
            *before = why;
            return;
        }
        tracing::warn!(
            target: "tuffet::kv",
            bucket = self.bucket,
            error = why,
            "the NATS servers of the keys do not answer; plugins get an error, or with `when-away: last-known` the \
             last known values"
        );
        let last_known = self.last_known.load(Relaxed);
        *availability = Availability::Away { since: Instant::now(), why, last_known };
    }
}

fn away(why: &str) -> KvError {
    KvError::Unavailable(format!("the NATS servers of the keys are away: {why}"))
}
