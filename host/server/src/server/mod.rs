//! The server: puts admission, workers and observers together, drains them and ends them in order.
//!
//! It starts in two steps, so that exporters can attach to [`Assembly::watch`] before the first request: an
//! [`Assembly`] has everything except workers, and [`Assembly::start`] turns it into a [`RunningServer`].

mod disks;
mod ending;
mod error;
mod groups;
mod periodic;
#[cfg(feature = "simulation")]
mod simulation;
mod slow_log;
mod transfer_log;
mod workers;

pub(crate) use ending::Unfinished;
pub use error::StartError;
#[cfg(feature = "simulation")]
pub use simulation::Simulation;
pub(crate) use transfer_log::TransferLog;

use crate::admission::{AbsenceSearches, Admission, Deciders, OpenRequests, Requests};
use crate::content::{OpenRoots, SourceOpener};
use crate::events::{Flush, Flushes, HintSettings, HintedListener, Hints, Observers, Subscriber, pass_on};
use crate::generation::{CurrentGeneration, Generation};
use crate::interfaces::{self, Addresses, InterfaceNames, Interfaces};
use crate::neighbours::Neighbours;
use crate::replacer::{Replaceable, Replacer};
use crate::sampling::Sampling;
use crate::status::{RemainingPrivileges, StateSource, Status, StatusSources};
use crate::vlans::Vlans;
use crate::watch::Watch;
use disks::DiskWatch;
use parking_lot::Mutex;
use std::io;
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::sleep_until;
use tuffet_engine::limits::Limiter;
use tuffet_engine::worker::{
    Groups, ListenerSpec, Mailbox, OtherRequests, Sockets, Succession, ToWorker, Worker,
};
use tuffet_policy::{PluginRecords, Policy};
use tuffet_request::events::{Ended, RecentDecisions};
use tuffet_request::settings::{Capacity, Settings};
use tuffet_store::{Disks, Uploads};
use workers::{make_workers, start_workers, worker_settings};

/// Resources opened before the server starts, because opening them may require a privilege.
pub(crate) struct Resources {
    /// The roots that are served.
    pub(crate) roots: OpenRoots,
    /// Opens what the program supplies.
    pub(crate) sources: SourceOpener,
    /// The disks of the roots.
    pub(crate) disks: Disks,
    /// What the server uses beside these and reports in its status.
    pub(crate) others: Vec<Arc<dyn StateSource>>,
    /// The listeners, with the ports that the kernel chose.
    pub(crate) listeners: Vec<ListenerSpec>,
    /// The sockets of each worker.
    pub(crate) sockets: Vec<Sockets>,
    /// The sockets of multicast groups, if configured.
    pub(crate) group_sockets: Option<Sockets>,
    /// The interfaces of the listeners.
    pub(crate) interfaces: Interfaces,
    /// The addresses of the listeners.
    pub(crate) addresses: Addresses,
    /// Notified of changes of interfaces and addresses.
    pub(crate) changes: Arc<Notify>,
    /// The MAC addresses of on-link clients.
    pub(crate) neighbours: Neighbours,
    /// The VLANs of this machine.
    pub(crate) vlans: Vlans,
}

/// The longest time limit of draining: longer ones would not fit into the clock.
pub(crate) const MAX_DRAIN: Duration = Duration::from_secs(365 * 24 * 3600);

/// A server before its workers start.
pub struct Assembly {
    /// The settings.
    pub settings: Settings,
    /// The generation of new requests.
    pub generation: CurrentGeneration,
    /// The state of the server.
    pub status: Status,
    /// The counters and views of the server.
    pub watch: Watch,
    /// The limits that all workers share.
    pub limiter: Arc<Limiter>,
    /// The limits of uploads.
    pub uploads: Uploads,
    /// The kernel's neighbour table.
    pub neighbours: Neighbours,
    /// The VLANs of this machine.
    pub vlans: Vlans,
    /// The disks of the roots.
    pub disks: Disks,
    /// The bound listeners.
    pub listeners: Vec<ListenerSpec>,
    /// Other processes that serve the same ports when the workers start.
    pub succession: Succession,
    sockets: Vec<Sockets>,
    group_sockets: Option<Sockets>,
    interfaces: Interfaces,
    addresses: Addresses,
    changes: Arc<Notify>,
    records: PluginRecords,
    flush: Flush,
    /// `None` once the server has started.
    flushes: Option<Flushes>,
}

