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

/// What a client does beside what the protocol says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Honest,
    /// Sends each of its requests so many times.
    Repeats(u8),
    /// Is gone after so many datagrams.
    Vanishes(u32),
    /// Asks for something else from the same port after so many datagrams, or a time, in microseconds.
    ChangesItsMind(u32, u64),
    /// Asks for the same from the same port, as a device that was reset.
    BeginsAnew(u32, u64),
    /// Sends its request in someone else's name: nobody is there.
    Spoofed,
    /// Answers with what was not asked for, and talks to sockets where it has no transfer.
    Babbles,
}

/// One thing that was asked for.
#[derive(Debug, Clone)]
pub(super) struct Wish {
    pub(super) name: String,
    pub(super) operation: Operation,
    pub(super) requested: OptionSet,
    /// The file: what is read, or what is written.
    pub(super) file: Arc<[u8]>,
}

/// What became of it, as its client sees it.
#[derive(Debug)]
pub(super) struct Experience {
    pub(super) name: String,
    pub(super) operation: Operation,
    pub(super) complete: bool,
    /// What a reader got.
    pub(super) received: Vec<u8>,
    pub(super) file: Arc<[u8]>,
}

pub(super) struct Client {
    pub(super) address: SocketAddr,
    pub(super) manner: Manner,
    /// The socket of the worker that it asks.
    pub(super) listener: SocketId,
    /// The last is the first to ask for.
    wishes: Vec<Wish>,
    wish: Option<Wish>,
    transfer: Option<Transfer>,
    /// The socket that answered.
    tid: Option<SocketId>,
    received: Vec<u8>,
    complete: bool,
    pub(super) timeout: Time,
    /// When it does what its manner is.
    acts: Time,
    heard: u32,
    gone: bool,
    said: u32,
    random: Rng,
    pub(super) experiences: Vec<Experience>,
}

/// Where a datagram of a client goes, and what it is.
pub(super) type Sent = (SocketId, Vec<u8>);

impl Client {
    pub(super) fn new(
        address: SocketAddr,
        listener: SocketId,
        manner: Manner,
        begins: Time,
        wishes: Vec<Wish>,
        seed: u64,
    ) -> Client {
        Client {
            address,
            manner,
            listener,
            wishes,
            wish: None,
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
            let next = self.wishes.pop();
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
        // Whoever answers first is the one to talk to (RFC 1350 section 4).
        let answers = !matches!(Packet::parse(arrival.datagram), Ok(Packet::Request(_)) | Err(_));
        if !answers || *self.tid.get_or_insert(arrival.socket) != arrival.socket {
            return;
        }
        if let Some(transfer) = &mut self.transfer {
            // What is no packet is dropped.
            let _malformed = transfer.handle_datagram(now, arrival.datagram);
        }
        self.drive(now, Some(arrival.datagram), out);
    }

    /// All that is asked for has ended, as far as this client knows.
    pub(super) fn rest(&mut self) {
        self.note();
    }

    fn act(&mut self, now: Time) {
        match self.manner {
            Manner::BeginsAnew(..) => {
                let same = self.wish.clone();
                self.ask(now, same);
            }
            _ => {
                let next = self.wishes.pop();
                self.ask(now, next);
            }
        }
    }

    fn ask(&mut self, now: Time, wish: Option<Wish>) {
        self.note();
        self.timeout = Time::NEVER;
        let Some(wish) = wish else { return };
        let size = if wish.operation == Operation::Write { wish.file.len() as u64 } else { 0 };
        let transfer = Transfer::client(now, wish.operation, wish.requested, size, Settings::default());
        self.transfer = Some(transfer);
        self.wish = Some(wish);
        self.tid = None;
    }

    /// Writes down how the last one went.
    fn note(&mut self) {
        let Some(wish) = self.wish.take() else { return };
        self.transfer = None;
        self.experiences.push(Experience {
            name: wish.name,
            operation: wish.operation,
            file: wish.file,
            complete: std::mem::take(&mut self.complete),
            received: std::mem::take(&mut self.received),
        });
    }

    fn drive(&mut self, now: Time, datagram: Option<&[u8]>, out: &mut Vec<Sent>) {
        loop {
            let (Some(transfer), Some(wish)) = (&mut self.transfer, &self.wish) else { return };
            match transfer.poll(now) {
                Output::Request => {
                    let times = if let Manner::Repeats(times) = self.manner { times } else { 1 };
                    (0..times).for_each(|_| out.push((self.listener, request(wish))));
                }
                Output::Control(control) => {
                    let mut buffer = [0; MAX_CONTROL];
                    let length = control.encode(&mut buffer).expect("MAX_CONTROL is always enough");
                    out.extend(self.tid.map(|tid| (tid, buffer[..length].to_vec())));
                }
                Output::Send(blocks) => {
                    let Some(tid) = self.tid else { continue };
                    for position in blocks.first..blocks.first + u64::from(blocks.count) {
                        let (offset, length) = transfer.range(position, wish.file.len() as u64);
                        let payload = &wish.file[offset as usize..][..usize::from(length)];
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
                    // The next wish comes a moment later, from the same port.
                    self.timeout = if self.wishes.is_empty() || self.has_manners() {
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

    /// Whether its further wishes are for when it acts.
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
            5 => self.wish.as_ref().map(request).unwrap_or_default(),
            _ => return,
        };
        let to = if self.random.bool() { arrival.socket } else { socket };
        out.push((to, datagram));
    }
}

fn request(wish: &Wish) -> Vec<u8> {
    let mut buffer = [0; 256];
    let Wish { operation, name, requested, .. } = wish;
    let length = RequestPacket::encode(*operation, name.as_bytes(), Mode::Octet, requested, &mut buffer);
    buffer[..length.expect("a short name fits")].to_vec()
}

/// How long a client may still be busy after its worker has gone: longer than any time-out.
pub(super) const BUSY: Duration = Duration::from_secs(3_600);
