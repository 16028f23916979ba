//! The daemon: policy, roots, sockets, workers and the control runtime put together, and taken down.
//!
//! The order of a start: signals are caught (`signals`); the configuration is read and checked; everything that may
//! need a privilege is opened (`open`) by the only thread that there is; that thread gives up its privileges
//! ([`privileges`]); then others start, plugins are loaded, and when all of that went well the first request is
//! answered.

mod control;
mod error;
mod given;
mod open;
mod policy;
mod reload;
mod signals;

pub(crate) use control::{Reply, ask};
pub use error::ServeError;
pub(crate) use given::inherited;
pub(crate) use policy::{place_of, plugin_spec, start_runtime_to_look};
pub use reload::Configure;

use crate::admin::{self, Access, Pulse};
use crate::admission::{Admission, Deciding};
use crate::events::{Observers, log_summaries};
use crate::generation::{Current, Files, Generation};
use crate::logging;
use crate::neighbours::Neighbours;
use crate::privileges::{self, Left};
use crate::status::Status;
use crate::systemd::{Manager, watch_over};
use crate::telemetry::{Settings as TelemetrySettings, Telemetry};
use crate::watch::{Feed, Watch};
use open::Opened;
use policy::{
    keeps_its_user, load_policy, log_sink_totals, log_totals, start_runtime, start_runtime_with, warnings,
};
use reload::Reloader;
use signals::{Signals, Wish};
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tuffet_config::Config;
use tuffet_core::{Limits, Rollover, Settings, Timing};
use tuffet_engine::limits::Limiter;
use tuffet_engine::worker::{Mailbox, ToWorker, Worker, WorkerSettings};
use tuffet_policy::{Policy, PolicyRuntime};
use tuffet_store::Uploads;
use tuffet_store::{FileCache, Roots};

/// How long sinks may take, and telemetry, when the server stops, for the lines that still wait.
const FLUSH: Duration = Duration::from_secs(2);

/// How long a receiver stays to repeat its last ACK.
const DALLY: Duration = Duration::from_secs(5);

/// Threads that decide requests; plugins yield, and files are opened on threads of their own.
const CONTROL_THREADS: usize = 2;

/// Threads that wait for disks at once. A storm of requests must not become a storm of threads, and a
/// folder that hangs must not take all of them soon.
const BLOCKING_THREADS: usize = 64;

/// What a start has come to when only plugins are not loaded yet.
struct Prepared {
    opened: Opened,
    left: Left,
    runtime: PolicyRuntime,
    manager: Manager,
    signals: Signals,
}

/// Serves until SIGTERM or SIGINT. Running transfers may then go on for `drain`; a second signal ends
/// them at once. `configure` gives the configuration, now and whenever it is reloaded.
///
/// # Errors
/// When it cannot start; each kind has its own exit code.
pub fn serve(configure: Configure) -> Result<(), ServeError> {
    let signals = Signals::catch()?;
    let config = configure()?;
    let manager = Manager::of_process();
    let account = privileges::prepare(&config)?;
    let opened = Opened::of(&config, account.as_ref())?;
    let left = privileges::give_up(&config, account.as_ref())?;
    // The first thread beside this one.
    logging::start().map_err(|error| ServeError::System("the log has no thread", error))?;
    let runtime = start_runtime(&config)?;
    privileges::seal(account.as_ref());
    let mut prepared = Prepared { opened, left, runtime, manager, signals };
    let control = control_runtime()?;
    match control.block_on(load_unless_stopped(&config, &mut prepared))? {
        Some(policy) => control.block_on(run(&config, prepared, policy, configure)),
        None => {
            // Compiling cannot be interrupted, and is of no use any more: it ends with the process.
            control.shutdown_background();
            tracing::info!("stopped before it served");
            Ok(())
        }
    }
}

/// The policy, which takes seconds where plugins are compiled; `None` where a signal came meanwhile.
async fn load_unless_stopped(config: &Config, prepared: &mut Prepared) -> Result<Option<Policy>, ServeError> {
    let Prepared { opened, runtime, manager, signals, .. } = prepared;
    tokio::select! {
        // A signal that was there before counts, also where loading needs no time.
        biased;
        () = signals.stop() => {
            manager.stopping(Duration::ZERO, "stopping; it did not serve yet");
            Ok(None)
        }
        loaded = load_policy(runtime, config, &opened.roots, true) => loaded.map(Some),
    }
}

