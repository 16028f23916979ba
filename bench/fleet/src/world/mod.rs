//! The clients, their servers and the virtual clock. [`client`] and [`server`] describe each side.

mod client;
mod server;

use crate::chain::{Step, Wish};
use crate::ecmp::{Routes, mix};
use crate::figures::{Figures, ServerFigures};
use crate::packet::{Datagram, Down, Tid, Up};
use crate::queue::Queue;
use crate::scenario::Scenario;
use client::Client;
use server::{QueuedDatagram, Server, Slot};
use std::sync::Arc;
use tuffet_core::{Settings, Time};

/// An event.
#[derive(Debug)]
pub(crate) enum Event {
    /// A client asks for its next file.
    Ask(u32),
    ClientTimer(u32),
    /// A packet reaches a client's port; for blocks, the first of them.
    ToClient {
        client: u32,
        port: u16,
        from: Tid,
        packet: Down,
    },
    ToServer {
        server: u16,
        arrival: QueuedDatagram,
    },
    /// A worker continues.
    Work {
        server: u16,
        core: u16,
    },
    ServerTimer(Tid),
    /// The origin has delivered what this transfer waits for.
    FromOrigin(Tid),
    /// The first server fails; routers notice it.
    Lost,
    Withdrawn,
}

/// The state of a simulation.
pub(crate) struct World<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) steps: Vec<Step>,
    /// The contents of the files, if bytes are compared.
    pub(crate) contents: Vec<Vec<u8>>,
    pub(crate) routes: Routes,
    /// Nanoseconds since the first client could be switched on.
    pub(crate) now: u64,
    pub(crate) queue: Queue<Event>,
    pub(crate) clients: Vec<Client>,
    /// The number of the first server in `servers`.
    pub(crate) base: u16,
    pub(crate) servers: Vec<Server>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) free: Vec<u32>,
    pub(crate) datagram: Datagram,
    pub(crate) client_settings: Arc<Settings>,
    pub(crate) server_settings: Arc<Settings>,
    pub(crate) figures: Figures,
}

impl<'a> World<'a> {
    /// Creates a world of these clients and servers, with their numbers in the whole scenario.
    pub(crate) fn new(
        scenario: &'a Scenario,
        routes: Routes,
        clients: &[u32],
        servers: std::ops::Range<u16>,
    ) -> Self {
        let steps = scenario.chain.steps();
        let mut world = World {
            scenario,
            contents: if scenario.bytes { steps.iter().map(content).collect() } else { Vec::new() },
            steps,
            routes,
            now: 0,
            queue: Queue::default(),
            clients: Vec::with_capacity(clients.len()),
            base: servers.start,
            servers: servers.map(|_| Server::new(scenario)).collect(),
            slots: Vec::new(),
            free: Vec::new(),
            datagram: Datagram::new(),
            client_settings: Arc::new(Scenario::client_settings()),
            server_settings: Arc::new(Settings::default()),
            figures: Figures { clients: clients.len() as u32, ..Figures::default() },
        };
        for (index, &number) in clients.iter().enumerate() {
            let mut client = Client::new(number, mix(scenario.seed) ^ mix(u64::from(number)));
            let on = client.random.u64(0..=scenario.within * 1_000_000);
            let server = usize::from(world.routes.server(number, 0, 0).saturating_sub(world.base));
            world.clients.push(client);
            world.queue.push(on, Event::Ask(index as u32));
            if let Some(server) = world.servers.get_mut(server) {
                server.figures.clients += 1;
            }
        }
        if let Some((lost, noticed)) = scenario.lost {
            world.queue.push(lost * 1_000_000, Event::Lost);
            world.queue.push(noticed * 1_000_000, Event::Withdrawn);
        }
        world
    }

    /// Runs until no event is left, or until the horizon.
    pub(crate) fn run(mut self) -> Figures {
        while let Some((at, event)) = self.queue.pop() {
            if at > self.scenario.horizon * 1_000_000 {
                break;
            }
            self.now = at;
            match event {
                Event::Ask(client) => self.ask(client),
                Event::ClientTimer(client) => self.client_timer(client),
                Event::ToClient { client, port, from, packet } => {
                    self.deliver_down(client, port, from, packet)
                }
                Event::ToServer { server, arrival } => self.deliver_up(server, arrival),
                Event::Work { server, core } => self.work(server, core),
                Event::ServerTimer(tid) => self.server_timer(tid),
                Event::FromOrigin(tid) => self.origin_answered(tid),
                Event::Lost => self.lose_server(),
                Event::Withdrawn => self.routes.withdrawn = Some(self.base),
            }
        }
        self.figures.servers =
            self.servers.into_iter().map(Server::into_figures).collect::<Vec<ServerFigures>>();
        self.figures
    }

    /// Sends a client's packet into the network, at a time that may be in the future.
    pub(crate) fn send_up(&mut self, index: u32, at: u64, packet: Up) {
        let Some(client) = self.clients.get_mut(index as usize) else { return };
        if client.loses(self.scenario.loss) {
            return;
        }
        let listening = self.scenario.single_port || matches!(packet, Up::Request(_));
        let to = if listening { LISTENING } else { client.peer_port };
        let server = self.routes.server(client.number, client.port, to);
        let arrival = QueuedDatagram { client: index, port: client.port, to: client.peer, packet };
        self.queue.push(at + self.scenario.delay, Event::ToServer { server, arrival });
    }
}

/// The servers' listening port.
pub(crate) const LISTENING: u16 = 69;

/// Converts to the core's clock.
pub(crate) fn time(nanos: u64) -> Time {
    Time::from_micros(nanos / 1_000)
}

/// Converts a deadline back from the core's clock.
pub(crate) fn nanos(time: Time) -> u64 {
    time.as_micros().saturating_mul(1_000)
}

/// Content that differs from block to block and from file to file.
fn content(step: &Step) -> Vec<u8> {
    if step.wish == Wish::Missing {
        return Vec::new();
    }
    let words = (0..step.size.div_ceil(8)).flat_map(|word| mix(step.size ^ word << 32).to_le_bytes());
    words.take(step.size as usize).collect()
}
