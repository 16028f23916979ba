//! The clients of a simulated worker: the protocol machine in the client's role, and typical deviations.

use super::world::{Arrival, later};
use crate::worker::SocketId;
use fastrand::Rng;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tuffet_core::{
    DATA_HEADER, Finish, MAX_CONTROL, Mode, Operation, OptionSet, Output, Packet, RequestPacket, Settings,
    Time, Transfer, data_header,
};

/// The behaviour of a client beyond the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Honest,
    /// Sends each of its requests this many times.
    Repeats(u8),
    /// Disappears after this many datagrams.
    Vanishes(u32),
    /// Sends another request from the same port after this many datagrams and a pause in microseconds.
    ChangesItsMind(u32, u64),
    /// Repeats its request from the same port after the same conditions, like a device that was reset.
    BeginsAnew(u32, u64),
    /// Sends its request from a spoofed address, which never answers.
    Spoofed,
    /// Sends unsolicited packets, also to sockets on which it has no transfer.
    Babbles,
}

/// A request that a client will send.
#[derive(Debug, Clone)]
pub(super) struct PlannedRequest {
    pub(super) name: String,
    pub(super) operation: Operation,
    pub(super) requested: OptionSet,
    /// The file that is read or written.
    pub(super) file: Arc<[u8]>,
}

/// The result of a request from the client's point of view.
#[derive(Debug)]
pub(super) struct Experience {
    pub(super) name: String,
    pub(super) operation: Operation,
    pub(super) complete: bool,
    /// The bytes that a reader received.
    pub(super) received: Vec<u8>,
    pub(super) file: Arc<[u8]>,
}

pub(super) struct Client {
    pub(super) address: SocketAddr,
    pub(super) manner: Manner,
    /// The listening socket that it sends requests to.
    pub(super) listener: SocketId,
    /// Requests to be made, the last one first.
    planned: Vec<PlannedRequest>,
    request: Option<PlannedRequest>,
    transfer: Option<Transfer>,
    /// The socket that answered.
    tid: Option<SocketId>,
    received: Vec<u8>,
    complete: bool,
    pub(super) timeout: Time,
    /// The time of its deviation.
    acts: Time,
    heard: u32,
    gone: bool,
    said: u32,
    random: Rng,
    pub(super) experiences: Vec<Experience>,
}

/// A datagram of a client, and the socket that it goes to.
pub(super) type Sent = (SocketId, Vec<u8>);

impl Client {
    pub(super) fn new(
        address: SocketAddr,
        listener: SocketId,
        manner: Manner,
        begins: Time,
        planned: Vec<PlannedRequest>,
        seed: u64,
    ) -> Client {
        Client {
            address,
            manner,
            listener,
            planned,
            request: None,
            transfer: None,
            tid: None,
            received: Vec::new(),
            complete: false,
            timeout: begins,
            acts: Time::NEVER,
            heard: 0,
            gone: false,
            said: 0,
            random: Rng::with_seed(seed),
            experiences: Vec::new(),
        }
    }

    pub(super) fn deadline(&self) -> Time {
        if self.gone { Time::NEVER } else { self.timeout.min(self.acts) }
    }

    pub(super) fn wake(&mut self, now: Time, out: &mut Vec<Sent>) {
        if now >= self.acts {
            self.acts = Time::NEVER;
            self.act(now);
        } else if self.transfer.is_none() {
            let next = self.planned.pop();
            self.ask(now, next);
        } else if let Some(transfer) = &mut self.transfer {
            transfer.handle_timeout(now);
        }
        self.drive(now, None, out);
    }

    pub(super) fn receive(&mut self, now: Time, arrival: Arrival<'_>, out: &mut Vec<Sent>) {
        self.heard += 1;
        self.gone |= match self.manner {
            Manner::Vanishes(after) => self.heard > after,
            Manner::Spoofed => true,
            _ => false,
        };
        if self.gone {
            return;
        }
        match self.manner {
            Manner::ChangesItsMind(after, pause) | Manner::BeginsAnew(after, pause)
                if self.heard == after =>
            {
                self.acts = later(now, pause);
            }
            Manner::Babbles => self.babble(arrival, out),
            _ => {}
        }
        // The first socket to answer is the peer (RFC 1350 section 4).
        let answers = !matches!(Packet::parse(arrival.datagram), Ok(Packet::Request(_)) | Err(_));
        if !answers || *self.tid.get_or_insert(arrival.socket) != arrival.socket {
            return;
        }
        if let Some(transfer) = &mut self.transfer {
            // A malformed datagram is dropped.
            let _malformed = transfer.handle_datagram(now, arrival.datagram);
        }
        self.drive(now, Some(arrival.datagram), out);
    }

