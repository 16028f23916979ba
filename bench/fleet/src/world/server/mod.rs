//! A server: workers with sockets and timers, a shared network card, and pending requests; each transfer runs
//! the core's server role.

mod fetching;
mod sending;

use crate::chain::Wish;
use crate::ecmp::mix;
use crate::figures::ServerFigures;
use crate::origin::Cache;
use crate::packet::{Tid, Up};
use crate::scenario::{BATCH, Scenario, TID_SOCKETS, TURN};
use crate::world::{Event, LISTENING, World, time};
use std::collections::VecDeque;
use tuffet_core::{ErrorCode, Limits, OptionSet, Packet, Transfer};

/// A server machine.
#[derive(Debug)]
pub(crate) struct Server {
    up: bool,
    cores: Vec<Core>,
    /// When its card has sent everything queued.
    card_free: u64,
    /// Without an origin all files are here.
    cache: Option<Cache>,
    /// Transfers, and the undecided ones among them.
    transfers: u32,
    pending: u32,
    /// The present second, and the requests in it.
    second: (u64, u64),
    pub(crate) figures: ServerFigures,
}

/// A core: a worker, and its share of the control side.
#[derive(Debug, Default)]
struct Core {
    /// The queues of its sockets: the listening socket, then the TID sockets.
    sockets: Vec<VecDeque<QueuedDatagram>>,
    /// The socket being read, and how often it was read.
    reading: (usize, usize),
    /// Undecided requests, and transfers with expired timers.
    requests: VecDeque<Tid>,
    due: VecDeque<Tid>,
    /// Transfers with new bytes from the origin.
    arrived: VecDeque<Tid>,
    busy: bool,
    /// When its present work is done.
    free: u64,
}

/// A datagram in a socket.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueuedDatagram {
    pub(crate) client: u32,
    /// The client's port.
    pub(crate) port: u16,
    /// The transfer that the client addresses.
    pub(crate) to: Tid,
    pub(crate) packet: Up,
}

/// A slot for a transfer.
#[derive(Debug)]
pub(crate) struct Slot {
    transfer: Option<Transfer>,
    generation: u32,
    client: u32,
    port: u16,
    step: u8,
    server: u16,
    core: u16,
    /// The TID port.
    pub(crate) port_of_tid: u16,
    requested: OptionSet,
    /// Whether the decision waits for the origin.
    opening: bool,
    deadline: u64,
    timer: u64,
}

/// The most undecided requests (`limits.pending`).
const PENDING: u64 = 4_096;

/// How far a core's work may run ahead of the world's time, in nanoseconds.
const AHEAD: u64 = 100_000;

/// How long a worker waits for its card before it drops the packets (`host/udp/src/send.rs`).
const PATIENCE: u64 = 5_000_000;

impl Server {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let sockets = 1 + if scenario.single_port { 0 } else { TID_SOCKETS };
        let core = || Core { sockets: (0..sockets).map(|_| VecDeque::new()).collect(), ..Core::default() };
        Server {
            up: true,
            cores: (0..scenario.cores).map(|_| core()).collect(),
            card_free: 0,
            cache: scenario.origin.map(|origin| Cache::new(origin, scenario.servers)),
            transfers: 0,
            pending: 0,
            second: (0, 0),
            figures: ServerFigures::default(),
        }
    }

    pub(crate) fn into_figures(self) -> ServerFigures {
        let busiest_second = self.figures.busiest_second.max(self.second.1);
        let (fetched, lookups) = self.cache.map_or((0, 0), |cache| (cache.fetched, cache.lookups));
        ServerFigures { busiest_second, fetched, lookups, ..self.figures }
    }

    fn count_request(&mut self, now: u64) {
        let second = now / 1_000_000_000;
        if self.second.0 != second {
            self.figures.busiest_second = self.figures.busiest_second.max(self.second.1);
            self.second = (second, 0);
        }
        self.second.1 += 1;
    }
}

impl Core {
    fn has_work(&self) -> bool {
        !self.due.is_empty() || !self.arrived.is_empty() || !self.requests.is_empty() || self.has_datagrams()
    }

    fn has_datagrams(&self) -> bool {
        self.sockets.iter().any(|socket| !socket.is_empty())
    }

    /// The next socket to read; `None` after all were read once or are empty, when timers are due.
    fn next_socket(&mut self) -> Option<usize> {
        let (mut socket, mut times) = self.reading;
        if times >= TURN {
            (socket, times) = (socket + 1, 0);
        }
        while self.sockets.get(socket).is_some_and(VecDeque::is_empty) {
            (socket, times) = (socket + 1, 0);
        }
        if socket >= self.sockets.len() {
            self.reading = (0, 0);
            return None;
        }
        self.reading = (socket, times + 1);
        Some(socket)
    }
}

