//! A running server: its parts, its start, and the order of its shutdown.

use super::capture::Captures;
use super::control::ControlState;
use super::deadline::Deadline;
use super::disks;
use super::explain::Explainer;
use super::policy::{log_sink_totals, log_totals, warnings};
use super::reload::{Configure, Reloader, Wanted, keep_in_background};
use super::signals::{Signals, Wish};
use super::workers::{make_workers, start_workers, worker_settings};
use super::{Opened, Prepared, ServeError, groups, not_answering, serving};
use crate::admin::{self, Access, Pulse};
use crate::admission::{Admission, Deciding, Looks};
use crate::events::{Hints, Observers, log_summaries};
use crate::fleet::{self, Servers};
use crate::generation::{Current, Files, Generation, Netboot};
use crate::groups::Joining;
use crate::interfaces::InterfaceNames;
use crate::leases::Leases;
use crate::negotiation::Negotiation;
use crate::neighbours::Neighbours;
use crate::routes::Routes;
use crate::source::Watched;
use crate::status::{Parts, Status};
use crate::systemd::{Manager, watch_over};
use crate::telemetry::{Settings as TelemetrySettings, Telemetry};
use crate::vlans::Vlans;
use crate::watch::{Feed, Watch};
use futures_util::FutureExt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{sleep_until, timeout};
use tuffet_config::Config;
use tuffet_engine::limits::Limiter;
use tuffet_engine::worker::{Groups, ListenerSpec, Mailbox, ToWorker, Worker};
use tuffet_policy::Policy;
use tuffet_store::{Disks, FileCache, Roots, Uploads};
use tuffet_wasm::PolicyRuntime;

/// How long sinks and telemetry may take at shutdown to deliver their queues.
const FLUSH: Duration = Duration::from_secs(2);

/// How long the rest of a shutdown may take where a disk hangs.
const REST: Duration = Duration::from_millis(900);

/// How long a shutdown waits for a disk, and for what that keeps.
const DISKS: Duration = Duration::from_millis(300);

/// How far the shutdown of a server has come.
#[derive(Debug, Clone, Copy)]
enum Stopping {
    No,
    /// A signal has come, and until then requests are still answered.
    Delayed(Instant),
    /// The workers drain.
    Draining,
}

impl Stopping {
    /// Waits for the end of the delay; without one, for ever.
    async fn delay_ends(self) {
        match self {
            Stopping::Delayed(end) => sleep_until(end.into()).await,
            Stopping::No | Stopping::Draining => std::future::pending().await,
        }
    }
}

/// A server that answers requests. It owns its tasks and learns of the end of each worker.
pub(super) struct Server {
    admission: Arc<Admission>,
    /// The result of each worker that has ended.
    stops: mpsc::UnboundedReceiver<io::Result<()>>,
    /// Workers that have not ended.
    workers: usize,
    /// How far the shutdown has come.
    stopping: Stopping,
    reload: mpsc::Sender<Wanted>,
    /// What people and the service manager use: reloads, the control socket, the admin listener, the sampler of the
    /// live view, the watchdog.
    services: Vec<JoinHandle<()>>,
    /// Logs each summary and passes it to observers.
    logging: JoinHandle<()>,
    /// Calls observers.
    observing: JoinHandle<()>,
    telemetry: Telemetry,
    runtime: PolicyRuntime,
    watch: Watch,
    manager: Manager,
    disks: Disks,
    /// When the process ends whatever hangs, once it is to end.
    deadline: Option<Deadline>,
}

