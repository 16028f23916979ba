//! The relay: sockets on both sides, and the datagrams in flight between them.
//!
//! TFTP servers answer from a new port, and clients write to that port; so the relay maps ports as a NAT
//! does. Each client address gets a socket towards the server. Each port from which the server answers gets a
//! socket towards that client, whose port represents it.

use crate::link::{Link, Path};
use crate::schedule::{Exit, Schedule};
use crate::send::Sender;
use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tuffet_udp::{BindOptions, Local, ReceiveBatch, Received, Socket};

/// The configuration of a relay.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) listen: SocketAddr,
    pub(crate) to: SocketAddr,
    pub(crate) up: Path,
    pub(crate) down: Path,
    pub(crate) seed: u64,
    /// How long a client may be silent before it is forgotten with its ports.
    pub(crate) idle: Duration,
}

/// A socket and its role.
struct Port {
    socket: Socket,
    role: Role,
}

#[derive(Debug, Clone, Copy)]
enum Role {
    /// The port to which clients send requests.
    Listening,
    /// Represents a client to the server.
    Client(SocketAddr),
    /// Represents a port of the server to a client.
    Server { client: SocketAddr, server: SocketAddr },
}

/// The state of a client.
struct Flow {
    up: Exit,
    /// The address at which the client believes its server to be.
    local: Option<Local>,
    /// The server's ports, as the client sees them.
    down: HashMap<SocketAddr, Exit>,
    last: u64,
}

/// Both sides.
pub(crate) struct Relay {
    plan: Plan,
    epoll: OwnedFd,
    ports: Vec<Option<Port>>,
    generations: Vec<u32>,
    flows: HashMap<SocketAddr, Flow>,
    schedule: Schedule,
    sender: Sender,
    start: Instant,
    pub(crate) up: Link,
    pub(crate) down: Link,
    /// Datagrams that the kernel refused.
    pub(crate) refused: u64,
    /// Datagrams from unexpected addresses.
    pub(crate) strays: u64,
}

/// Batches read from one socket before the others get their turn.
const TURN: usize = 8;

/// The shortest sleep, unless a datagram arrives: datagrams that become due meanwhile are sent together, in
/// fewer calls.
const GRAIN: Duration = Duration::from_micros(100);

/// The longest sleep: after it the relay checks for silent clients, and whether to stop.
const TICK: Duration = Duration::from_millis(100);

impl Relay {
    pub(crate) fn new(plan: Plan) -> io::Result<Self> {
        let mut relay = Relay {
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            ports: Vec::new(),
            generations: Vec::new(),
            flows: HashMap::new(),
            schedule: Schedule::default(),
            sender: Sender::new(),
            start: Instant::now(),
            up: Link::new(plan.up, plan.seed),
            down: Link::new(plan.down, plan.seed ^ 0x5eed),
            refused: 0,
            strays: 0,
            plan,
        };
        let listener = Socket::bind(
            relay.plan.listen,
            BindOptions { gro: true, tell_local: true, ..BindOptions::default() },
        )?;
        relay.open(listener, Role::Listening)?;
        Ok(relay)
    }

    /// The listening address, with the port that the kernel chose.
    pub(crate) fn local(&self) -> SocketAddr {
        let listener = self.ports.first().and_then(Option::as_ref);
        listener.map_or(self.plan.listen, |port| port.socket.local())
    }

