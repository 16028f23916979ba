//! A running server: its parts, its start, and the order of its shutdown.

use super::control::ControlState;
use super::deadline::Deadline;
use super::explain::{ExplainedListener, Explainer};
use super::handover::{Handover, Next};
use super::http::RunningHttp;
use super::parent::Parent;
use super::passing::{Here, Passing, SharedListener, ToNext};
use super::policy::{log_sink_totals, log_totals, warnings};
use super::predecessor::Predecessor;
use super::reload::{Configure, DrainTimes, ReloadRequest, Reloader, save_in_background};
use super::revision::revision;
use super::shared_state::SharedState;
use super::signals::{SignalRequest, Signals};
use super::succession::{
    control_socket_goes, hold_ends, no_longer_needed, offer, parent_ends, shared_listeners, succeed,
};
use super::{Opened, Prepared, ServeError, describe_unopened, serving_status};
use crate::logging;
use crate::source::Watched;
use crate::systemd::{ServiceManager, feed_watchdog};
use futures_util::FutureExt;
use std::fmt::Display;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{sleep, sleep_until};
use tuffet_config::Config;
use tuffet_engine::worker::{Beside, ListenerSpec};
use tuffet_observe::admin::{self, Access, WorkerLiveness};
use tuffet_observe::feed::Feed;
use tuffet_observe::fleet::{self, Servers};
use tuffet_observe::records::Records;
use tuffet_observe::telemetry::{Settings as TelemetrySettings, Telemetry};
use tuffet_policy::Policy;
use tuffet_server::capture::Captures;
use tuffet_server::daemon::{BuilderParts, ServerParts, ServiceParts};
use tuffet_server::neighbours::Neighbours;
use tuffet_server::netlink;
use tuffet_server::server::RunningServer;
use tuffet_server::vlans::Vlans;
use tuffet_server::watch::Watch;
use tuffet_udp::is_assigned;
use tuffet_wasm::PolicyRuntime;

/// How often the keys of plugins are counted.
const COUNT_KEYS: Duration = Duration::from_secs(30);

/// The time to flush sinks and telemetry at shutdown.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// The time for the rest of a shutdown if a disk hangs.
const SHUTDOWN_MARGIN: Duration = Duration::from_millis(900);

/// How long a stopping server below a parent process keeps its sockets for the next one.
const HOLD: Duration = Duration::from_secs(10);

/// When a stopping server without a next one lets others use its state on disk. Most have ended before.
const SHARE_AFTER: Duration = Duration::from_millis(200);

/// The phase of a shutdown.
#[derive(Debug, Clone, Copy)]
enum ShutdownPhase {
    NotStarted,
    /// A stop was requested; requests are still answered until then.
    Delayed(Instant),
    /// The workers drain.
    Draining,
}

impl ShutdownPhase {
    fn has_not_begun(self) -> bool {
        matches!(self, ShutdownPhase::NotStarted)
    }

    /// Waits for the end of the delay; without a delay, for ever.
    async fn delay_ends(self) {
        match self {
            ShutdownPhase::Delayed(end) => sleep_until(end.into()).await,
            ShutdownPhase::NotStarted | ShutdownPhase::Draining => std::future::pending().await,
        }
    }
}

/// A server with its control socket, admin listener, telemetry and service manager.
pub(super) struct Running {
    server: RunningServer,
    /// The listeners of HTTP.
    http: Option<RunningHttp>,
    phase: ShutdownPhase,
    reload: mpsc::Sender<ReloadRequest>,
    /// Reloads.
    reloader: JoinHandle<()>,
    /// The control socket, the admin listener, the watchdog.
    services: Vec<JoinHandle<()>>,
    handover: Handover,
    handed_over: mpsc::Receiver<UnixStream>,
    state: SharedState,
    /// Whether its listening ports are closed, and no server has taken them over: one that nobody knows of yet may use them,
    /// and the state on disk.
    is_released: bool,
    /// A second signal ends transfers at once.
    is_told_to_stop: bool,
    next: Option<Next>,
    parent: Option<(Parent, oneshot::Receiver<()>)>,
    /// Until when a stopping server keeps its sockets for the next one.
    held_until: Option<Instant>,
    telemetry: Telemetry,
    runtime: PolicyRuntime,
    manager: ServiceManager,
    drain_times: DrainTimes,
    /// The deadline of the process, once it stops.
    deadline: Option<Deadline>,
}