impl Assembly {
    /// Creates everything except workers. `privileges`: those of this process, for the status.
    pub(crate) fn new(
        settings: Settings,
        resources: Resources,
        policy: Policy,
        records: PluginRecords,
        privileges: RemainingPrivileges,
    ) -> Assembly {
        let Resources {
            roots,
            sources,
            disks,
            others,
            listeners,
            sockets,
            group_sockets,
            interfaces,
            addresses,
            changes,
            neighbours,
            vlans,
        } = resources;
        let uploads = Uploads::new(&settings.bounds());
        let plugins = policy.plugins().to_vec();
        let generation =
            CurrentGeneration::new(Generation::first(&settings, roots, sources, policy, uploads.clone()));
        let sources = StatusSources {
            disks: disks.clone(),
            interfaces: interfaces.clone(),
            addresses: addresses.clone(),
            others: others.into(),
        };
        let status = Status::new(&plugins, privileges, sources);
        let watch = Watch::new(records.clone(), generation.clone(), status.clone(), settings.workers);
        let named = settings.listeners.iter().zip(&listeners);
        watch.listening(named.map(|(listener, bound)| (listener.name.clone(), bound.address.to_string())));
        let Capacity { transfers, pending, .. } = settings.capacity;
        let limiter = Arc::new(Limiter::new(&settings.bounds(), transfers, pending));
        let (flush, flushes) = Flush::new();
        Assembly {
            settings,
            generation,
            status,
            watch,
            limiter,
            uploads,
            neighbours,
            vlans,
            disks,
            listeners,
            succession: Succession::default(),
            sockets,
            group_sockets,
            interfaces,
            addresses,
            changes,
            records,
            flush,
            flushes: Some(flushes),
        }
    }

    /// Returns duplicates of the listening sockets of all workers, with the positions of their listeners. They keep their
    /// ports when the server drains.
    ///
    /// # Errors
    /// The process has no descriptors left.
    pub fn duplicate_listening(&self) -> io::Result<Vec<(usize, UdpSocket)>> {
        let all = self.sockets.iter().map(Sockets::duplicate_listening);
        let all = all.collect::<io::Result<Vec<_>>>()?.into_iter().flatten();
        Ok(all.map(|(listener, socket)| (listener.into(), socket)).collect())
    }

    /// Returns what replaces the service.
    pub fn replacer(&self) -> Replacer {
        Replacer(Arc::new(Replaceable {
            generation: self.generation.clone(),
            status: self.status.clone(),
            limiter: Arc::clone(&self.limiter),
            uploads: self.uploads.clone(),
            disks: self.disks.clone(),
            records: self.records.clone(),
            settings: Mutex::new(self.settings.clone()),
            replacing: tokio::sync::Mutex::new(()),
            flush: self.flush.clone(),
        }))
    }

    /// Starts the tasks and the workers, which then answer requests. `sampling`: samples traces, if they are exported.
    /// Must be called within a runtime.
    ///
    /// # Errors
    /// The system has no thread or no descriptor for a worker.
    pub fn start(
        mut self,
        sampling: Option<Sampling>,
        subscriber: impl Subscriber,
    ) -> Result<RunningServer, StartError> {
        let (summaries, ended) = self.summaries();
        let ends_of_others = summaries.downgrade();
        let mut of_workers = worker_settings(&self.settings, self.limiter.clone());
        of_workers.succession = self.succession.clone();
        let sockets = std::mem::take(&mut self.sockets);
        let workers = make_workers(sockets, &of_workers, summaries, &self.watch)?;
        let mut mailboxes: Vec<Arc<Mailbox>> = workers.iter().map(Worker::mailbox).collect();
        let number = workers.len();
        let (group_sockets, counts) = (self.group_sockets.take(), self.watch.groups());
        let transfer = &of_workers.transfer;
        let groups = groups::make(&self.settings, number, group_sockets, transfer, &self.limiter, counts)?;
        mailboxes.extend(groups.as_ref().map(Groups::mailbox));

        let deciding = Deciding {
            mailboxes: mailboxes.clone(),
            groups: groups.as_ref().map(|_| number),
            first_id: fastrand::u64(..),
            deciders: Deciders::new(),
            sampling,
            ends_of_others,
        };
        let Control { admission, passing, observing } = self.control(deciding, ended, subscriber);
        let hints = self.hint_settings();
        let Assembly { generation, watch, disks, interfaces, addresses, changes, .. } = self;
        let is_draining = {
            let watch = watch.clone();
            move || watch.is_draining()
        };
        let tasks = vec![
            tokio::spawn(interfaces::follow(interfaces, addresses, mailboxes, changes, is_draining)),
            tokio::spawn(periodic::run(
                watch.clone(),
                DiskWatch::new(disks.clone(), admission.deciders.clone()),
                generation,
                hints,
                Arc::clone(&admission.other_requests),
            )),
        ];
        let (drain_others, asked) = watch::channel(None);
        let drains = Drains { mailboxes: admission.mailboxes.clone(), others: Arc::new(drain_others) };
        let (stopped, stops) = mpsc::unbounded_channel();
        let of_others = (Arc::clone(&admission.other_requests), Arc::clone(&admission.open_requests));
        match start_workers(workers, groups, &admission, &stopped) {
            Ok(()) => drop(tokio::spawn(async move {
                drained(asked, of_others).await;
                stopped.send(Ok(()))
            })),
            Err(error) => {
                // Threads that did start would serve without anybody to stop them.
                drains.drain(Duration::ZERO, false);
                tasks.iter().for_each(JoinHandle::abort);
                return Err(error);
            }
        }
        Ok(RunningServer {
            // One more for the requests of other protocols.
            workers: admission.mailboxes.len() + 1,
            admission,
            drains,
            stops,
            tasks,
            passing: Some(passing),
            observing: Some(observing),
            watch,
            disks,
        })
    }
}