    /// Records the last request: all have ended, as far as this client knows.
    pub(super) fn rest(&mut self) {
        self.note();
    }

    fn act(&mut self, now: Time) {
        match self.manner {
            Manner::BeginsAnew(..) => {
                let same = self.request.clone();
                self.ask(now, same);
            }
            _ => {
                let next = self.planned.pop();
                self.ask(now, next);
            }
        }
    }

    fn ask(&mut self, now: Time, request: Option<PlannedRequest>) {
        self.note();
        self.timeout = Time::NEVER;
        let Some(request) = request else { return };
        let size = if request.operation == Operation::Write { request.file.len() as u64 } else { 0 };
        let transfer = Transfer::client(now, request.operation, request.requested, size, Settings::default());
        self.transfer = Some(transfer);
        self.request = Some(request);
        self.tid = None;
    }

    /// Records the result of the current request.
    fn note(&mut self) {
        let Some(request) = self.request.take() else { return };
        self.transfer = None;
        self.experiences.push(Experience {
            name: request.name,
            operation: request.operation,
            file: request.file,
            complete: std::mem::take(&mut self.complete),
            received: std::mem::take(&mut self.received),
        });
    }

    fn drive(&mut self, now: Time, datagram: Option<&[u8]>, out: &mut Vec<Sent>) {
        loop {
            let (Some(transfer), Some(request)) = (&mut self.transfer, &self.request) else { return };
            match transfer.poll(now) {
                Output::Request => {
                    let times = if let Manner::Repeats(times) = self.manner { times } else { 1 };
                    (0..times).for_each(|_| out.push((self.listener, encode(request))));
                }
                Output::Control(control) => {
                    let mut buffer = [0; MAX_CONTROL];
                    let length = control.encode(&mut buffer).expect("MAX_CONTROL is always enough");
                    out.extend(self.tid.map(|tid| (tid, buffer[..length].to_vec())));
                }
                Output::Send(blocks) => {
                    let Some(tid) = self.tid else { continue };
                    for position in blocks.first..blocks.first + u64::from(blocks.count) {
                        let (offset, length) = transfer.range(position, request.file.len() as u64);
                        let payload = &request.file[offset as usize..][..usize::from(length)];
                        out.push((tid, [&data_header(transfer.wire(position))[..], payload].concat()));
                    }
                }
                Output::Accept { length, .. } => {
                    let payload = datagram.and_then(|bytes| bytes.get(DATA_HEADER..)).unwrap_or_default();
                    self.received.extend_from_slice(&payload[..usize::from(length)]);
                }
                Output::Store { .. } => transfer.handle_stored(now),
                Output::Finished(finish) => self.complete |= finish == Finish::Complete,
                Output::Timeout(time) => {
                    self.timeout = time;
                    return;
                }
                Output::Closed => {
                    // The next request follows a moment later, from the same port.
                    self.timeout = if self.planned.is_empty() || self.has_manners() {
                        Time::NEVER
                    } else {
                        later(now, 300_000)
                    };
                    self.note();
                    return;
                }
            }
        }
    }

    /// Whether its further requests wait for its deviation.
    fn has_manners(&self) -> bool {
        matches!(self.manner, Manner::ChangesItsMind(..) | Manner::BeginsAnew(..))
    }

    fn babble(&mut self, arrival: Arrival<'_>, out: &mut Vec<Sent>) {
        self.said += 1;
        if self.said > 100 {
            return;
        }
        let block = self.random.u16(..30);
        let [high, low] = block.to_be_bytes();
        let socket = SocketId(self.random.u16(0..=arrival.sockets));
        let datagram = match self.random.u32(0..7) {
            0 => vec![0, 4, high, low],
            1 => [&data_header(block)[..], &[1; 100]].concat(),
            2 => b"\0\x06blksize\x0065464\0".to_vec(),
            3 => std::iter::repeat_with(|| self.random.u8(..)).take(9).collect(),
            4 => vec![0, 4, 0, 0],
            5 => self.request.as_ref().map(encode).unwrap_or_default(),
            _ => return,
        };
        let to = if self.random.bool() { arrival.socket } else { socket };
        out.push((to, datagram));
    }
}

fn encode(request: &PlannedRequest) -> Vec<u8> {
    let mut buffer = [0; 256];
    let PlannedRequest { operation, name, requested, .. } = request;
    let length = RequestPacket::encode(*operation, name.as_bytes(), Mode::Octet, requested, &mut buffer);
    buffer[..length.expect("a short name fits")].to_vec()
}

/// How long a client may still be busy after its worker has stopped: longer than any time-out.
pub(super) const BUSY: Duration = Duration::from_secs(3_600);
