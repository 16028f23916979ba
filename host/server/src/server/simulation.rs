//! A server in virtual time. The worker, admission, hooks and roots are those of a server; whoever drives it has the
//! clock and the network.
//!
//! Decisions, reads and writes run in real time while the virtual clock stands still. They run one after the other, in
//! the order in which the worker asked for them, so that a run depends on the clock and the network alone.

use super::workers::worker_settings;
use super::{Assembly, Control, Deciding, StartError, TransferLog};
use crate::admission::{Admission, Deciders};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tuffet_core::Time;
use tuffet_engine::worker::{Departure, SocketId, Stored, ToControl, ToWorker, VirtualWorker};
use tuffet_request::events::{Ended, Summary};
use tuffet_udp::Local;

/// The real time that an answer of the control side may take by default: longer than all time limits of hooks and opens.
const PATIENCE: Duration = Duration::from_secs(10);

/// The interval of checks whether sinks are aborted.
const ABORT_CHECK: Duration = Duration::from_micros(50);

/// A listener of the server.
#[derive(Debug, Clone)]
struct SimulatedListener {
    name: String,
    address: SocketAddr,
    socket: SocketId,
}

/// A server in virtual time; see [`Simulation::of`].
pub struct Simulation {
    worker: VirtualWorker,
    admission: Arc<Admission>,
    runtime: Handle,
    listeners: Vec<SimulatedListener>,
    /// Summaries from the worker.
    summaries: mpsc::Receiver<Ended>,
    /// The queue towards observers.
    ended: mpsc::Sender<Ended>,
    tasks: [JoinHandle<()>; 2],
    now: Time,
    patience: Duration,
}

impl Assembly {
    /// Starts it in virtual time. Must be called within a runtime.
    pub(crate) fn simulate(mut self) -> Result<Simulation, StartError> {
        let (places, summaries) = self.summaries();
        let (ended, passed) = self.summaries();
        let settings = worker_settings(&self.settings, self.limiter.clone());
        let worker = VirtualWorker::new(settings, &self.listeners, places)
            .map_err(|error| StartError::new("a worker cannot start", error))?;
        let deciding = Deciding {
            mailboxes: vec![worker.mailbox()],
            groups: None,
            first_id: 1,
            deciders: Deciders::none(),
            sampling: None,
            ends_of_others: ended.downgrade(),
        };
        let Control { admission, passing, observing } = self.control(deciding, passed, TransferLog);
        let named = self.settings.listeners.iter().zip(&self.listeners).enumerate();
        let listeners = named.filter_map(|(number, (listener, bound))| {
            let socket = worker.listening(number)?;
            Some(SimulatedListener { name: listener.name.clone(), address: bound.address, socket })
        });
        Ok(Simulation {
            listeners: listeners.collect(),
            worker,
            admission,
            runtime: Handle::current(),
            summaries,
            ended,
            tasks: [passing, observing],
            now: Time::default(),
            patience: PATIENCE,
        })
    }
}

impl Simulation {
    /// The socket that takes requests for the listener of this name; without a name, the first one.
    pub fn listener(&self, name: Option<&str>) -> Option<SocketId> {
        let is_it = |listener: &&SimulatedListener| name.is_none_or(|name| listener.name == name);
        self.listeners.iter().find(is_it).map(|listener| listener.socket)
    }

    /// Sets the real time that a decision, a read or a write may take. After it, virtual time goes on, and the answer
    /// comes when it comes.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// When the next timer is due; `None` if there is none.
    pub fn next_timer(&self) -> Option<Time> {
        self.worker.next_timer()
    }

    /// Begins a turn at this time, which is no earlier than that of the turn before.
    pub fn begin(&mut self, now: Time) {
        self.now = now;
        self.worker.begin(now);
        self.hear();
    }

    /// Delivers a datagram to one of the sockets.
    pub fn deliver(&mut self, to: SocketId, from: SocketAddr, datagram: &[u8]) {
        let its = self.listeners.iter().find(|listener| listener.socket == to);
        let address = its.map(|listener| listener.address.ip()).filter(|ip| !ip.is_unspecified());
        let local = its.map(|_| Local { address, interface: 0, copied: false });
        self.worker.deliver(to, from, local, datagram, self.now);
    }

    /// Ends a turn: timers, and everything that the worker asks the control side. Returns what it sends.
    ///
    /// # Errors
    /// The kernel refuses to wait for answers.
    pub fn end_turn(&mut self) -> io::Result<Vec<Departure>> {
        self.worker.end_turn(self.now);
        let mut messages = VecDeque::from(self.worker.take_messages());
        while let Some(message) = messages.pop_front() {
            if self.ask(message) {
                self.await_answer()?;
            }
            messages.extend(self.worker.take_messages());
        }
        self.await_aborts();
        Ok(self.worker.take_departures())
    }

    /// Takes the summaries of requests that have ended. Observers get them, too.
    pub fn ended(&mut self) -> Vec<Summary> {
        let mut all = Vec::new();
        while let Ok(ended) = self.summaries.try_recv() {
            all.push(Summary::from(ended.clone()));
            if let Err(mpsc::error::TrySendError::Full(ended)) = self.ended.try_send(ended) {
                let queue = self.ended.clone();
                self.runtime.spawn(async move { queue.send(ended).await });
            }
        }
        all
    }

    /// Ends all transfers, and returns the tasks that end when observers have had every event.
    pub fn end(mut self) -> ([JoinHandle<()>; 2], Vec<Summary>) {
        self.worker.end();
        for message in self.worker.take_messages() {
            self.ask(message);
        }
        self.await_aborts();
        let last = self.ended();
        (self.tasks, last)
    }

    /// Passes a message to the control side; returns whether an answer comes.
    fn ask(&self, message: ToControl) -> bool {
        // What the program supplies is dropped within its runtime.
        let _inside = self.runtime.enter();
        match message {
            ToControl::Discard(upload) => drop(upload),
            ToControl::Close(content) => drop(content),
            ToControl::Disk { work, .. } if !work.is_supplied() => {
                self.post(ToWorker::Disk(work.run()));
                return true;
            }
            ToControl::Store { key, upload, gate: None, .. } if !upload.is_supplied() => {
                let stored = Stored { result: upload.commit(), record: None };
                self.post(ToWorker::Stored { key, stored });
                return true;
            }
            message => {
                let answered = matches!(
                    message,
                    ToControl::Request(_) | ToControl::Disk { .. } | ToControl::Store { .. }
                );
                self.admission.take(vec![message]);
                return answered;
            }
        }
        false
    }

    fn post(&self, message: ToWorker) {
        // The mailbox is read by this thread, so that a failure to wake it does not matter.
        let _ = self.worker.mailbox().post(message);
    }

    /// Handles the answers of the control side; returns whether there were any.
    fn hear(&mut self) -> bool {
        self.worker.read_mailbox(self.now) > 0
    }

    /// Waits for sinks that are aborted, on the runtime.
    fn await_aborts(&self) {
        let generation = self.admission.generation.get();
        let outstanding = &generation.files.outstanding;
        let until = Instant::now() + self.patience;
        while outstanding.aborting() > 0 && Instant::now() < until {
            std::thread::sleep(ABORT_CHECK);
        }
    }

    fn await_answer(&mut self) -> io::Result<()> {
        let until = Instant::now() + self.patience;
        while !self.hear() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.worker.wait(left)?;
        }
        Ok(())
    }
}
