//! The connection thread: connects, follows the changes of other servers, executes calls, and starts over after any
//! error.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use async_nats::Event;
use async_nats::jetstream::kv::{Operation, Store, Watch};
use async_nats::jetstream::stream::{Config, DiscardPolicy, LastRawMessageErrorKind};
use async_nats::jetstream::{self, Context};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::runtime::Builder;
use tokio::sync::{Notify, mpsc};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::super::{Change, MAX_KEY, Namespace, now_ms};
use super::mirror::Mirror;
use super::operations::{ConnectionLost, Increment, Operations};
use super::{Call, Shared, away, names};
use tuffet_config::KvBucket;
use tuffet_net::nats;

/// The time limit for a connection to NATS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// The time limit for an answer while the bucket is opened. It doubles with each retry, up to the longest one.
/// Reading all keys may take longer on a slow line.
const FIRST_TIMEOUT: Duration = Duration::from_millis(500);
const LONGEST_TIMEOUT: Duration = Duration::from_secs(4);
/// The pause before the next connection; it doubles up to the longest one.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// The interval of checks that NATS answers.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The interval of sweeps, the minimum age of swept messages, and the maximum number per sweep.
const SWEEP_INTERVAL: Duration = Duration::from_secs(15);
const MIN_SWEEP_AGE: Duration = Duration::from_secs(60);
const MAX_SWEEP: usize = 256;
/// The maximum number of concurrent operations; further calls wait in the queue.
const MAX_OPERATIONS: usize = 256;

/// Starts the thread. It ends when the sender of calls is gone.
///
/// # Errors
/// No thread could be started.
pub(super) fn start(spec: KvBucket, shared: Arc<Shared>, calls: mpsc::Receiver<Call>) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let run = move || runtime.block_on(run(&spec, &shared, calls));
    std::thread::Builder::new().name("tuffet-kv-nats".into()).spawn(run).map(drop)
}

/// Why a connection ended.
enum ConnectionEnd {
    /// All senders of calls are gone.
    Closed,
    /// The mirror lacks keys: of a new namespace, or because they did not fit before.
    Outdated,
    Lost(String),
}

