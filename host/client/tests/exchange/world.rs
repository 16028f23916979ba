//! An exchange, the protocol machine in the server's role, and a network with faults between them, in virtual time.

use fastrand::Rng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::SocketAddr;
use std::time::Duration;
use tuffet_client::{ClientError, Exchange, Mode, Options, Output, Report, Time};
use tuffet_core::netascii::Encoder;
use tuffet_core::{
    DATA_HEADER, Finish, Limits, MAX_CONTROL, OptionSet, Output as Action, Packet, Settings, Timing,
    Transfer, data_header,
};

/// What a world transfers, and over which network.
#[derive(Debug, Clone)]
pub struct Plan {
    pub options: Options,
    /// The file as its reader has it.
    pub file: Vec<u8>,
    pub is_upload: bool,
    /// Whether the size of an upload is known before.
    pub is_sized: bool,
    /// Whether the server knows options at all.
    pub knows_options: bool,
    /// Whether it answers from the port of the request.
    pub is_single_port: bool,
    pub loss: f64,
    pub duplicate: f64,
    pub reorder: f64,
    pub delay: u64,
    /// How late the source of an upload may be, in microseconds.
    pub source_delay: u64,
}

/// Arrival, order, whether it goes to the server, the end of the server, bytes.
type Flight = (Time, u64, bool, SocketAddr, Vec<u8>);

pub struct World {
    plan: Plan,
    random: Rng,
    now: Time,
    exchange: Exchange,
    /// When the client looks again.
    client_due: Time,
    supplied: usize,
    /// When the source has its next bytes, if they are on their way.
    source_due: Option<Time>,
    pub got: Vec<u8>,
    pub result: Option<Result<Report, ClientError>>,
    server: Option<Transfer>,
    server_due: Time,
    wire: Vec<u8>,
    pub stored: Vec<u8>,
    pub finish: Option<Finish>,
    flights: BinaryHeap<Reverse<Flight>>,
    sent: u64,
}

const REQUESTS: ([u8; 4], u16) = ([192, 0, 2, 1], 69);
const TID: ([u8; 4], u16) = ([192, 0, 2, 1], 4711);

/// The file as it is on the wire.
pub fn on_wire(file: &[u8], mode: Mode) -> Vec<u8> {
    if mode == Mode::Octet {
        return file.to_vec();
    }
    let mut wire = vec![0; file.len() + Encoder::growth(file) as usize];
    Encoder::default().encode(file, &mut wire);
    wire
}

impl World {
    pub fn new(plan: Plan, seed: u64) -> World {
        let now = Time::default();
        let wire = on_wire(&plan.file, plan.options.mode);
        let size = plan.is_sized.then_some(plan.file.len() as u64);
        let exchange = match plan.is_upload {
            true => Exchange::put(now, REQUESTS.into(), "file", size, &plan.options),
            false => Exchange::get(now, REQUESTS.into(), "file", &plan.options),
        };
        World {
            plan,
            random: Rng::with_seed(seed),
            now,
            exchange: exchange.unwrap(),
            client_due: now,
            supplied: 0,
            source_due: None,
            got: Vec::new(),
            result: None,
            server: None,
            server_due: Time::NEVER,
            wire,
            stored: Vec::new(),
            finish: None,
            flights: BinaryHeap::new(),
            sent: 0,
        }
    }

    /// Runs until both ends have ended, or for this time.
    pub fn run(&mut self, most: Duration) {
        self.drive_client();
        while self.result.is_none() || self.finish.is_none() {
            let flight = self.flights.peek().map(|Reverse(flight)| flight.0);
            let next = [flight, self.source_due, Some(self.client_due), Some(self.server_due)];
            let next = next.into_iter().flatten().min().unwrap();
            if next == Time::NEVER || next.since(Time::default()) > most {
                return;
            }
            self.now = self.now.max(next);
            if flight.is_some_and(|arrival| arrival <= self.now) {
                let Reverse((_, _, to_server, end, datagram)) = self.flights.pop().unwrap();
                if to_server { self.at_server(end, &datagram) } else { self.at_client(end, &datagram) }
            } else if self.source_due.is_some_and(|due| due <= self.now) {
                self.source_due = None;
                self.supply();
                self.drive_client();
            } else if self.client_due <= self.now {
                self.exchange.handle_timeout(self.now);
                self.drive_client();
            } else {
                if let Some(server) = &mut self.server {
                    server.handle_timeout(self.now);
                }
                self.drive_server(&[]);
            }
        }
    }

    fn at_client(&mut self, from: SocketAddr, datagram: &[u8]) {
        self.exchange.handle_datagram(self.now, from, datagram);
        self.drive_client();
    }

