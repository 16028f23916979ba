//! Datagrams in flight, by the time of their arrival.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::SocketAddr;
use tuffet_udp::Local;

/// Where a datagram leaves the relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exit {
    /// The port's index in the relay's table, and its generation.
    pub(crate) port: usize,
    pub(crate) generation: u32,
    pub(crate) peer: SocketAddr,
    /// The source address, if the port has several.
    pub(crate) local: Option<Local>,
}

/// A datagram in flight.
#[derive(Debug)]
pub(crate) struct Flight {
    pub(crate) exit: Exit,
    pub(crate) bytes: Vec<u8>,
}

/// All datagrams in flight; first in, first out for equal arrival times.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    heap: BinaryHeap<Reverse<(u64, u64, usize)>>,
    flights: Vec<Option<Flight>>,
    free: Vec<usize>,
    /// Buffers for reuse.
    buffers: Vec<Vec<u8>>,
    order: u64,
}

impl Schedule {
    pub(crate) fn push(&mut self, at: u64, exit: Exit, bytes: &[u8]) {
        let mut buffer = self.buffers.pop().unwrap_or_default();
        buffer.clear();
        buffer.extend_from_slice(bytes);
        let flight = Some(Flight { exit, bytes: buffer });
        let place = match self.free.pop() {
            Some(place) => {
                self.flights[place] = flight;
                place
            }
            None => {
                self.flights.push(flight);
                self.flights.len() - 1
            }
        };
        self.order += 1;
        self.heap.push(Reverse((at, self.order, place)));
    }

    /// The arrival time of the next one, in nanoseconds.
    pub(crate) fn next(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((at, ..))| *at)
    }

    /// Takes the next one that has arrived by now.
    pub(crate) fn pop(&mut self, now: u64) -> Option<Flight> {
        self.next().filter(|at| *at <= now)?;
        let Reverse((_, _, place)) = self.heap.pop()?;
        self.free.push(place);
        self.flights.get_mut(place)?.take()
    }

    /// Takes back a buffer for reuse.
    pub(crate) fn give_back(&mut self, buffer: Vec<u8>) {
        if self.buffers.len() < MOST_BUFFERS {
            self.buffers.push(buffer);
        }
    }
}

/// The most buffers kept.
const MOST_BUFFERS: usize = 65_536;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_arrival_then_by_sending() {
        let exit = Exit { port: 0, generation: 0, peer: "127.0.0.1:9".parse().unwrap(), local: None };
        let mut schedule = Schedule::default();
        for (at, byte) in [(5, 1), (3, 2), (5, 3), (9, 4)] {
            schedule.push(at, exit, &[byte]);
        }
        let mut arrived = Vec::new();
        while let Some(flight) = schedule.pop(5) {
            arrived.push(flight.bytes[0]);
            schedule.give_back(flight.bytes);
        }
        assert_eq!((arrived, schedule.next()), (vec![2, 1, 3], Some(9)));
    }
}
