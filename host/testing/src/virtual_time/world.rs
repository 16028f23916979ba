//! A server, its clients, and the network between them.

use super::client::{Client, Sent};
use super::request::{Options, Report, Request, TransferId};
use super::trace::{Passage, Trace};
use crate::{ClientError, Delivery, Direction, Fate, Faults};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::runtime::Runtime;
use tuffet::{Builder, StartError, Summary};
use tuffet_client::Time;
use tuffet_server::simulation::{Departure, Simulation, SimulationError, SocketId};

/// The port of the first request of a world (RFC 6335: the first dynamic port).
const FIRST_PORT: u16 = 49_152;

/// How long [`World::end`] waits for observers, in real time.
const OBSERVERS: Duration = Duration::from_secs(10);

/// A path between clients and a server. By default it has no delay and no faults.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Path {
    /// The virtual time from one end to the other.
    pub delay: Duration,
    /// The longest further time, chosen at random for each datagram.
    pub jitter: Duration,
    /// The probability that a datagram is lost, 0 to 1.
    pub loss: f64,
    /// The probability that a datagram is delivered twice, 0 to 1.
    pub duplicate: f64,
    /// The probability that a datagram is delivered 5 ms later than the others, 0 to 1.
    pub reorder: f64,
}

impl Path {
    /// The faults of this path with a seed.
    pub fn faults(&self, seed: u64) -> Faults {
        Faults::seeded(seed)
            .delay(self.delay)
            .jitter(self.jitter)
            .lose(self.loss)
            .double(self.duplicate)
            .reorder(self.reorder)
    }
}

/// A datagram on its way; ordered by arrival, then by sending.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Flight {
    arrival: Time,
    order: u64,
    client: usize,
    to_server: bool,
    /// The socket of the server; `None` if a stranger sent it.
    socket: Option<SocketId>,
    datagram: Vec<u8>,
}

/// A server in virtual time, with its clients and the network between them.
pub struct World {
    /// `None` once it has ended.
    server: Option<Simulation>,
    /// Hooks and roots run on it. `None` once it has ended.
    runtime: Option<Runtime>,
    fate: Box<dyn Fate>,
    clients: Vec<Client>,
    by_address: HashMap<SocketAddr, usize>,
    flights: BinaryHeap<Reverse<Flight>>,
    sent: u64,
    now: Time,
    next_port: u16,
    trace: Trace,
    summaries: Vec<Arc<Summary>>,
}

impl World {
    /// Starts the server of a builder behind a path. A builder without a listener gets one; the addresses of listeners are
    /// only names here.
    ///
    /// # Errors
    /// The server cannot be built, or the system has no descriptors or no thread.
    pub fn new(builder: Builder, path: Path, seed: u64) -> Result<World, SimulationError> {
        World::over(builder, path.faults(seed))
    }