    fn drive_client(&mut self) {
        loop {
            match self.exchange.poll(self.now) {
                Output::Send { to, datagram } => {
                    let datagram = datagram.to_vec();
                    self.fly(true, to, datagram);
                }
                Output::Write { offset, bytes } => {
                    assert_eq!(offset, self.got.len() as u64);
                    self.got.extend_from_slice(bytes);
                }
                Output::Store => self.exchange.handle_stored(self.now),
                Output::Finished(result) => assert!(self.result.replace(result).is_none(), "two ends"),
                Output::Wait(until) => {
                    self.client_due = until;
                    if self.exchange.room() == 0 || self.source_due.is_some() {
                        return;
                    }
                    if self.plan.source_delay > 0 && self.random.bool() {
                        let delay = Duration::from_micros(self.random.u64(0..self.plan.source_delay));
                        self.source_due = Some(self.now + delay);
                        return;
                    }
                    self.supply();
                }
                _ => {
                    self.client_due = Time::NEVER;
                    return;
                }
            }
        }
    }

    /// Supplies some bytes of the upload, or its end.
    fn supply(&mut self) {
        let rest = self.plan.file.len() - self.supplied;
        let room = self.exchange.room().min(rest);
        let length = if room > 1 && self.random.bool() { self.random.usize(1..room) } else { room };
        self.exchange.supply(self.now, &self.plan.file[self.supplied..self.supplied + length]);
        self.supplied += length;
    }

    fn at_server(&mut self, end: SocketAddr, datagram: &[u8]) {
        let Ok(packet) = Packet::parse(datagram) else { panic!("{datagram:?}") };
        let tid = self.tid();
        match (packet, &mut self.server) {
            (Packet::Request(request), server @ None) => {
                assert_eq!(request.name, b"file");
                let mut requested = request.options.requested();
                if !self.plan.knows_options {
                    requested = OptionSet::default();
                }
                // It repeats its last ACK as long as the client asks for it: otherwise nobody can be sure of the end.
                let [floor, initial, cap] = [2, 250, 4_000].map(Duration::from_millis);
                let timing =
                    Timing::new(floor, initial, cap, self.plan.options.patience, self.plan.options.patience);
                let settings = Settings { timing, ..Settings::default() };
                let mut transfer = Transfer::server(self.now, request.operation, settings);
                let size = if self.plan.is_upload { requested.tsize } else { Some(self.wire.len() as u64) };
                let limits = Limits { windowsize: 32_767, ..Limits::default() };
                transfer.handle_grant(self.now, &requested, &limits, size);
                *server = Some(transfer);
            }
            (Packet::Request(_), Some(server)) => server.handle_repeated_request(self.now),
            (_, Some(server)) if end == tid => {
                let _ = server.handle_datagram(self.now, datagram);
            }
            other => panic!("{:?} at {end}", other.0),
        }
        self.drive_server(datagram);
    }

    fn drive_server(&mut self, datagram: &[u8]) {
        let tid = self.tid();
        loop {
            let Some(server) = &mut self.server else { return };
            match server.poll(self.now) {
                Action::Control(control) => {
                    let mut packet = vec![0; MAX_CONTROL];
                    let length = control.encode(&mut packet).unwrap();
                    packet.truncate(length);
                    self.fly(false, tid, packet);
                }
                Action::Send(blocks) => {
                    for position in blocks.first..blocks.first + u64::from(blocks.count) {
                        let server = self.server.as_ref().unwrap();
                        let (offset, length) = server.range(position, self.wire.len() as u64);
                        let payload = &self.wire[offset as usize..][..usize::from(length)];
                        let packet = [&data_header(server.wire(position))[..], payload].concat();
                        self.fly(false, tid, packet);
                    }
                }
                Action::Accept { offset, length } => {
                    assert_eq!(offset, self.stored.len() as u64);
                    self.stored.extend_from_slice(&datagram[DATA_HEADER..][..usize::from(length)]);
                }
                Action::Store { .. } => server.handle_stored(self.now),
                Action::Finished(finish) => self.finish = Some(finish),
                Action::Timeout(until) => {
                    self.server_due = until;
                    return;
                }
                Action::Request => panic!("a server requests nothing"),
                Action::Closed => {
                    self.server_due = Time::NEVER;
                    return;
                }
            }
        }
    }

    fn tid(&self) -> SocketAddr {
        if self.plan.is_single_port { REQUESTS.into() } else { TID.into() }
    }

    fn fly(&mut self, to_server: bool, end: SocketAddr, datagram: Vec<u8>) {
        let Plan { loss, duplicate, reorder, delay, .. } = self.plan;
        if self.random.f64() < loss {
            return;
        }
        for _ in 0..1 + u32::from(self.random.f64() < duplicate) {
            let late = if self.random.f64() < reorder { self.random.u64(0..5_000) } else { 0 };
            self.sent += 1;
            let arrival = self.now + Duration::from_micros(delay + late);
            self.flights.push(Reverse((arrival, self.sent, to_server, end, datagram.clone())));
        }
    }
}