/// What decides requests, beside an [`Assembly`].
struct Deciding {
    /// The mailboxes of the workers, then that of the multicast thread.
    mailboxes: Vec<Arc<Mailbox>>,
    /// The number of the multicast thread, if there is one.
    groups: Option<usize>,
    /// The number of the first request.
    first_id: u64,
    deciders: Deciders,
    sampling: Option<Sampling>,
    /// The queue of summaries, for requests of other protocols.
    ends_of_others: mpsc::WeakSender<Ended>,
}

/// The control side of a server.
struct Control {
    admission: Arc<Admission>,
    /// Passes summaries to the subscriber and to observers.
    passing: JoinHandle<()>,
    /// Calls observers.
    observing: JoinHandle<()>,
}

impl Assembly {
    fn hint_settings(&self) -> HintSettings {
        let bound = self.settings.listeners.iter().zip(&self.listeners);
        let hinted = bound.map(|(listener, bound)| HintedListener {
            name: listener.name.as_str().into(),
            port: bound.address.port(),
            single_port: listener.single_port,
        });
        let (dont_fragment, names) = (self.settings.transfer.dont_fragment, self.settings.names);
        HintSettings { listeners: hinted.collect(), dont_fragment, names }
    }

    /// The queue of summaries: a place for each transfer, and as many for summaries waiting to be logged.
    fn summaries(&self) -> (mpsc::Sender<Ended>, mpsc::Receiver<Ended>) {
        mpsc::channel(self.settings.capacity.transfers.saturating_mul(2).max(2))
    }

    /// Starts what decides requests, and the tasks that take their ends. Must be called within a runtime.
    fn control(
        &mut self,
        deciding: Deciding,
        ended: mpsc::Receiver<Ended>,
        subscriber: impl Subscriber,
    ) -> Control {
        let flushes = self.flushes.take().unwrap_or_else(|| Flush::new().1);
        let Assembly { settings, generation, watch, .. } = &*self;
        let (observers, observing) =
            Observers::start(generation.clone(), watch.clone(), settings.capacity.events);
        let admission = Arc::new(Admission {
            listeners: settings.listeners.iter().map(|listener| listener.name.as_str().into()).collect(),
            generation: generation.clone(),
            observers: observers.clone(),
            watch: watch.clone(),
            neighbours: self.neighbours.clone(),
            interface_names: InterfaceNames::default(),
            recent_decisions: RecentDecisions::default(),
            vlans: self.vlans.clone(),
            mailboxes: deciding.mailboxes,
            groups: deciding.groups,
            ids: AtomicU64::new(deciding.first_id),
            runtime: Handle::current(),
            deciders: deciding.deciders,
            absence_searches: AbsenceSearches::new(),
            sampling: deciding.sampling,
            other_requests: OtherRequests::new(
                self.limiter.clone(),
                settings.capacity.transfers,
                settings.capacity.pending,
                watch.other_requests(),
            ),
            open_requests: Arc::new(OpenRequests::new()),
            summaries: deciding.ends_of_others,
        });
        let hints = Hints::new(self.hint_settings());
        let history = self.records.history().clone();
        let passing = pass_on(ended, flushes, observers, watch.clone(), hints, history, subscriber);
        let passing = tokio::spawn(passing);
        Control { admission, passing, observing }
    }
}