    /// As [`World::new`], over a network with these faults, or with a function that decides what happens to each datagram.
    ///
    /// # Errors
    /// As [`World::new`].
    pub fn over(builder: Builder, fate: impl Fate) -> Result<World, SimulationError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| StartError { part: "a runtime cannot start", error })?;
        let server = Simulation::of(builder, runtime.handle())?;
        Ok(World {
            server: Some(server),
            runtime: Some(runtime),
            fate: Box::new(fate),
            clients: Vec::new(),
            by_address: HashMap::new(),
            flights: BinaryHeap::new(),
            sent: 0,
            now: Time::default(),
            next_port: FIRST_PORT,
            trace: Trace::default(),
            summaries: Vec::new(),
        })
    }

    /// Sets the real time that a hook, a root, a reader or a sink may hold up the virtual clock. After it, time goes on,
    /// and the answer comes when it comes. Default: 10 s.
    pub fn set_patience(&mut self, patience: Duration) {
        if let Some(server) = &mut self.server {
            server.set_patience(patience);
        }
    }

    /// Reads a file, and returns when client and server know how it ended.
    ///
    /// # Errors
    /// The read failed; [`World::last`] has the rest.
    pub fn get(&mut self, name: &str, options: Options) -> Result<Report, ClientError> {
        self.request(Request::get(name).options(options))
    }

    /// Writes a file; as [`World::get`].
    ///
    /// # Errors
    /// The write failed; [`World::last`] has the rest.
    pub fn put(
        &mut self,
        name: &str,
        content: impl Into<Arc<[u8]>>,
        options: Options,
    ) -> Result<Report, ClientError> {
        self.request(Request::put(name, content).options(options))
    }

    /// Makes a request, and returns when client and server know how it ended.
    ///
    /// # Errors
    /// The transfer failed; [`World::last`] has the rest.
    pub fn request(&mut self, request: Request) -> Result<Report, ClientError> {
        let id = self.start(request)?;
        self.run_until(|world| world.has_ended(id));
        let report = self.report(id).clone();
        report.result.clone().map(|()| report)
    }

    /// Makes a request at the present time. [`World::run`] moves it, together with all others.
    ///
    /// # Errors
    /// The name fits into no request, or there is no such listener.
    pub fn start(&mut self, request: Request) -> Result<TransferId, ClientError> {
        let listener = self.server.as_ref().and_then(|server| server.listener(request.listener.as_deref()));
        let Some(listener) = listener else {
            return Err(ClientError::Protocol("the server has no listener of this name".into()));
        };
        let address = SocketAddr::new(request.client, self.next_port);
        self.next_port = self.next_port.checked_add(1).unwrap_or(FIRST_PORT);
        let client = Client::new(address, listener, request, self.now)
            .ok_or_else(|| ClientError::Protocol("the name fits into no request".into()))?;
        self.by_address.insert(address, self.clients.len());
        self.clients.push(client);
        Ok(TransferId(self.clients.len() - 1))
    }

    /// Moves all transfers until client and server know how each of them ended.
    pub fn run(&mut self) {
        self.run_until(|world| (0..world.clients.len()).all(|index| world.has_ended(TransferId(index))));
    }

    /// Moves all transfers for this virtual time.
    pub fn run_for(&mut self, time: Duration) {
        let until = self.now + time;
        while self.next().is_some_and(|next| next <= until) {
            self.step();
        }
        self.now = self.now.max(until);
    }

    /// Moves all transfers until nothing is left to happen: no packet is repeated any more.
    pub fn settle(&mut self) {
        self.run_until(|_| false);
    }

    /// What became of a request so far.
    pub fn report(&self, id: TransferId) -> &Report {
        &self.clients[id.0].report
    }

    /// What became of the last request; `None` before the first.
    pub fn last(&self) -> Option<&Report> {
        self.clients.last().map(|client| &client.report)
    }

    /// The virtual time since the start.
    pub fn elapsed(&self) -> Duration {
        self.now.since(Time::default())
    }

    /// All datagrams so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The summaries of all requests that the server has ended, in this order. Their durations are virtual.
    pub fn summaries(&self) -> &[Arc<Summary>] {
        &self.summaries
    }

    /// Ends the server, and waits in real time until observers have had every event, at most for 10 s. Returns all
    /// summaries. A world that is dropped does not wait.
    pub fn end(mut self) -> Vec<Arc<Summary>> {
        if let (Some(server), Some(runtime)) = (self.server.take(), &self.runtime) {
            let (tasks, last) = server.end();
            self.summaries.extend(last.into_iter().map(Arc::new));
            let (done, all_done) = mpsc::channel();
            runtime.spawn(async move {
                for task in tasks {
                    let _ = task.await;
                }
                let _ = done.send(());
            });
            let _ = all_done.recv_timeout(OBSERVERS);
        }
        std::mem::take(&mut self.summaries)
    }

    fn has_ended(&self, id: TransferId) -> bool {
        let client = &self.clients[id.0];
        client.is_finished && client.report.outcome.is_some()
    }

    fn run_until(&mut self, is_over: impl Fn(&World) -> bool) {
        while !is_over(self) && self.next().is_some() {
            self.step();
        }
    }

    /// When something happens next.
    fn next(&self) -> Option<Time> {
        let arrival = self.flights.peek().map(|Reverse(flight)| flight.arrival);
        let client = self.clients.iter().map(Client::deadline).min();
        let timer = self.server.as_ref().and_then(Simulation::next_timer);
        [arrival, client, timer].into_iter().flatten().min().filter(|time| *time != Time::NEVER)
    }

    fn step(&mut self) {
        let Some(next) = self.next() else { return };
        self.now = self.now.max(next);
        let now = self.now;
        if let Some(server) = &mut self.server {
            server.begin(now);
        }
        while self.flights.peek().is_some_and(|Reverse(flight)| flight.arrival <= now) {
            if let Some(Reverse(flight)) = self.flights.pop() {
                self.arrive(flight);
            }
        }
        for index in 0..self.clients.len() {
            if self.clients[index].deadline() <= now {
                let mut out = Vec::new();
                self.clients[index].wake(now, &mut out);
                self.send(index, out);
            }
        }
        let Some(server) = &mut self.server else { return };
        // Without epoll the server hears no answers: its clients then time out.
        let departures = server.end_turn().unwrap_or_default();
        let ended = server.ended();
        for Departure { from, to, datagram } in departures {
            if let Some(client) = self.by_address.get(&to).copied() {
                self.clients[client].report.to_client += 1;
                self.fly(client, Direction::ToClient, from, &datagram);
            }
        }
        for summary in ended {
            if let Some(client) = self.by_address.get(&summary.record.request.client) {
                self.clients[*client].hear(&summary);
            }
            self.summaries.push(Arc::new(summary));
        }
    }

    fn arrive(&mut self, flight: Flight) {
        let Flight { client: index, to_server, socket, datagram, .. } = flight;
        let now = self.now;
        let client = &mut self.clients[index];
        if !to_server {
            let mut out = Vec::new();
            client.receive(now, socket, &datagram, &mut out);
            self.send(index, out);
        } else if let (Some(server), Some(socket)) = (&mut self.server, socket) {
            server.deliver(socket, client.address, &datagram);
        }
    }

    fn send(&mut self, client: usize, out: Vec<Sent>) {
        for (socket, datagram) in out {
            self.clients[client].report.to_server += 1;
            self.fly(client, Direction::ToServer, socket, &datagram);
        }
    }

    fn fly(&mut self, client: usize, direction: Direction, socket: SocketId, datagram: &[u8]) {
        let its = &mut self.clients[client];
        let deliveries = self.fate.of_client(its.address, direction, datagram);
        let ends = (its.address, its.number_of(socket));
        let at = self.now.since(Time::default());
        self.trace.0.push(Passage::new(at, direction, ends, datagram, deliveries.len()));
        for Delivery { after, bytes, stranger } in deliveries {
            self.sent += 1;
            self.flights.push(Reverse(Flight {
                arrival: self.now + after,
                order: self.sent,
                client,
                to_server: direction == Direction::ToServer,
                socket: (!stranger).then_some(socket),
                datagram: bytes,
            }));
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // The last references of hooks end on the runtime; a test may drop the world within another one.
            let inside = runtime.enter();
            drop(self.server.take());
            drop(inside);
            runtime.shutdown_background();
        }
    }
}