impl Server {
    /// Starts the tasks and the workers. Requests are answered from here on.
    ///
    /// # Errors
    /// The system has no thread or no descriptor for a worker.
    pub(super) async fn start(
        config: &Config,
        prepared: Prepared,
        policy: Policy,
        configure: Configure,
    ) -> Result<Server, ServeError> {
        let Prepared { opened, left, runtime, manager } = prepared;
        let Opened {
            roots,
            disks,
            next,
            origins,
            listeners,
            sockets,
            group_sockets,
            interfaces,
            admin,
            control,
        } = opened;
        origins.take(next);
        for warning in warnings(config, &policy) {
            tracing::warn!(target: "tuffet::policy", "{warning}");
        }
        for silent in &config.silent {
            tracing::warn!(target: "tuffet::store::root", root = silent.root, "{}", not_answering(silent));
        }
        let neighbours = Neighbours::follow().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "no neighbour table; MAC addresses come from requested names alone");
            Neighbours::none()
        });
        let vlans = Vlans::follow().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the network interfaces cannot be read; plugins learn of no VLAN");
            Vlans::default()
        });
        let access = Access::of(config.admin.as_ref());
        let uploads = Uploads::new(config.bounds().uploads_per_name);
        let plugins = policy.plugins().to_vec();
        let generation = Current::new(first_generation(config, roots, policy, uploads.clone()));
        let user = format!("uid {}", left.held.uid);
        let status = Status::new(
            config.file(),
            &plugins,
            left,
            Parts {
                runtime: runtime.clone(),
                disks: disks.clone(),
                origins: origins.clone(),
                interfaces: interfaces.clone(),
            },
        );
        status.revised(config);
        let watch = Watch::new(runtime.clone(), generation.clone(), status.clone(), config.workers);
        let named = config.listeners.iter().zip(&listeners);
        watch.listening(named.map(|(listener, bound)| (listener.name.to_string(), bound.address)));
        if let Some(events) = &config.events {
            fleet::start(events, &watch)
                .map_err(|error| ServeError::System("events cannot be published", error))?;
        }
        let telemetry = start_telemetry(config, &listeners, &watch);
        let exporter = telemetry.clone();
        origins.observe(Box::new(move |fetch| exporter.fetched(fetch)));

        // A place for each transfer, and as many for summaries waiting to be logged.
        let (summaries, ended) = mpsc::channel(config.limits.transfers.saturating_mul(2).max(2));
        let limiter =
            Arc::new(Limiter::new(&config.bounds(), config.limits.transfers, config.limits.pending));
        let settings = worker_settings(config, limiter.clone());
        let workers = make_workers(sockets, &settings, summaries, &watch)?;
        let mut mailboxes: Vec<Arc<Mailbox>> = workers.iter().map(Worker::mailbox).collect();
        let number = workers.len();
        let counts = watch.groups();
        let groups = groups::make(config, number, group_sockets, &settings.transfer, &limiter, counts)?;
        mailboxes.extend(groups.as_ref().map(Groups::mailbox));

        let (observers, observing) =
            Observers::start(generation.clone(), watch.clone(), config.limits.events);
        let admission = Arc::new(Admission {
            listeners: config.listeners.iter().map(|listener| listener.name.as_str().into()).collect(),
            generation: generation.clone(),
            observers: observers.clone(),
            watch: watch.clone(),
            neighbours: neighbours.clone(),
            interface_names: InterfaceNames::default(),
            vlans: vlans.clone(),
            mailboxes: mailboxes.clone(),
            groups: groups.as_ref().map(|_| number),
            ids: AtomicU64::new(fastrand::u64(..)),
            runtime: Handle::current(),
            deciding: Deciding::new(),
            looks: Looks::new(),
            sampling: telemetry.sampling(),
        });
        let single_ports = config.listeners.iter().filter(|listener| listener.single_port);
        let hints = Hints::new(single_ports.map(|listener| listener.name.as_str().into()).collect());
        let history = runtime.history().clone();
        let logging =
            tokio::spawn(log_summaries(ended, observers, watch.clone(), telemetry.clone(), hints, history));

        let reloader = Reloader {
            configure,
            config: config.clone(),
            runtime: runtime.clone(),
            generation: generation.clone(),
            status: status.clone(),
            access: access.clone(),
            manager: manager.clone(),
            limiter: limiter.clone(),
            uploads,
            disks: disks.clone(),
            origins: origins.clone(),
        };
        // At most two are queued: the file may have changed since the running reload read it.
        let (reload, wanted) = mpsc::channel(2);
        let mut services = vec![tokio::spawn(reloader.run(wanted))];
        let feed = Feed::new(watch.clone());
        if let Some(control) = control {
            let explainer = Explainer {
                generation: generation.clone(),
                listeners: config.listeners.clone().into(),
                neighbours,
                vlans,
                limiter,
                user,
            };
            let captures = Captures::new(&mailboxes);
            let state = ControlState {
                status,
                watch: watch.clone(),
                feed: feed.clone(),
                explainer,
                captures,
                origins,
            };
            services.push(tokio::spawn(control.run(reload.clone(), state)));
        }
        let admin_address = admin.as_ref().and_then(|socket| socket.address().ok());
        services.push(tokio::spawn(interfaces.follow(mailboxes.clone())));
        let pulse = Arc::new(Pulse::new(mailboxes));
        if let Some(admin) = admin {
            let servers = config.events.clone().map(|events| Feed::new(Servers::new(events)));
            let pulse = pulse.clone();
            let state = admin::AdminState { watch: watch.clone(), feed, servers, pulse, access };
            services.push(tokio::spawn(admin.run(state)));
        }
        services.push(tokio::spawn(watch.clone().sample()));
        services.push(tokio::spawn(disks::look(disks.clone(), admission.deciding.clone())));
        services.push(tokio::spawn(disks::look_for_replaced(generation.clone())));

        let mut server = Server {
            stops: start_workers(workers, groups, &admission)?,
            workers: admission.mailboxes.len(),
            stopping: Stopping::No,
            admission,
            reload,
            services,
            logging,
            observing,
            telemetry,
            runtime,
            watch,
            manager,
            disks,
            deadline: None,
        };
        for (bound, listener) in listeners.iter().zip(&config.listeners) {
            tracing::info!(
                address = %bound.address, listener = listener.name, interface = bound.interface,
                single_port = bound.single_port, "listening"
            );
        }
        if let Some(address) = admin_address {
            tracing::info!(
                %address, token = config.admin.as_ref().is_some_and(|its| its.token.is_some()),
                "the admin listener is serving"
            );
        }
        generation.get().files.roots.sweep_in_background(|_| true);
        keep_in_background(config);
        server.watch.serving();
        tracing::info!(workers = config.workers, "serving");
        server.manager.ready(&serving(1));
        let watchdog = watch_over(server.manager.clone(), pulse, server.watch.clone());
        server.services.push(tokio::spawn(watchdog));
        Ok(server)
    }

    /// Reloads whenever the source of the configuration has changed.
    ///
    /// # Errors
    /// The system has no thread.
    pub(super) fn watch_source(&self, watched: Watched) -> Result<(), ServeError> {
        let reload = self.reload.downgrade();
        let changed = move || {
            let reload = reload.upgrade();
            let changed = async move {
                let Some(reload) = reload else { return false };
                let (reply_to, reply) = oneshot::channel();
                // The log says what became of it.
                reload.send(Some(reply_to)).await.is_ok() && reply.await.is_ok()
            };
            changed.boxed()
        };
        let started = watched.start(Box::new(changed));
        started.map_err(|error| ServeError::System("the configuration cannot be watched", error))
    }

    /// Serves until every worker has ended: after a signal, or because one failed.
    ///
    /// # Errors
    /// A worker failed. The others are stopped at once.
    pub(super) async fn run(&mut self, signals: &mut Signals) -> Result<(), ServeError> {
        let mut result = Ok(());
        while self.workers > 0 {
            tokio::select! {
                Some(stop) = self.stops.recv() => {
                    self.workers -= 1;
                    if let Err(error) = stop {
                        result = Err(ServeError::System("a worker failed", error));
                        self.drain(Duration::ZERO);
                    }
                }
                () = self.stopping.delay_ends() => self.begin_to_drain(self.admission.generation.get().drain),
                wish = signals.next() => match wish {
                    Wish::Stop => self.stop(),
                    // If the queue is full, a queued reload will read the same file.
                    Wish::Reload => drop(self.reload.try_send(None)),
                },
            }
        }
        result
    }

    /// Shuts down the rest after the workers have ended. Each step ends the producers of the next.
    pub(super) async fn shutdown(self) {
        // 1. No more views, reloads or commands.
        for service in self.services {
            service.abort();
            let _ = service.await;
        }
        // 2. Decisions under way are posted, those that a disk keeps as well, so that admission is gone, and with it
        //    every producer of summaries.
        self.disks.give_up();
        self.admission.deciding.give_up_without_threads();
        drop(self.admission);
        wait_for(self.logging, &self.disks, "the log").await;
        // 3. The log was the last producer of events.
        wait_for(self.observing, &self.disks, "observers").await;
        disks::settle(&self.disks, DISKS).await;
        // 4. Everything is counted.
        log_totals(&self.runtime);
        self.watch.log_totals();
        // 5. The log passes no more to telemetry, nor observers to sinks.
        let telemetry = self.telemetry;
        let _ = spawn_blocking(move || telemetry.finish(FLUSH)).await;
        let runtime = self.runtime.clone();
        let _ = spawn_blocking(move || runtime.sinks().flush(FLUSH)).await;
        log_sink_totals(&self.runtime);
        tracing::info!("stopped");
    }

    /// Drains the workers, after the delay if there is one; the second call ends their transfers at once.
    fn stop(&mut self) {
        let generation = self.admission.generation.get();
        let (delay, drain) = (generation.drain_delay, generation.drain);
        match self.stopping {
            Stopping::No if delay.is_zero() => self.begin_to_drain(drain),
            Stopping::No => self.leave(delay, drain),
            Stopping::Delayed(_) | Stopping::Draining => self.begin_to_drain(Duration::ZERO),
        }
    }

    /// Announces the shutdown to whatever sends clients here, and goes on answering those that come.
    fn leave(&mut self, delay: Duration, drain: Duration) {
        self.stopping = Stopping::Delayed(Instant::now() + delay);
        self.watch.leaving();
        let status =
            format!("stopping in {}; requests are still answered", humantime::format_duration(delay));
        self.manager.stopping(delay + drain, &status);
        tracing::info!(seconds = delay.as_secs_f64(), "stopping after a delay; requests are still answered");
    }

    fn begin_to_drain(&mut self, patience: Duration) {
        self.stopping = Stopping::Draining;
        self.watch.draining();
        self.drain(patience);
        let end = patience + REST;
        match &self.deadline {
            Some(deadline) => deadline.bring_forward(end),
            None => self.deadline = Some(Deadline::after(end, self.disks.clone())),
        }
        self.manager.stopping(patience, "stopping; waiting for running transfers");
        tracing::info!(seconds = patience.as_secs_f64(), "stopping; waiting for running transfers");
    }

    fn drain(&self, patience: Duration) {
        for mailbox in &self.admission.mailboxes {
            if let Err(error) = mailbox.post(ToWorker::Drain { until: Instant::now() + patience }) {
                tracing::error!(%error, "a worker cannot be woken");
            }
        }
    }
}