/// Checks what only a start would show: that the roots open, that the user that would serve may touch what it must,
/// and that the plugins load for it and take their settings. No socket is bound and nothing is made. Root becomes
/// that user, for good. Answers what the operator should know all the same.
///
/// # Errors
/// What would keep the server from starting.
pub fn check(config: &Config) -> Result<Vec<String>, ServeError> {
    let roots = Roots::open(&config.roots).map_err(ServeError::Root)?;
    // Before it is another user. What root keeps of compiled plugins is of no use to that one.
    let compiled = policy::compiled(config).filter(|_| keeps_its_user(&config.privileges));
    let mut found = privileges::check(config)?;
    let runtime = start_runtime_with(compiled)?;
    let policy = control_runtime()?.block_on(load_policy(&runtime, config, &roots, false))?;
    let mut warnings = warnings(config, &policy);
    warnings.append(&mut found);
    let (_, complaints) = TelemetrySettings::of_process(config.telemetry.as_ref());
    warnings.extend(complaints.iter().map(ToString::to_string));
    Ok(warnings)
}

/// Checks a folder that was named on the command line.
///
/// # Errors
/// [`ServeError::Folder`] if it is none.
pub fn require_folder(path: &Path) -> Result<(), ServeError> {
    let wrong = |error| ServeError::Folder { path: path.to_owned(), error };
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(wrong(io::ErrorKind::NotADirectory.into())),
        Err(error) => Err(wrong(error)),
    }
}

pub(crate) fn control_runtime() -> Result<tokio::runtime::Runtime, ServeError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(CONTROL_THREADS)
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_name("tuffet-control")
        .enable_all()
        .build()
        .map_err(|error| ServeError::System("the control runtime cannot start", error))
}

async fn run(
    config: &Config,
    prepared: Prepared,
    policy: Policy,
    configure: Configure,
) -> Result<(), ServeError> {
    let Prepared { opened, left, runtime, manager, mut signals } = prepared;
    let Opened { roots, listeners, sockets, admin: admin_socket, control } = opened;
    let policy = Arc::new(policy);
    for warning in warnings(config, &policy) {
        tracing::warn!(target: "tuffet::policy", "{warning}");
    }
    let access = Access::of(config.admin.as_ref());
    let neighbours = Neighbours::follow().await.unwrap_or_else(|error| {
        tracing::warn!(%error, "no neighbour table; MAC addresses come from requested names alone");
        Neighbours::none()
    });

    let uploads = Uploads::new(config.limits.bounds.uploads_per_name);
    let generation = Current::new(Generation {
        number: 1,
        files: Files {
            roots,
            cache: FileCache::new(config.limits.cache, config.limits.cache_max_age),
            uploads: uploads.clone(),
        },
        policy,
        limits: ceilings(config),
        drain: config.drain,
    });
    let status = Status::new(runtime.clone(), left);
    let watch = Watch::new(runtime.clone(), generation.clone(), status.clone(), config.workers);

    let named = config.listeners.iter().zip(&listeners);
    let (telemetry, complaints) = TelemetrySettings::of_process(config.telemetry.as_ref());
    for complaint in complaints {
        tracing::warn!(target: "tuffet::telemetry", "{complaint}");
    }
    let telemetry = Telemetry::start(
        telemetry,
        named.map(|(listener, bound)| (listener.name.as_str().into(), bound.address)),
        &watch,
    );

    // A place for each running transfer and as many that are waiting to be logged.
    let (summaries, ended) = mpsc::channel(config.limits.transfers.saturating_mul(2).max(2));
    let limiter =
        Arc::new(Limiter::new(&config.limits.bounds, config.limits.transfers, config.limits.pending));
    let settings = worker_settings(config, limiter.clone());
    let mut workers = Vec::new();
    for (number, sockets) in sockets.into_iter().enumerate() {
        let dropping = watch.worker(number);
        let worker = Worker::new(number, settings.clone(), sockets, summaries.clone(), dropping)
            .map_err(|error| ServeError::System("a worker cannot start", error))?;
        workers.push(worker);
    }
    drop(summaries);
    let mailboxes: Vec<Arc<Mailbox>> = workers.iter().map(Worker::mailbox).collect();
    let reloader = Reloader {
        configure,
        config: config.clone(),
        runtime: runtime.clone(),
        generation: generation.clone(),
        status: status.clone(),
        access: access.clone(),
        manager: manager.clone(),
        limiter,
        uploads: uploads.clone(),
    };
    let (observers, observing) = Observers::start(generation.clone(), watch.clone(), config.limits.events);
    let admission = Arc::new(Admission {
        listeners: config.listeners.iter().map(|listener| listener.name.as_str().into()).collect(),
        generation,
        observers: observers.clone(),
        watch: watch.clone(),
        neighbours,
        mailboxes: mailboxes.clone(),
        ids: AtomicU64::new(fastrand::u64(..)),
        deciding: Deciding::at_most(std::thread::available_parallelism().map_or(1, NonZeroUsize::get)),
        sampling: telemetry.sampling(),
    });
    let logging = tokio::spawn(log_summaries(ended, observers, watch.clone(), telemetry.clone()));

    // Two wait at most: a reload that is asked for during one may be of a file that has changed since.
    let (reload, wanted) = mpsc::channel(2);
    let reloading = tokio::spawn(reloader.run(wanted));
    let feed = Feed::new(watch.clone());
    let controlling =
        control.map(|control| tokio::spawn(control.run(reload.clone(), status, watch.clone(), feed.clone())));
    let admin_address = admin_socket.as_ref().and_then(|socket| socket.address().ok());
    let pulse = Arc::new(Pulse::new(mailboxes.clone()));
    let administering = admin_socket.map(|socket| {
        let pulse = Arc::clone(&pulse);
        tokio::spawn(socket.run(admin::Shown { watch: watch.clone(), feed, pulse, access }))
    });
    let sampling = tokio::spawn(watch.clone().sample());

    let (stopped, mut stops) = mpsc::unbounded_channel();
    for (number, worker) in workers.into_iter().enumerate() {
        let stopped = stopped.clone();
        let (admission, runtime) = (admission.clone(), Handle::current());
        std::thread::Builder::new()
            .name(format!("tuffet-worker-{number}"))
            .spawn(move || stopped.send(worker.run(|letters| admission.take(&runtime, letters))))
            .map_err(|error| ServeError::System("a worker cannot start", error))?;
    }
    drop(stopped);
    for (spec, listener) in listeners.iter().zip(&config.listeners) {
        tracing::info!(address = %spec.address, listener = listener.name, single_port = spec.single_port, "listening");
    }
    if let Some(address) = admin_address {
        tracing::info!(%address, token = config.admin.as_ref().is_some_and(|its| its.token.is_some()), "the admin listener serves");
    }
    admission.generation.get().files.roots.sweep_in_background(|_| true);
    watch.serving();
    tracing::info!(workers = config.workers, "serving");
    manager.ready(&serving(1));
    let watching = tokio::spawn(watch_over(manager.clone(), pulse, watch.clone()));

    let mut result = Ok(());
    let mut running = mailboxes.len();
    let mut drained = false;
    while running > 0 {
        tokio::select! {
            Some(stop) = stops.recv() => {
                running -= 1;
                if let Err(error) = stop {
                    result = Err(ServeError::System("a worker failed", error));
                    drain(&mailboxes, Duration::ZERO);
                }
            }
            wish = signals.next() => match wish {
                Wish::Stop => stop(&admission, &manager, &mut drained),
                // Where the queue is full, one that waits will read the same file.
                Wish::Reload => drop(reload.try_send(None)),
            },
        }
    }
    for task in
        [Some(reloading), controlling, administering, Some(sampling), Some(watching)].into_iter().flatten()
    {
        task.abort();
        let _ = task.await;
    }
    // The workers are gone: when what they asked is worked off, nobody can report any more.
    drop((mailboxes, admission));
    let _ = logging.await;
    let _ = observing.await;
    log_totals(&runtime);
    watch.log_totals();
    let _ = tokio::task::spawn_blocking(move || telemetry.finish(FLUSH)).await;
    let its = runtime.clone();
    let _ = tokio::task::spawn_blocking(move || its.sinks().flush(FLUSH)).await;
    log_sink_totals(&runtime);
    tracing::info!("stopped");
    result
}

