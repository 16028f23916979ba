//! Two peers, the links between them, and the virtual clock.

use super::link::{Link, Path};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tuffet_core::Time;

/// One end of a path.
pub trait Peer {
    /// Returns when it acts if nothing arrives.
    fn deadline(&self) -> Time;

    /// Handles the deadline.
    fn wake(&mut self, now: Time, out: &mut Vec<Vec<u8>>);

    /// Handles a datagram.
    fn receive(&mut self, now: Time, datagram: &[u8], out: &mut Vec<Vec<u8>>);

    /// Returns the microseconds between two datagrams that it sends one after the other; 0 if they leave together.
    fn spacing(&self) -> u64 {
        0
    }
}

/// A client and a server with a path between them.
pub struct World<C, S> {
    pub client: C,
    pub server: S,
    /// From the client to the server.
    pub up: Link,
    /// From the server to the client.
    pub down: Link,
    pub now: Time,
    flights: BinaryHeap<Reverse<Flight>>,
    sent: u64,
    random: fastrand::Rng,
}

/// A datagram in flight; ordered by arrival, then by sending.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Flight {
    arrival: Time,
    order: u64,
    to_server: bool,
    datagram: Vec<u8>,
}

/// More than any honest scenario needs: a world that exceeds it loops forever.
const MOST_EVENTS: u64 = 3_000_000;

impl<C: Peer, S: Peer> World<C, S> {
    pub fn new(seed: u64, client: C, server: S, up: Path, down: Path) -> Self {
        World {
            client,
            server,
            up: Link::new(up),
            down: Link::new(down),
            now: Time::from_micros(0),
            flights: BinaryHeap::new(),
            sent: 0,
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// Runs until no event is left; time beyond `limit` is a failure.
    pub fn run(&mut self, limit: Time) {
        let mut events = 0;
        while self.step() {
            events += 1;
            assert!(self.now <= limit, "still busy at {:?}: {:?} {:?}", self.now, self.up, self.down);
            assert!(events < MOST_EVENTS, "no end in sight at {:?}", self.now);
        }
    }

    /// Executes the next event: `false` if there is none.
    fn step(&mut self) -> bool {
        let arrival = self.flights.peek().map_or(Time::NEVER, |Reverse(flight)| flight.arrival);
        let next = arrival.min(self.client.deadline()).min(self.server.deadline());
        if next == Time::NEVER {
            return false;
        }
        self.now = self.now.max(next);
        let mut out = Vec::new();
        if arrival <= next {
            let Some(Reverse(flight)) = self.flights.pop() else { return false };
            if flight.to_server {
                self.server.receive(self.now, &flight.datagram, &mut out);
            } else {
                self.client.receive(self.now, &flight.datagram, &mut out);
            }
            self.send(!flight.to_server, out);
        } else if self.client.deadline() <= next {
            self.client.wake(self.now, &mut out);
            self.send(true, out);
        } else {
            self.server.wake(self.now, &mut out);
            self.send(false, out);
        }
        true
    }

    fn send(&mut self, to_server: bool, out: Vec<Vec<u8>>) {
        let World { up, down, flights, sent, random, .. } = self;
        let (link, spacing) =
            if to_server { (up, self.client.spacing()) } else { (down, self.server.spacing()) };
        for (number, datagram) in (0..).zip(out) {
            let now = Time::from_micros(self.now.as_micros() + number * spacing);
            link.carry(now, datagram, random, |arrival, datagram| {
                *sent += 1;
                flights.push(Reverse(Flight { arrival, order: *sent, to_server, datagram }));
            });
        }
    }
}