/// A running server: its tasks, and the results of its workers.
pub struct RunningServer {
    admission: Arc<Admission>,
    drains: Drains,
    /// The result of each worker that has ended.
    stops: mpsc::UnboundedReceiver<io::Result<()>>,
    /// Workers that have not ended; the requests of other protocols count as one.
    workers: usize,
    /// Follow interfaces, take samples, check disks.
    tasks: Vec<JoinHandle<()>>,
    /// Passes summaries to the subscriber and to observers; `None` once it has ended.
    passing: Option<JoinHandle<()>>,
    /// Calls observers; `None` once it has ended.
    observing: Option<JoinHandle<()>>,
    watch: Watch,
    disks: Disks,
}

impl RunningServer {
    /// Returns the generation of new requests.
    pub fn generation(&self) -> Arc<Generation> {
        self.admission.generation.get()
    }

    /// Returns the mailboxes of the workers, then that of the multicast thread.
    pub fn mailboxes(&self) -> &[Arc<Mailbox>] {
        &self.admission.mailboxes
    }

    /// Returns what takes requests by other protocols.
    pub fn requests(&self) -> Requests {
        Requests::of(&self.admission)
    }

    /// Returns what ends its transfers.
    pub(crate) fn drains(&self) -> Drains {
        self.drains.clone()
    }

    /// Returns the counters and views of this server.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Returns the disks of its roots.
    pub fn disks(&self) -> &Disks {
        &self.disks
    }

    /// Returns whether any worker is running.
    pub fn is_running(&self) -> bool {
        self.workers > 0
    }

    /// Waits for the end of a worker. May be cancelled.
    ///
    /// # Errors
    /// The worker failed, or a task without which no request ends.
    pub async fn stopped(&mut self) -> io::Result<()> {
        let failed = |what: &str| Err(io::Error::other(format!("a bug: the task of {what} panicked")));
        tokio::select! {
            stop = self.stops.recv() => match stop {
                Some(stop) => {
                    self.workers -= 1;
                    stop
                }
                // Each worker sends its result, also when it panics.
                None => {
                    self.workers = 0;
                    Ok(())
                }
            },
            () = panicked(&mut self.passing) => failed("the log"),
            () = panicked(&mut self.observing) => failed("observers"),
        }
    }

    /// Stops taking requests, and ends running transfers after `time_limit`. Then the workers end.
    pub fn drain(&self, time_limit: Duration) {
        self.drains.drain(time_limit, false);
    }

    /// As [`RunningServer::drain`], once another process reads the listening sockets.
    pub fn drain_replaced(&self, time_limit: Duration) {
        self.drains.drain(time_limit, true);
    }

    /// Tells the workers of other processes that serve the same ports.
    pub fn set_succession(&self, succession: &Succession) {
        set_succession(&self.admission.mailboxes, succession);
    }
}

/// Waits for a panic of a task, which otherwise ends with the workers.
async fn panicked(task: &mut Option<JoinHandle<()>>) {
    if let Some(running) = task {
        let ended = running.await;
        *task = None;
        if ended.is_err() {
            return;
        }
    }
    std::future::pending().await
}

/// Tells workers of other processes that serve the same ports.
pub fn set_succession(workers: &[Arc<Mailbox>], succession: &Succession) {
    for mailbox in workers {
        if let Err(error) = mailbox.post(ToWorker::Succession(succession.clone())) {
            tracing::error!(target: "tuffet::server::running", %error, "a worker cannot be woken");
        }
    }
}

/// Ends the transfers of a server.
#[derive(Clone)]
pub(crate) struct Drains {
    mailboxes: Vec<Arc<Mailbox>>,
    /// Until when the requests of other protocols are waited for.
    others: Arc<watch::Sender<Option<Instant>>>,
}

impl Drains {
    /// Tells workers to stop taking requests, and to end running transfers after `time_limit`. `is_replaced`: whether another
    /// process reads the listening sockets.
    pub(crate) fn drain(&self, time_limit: Duration, is_replaced: bool) {
        let until = Instant::now() + time_limit.min(MAX_DRAIN);
        self.others.send_replace(Some(until));
        for mailbox in &self.mailboxes {
            if let Err(error) = mailbox.post(ToWorker::Drain { until, is_replaced }) {
                tracing::error!(target: "tuffet::server::running", %error, "a worker cannot be woken");
            }
        }
    }
}

/// Waits for the requests of other protocols, once it is asked to, and ends those that are late.
async fn drained(
    mut asked: watch::Receiver<Option<Instant>>,
    (requests, open): (Arc<OtherRequests>, Arc<OpenRequests>),
) {
    loop {
        let until = *asked.borrow_and_update();
        tokio::select! {
            changed = asked.changed() => if changed.is_err() { break },
            () = requests.idle(), if until.is_some() => return,
            () = sleep_until(until.unwrap_or_else(Instant::now).into()), if until.is_some() => break,
        }
    }
    open.stop();
}