/// What the service manager shows of a server that serves.
fn serving(generation: u64) -> String {
    format!("serving generation {generation} of the configuration")
}

fn stop(admission: &Admission, manager: &Manager, drained: &mut bool) {
    let patience = if *drained { Duration::ZERO } else { admission.generation.get().drain };
    *drained = true;
    admission.watch.draining();
    drain(&admission.mailboxes, patience);
    manager.stopping(patience, "stopping; running transfers may end");
    tracing::info!(seconds = patience.as_secs_f64(), "stopping; running transfers may end");
}

fn drain(mailboxes: &[Arc<Mailbox>], patience: Duration) {
    for mailbox in mailboxes {
        if let Err(error) = mailbox.post(ToWorker::Drain { until: Instant::now() + patience }) {
            tracing::error!(%error, "a worker cannot be woken");
        }
    }
}

/// What is granted at most.
fn ceilings(config: &Config) -> Limits {
    Limits { blksize: config.transfer.max_blksize, windowsize: config.transfer.max_windowsize, burst: None }
}

fn worker_settings(config: &Config, limiter: Arc<Limiter>) -> WorkerSettings {
    let times = &config.transfer.retransmit;
    let share = |total: usize| total.div_ceil(config.workers).max(1);
    WorkerSettings {
        transfer: Arc::new(Settings {
            timing: Timing::new(times.floor, times.initial, times.cap, times.give_up, DALLY),
            rollover: if config.transfer.rollover == 1 { Rollover::One } else { Rollover::Zero },
        }),
        max_transfers: share(config.limits.transfers),
        max_pending: share(config.limits.pending),
        answer_due: times.initial,
        workers: config.workers,
        limiter,
        busy_poll: config.busy_poll,
    }
}
