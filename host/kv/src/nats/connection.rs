//! The thread with the connection: connects, follows the changes of other servers, executes calls, and begins anew
//! when anything fails.

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
use super::operations::{Increment, Lost, Operations};
use super::{Job, Shared, away, lock, names};
use tuffet_config::KvBucket;
use tuffet_net::nats;

/// How long a NATS server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(2);
/// How long NATS may be silent, while the bucket is opened, before it is asked again. It doubles, up to the longest
/// silence. All keys together may take longer on a slow line.
const SILENCE: Duration = Duration::from_millis(500);
const LONGEST_SILENCE: Duration = Duration::from_secs(4);
/// The pause before the next connection; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// The interval of checks whether NATS answers.
const CHECK: Duration = Duration::from_secs(1);
/// The interval of sweeps, the age of swept messages, and how many a sweep takes.
const SWEEP: Duration = Duration::from_secs(15);
const SWEPT_AGE: Duration = Duration::from_secs(60);
const SWEPT: usize = 256;
/// Operations at once; further calls wait in the queue.
const OPERATIONS: usize = 256;

/// Starts the thread. It ends when the sender of calls is gone.
///
/// # Errors
/// The system has no thread.
pub(super) fn start(spec: KvBucket, shared: Arc<Shared>, jobs: mpsc::Receiver<Job>) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let run = move || runtime.block_on(run(&spec, &shared, jobs));
    std::thread::Builder::new().name("tuffet-kv-nats".into()).spawn(run).map(drop)
}

/// Why the connection is not used any more.
enum End {
    /// Nobody calls any more.
    Closed,
    /// There are keys that are not known, of a new namespace or because they had no room before.
    Outdated,
    Lost(String),
}

