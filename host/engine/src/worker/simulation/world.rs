//! A worker, its clients, and the network between them, in virtual time.

use super::client::{BUSY, Client, Sent};
use super::control::Control;
use crate::worker::sockets::SocketId;
use crate::worker::virtual_worker::{Departure, VirtualWorker};
use crate::worker::{ListenerSpec, WorkerSettings};
use fastrand::Rng;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::sync::mpsc;
use tuffet_core::Time;
use tuffet_request::events::{Ended, Summary};
use tuffet_testkit::invariants::{Invariant, Unproven, bounded_answers_before_proof};

/// A datagram that reached a client, the socket of the worker that sent it, and the number of the worker's
/// sockets.
#[derive(Clone, Copy)]
pub(super) struct Arrival<'a> {
    pub(super) socket: SocketId,
    pub(super) sockets: u16,
    pub(super) datagram: &'a [u8],
}

/// The path between all clients and the worker. Times are in microseconds, probabilities between 0 and 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    pub(super) delay: u64,
    pub(super) jitter: u64,
    pub(super) loss: f64,
    pub(super) duplicate: f64,
}

/// Deliberate faults of the path, in the named worlds.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// Each request arrives a second time, this many microseconds later.
    pub(super) doubles_requests: Option<u64>,
    /// The first datagram to a client that starts with these bytes is lost.
    pub(super) loses: Option<Vec<u8>>,
}

/// A datagram on its way; ordered by arrival, then by sending.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Flight {
    arrival: Time,
    order: u64,
    client: usize,
    to_worker: bool,
    socket: SocketId,
    datagram: Vec<u8>,
}

pub(super) struct World<'a> {
    pub(super) server: VirtualWorker,
    pub(super) control: &'a mut Control,
    pub(super) clients: Vec<Client>,
    by_address: HashMap<SocketAddr, usize>,
    path: Path,
    pub(super) faults: Faults,
    flights: BinaryHeap<Reverse<Flight>>,
    sent: u64,
    now: Time,
    random: Rng,
    /// For each client, the datagrams before its address was proven, and whether it was.
    unproven: Vec<(Unproven, bool)>,
    summaries: mpsc::Receiver<Ended>,
    pub(super) ended: Vec<Summary>,
    sockets: u16,
}

/// The listening sockets: one with TID sockets, one without.
pub(super) const LISTENERS: [SocketId; 2] = [SocketId(0), SocketId(5)];

const MAX_EVENTS: u64 = 2_000_000;