async fn run(spec: &KvBucket, shared: &Arc<Shared>, mut calls: mpsc::Receiver<Call>) {
    let mut pause = FIRST_PAUSE;
    loop {
        let end = match Bucket::open(spec, shared).await {
            Ok(bucket) => {
                pause = FIRST_PAUSE;
                shared.answering();
                bucket.serve(&mut calls).await
            }
            Err(why) => ConnectionEnd::Lost(why),
        };
        match end {
            ConnectionEnd::Closed => return,
            ConnectionEnd::Outdated => {}
            ConnectionEnd::Lost(why) => {
                shared.lost(why.clone());
                if refuse(&mut calls, &why, pause.mul_f64(0.5 + fastrand::f64())).await {
                    return;
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// Refuses the calls of a pause. Returns whether all senders of calls are gone.
async fn refuse(calls: &mut mpsc::Receiver<Call>, why: &str, pause: Duration) -> bool {
    let end = sleep(pause);
    tokio::pin!(end);
    loop {
        tokio::select! {
            biased;
            call = calls.recv() => match call {
                Some(call) => call.refuse(away(why)),
                None => return true,
            },
            () = &mut end => return false,
        }
    }
}

/// An open bucket with a complete mirror.
struct Bucket {
    operations: Rc<Operations>,
    changes: Watch,
    /// Notified when the connection breaks.
    broken: Arc<Notify>,
}

/// A running operation; it returns the counter that it incremented.
type RunningOperation = Pin<Box<dyn Future<Output = Result<Option<CounterName>, ConnectionLost>>>>;
/// A namespace and a key.
type CounterName = (Arc<str>, String);

impl Bucket {
    async fn open(spec: &KvBucket, shared: &Arc<Shared>) -> Result<Bucket, String> {
        let broken = Arc::new(Notify::new());
        let notify_broken = Arc::clone(&broken);
        let client = nats::connect(&spec.servers, CONNECT_TIMEOUT, move |event| {
            if matches!(event, Event::Disconnected | Event::Closed) {
                notify_broken.notify_one();
            }
            async {}
        })
        .await?;
        let store = open(&jetstream::new(client), &spec.bucket).await?;
        let namespaces = shared.namespaces.lock().clone();
        let mut mirror = Mirror::of(namespaces.into_iter());
        let changes = read_all(&store, &mut mirror).await?;
        mirror.completed();
        *shared.mirror.lock() = mirror;
        let operations = Operations { store, shared: Arc::clone(shared), timeout: spec.timeout };
        Ok(Bucket { operations: Rc::new(operations), changes, broken })
    }

    async fn serve(mut self, calls: &mut mpsc::Receiver<Call>) -> ConnectionEnd {
        let shared = Arc::clone(&self.operations.shared);
        let mut running: FuturesUnordered<RunningOperation> = FuturesUnordered::new();
        // Increments that wait for a running increment of the same counter.
        let mut waiting: HashMap<CounterName, (Namespace, Vec<Increment>)> = HashMap::new();
        let mut checks = interval(CHECK_INTERVAL);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut sweeps = interval(SWEEP_INTERVAL.mul_f64(0.5 + fastrand::f64()));
        sweeps.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Whether to end after the running operations.
        let mut leaving = false;
        loop {
            if leaving && running.is_empty() {
                return ConnectionEnd::Outdated;
            }
            tokio::select! {
                change = self.changes.next() => match change {
                    Some(Ok(change)) => enter(&mut shared.mirror.lock(), change),
                    Some(Err(error)) => return ConnectionEnd::Lost(nats::explain(&error)),
                    None => return ConnectionEnd::Lost("the subscription ended".into()),
                },
                Some(done) = running.next() => match done {
                    Ok(None) => {}
                    Ok(Some(counter)) => {
                        // Increments that arrived meanwhile.
                        if let Some((of, batch)) = waiting.get_mut(&counter)
                            && !batch.is_empty()
                        {
                            let batch = std::mem::take(batch);
                            running.push(self.increment(of.clone(), counter.1, batch));
                        } else {
                            waiting.remove(&counter);
                        }
                    }
                    Err(ConnectionLost(why)) => return ConnectionEnd::Lost(why),
                },
                call = calls.recv(), if !leaving && running.len() < MAX_OPERATIONS => match call {
                    None => return ConnectionEnd::Closed,
                    Some(Call::Change { of, key, change: Change::Increment { by, ttl_seconds }, answer }) => {
                        let increment = Increment { by, ttl_seconds, answer };
                        let counter = (Arc::clone(&of.name), key.clone());
                        if let Some((_, batch)) = waiting.get_mut(&counter) {
                            batch.push(increment);
                        } else {
                            waiting.insert(counter, (of.clone(), Vec::new()));
                            running.push(self.increment(of, key, vec![increment]));
                        }
                    }
                    Some(call) => running.push(self.execute(call)),
                },
                _ = checks.tick(), if !leaving => {
                    let operations = Rc::clone(&self.operations);
                    running.push(Box::pin(async move { operations.ping().await.map(|()| None) }));
                }
                _ = sweeps.tick(), if !leaving => {
                    let mut mirror = shared.mirror.lock();
                    let swept = mirror.sweep(now_ms(), MIN_SWEEP_AGE, MAX_SWEEP);
                    leaving |= mirror.is_outdated();
                    drop(mirror);
                    let operations = Rc::clone(&self.operations);
                    running.push(Box::pin(async move {
                        operations.remove(swept).await;
                        Ok(None)
                    }));
                }
                () = self.broken.notified() => return ConnectionEnd::Lost("the connection broke".into()),
                () = shared.joined.notified() => {
                    let known = shared.mirror.lock();
                    let namespaces = shared.namespaces.lock();
                    leaving |= namespaces.iter().any(|(name, quota)| !known.has(name, *quota));
                }
            }
        }
    }

    fn increment(&self, of: Namespace, key: String, batch: Vec<Increment>) -> RunningOperation {
        let operations = Rc::clone(&self.operations);
        Box::pin(async move {
            operations.increment(&of, &key, batch).await?;
            Ok(Some((of.name, key)))
        })
    }

    fn execute(&self, call: Call) -> RunningOperation {
        let operations = Rc::clone(&self.operations);
        Box::pin(async move {
            match call {
                Call::Get { namespace, key, answer } => operations.get(&namespace, &key, answer).await,
                Call::List { namespace, listing, answer } => {
                    operations.list(&namespace, &listing, answer).await
                }
                Call::Change { of, key, change, answer } => match change {
                    Change::Set { value, ttl_seconds } => {
                        operations.set(&of, &key, &value, ttl_seconds, answer).await
                    }
                    Change::Swap { revision, value, ttl_seconds } => {
                        operations.swap(&of, &key, revision, &value, ttl_seconds, answer).await
                    }
                    Change::DeletePrefix => operations.delete_prefix(&of, &key, answer).await,
                    Change::Delete => operations.delete(&of, &key, answer).await,
                    Change::Increment { by, ttl_seconds } => {
                        operations.increment(&of, &key, vec![Increment { by, ttl_seconds, answer }]).await
                    }
                },
            }?;
            Ok(None)
        })
    }
}

/// Opens the bucket, and creates it if it is missing.
async fn open(jetstream: &Context, bucket: &str) -> Result<Store, String> {
    if let Err(error) = ask(|| jetstream.get_key_value(bucket)).await? {
        let error = nats::explain(&error);
        if !error.contains("stream not found") {
            return Err(error);
        }
        create(jetstream, bucket).await?;
    }
    let mut pause = FIRST_PAUSE;
    while pause < LONGEST_TIMEOUT {
        let store = ask(|| jetstream.get_key_value(bucket)).await?.map_err(|error| nats::explain(&error))?;
        // NATS lists a stream while another server is still creating it, before it can be used.
        if store.stream.cached_info().created.unix_timestamp() > 0 {
            return Ok(store);
        }
        sleep(pause).await;
        pause *= 2;
    }
    Err("another server did not finish creating the bucket in time".into())
}

/// Repeats an unanswered request: NATS 2.9 loses some answers to new connections.
///
/// # Errors
/// No request was answered.
async fn ask<T, E, F: Future<Output = Result<T, E>>>(
    request: impl Fn() -> F,
) -> Result<Result<T, E>, String> {
    let mut time_limit = FIRST_TIMEOUT;
    loop {
        match timeout(time_limit, request()).await {
            Ok(answer) => return Ok(answer),
            Err(_) if time_limit >= LONGEST_TIMEOUT => {
                return Err(format!("it did not answer within {time_limit:?}"));
            }
            Err(_) => time_limit *= 2,
        }
    }
}

async fn create(jetstream: &Context, bucket: &str) -> Result<(), String> {
    // The configuration that the client would use; but it needs an answer that NATS 2.9 does not give.
    let config = Config {
        name: format!("KV_{bucket}"),
        description: Some("Keys of Tuffet's plugins".into()),
        subjects: vec![format!("$KV.{bucket}.>")],
        max_messages_per_subject: 1,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        discard: DiscardPolicy::New,
        num_replicas: 1,
        ..Config::default()
    };
    match ask(|| jetstream.create_stream(config.clone())).await? {
        Ok(_) => {
            tracing::info!(target: "tuffet::kv", bucket, "created the bucket of the keys");
            Ok(())
        }
        // Another server may create it at the same time. NATS may report that as overlapping streams.
        Err(error) => match ask(|| jetstream.get_key_value(bucket)).await? {
            Ok(_) => Ok(()),
            Err(_) => Err(nats::explain(&error)),
        },
    }
}

/// Subscribes to the bucket and reads all keys.
///
/// Changes arrive in the order of their revisions, so all have arrived when the last one has. Their number of pending
/// messages is not reliable: NATS miscounts when keys are changed meanwhile.
async fn read_all(store: &Store, mirror: &mut Mirror) -> Result<Watch, String> {
    let mut time_limit = FIRST_TIMEOUT;
    loop {
        let watching = ask(|| store.watch_with_history(">")).await?;
        let mut changes = watching.map_err(|error| nats::explain(&error))?;
        let mut last = last_revision(store).await?;
        let mut received_any = false;
        while mirror.revision() < last {
            match timeout(time_limit, changes.next()).await {
                Ok(change) => {
                    let change = change.ok_or("the subscription ended")?;
                    enter(mirror, change.map_err(|error| nats::explain(&error))?);
                    (received_any, time_limit) = (true, FIRST_TIMEOUT);
                }
                Err(_) if time_limit >= LONGEST_TIMEOUT => {
                    return Err(format!("its keys did not arrive within {time_limit:?}"));
                }
                // NATS may have missed the subscription, or the last message may have been removed since.
                Err(_) => {
                    time_limit *= 2;
                    if !received_any {
                        break;
                    }
                    last = last_revision(store).await?;
                }
            }
        }
        if mirror.revision() >= last {
            return Ok(changes);
        }
    }
}

/// Returns the revision of the newest message in the bucket, 0 if there is none.
async fn last_revision(store: &Store) -> Result<u64, String> {
    let all = format!("{}>", store.prefix);
    match ask(|| store.stream.get_last_raw_message_by_subject(&all)).await? {
        Ok(message) => Ok(message.sequence),
        Err(error) if matches!(error.kind(), LastRawMessageErrorKind::NoMessageFound) => Ok(0),
        Err(error) => Err(nats::explain(&error)),
    }
}

fn enter(mirror: &mut Mirror, change: jetstream::kv::Entry) {
    // Ignores keys of other programs.
    let parsed = names::parse(&change.key).filter(|(_, key)| key.len() <= MAX_KEY);
    let Some((namespace, key)) = parsed else { return mirror.skip(change.revision) };
    let entry = (change.operation == Operation::Put).then_some(change.value);
    mirror.enter_watched(&namespace, key, change.revision, entry);
}