impl Running {
    /// Starts the tasks and the workers. Requests are answered from here on.
    ///
    /// # Errors
    /// The system has no thread or no descriptor for a worker.
    pub(super) async fn start(
        config: &Config,
        prepared: Prepared,
        policy: Policy,
        configure: Configure,
        parent: Option<(Parent, oneshot::Receiver<()>)>,
    ) -> Result<Running, ServeError> {
        let Prepared { opened, left, runtime, manager, http: http_runtime } = prepared;
        let Opened { server, http, origins, next, mut admin, mut control, predecessor } = opened;
        origins.take(next);
        for warning in warnings(config, &policy) {
            tracing::warn!(target: "tuffet::policy", "{warning}");
        }
        for unopened in &config.unopened {
            tracing::warn!(target: "tuffet::store::root", root = unopened.root, "{}", describe_unopened(unopened));
        }
        let user = format!("uid {}", left.held.uid);
        let neighbours = netlink::follow_neighbours().await.unwrap_or_else(|error| {
            tracing::warn!(
                target: "tuffet::server::running",
                %error, "no neighbour table; MAC addresses come from requested names alone"
            );
            Neighbours::default()
        });
        let vlans = netlink::follow_vlans().await.unwrap_or_else(|error| {
            tracing::warn!(
                target: "tuffet::server::running",
                %error, "the network interfaces cannot be read; plugins learn of no VLAN"
            );
            Vlans::default()
        });
        // Without events, listeners look each second for what they wait for.
        let changes = netlink::follow_changes().unwrap_or_default();
        let records = runtime.records().clone();
        let parts = |builder: tuffet_server::Builder| {
            let builder = builder
                .policy(policy)
                .records(records)
                .facts(neighbours, vlans)
                .network_changes(changes)
                .privileges(left);
            builder.state(Arc::new(runtime.clone())).state(Arc::new(http.states(config)))
        };
        let mut assembly = server.configure(parts).assemble();
        assembly.status.revised(revision(config), config.file());
        let watch = assembly.watch.clone();
        watch.reads_dropped_lines(logging::dropped);
        watch.log_started(config.log.started);
        if let Some(events) = &config.events {
            fleet::start(events, &watch)
                .map_err(|error| ServeError::System("events cannot be published", error))?;
        }
        let telemetry = start_telemetry(config, &assembly.listeners, &watch);
        let exporter = telemetry.clone();
        origins.observe(Box::new(move |fetch| exporter.fetched(fetch)));
        let drain_times = DrainTimes::of(config);
        let access = Access::of(config.admin.as_ref());
        let reloader = Reloader {
            configure,
            config: config.clone(),
            runtime: runtime.clone(),
            generation: assembly.generation.clone(),
            status: assembly.status.clone(),
            watch: watch.clone(),
            access: access.clone(),
            manager: manager.clone(),
            replacer: assembly.replacer(),
            disks: assembly.disks.clone(),
            origins: origins.clone(),
            drain_times: drain_times.clone(),
            certificates: http.certificates.clone(),
        };
        let explainer = Explainer {
            generation: assembly.generation.clone(),
            listeners: ExplainedListener::all(&config.settings).into(),
            neighbours: assembly.neighbours.clone(),
            vlans: assembly.vlans.clone(),
            limiter: assembly.limiter.clone(),
            watch: watch.clone(),
            user,
        };
        let (shared_origins, shared_generation) = (origins.clone(), assembly.generation.clone());
        let limiter = assembly.limiter.clone();
        let listeners = assembly.listeners.clone();
        let records = Records::new(telemetry.clone(), logging::dialect, watch.clone());
        runtime.records().rates().requests_have_reasons(logging::requests_have_reasons);
        let shared: Arc<[SharedListener]> = shared_listeners(config, &listeners).into();
        let datagrams = predecessor.as_ref().map(Predecessor::datagrams).transpose();
        let datagrams =
            datagrams.map_err(|error| ServeError::System("the sockets cannot be duplicated", error))?;
        let (to_before, from_before) = datagrams.unzip();
        let before = to_before.map(|to| Arc::new(Passing::connected(shared.clone(), to)) as Arc<dyn Beside>);
        assembly.succession.before = before.clone();
        let (handover, handed_over) = Handover::new(
            offer(&assembly, admin.as_mut(), control.as_mut(), &http)
                .map_err(|error| ServeError::System("the sockets cannot be duplicated", error))?,
        );
        let server = assembly.start(telemetry.sampling(), records)?;
        let passes = config.settings.listeners.iter().any(|listener| listener.single_port);
        let here = Here {
            mailboxes: server.mailboxes().to_vec(),
            workers: config.settings.workers,
            listeners: shared,
            limiter,
        };
        let to_next = ToNext::new(here, before, passes);
        let state = SharedState {
            folder: config.state.clone(),
            mark: Arc::default(),
            runtime: runtime.clone(),
            origins: shared_origins,
            generation: shared_generation,
        };
        handover.set_link(to_next.clone(), state.clone());
        if let Some(from) = from_before {
            to_next
                .receive_from_before(from)
                .map_err(|error| ServeError::System("the server has no thread", error))?;
        }

        // At most two reloads are queued: the file may have changed since the running reload read it.
        let (reload, requests) = mpsc::channel(2);
        let reloader = tokio::spawn(reloader.run(requests));
        let mut services = Vec::new();
        let feed = Feed::new(watch.clone());
        let captures = Captures::new(server.mailboxes());
        if let Some(control) = control {
            let state = ControlState {
                watch: watch.clone(),
                feed: feed.clone(),
                explainer,
                captures: captures.clone(),
                origins,
                plugins: runtime.clone(),
                handover: handover.clone(),
                parent: parent.as_ref().map(|(parent, _)| parent.clone()),
            };
            services.push(tokio::spawn(control.run(reload.clone(), state)));
        }
        let plugins = runtime.clone();
        services.push(tokio::spawn(async move {
            loop {
                plugins.count_keys().await;
                sleep(COUNT_KEYS).await;
            }
        }));
        let admin_address = admin.as_ref().and_then(|(socket, _)| socket.address().ok());
        let liveness = Arc::new(WorkerLiveness::new(server.mailboxes().to_vec()));
        if let Some((admin, _)) = admin {
            let servers = config.events.clone().map(|events| Feed::new(Servers::new(events)));
            let liveness = liveness.clone();
            let state = admin::AdminState { watch: watch.clone(), feed, servers, liveness, access };
            services.push(tokio::spawn(admin.run(state)));
        }
        announce(config, &listeners, admin_address);
        let urls = http.addresses(config);
        for (listener, url) in &urls {
            tracing::info!(target: "tuffet::server::running", url, listener, "listening by HTTP");
        }
        watch.listening(urls.into_iter());
        for warning in http.certificates.warnings(config) {
            tracing::warn!(target: "tuffet::http", "{warning}");
        }
        let http = http.serve(config, &server.requests(), captures, http_runtime);
        let http = http.map_err(|error| ServeError::System("the listeners of HTTP cannot start", error))?;
        server.generation().files.roots.sweep_in_background(|_| true);
        save_in_background(config);
        watch.serving();
        tracing::info!(target: "tuffet::server::running", workers = config.settings.workers, "serving");
        manager.ready(&serving_status(1));
        match predecessor {
            Some(predecessor) => succeed(predecessor, state.clone(), watch.clone()),
            None => drop(tokio::spawn(state.clone().own())),
        }
        services.push(tokio::spawn(feed_watchdog(manager.clone(), liveness, watch)));
        Ok(Running {
            server,
            http,
            phase: ShutdownPhase::NotStarted,
            reload,
            reloader,
            services,
            handover,
            handed_over,
            state,
            is_released: false,
            is_told_to_stop: false,
            next: None,
            parent,
            held_until: None,
            telemetry,
            runtime,
            manager,
            drain_times,
            deadline: None,
        })
    }