async fn run(spec: &KvBucket, shared: &Arc<Shared>, mut jobs: mpsc::Receiver<Job>) {
    let mut pause = FIRST_PAUSE;
    loop {
        let end = match Bucket::open(spec, shared).await {
            Ok(bucket) => {
                pause = FIRST_PAUSE;
                shared.present();
                bucket.serve(&mut jobs).await
            }
            Err(why) => End::Lost(why),
        };
        match end {
            End::Closed => return,
            End::Outdated => {}
            End::Lost(why) => {
                shared.lost(why.clone());
                if refuse(&mut jobs, &why, pause.mul_f64(0.5 + fastrand::f64())).await {
                    return;
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// Refuses the calls of a pause. Returns whether there are no callers any more.
async fn refuse(jobs: &mut mpsc::Receiver<Job>, why: &str, pause: Duration) -> bool {
    let end = sleep(pause);
    tokio::pin!(end);
    loop {
        tokio::select! {
            biased;
            job = jobs.recv() => match job {
                Some(job) => job.refuse(away(why)),
                None => return true,
            },
            () = &mut end => return false,
        }
    }
}

/// A bucket whose keys are known.
struct Bucket {
    operations: Rc<Operations>,
    changes: Watch,
    /// Notified when the connection breaks.
    broken: Arc<Notify>,
}

/// An operation under way; it returns the counter that it incremented.
type Running = Pin<Box<dyn Future<Output = Result<Option<Counter>, Lost>>>>;
/// A namespace and a key.
type Counter = (Arc<str>, String);

impl Bucket {
    async fn open(spec: &KvBucket, shared: &Arc<Shared>) -> Result<Bucket, String> {
        let broken = Arc::new(Notify::new());
        let heard = Arc::clone(&broken);
        let client = nats::connect(&spec.servers, CONNECT, move |event| {
            if matches!(event, Event::Disconnected | Event::Closed) {
                heard.notify_one();
            }
            async {}
        })
        .await?;
        let store = open(&jetstream::new(client), &spec.bucket).await?;
        let namespaces = lock(&shared.namespaces).clone();
        let mut mirror = Mirror::of(namespaces.into_iter());
        let changes = read(&store, &mut mirror).await?;
        mirror.completed();
        *lock(&shared.mirror) = mirror;
        let operations = Operations { store, shared: Arc::clone(shared), timeout: spec.timeout };
        Ok(Bucket { operations: Rc::new(operations), changes, broken })
    }

    async fn serve(mut self, jobs: &mut mpsc::Receiver<Job>) -> End {
        let shared = Arc::clone(&self.operations.shared);
        let mut running: FuturesUnordered<Running> = FuturesUnordered::new();
        // Increments of a counter that is being incremented.
        let mut waiting: HashMap<Counter, (Namespace, Vec<Increment>)> = HashMap::new();
        let mut checks = interval(CHECK);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut sweeps = interval(SWEEP.mul_f64(0.5 + fastrand::f64()));
        sweeps.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Whether the operations under way are the last ones.
        let mut leaving = false;
        loop {
            if leaving && running.is_empty() {
                return End::Outdated;
            }
            tokio::select! {
                change = self.changes.next() => match change {
                    Some(Ok(change)) => enter(&mut lock(&shared.mirror), change),
                    Some(Err(error)) => return End::Lost(nats::explain(&error)),
                    None => return End::Lost("the subscription ended".into()),
                },
                Some(done) = running.next() => match done {
                    Ok(None) => {}
                    Ok(Some(counter)) => {
                        // Those that came meanwhile.
                        if let Some((of, batch)) = waiting.get_mut(&counter)
                            && !batch.is_empty()
                        {
                            let batch = std::mem::take(batch);
                            running.push(self.increment(of.clone(), counter.1, batch));
                        } else {
                            waiting.remove(&counter);
                        }
                    }
                    Err(Lost(why)) => return End::Lost(why),
                },
                job = jobs.recv(), if !leaving && running.len() < OPERATIONS => match job {
                    None => return End::Closed,
                    Some(Job::Change { of, key, change: Change::Increment { by, ttl_seconds }, answer }) => {
                        let increment = Increment { by, ttl_seconds, answer };
                        let counter = (Arc::clone(&of.name), key.clone());
                        if let Some((_, batch)) = waiting.get_mut(&counter) {
                            batch.push(increment);
                        } else {
                            waiting.insert(counter, (of.clone(), Vec::new()));
                            running.push(self.increment(of, key, vec![increment]));
                        }
                    }
                    Some(job) => running.push(self.execute(job)),
                },
                _ = checks.tick(), if !leaving => {
                    let operations = Rc::clone(&self.operations);
                    running.push(Box::pin(async move { operations.ping().await.map(|()| None) }));
                }
                _ = sweeps.tick(), if !leaving => {
                    let mut mirror = lock(&shared.mirror);
                    let swept = mirror.sweep(now_ms(), SWEPT_AGE, SWEPT);
                    leaving |= mirror.is_outdated();
                    drop(mirror);
                    let operations = Rc::clone(&self.operations);
                    running.push(Box::pin(async move {
                        operations.remove(swept).await;
                        Ok(None)
                    }));
                }
                () = self.broken.notified() => return End::Lost("the connection broke".into()),
                () = shared.joined.notified() => {
                    let known = lock(&shared.mirror);
                    let namespaces = lock(&shared.namespaces);
                    leaving |= namespaces.iter().any(|(name, quota)| !known.has(name, *quota));
                }
            }
        }
    }

    fn increment(&self, of: Namespace, key: String, batch: Vec<Increment>) -> Running {
        let operations = Rc::clone(&self.operations);
        Box::pin(async move {
            operations.increment(&of, &key, batch).await?;
            Ok(Some((of.name, key)))
        })
    }

    fn execute(&self, job: Job) -> Running {
        let operations = Rc::clone(&self.operations);
        Box::pin(async move {
            match job {
                Job::Get { namespace, key, answer } => operations.get(&namespace, &key, answer).await,
                Job::List { namespace, listing, answer } => {
                    operations.list(&namespace, &listing, answer).await
                }
                Job::Change { of, key, change, answer } => match change {
                    Change::Set { value, ttl_seconds } => {
                        operations.set(&of, &key, &value, ttl_seconds, answer).await
                    }
                    Change::Swap { revision, value, ttl_seconds } => {
                        operations.swap(&of, &key, revision, &value, ttl_seconds, answer).await
                    }
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
    while pause < LONGEST_SILENCE {
        let store = ask(|| jetstream.get_key_value(bucket)).await?.map_err(|error| nats::explain(&error))?;
        // NATS shows a stream while another server is creating it, and that cannot be used yet.
        if store.stream.cached_info().created.unix_timestamp() > 0 {
            return Ok(store);
        }
        sleep(pause).await;
        pause *= 2;
    }
    Err("the bucket was not created in time by the server that began to".into())
}

/// Asks again when no answer comes: NATS 2.9 loses some that go to connections that have just been made.
///
/// # Errors
/// No answer comes.
async fn ask<T, E, F: Future<Output = Result<T, E>>>(
    request: impl Fn() -> F,
) -> Result<Result<T, E>, String> {
    let mut silence = SILENCE;
    loop {
        match timeout(silence, request()).await {
            Ok(answer) => return Ok(answer),
            Err(_) if silence >= LONGEST_SILENCE => {
                return Err(format!("it did not answer within {silence:?}"));
            }
            Err(_) => silence *= 2,
        }
    }
}

async fn create(jetstream: &Context, bucket: &str) -> Result<(), String> {
    // As the client makes buckets, which needs an answer that NATS 2.9 does not give.
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
        // Another server may create it at the same time, which NATS may call an overlap of two streams.
        Err(error) => match ask(|| jetstream.get_key_value(bucket)).await? {
            Ok(_) => Ok(()),
            Err(_) => Err(nats::explain(&error)),
        },
    }
}

/// Subscribes to the bucket, and reads all keys that it has.
///
/// Changes come in the order of their revisions, so they have all come when the last message of the bucket has. The
/// number of pending messages that comes with each of them does not tell: NATS counts wrong when keys are changed
/// meanwhile.
async fn read(store: &Store, mirror: &mut Mirror) -> Result<Watch, String> {
    let mut silence = SILENCE;
    loop {
        let watching = ask(|| store.watch_with_history(">")).await?;
        let mut changes = watching.map_err(|error| nats::explain(&error))?;
        let mut last = last_revision(store).await?;
        let mut any = false;
        while mirror.revision() < last {
            match timeout(silence, changes.next()).await {
                Ok(change) => {
                    let change = change.ok_or("the subscription ended")?;
                    enter(mirror, change.map_err(|error| nats::explain(&error))?);
                    (any, silence) = (true, SILENCE);
                }
                Err(_) if silence >= LONGEST_SILENCE => {
                    return Err(format!("its keys did not arrive within {silence:?}"));
                }
                // NATS may not have seen that somebody listens, or the last message may have been removed since.
                Err(_) => {
                    silence *= 2;
                    if !any {
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

/// The revision of the newest message in the bucket, 0 if there is none.
async fn last_revision(store: &Store) -> Result<u64, String> {
    let all = format!("{}>", store.prefix);
    match ask(|| store.stream.get_last_raw_message_by_subject(&all)).await? {
        Ok(message) => Ok(message.sequence),
        Err(error) if matches!(error.kind(), LastRawMessageErrorKind::NoMessageFound) => Ok(0),
        Err(error) => Err(nats::explain(&error)),
    }
}

fn enter(mirror: &mut Mirror, change: jetstream::kv::Entry) {
    // A key that somebody else keeps in the bucket is none of ours.
    let parsed = names::parse(&change.key).filter(|(_, key)| key.len() <= MAX_KEY);
    let Some((namespace, key)) = parsed else { return mirror.passed(change.revision) };
    let entry = (change.operation == Operation::Put).then_some(change.value);
    mirror.watched(&namespace, key, change.revision, entry);
}