impl World<'_> {
    /// Handles a datagram that reaches a server's card.
    pub(crate) fn deliver_up(&mut self, number: u16, arrival: QueuedDatagram) {
        let (now, scenario) = (self.now, self.scenario);
        let ours = self.is_ours(number, &arrival);
        let worker = self.worker_of(&arrival);
        let Some(server) = self.servers.get_mut(usize::from(number - self.base)) else { return };
        if !server.up {
            return;
        }
        let request = matches!(arrival.packet, Up::Request(_));
        if request {
            server.count_request(now);
        } else if !ours && !scenario.single_port {
            server.figures.strays += 1; // The port does not exist.
            return;
        }
        let (core, socket) = match self.slots.get(arrival.to.slot as usize).filter(|_| ours) {
            Some(slot) if scenario.single_port => (slot.core, 0),
            Some(slot) => (slot.core, 1 + slot.port_of_tid % TID_SOCKETS),
            None => (worker, 0),
        };
        let Some(waiting) = server.cores.get_mut(usize::from(core)) else { return };
        let room = scenario.bound(u64::from(scenario.receive_queue), BATCH as u64) as usize;
        let Some(queue) = waiting.sockets.get_mut(usize::from(socket)) else { return };
        if queue.len() >= room {
            server.figures.dropped += 1;
            return;
        }
        queue.push_back(arrival);
        self.rouse(number, core);
    }

    /// Whether a datagram's destination is a transfer of this server.
    fn is_ours(&self, server: u16, arrival: &QueuedDatagram) -> bool {
        self.slots.get(arrival.to.slot as usize).is_some_and(|slot| {
            slot.generation == arrival.to.generation
                && slot.transfer.is_some()
                && (slot.server, slot.client, slot.port) == (server, arrival.client, arrival.port)
        })
    }

    /// The worker that receives a client's request: the kernel hashes addresses and ports.
    fn worker_of(&self, arrival: &QueuedDatagram) -> u16 {
        let number = self.clients.get(arrival.client as usize).map_or(0, |client| client.number);
        (mix(u64::from(number) << 16 | u64::from(arrival.port)) % u64::from(self.scenario.cores.max(1)))
            as u16
    }

    /// Makes a core work.
    fn rouse(&mut self, server: u16, core: u16) {
        let Some(sleeping) = self.core(server, core).filter(|core| !core.busy) else { return };
        sleeping.busy = true;
        let at = sleeping.free;
        self.queue.push(at, Event::Work { server, core });
    }

    fn core(&mut self, server: u16, core: u16) -> Option<&mut Core> {
        self.servers.get_mut(usize::from(server - self.base))?.cores.get_mut(usize::from(core))
    }

    /// Handles one batch of datagrams, spends as much time on requests, and handles timers after all sockets
    /// were read.
    pub(crate) fn work(&mut self, server: u16, number: u16) {
        let mut clock = self.now;
        let mut worked = 0;
        // Cores share the card, so none may run far ahead of the world's time.
        let end = self.now + self.scenario.work(AHEAD);
        let socket = self.core(server, number).and_then(Core::next_socket);
        for _ in 0..BATCH {
            if clock > end {
                break;
            }
            let arrival =
                socket.and_then(|socket| self.core(server, number)?.sockets.get_mut(socket)?.pop_front());
            let Some(arrival) = arrival else { break };
            worked += self.spend(&mut clock, self.scenario.costs.datagram);
            worked += self.take(server, arrival, &mut clock);
        }
        let moving = worked;
        while let Some(core) = self.core(server, number) {
            // The kernel divides the time equally between workers and the control side.
            if clock > end || core.has_datagrams() && worked >= 2 * moving.max(1) {
                break;
            }
            let Some(tid) = core.requests.pop_front() else { break };
            worked += self.spend(&mut clock, self.scenario.costs.request + self.scenario.costs.policy);
            worked += self.decide(tid, &mut clock);
        }
        while socket.is_none() && clock <= end {
            if let Some(tid) = self.core(server, number).and_then(|core| core.arrived.pop_front()) {
                worked += self.go_on(tid, &mut clock);
                continue;
            }
            let Some(tid) = self.core(server, number).and_then(|core| core.due.pop_front()) else { break };
            if let Some(transfer) = self.transfer(tid) {
                transfer.handle_timeout(time(clock));
                worked += self.drive_server(tid, &mut clock);
            }
        }
        let Some(owner) = self.servers.get_mut(usize::from(server - self.base)) else { return };
        owner.figures.cpu += worked;
        let Some(core) = owner.cores.get_mut(usize::from(number)) else { return };
        core.busy = core.has_work();
        core.free = clock;
        if core.busy {
            self.queue.push(clock, Event::Work { server, core: number });
        }
    }

    /// Lets a core work for this time; returns the time at this scale.
    fn spend(&self, clock: &mut u64, nanos: u64) -> u64 {
        let work = self.scenario.work(nanos);
        *clock += work;
        work
    }

    /// Handles a datagram that a worker takes from its socket. Returns the time of the work.
    fn take(&mut self, server: u16, arrival: QueuedDatagram, clock: &mut u64) -> u64 {
        if let Up::Request(step) = arrival.packet {
            return self.take_request(server, arrival, step, clock);
        }
        if !self.is_ours(server, &arrival) {
            if let Some(server) = self.servers.get_mut(usize::from(server - self.base)) {
                server.figures.strays += 1;
            }
            return 0;
        }
        let datagram = self.datagram.up(arrival.packet, &self.steps);
        if let Some(transfer) =
            self.slots.get_mut(arrival.to.slot as usize).and_then(|slot| slot.transfer.as_mut())
        {
            let _well_formed = transfer.handle_datagram(time(*clock), datagram);
        }
        self.drive_server(arrival.to, clock)
    }

    fn take_request(&mut self, number: u16, arrival: QueuedDatagram, step: u8, clock: &mut u64) -> u64 {
        let scenario = self.scenario;
        let Some(client) = self.clients.get(arrival.client as usize) else { return 0 };
        let known = client.serving;
        let core = self.worker_of(&arrival);
        if self.is_ours(number, &QueuedDatagram { to: known, ..arrival }) {
            if let Some(transfer) = self.transfer(known) {
                transfer.handle_repeated_request(time(*clock));
            }
            return self.drive_server(known, clock);
        }
        let Some(server) = self.servers.get_mut(usize::from(number - self.base)) else { return 0 };
        let most = scenario.bound(u64::from(scenario.transfers), 1);
        let full =
            u64::from(server.transfers) >= most || u64::from(server.pending) >= scenario.bound(PENDING, 1);
        if full {
            server.figures.unanswered += 1;
            return 0;
        }
        let Ok(Packet::Request(request)) = Packet::parse(self.datagram.up(arrival.packet, &self.steps))
        else {
            return 0;
        };
        server.transfers += 1;
        server.pending += 1;
        server.figures.requests += 1;
        server.figures.most_transfers = server.figures.most_transfers.max(server.transfers);
        let transfer = Transfer::server(time(*clock), request.operation, self.server_settings.clone());
        let slot = Slot {
            transfer: Some(transfer),
            generation: 0,
            client: arrival.client,
            port: arrival.port,
            step,
            server: number,
            core,
            port_of_tid: if scenario.single_port {
                LISTENING
            } else {
                30_000 + core * TID_SOCKETS + arrival.port % TID_SOCKETS
            },
            requested: request.options.requested(),
            opening: false,
            deadline: u64::MAX,
            timer: u64::MAX,
        };
        let tid = self.settle(slot);
        if let Some(client) = self.clients.get_mut(arrival.client as usize) {
            client.serving = tid;
        }
        if let Some(core) = self.core(number, core) {
            core.requests.push_back(tid);
        }
        0
    }

    /// Puts a transfer into a slot.
    fn settle(&mut self, mut slot: Slot) -> Tid {
        match self.free.pop() {
            Some(free) => {
                let place = &mut self.slots[free as usize];
                slot.generation = place.generation + 1;
                *place = slot;
                Tid { slot: free, generation: place.generation }
            }
            None => {
                self.slots.push(slot);
                Tid { slot: self.slots.len() as u32 - 1, generation: 0 }
            }
        }
    }

    fn transfer(&mut self, tid: Tid) -> Option<&mut Transfer> {
        let slot = self.slots.get_mut(tid.slot as usize)?;
        slot.transfer.as_mut().filter(|_| slot.generation == tid.generation)
    }

    /// Handles a decision of the control side, which may have to wait for the origin.
    fn decide(&mut self, tid: Tid, clock: &mut u64) -> u64 {
        if self.waits_to_open(tid, *clock) { 0 } else { self.grant(tid, clock) }
    }

    fn grant(&mut self, tid: Tid, clock: &mut u64) -> u64 {
        let Some(slot) = self.slots.get_mut(tid.slot as usize) else { return 0 };
        let (Some(transfer), Some(step)) = (&mut slot.transfer, self.steps.get(usize::from(slot.step)))
        else {
            return 0;
        };
        if step.wish == Wish::Missing {
            transfer.fail(ErrorCode::FileNotFound, "file not found");
        } else {
            transfer.handle_grant(time(*clock), &slot.requested, &Limits::default(), Some(step.size));
        }
        let number = slot.server;
        if let Some(server) = self.servers.get_mut(usize::from(number - self.base)) {
            server.pending = server.pending.saturating_sub(1);
        }
        self.drive_server(tid, clock)
    }

    pub(crate) fn server_timer(&mut self, tid: Tid) {
        let now = self.now;
        let Some(slot) = self.slots.get_mut(tid.slot as usize) else { return };
        if slot.generation != tid.generation || slot.transfer.is_none() || slot.timer != now {
            return;
        }
        slot.timer = u64::MAX;
        if slot.deadline > now {
            return self.arm_server(tid);
        }
        let (server, number) = (slot.server, slot.core);
        if let Some(core) = self.core(server, number) {
            core.due.push_back(tid);
            self.rouse(server, number);
        }
    }

    fn arm_server(&mut self, tid: Tid) {
        let Some(slot) = self.slots.get_mut(tid.slot as usize) else { return };
        if slot.deadline < slot.timer {
            slot.timer = slot.deadline.max(self.now);
            self.queue.push(slot.timer, Event::ServerTimer(tid));
        }
    }
}