    /// Reloads whenever the source of the configuration changes.
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
                // The log has the result.
                reload.send(ReloadRequest::Reload(Some(reply_to))).await.is_ok() && reply.await.is_ok()
            };
            changed.boxed()
        };
        let started = watched.start(Box::new(changed));
        started.map_err(|error| ServeError::System("the configuration cannot be watched", error))
    }

    /// Serves until every worker has ended, after a signal or a failure.
    ///
    /// # Errors
    /// A worker failed. The others are stopped at once.
    pub(super) async fn run(&mut self, signals: &mut Signals) -> Result<(), ServeError> {
        let mut result = Ok(());
        let watch = self.server.watch().clone();
        while self.server.is_running()
            || self.held_until.is_some()
            || self.handover.is_between()
            || self.handover.is_in_progress()
        {
            tokio::select! {
                stop = self.server.stopped(), if self.server.is_running() => if let Err(error) = stop {
                    result = Err(ServeError::System("a worker failed", error));
                    self.server.drain(Duration::ZERO);
                },
                () = self.phase.delay_ends() => self.begin_to_drain(self.drain_times.get().1),
                Some(next) = self.handed_over.recv() => self.is_replaced(next),
                () = watch.next_second(), if self.next.is_some() => self.count_for_next(),
                () = hold_ends(self.held_until, &self.handover) => self.release(),
                () = control_socket_goes(self.is_released && !self.services.is_empty(), &self.handover) => {
                    self.end_services();
                }
                () = no_longer_needed(&self.handover) => {}
                () = parent_ends(&mut self.parent), if self.phase.has_not_begun() => {
                    // It was the service for the manager, which would wait for this process.
                    self.manager.fall_silent();
                    self.stop();
                }
                request = signals.next() => match request {
                    SignalRequest::Stop => self.stop(),
                    // If the queue is full, a queued reload will read the same file.
                    SignalRequest::Reload => drop(self.reload.try_send(ReloadRequest::Reload(None))),
                    SignalRequest::Other(name) => tracing::info!(
                        target: "tuffet::server::running",
                        signal = name,
                        "the signal has no meaning for this server and is ignored; SIGHUP reloads, SIGTERM stops"
                    ),
                },
            }
        }
        result
    }

    /// Shuts down the rest after the workers have ended. Each step ends the producers of the next.
    pub(super) async fn shutdown(mut self) {
        // 1. No more views, reloads or commands.
        self.handover.give_up();
        for service in self.services.into_iter().chain([self.reloader]) {
            service.abort();
            let _ = service.await;
        }
        if let Some(http) = self.http {
            http.end().await;
        }
        // 2. No more decisions, summaries or events.
        let watch = self.server.watch().clone();
        self.server.end().await;
        // 3. The totals are final.
        log_totals(&self.runtime);
        watch.log_totals();
        if let Some(next) = &mut self.next {
            next.count(&watch);
        }
        // 4. Log and observers are done: flush telemetry and sinks.
        let telemetry = self.telemetry;
        let _ = spawn_blocking(move || telemetry.finish(FLUSH_TIMEOUT)).await;
        let runtime = self.runtime.clone();
        let _ = spawn_blocking(move || runtime.sinks().flush(FLUSH_TIMEOUT)).await;
        log_sink_totals(&self.runtime);
        tracing::info!(target: "tuffet::server::running", "stopped");
    }

    /// Drains the workers, after the delay if there is one; the second call ends their transfers at once.
    fn stop(&mut self) {
        let (delay, drain) = self.drain_times.get();
        let again = std::mem::replace(&mut self.is_told_to_stop, true);
        match self.phase {
            // The next server has replaced it, and the signal was on its way.
            ShutdownPhase::Draining if !again => {}
            ShutdownPhase::NotStarted if delay.is_zero() => self.begin_to_drain(drain),
            ShutdownPhase::NotStarted => self.announce_shutdown(delay, drain),
            ShutdownPhase::Delayed(_) | ShutdownPhase::Draining => {
                self.begin_to_drain(Duration::ZERO);
                self.release();
            }
        }
    }

    /// Announces the shutdown, for example to load balancers, and still answers requests during the delay.
    fn announce_shutdown(&mut self, delay: Duration, drain: Duration) {
        self.phase = ShutdownPhase::Delayed(Instant::now() + delay);
        self.server.watch().leaving();
        let status =
            format!("stopping in {}; requests are still answered", humantime::format_duration(delay));
        self.manager.stopping(delay + drain, &status);
        tracing::info!(
            target: "tuffet::server::running",
            seconds = delay.as_secs_f64(), "stopping after a delay; requests are still answered"
        );
    }

    /// Answers no more requests, and gives the ports to others. Below a parent process, which ends now, they are kept for
    /// the next server that it or the service manager starts, if that can find this one.
    fn begin_to_drain(&mut self, patience: Duration) {
        let is_kept = self.parent.is_some() && self.handover.can_be_found();
        if is_kept {
            self.handover.keep_requests();
        }
        self.drain(patience);
        self.manager.stopping(patience, "stopping; waiting for running transfers");
        tracing::info!(
            target: "tuffet::server::running",
            seconds = patience.as_secs_f64(), "stopping; waiting for running transfers"
        );
        match &self.parent {
            Some((parent, _)) if is_kept => {
                self.manager.fall_silent();
                self.held_until.get_or_insert(Instant::now() + HOLD);
                parent.draining();
            }
            Some((parent, _)) if !self.handover.keeps_ports() => self.vacate(parent.clone()),
            // The parent ends with this process, so that the next server can have the ports.
            _ => self.release(),
        }
    }

    /// Gives up everything that the next server needs and cannot take over, and then has the parent end.
    fn vacate(&mut self, parent: Parent) {
        self.is_released = true;
        self.manager.fall_silent();
        self.handover.give_up();
        let services: Vec<_> = self.services.drain(..).collect();
        let (handover, state) = (self.handover.clone(), self.state.clone());
        tokio::spawn(async move {
            for service in services {
                service.abort();
                // Its socket is closed then.
                let _ = service.await;
            }
            handover.workers_have_acted().await;
            let _ = spawn_blocking(move || state.share()).await;
            parent.draining();
        });
    }

    fn drain(&mut self, patience: Duration) {
        let is_first = !matches!(self.phase, ShutdownPhase::Draining);
        self.phase = ShutdownPhase::Draining;
        // First: whoever is accepted before the server drains is served.
        self.http = self.http.take().map(|http| http.drain(patience));
        self.server.watch().draining();
        self.server.drain(patience);
        let held = if self.parent.is_some() && is_first { HOLD } else { Duration::ZERO };
        let end = patience.max(held) + SHUTDOWN_MARGIN;
        match &self.deadline {
            Some(deadline) => deadline.bring_forward(end),
            None => self.deadline = Some(Deadline::after(end, self.server.disks().clone())),
        }
    }

    /// The next server answers requests: this one lets its transfers end.
    fn is_replaced(&mut self, next: UnixStream) {
        self.next = Some(Next::new(next, self.server.watch()));
        self.manager.fall_silent();
        let patience = self.drain_times.get().1;
        if !matches!(self.phase, ShutdownPhase::Draining) {
            self.drain(patience);
        }
        // The earlier deadline holds.
        self.server.drain_replaced(patience);
        tracing::info!(
            target: "tuffet::server::running",
            "the next server answers requests; waiting for running transfers"
        );
        if let Some((parent, _)) = &self.parent {
            // The parent first: whoever asked for the restart may stop the server next.
            parent.draining();
            parent.is_replaced();
        }
        self.release();
    }

    /// Passes on what this process has counted since the next one answers requests.
    fn count_for_next(&mut self) {
        if let Some(next) = &mut self.next {
            next.count(self.server.watch());
        }
    }

    /// Closes the listening ports, unless they are another server's now. Without one, the control socket and the admin
    /// listener answer until the last transfer has ended, or the next server takes them over.
    fn release(&mut self) {
        self.held_until = None;
        if self.next.is_some() {
            return self.end_services();
        }
        self.handover.close_listening();
        if !self.is_released {
            self.is_released = true;
            let state = self.state.clone();
            // A server that anybody starts while the last transfers run needs the state, too.
            tokio::spawn(async move {
                sleep(SHARE_AFTER).await;
                spawn_blocking(move || state.share()).await
            });
        }
    }

    /// Closes the control socket and the admin listener, and whatever else the next server could take.
    fn end_services(&mut self) {
        self.handover.give_up();
        for service in self.services.drain(..) {
            service.abort();
        }
    }
}