    /// Relays until `stop` is set; calls `beat` now and then.
    pub(crate) fn run(&mut self, stop: &AtomicBool, beat: &mut dyn FnMut(&Relay) -> bool) -> io::Result<()> {
        let mut batch = ReceiveBatch::new();
        let mut events = Vec::with_capacity(256);
        let mut expired = 0;
        while !stop.load(Ordering::Relaxed) {
            self.wait()?;
            events.clear();
            epoll::wait(
                &self.epoll,
                rustix::buffer::spare_capacity(&mut events),
                Some(&Timespec::default()),
            )?;
            for event in &events {
                self.receive(event.data.u64() as usize, &mut batch);
            }
            self.release();
            let now = self.now();
            if now - expired > TICK.as_nanos() as u64 {
                expired = now;
                self.expire(now);
                if !beat(self) {
                    break;
                }
            }
        }
        Ok(())
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    /// Sleeps until a datagram arrives, or one in flight is due.
    fn wait(&self) -> io::Result<()> {
        let until = self.schedule.next().map(|at| Duration::from_nanos(at.saturating_sub(self.now())));
        // Datagrams that are due already were added just now; others may be late by one grain.
        let sleep =
            until.map_or(TICK, |until| if until.is_zero() { until } else { until.clamp(GRAIN, TICK) });
        let sleep = Timespec { tv_sec: 0, tv_nsec: i64::from(sleep.subsec_nanos()) };
        let mut ready = [PollFd::new(&self.epoll, PollFlags::IN)];
        match poll(&mut ready, Some(&sleep)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn receive(&mut self, place: usize, batch: &mut ReceiveBatch) {
        for _ in 0..TURN {
            let Some(port) = self.ports.get(place).and_then(Option::as_ref) else { return };
            let role = port.role;
            // The kernel kept this error for an earlier datagram; reading cleared it.
            let more = batch.fill(&port.socket).unwrap_or(true);
            let now = self.now();
            for index in 0..batch.len() {
                let Some(received) = batch.get(index) else { continue };
                self.pass(role, &received, now);
            }
            if !more {
                return;
            }
        }
    }

    /// Puts the datagrams that a port received on their path.
    fn pass(&mut self, role: Role, received: &Received<'_>, now: u64) {
        let exit = match role {
            Role::Listening => self.exit_up(received.peer, received.local, now),
            Role::Client(client) => self.exit_down(client, received.peer, now),
            Role::Server { client, server } if received.peer == client => {
                self.flows.get_mut(&client).map(|flow| {
                    flow.last = now;
                    Exit { peer: server, ..flow.up }
                })
            }
            Role::Server { .. } => None,
        };
        let Some(exit) = exit else {
            self.strays += 1;
            return;
        };
        let link = if matches!(role, Role::Client(_)) { &mut self.down } else { &mut self.up };
        for datagram in received.datagrams() {
            for at in link.carry(now, datagram.len()).into_iter().flatten() {
                self.schedule.push(at, exit, datagram);
            }
        }
    }

    /// The exit for a datagram to the server's listening port.
    fn exit_up(&mut self, client: SocketAddr, local: Option<Local>, now: u64) -> Option<Exit> {
        if let Some(flow) = self.flows.get_mut(&client) {
            flow.last = now;
            return Some(flow.up);
        }
        let any: IpAddr = match self.plan.to {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let up = self.bind(any, Role::Client(client), self.plan.to)?;
        self.flows.insert(client, Flow { up, local, down: HashMap::new(), last: now });
        Some(up)
    }

    /// The exit for a datagram from a port of the server.
    fn exit_down(&mut self, client: SocketAddr, server: SocketAddr, now: u64) -> Option<Exit> {
        let listener = Exit { port: 0, generation: 0, peer: client, local: None };
        let flow = self.flows.get_mut(&client)?;
        flow.last = now;
        if server == self.plan.to {
            return Some(Exit { local: flow.local, ..listener });
        }
        if let Some(exit) = flow.down.get(&server) {
            return Some(*exit);
        }
        if server.ip() != self.plan.to.ip() {
            return None;
        }
        // The client expects the answer from the address that it used.
        let address = flow.local.and_then(|local| local.address).unwrap_or(self.plan.listen.ip());
        let exit = self.bind(address, Role::Server { client, server }, client)?;
        self.flows.get_mut(&client)?.down.insert(server, exit);
        Some(exit)
    }

    /// Binds a new port; `None` if the system has none left.
    fn bind(&mut self, address: IpAddr, role: Role, peer: SocketAddr) -> Option<Exit> {
        let options = BindOptions { gro: true, ..BindOptions::default() };
        let socket = Socket::bind(SocketAddr::new(address, 0), options).ok()?;
        let (port, generation) = self.open(socket, role).ok()?;
        Some(Exit { port, generation, peer, local: None })
    }

    fn open(&mut self, socket: Socket, role: Role) -> io::Result<(usize, u32)> {
        let place = self.ports.iter().position(Option::is_none).unwrap_or(self.ports.len());
        epoll::add(&self.epoll, &socket, epoll::EventData::new_u64(place as u64), epoll::EventFlags::IN)?;
        if place == self.ports.len() {
            self.ports.push(None);
            self.generations.push(0);
        }
        self.ports[place] = Some(Port { socket, role });
        Ok((place, self.generations[place]))
    }

    fn close(&mut self, place: usize) {
        self.ports[place] = None;
        self.generations[place] += 1;
    }

    /// Sends the datagrams that are due.
    fn release(&mut self) {
        let now = self.now();
        while let Some(flight) = self.schedule.pop(now) {
            let Exit { port, generation, .. } = flight.exit;
            if self.generations.get(port) == Some(&generation) {
                let ports = &self.ports;
                let socket = |place: usize| ports.get(place)?.as_ref().map(|port| &port.socket);
                self.refused += self.sender.add(flight.exit, &flight.bytes, &socket);
            }
            self.schedule.give_back(flight.bytes);
        }
        let ports = &self.ports;
        self.refused += self.sender.flush(&|place| ports.get(place)?.as_ref().map(|port| &port.socket));
    }

    /// Forgets clients that were silent for too long.
    fn expire(&mut self, now: u64) {
        let idle = u64::try_from(self.plan.idle.as_nanos()).unwrap_or(u64::MAX);
        let silent: Vec<SocketAddr> = self
            .flows
            .iter()
            .filter(|(_, flow)| now.saturating_sub(flow.last) > idle)
            .map(|(client, _)| *client)
            .collect();
        for client in silent {
            let Some(flow) = self.flows.remove(&client) else { continue };
            self.close(flow.up.port);
            for exit in flow.down.values() {
                self.close(exit.port);
            }
        }
    }

    /// The number of known clients.
    pub(crate) fn clients(&self) -> usize {
        self.flows.len()
    }
}