impl<'a> World<'a> {
    pub(super) fn new(
        seed: u64,
        settings: WorkerSettings,
        places: usize,
        path: Path,
        clients: Vec<Client>,
        control: &'a mut Control,
    ) -> World<'a> {
        let address: SocketAddr = ([127, 0, 0, 1], 0).into();
        let listener = |single_port| ListenerSpec { single_port, tid_ports: 4, ..ListenerSpec::at(address) };
        let (sender, summaries) = mpsc::channel(places);
        let server = VirtualWorker::new(settings, &[listener(false), listener(true)], sender);
        let server = server.expect("the system has descriptors");
        let sockets = server.worker.wire.sockets.len();
        World {
            server,
            control,
            by_address: clients.iter().enumerate().map(|(index, it)| (it.address, index)).collect(),
            unproven: vec![Default::default(); clients.len()],
            clients,
            path,
            faults: Faults::default(),
            flights: BinaryHeap::new(),
            sent: 0,
            now: Time::default(),
            random: Rng::with_seed(seed),
            summaries,
            ended: Vec::new(),
            sockets,
        }
    }

    /// Runs until no event is left, or until this time.
    pub(super) fn run(&mut self, until: Time) {
        let mut events = 0;
        while let Some(next) = self.next().filter(|next| *next <= until) {
            self.now = self.now.max(next);
            self.step();
            events += 1;
            Invariant::NoBusyLoop.demand(events < MAX_EVENTS, format_args!("no end in sight at {next:?}"));
            Invariant::BoundedMemory
                .demand(next < Time::default() + BUSY, format_args!("still busy at {next:?}"));
        }
    }

    /// Stops the server at once; every admitted request still has its outcome.
    pub(super) fn stop(&mut self) {
        let worker = &mut self.server.worker;
        worker.drain(worker.clock.instant(), false, self.now);
        // It waits for uploads that may become visible, but not for long.
        if !worker.is_drained(self.now) {
            worker.end_all(true);
        }
        assert!(worker.is_drained(self.now), "its time is over");
        worker.wire.flush();
        for message in self.server.take_messages() {
            self.control.take(self.now, message);
        }
        let mailbox = self.server.mailbox();
        mailbox.close();
        self.control.stop(&mailbox);
        self.hear_summaries();
        self.clients.iter_mut().for_each(Client::rest);
    }

    /// The number of transfers that it holds although they were decided.
    pub(super) fn held(&mut self) -> u64 {
        let table = &mut self.server.worker.table;
        let mut held = 0;
        for index in table.indices() {
            held += u64::from(table.get_mut(index).is_some_and(|entry| !entry.core.is_deciding()));
        }
        held
    }

    /// The free places for summaries, and all of them.
    pub(super) fn places(&self) -> (usize, usize) {
        let summaries = &self.server.worker.summaries;
        (summaries.capacity(), summaries.max_capacity())
    }

    fn next(&self) -> Option<Time> {
        let arrival = self.flights.peek().map(|Reverse(flight)| flight.arrival);
        let message = self.control.messages.iter().map(|(time, _)| *time).min();
        let client = self.clients.iter().map(Client::deadline).min();
        let timer = self.server.next_timer();
        [arrival, message, client, timer].into_iter().flatten().min().filter(|time| *time != Time::NEVER)
    }

    fn step(&mut self) {
        let now = self.now;
        self.server.begin(now);
        self.post_letters();
        while self.flights.peek().is_some_and(|Reverse(flight)| flight.arrival <= now) {
            let Some(Reverse(flight)) = self.flights.pop() else { break };
            if flight.to_worker { self.at_worker(flight) } else { self.at_client(flight) }
        }
        for index in 0..self.clients.len() {
            if self.clients[index].deadline() <= now {
                let mut out = Vec::new();
                self.clients[index].wake(now, &mut out);
                self.send(index, out);
            }
        }
        self.turn();
        if self.random.u32(0..4) == 0 {
            self.hear_summaries();
        }
    }

    /// The rest of a turn of the worker's loop, after reading.
    fn turn(&mut self) {
        self.server.end_turn(self.now);
        let worker = &self.server.worker;
        let settings = &worker.settings;
        let within = worker.table.len() <= settings.max_transfers && worker.pending <= settings.max_pending;
        Invariant::BoundedMemory.demand(
            within,
            format_args!("{} transfers, {} of them pending", worker.table.len(), worker.pending),
        );
        for message in self.server.take_messages() {
            self.control.take(self.now, message);
        }
        for Departure { from, to, datagram } in self.server.take_departures() {
            let client = self.by_address[&to];
            let (unproven, proven) = &mut self.unproven[client];
            if !*proven {
                unproven.answers += 1;
                unproven.bytes += datagram.len() as u64;
                bounded_answers_before_proof(*unproven);
            }
            self.fly(client, false, from, datagram);
        }
    }

    fn post_letters(&mut self) {
        let (due, later) =
            std::mem::take(&mut self.control.messages).into_iter().partition(|(time, _)| *time <= self.now);
        self.control.messages = later;
        for (_, message) in due {
            self.server.worker.mailbox.post(message).expect("it can be woken");
        }
        self.server.read_mailbox(self.now);
    }

    fn at_worker(&mut self, flight: Flight) {
        let Flight { client, socket, datagram, .. } = flight;
        let request = matches!(datagram[..], [0, 1 | 2, ..]);
        let (unproven, proven) = &mut self.unproven[client];
        *proven |= !request;
        unproven.heard += u64::from(!*proven);
        let peer = self.clients[client].address;
        self.server.deliver(socket, peer, None, &datagram, self.now);
    }

    fn at_client(&mut self, flight: Flight) {
        let mut out = Vec::new();
        let arrival = Arrival { socket: flight.socket, sockets: self.sockets, datagram: &flight.datagram };
        self.clients[flight.client].receive(self.now, arrival, &mut out);
        self.send(flight.client, out);
    }

    fn send(&mut self, client: usize, out: Vec<Sent>) {
        for (socket, datagram) in out {
            self.fly(client, true, socket, datagram);
        }
    }

    fn fly(&mut self, client: usize, to_worker: bool, socket: SocketId, datagram: Vec<u8>) {
        if self.random.f64() < self.path.loss {
            return;
        }
        if !to_worker && self.faults.loses.take_if(|lost| datagram.starts_with(lost)).is_some() {
            return;
        }
        let again = self.faults.doubles_requests.filter(|_| matches!(datagram[..], [0, 1 | 2, ..]));
        let copies = 1 + u32::from(self.random.f64() < self.path.duplicate);
        for late in std::iter::repeat_n(0, copies as usize).chain(again) {
            self.sent += 1;
            let arrival = later(self.now, self.path.delay + self.random.u64(0..=self.path.jitter) + late);
            let (order, datagram) = (self.sent, datagram.clone());
            self.flights.push(Reverse(Flight { arrival, order, client, to_worker, socket, datagram }));
        }
    }

    fn hear_summaries(&mut self) {
        while let Ok(ended) = self.summaries.try_recv() {
            self.ended.push(ended.into());
        }
    }
}

pub(super) fn later(now: Time, micros: u64) -> Time {
    now + Duration::from_micros(micros)
}