/// Waits for a task that ends when its producers have. Operations on a disk that hangs may be among those.
async fn wait_for(mut task: JoinHandle<()>, disks: &Disks, what: &str) {
    while timeout(DISKS, &mut task).await.is_err() {
        if !disks.are_idle() {
            tracing::warn!("a disk that does not answer still holds {what}; the server does not wait for it");
            return;
        }
    }
}

pub(super) fn first_generation(
    config: &Config,
    roots: Roots,
    policy: Policy,
    uploads: Uploads,
) -> Generation {
    let cache = FileCache::new(config.limits.cache, config.limits.cache_max_age);
    Generation {
        number: 1,
        files: Files { roots, cache, uploads, groups: Joining::of(config) },
        policy: Arc::new(policy),
        netboot: Netboot::of(config, None),
        leases: Leases::of(&config.lease_files, None),
        negotiation: Negotiation::of(config, Routes::default()),
        open_time: config.limits.open_time,
        ipv6_prefix: config.bounds().ipv6_prefix,
        drain_delay: config.drain_delay,
        drain: config.drain,
    }
}

fn start_telemetry(config: &Config, listeners: &[ListenerSpec], watch: &Watch) -> Telemetry {
    let (settings, complaints) = TelemetrySettings::of_process(config.telemetry.as_ref());
    for complaint in complaints {
        tracing::warn!(target: "tuffet::telemetry", "{complaint}");
    }
    let named = config.listeners.iter().zip(listeners);
    let addresses = named.map(|(listener, bound)| (listener.name.as_str().into(), bound.address));
    Telemetry::start(settings, addresses, watch)
}