/// The address that a machine has as long as IPv6 is in use.
const IPV6_LOOPBACK: SocketAddr = SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), 0);

/// Logs the served addresses.
fn announce(config: &Config, listeners: &[ListenerSpec], admin: Option<impl Display>) {
    for (bound, listener) in listeners.iter().zip(&config.settings.listeners) {
        if bound.lacks_ipv6 || bound.ipv4_too && !is_assigned(IPV6_LOOPBACK, None) {
            tracing::info!(
                target: "tuffet::server::running",
                listener = listener.name, address = %bound.address,
                "IPv6 is switched off on this machine; the listener serves IPv4 alone"
            );
        }
        // What others wait for is logged already.
        if bound.missing.is_some() {
            continue;
        }
        tracing::info!(
            target: "tuffet::server::running",
            address = %bound.address, listener = listener.name, interface = bound.interface,
            single_port = bound.single_port, "listening"
        );
    }
    if let Some(address) = admin {
        tracing::info!(
            target: "tuffet::server::running",
            %address, token = config.admin.as_ref().is_some_and(|its| its.token.is_some()),
            "the admin listener is serving"
        );
    }
}

fn start_telemetry(config: &Config, listeners: &[ListenerSpec], watch: &Watch) -> Telemetry {
    let (settings, problems) = TelemetrySettings::of_process(config.telemetry.as_ref());
    for problem in problems {
        tracing::warn!(target: "tuffet::telemetry", "{problem}");
    }
    let named = config.settings.listeners.iter().zip(listeners);
    let addresses = named.map(|(listener, bound)| (listener.name.as_str().into(), bound.address));
    Telemetry::start(settings, addresses, watch)
}
