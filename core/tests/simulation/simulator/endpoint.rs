//! What a host does for one transfer, in either role, with every step checked.

use super::world::Peer;
use super::{ACK, DATA, ERROR, OACK, opcode};
use std::fmt;
use std::rc::Rc;
use tuffet_core::{
    Control, DATA_HEADER, ErrorCode, Finish, Limits, MAX_CONTROL, Mode, Oack, Operation, Output, Packet,
    RequestPacket, Settings, Stats, Time, Transfer, data_header, netascii,
};

/// What is to be transferred, and how: the same for both ends.
#[derive(Debug, Clone)]
pub struct Job {
    pub operation: Operation,
    pub mode: Mode,
    pub asked: Oack,
    pub limits: Limits,
    pub settings: Settings,
    /// The bytes of the file, at the end that has it.
    pub file: Rc<[u8]>,
}

impl Job {
    /// A file of `size` bytes that differ from block to block, in octet mode with default limits.
    pub fn new(operation: Operation, asked: Oack, size: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(size as u64);
        Job {
            operation,
            mode: Mode::Octet,
            asked,
            limits: Limits::default(),
            settings: Settings::default(),
            file: std::iter::repeat_with(|| random.u8(..)).take(size).collect(),
        }
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Job { operation, mode, asked, limits, settings, file } = self;
        let size = file.len();
        write!(f, "{operation} of {size} bytes in {mode}, {asked:?} within {limits:?}, {settings:?}")
    }
}

/// What goes wrong or slowly at one end. Times in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Faults {
    /// A server's decision takes this long.
    pub decision: u64,
    /// Storing takes this long.
    pub store: u64,
    /// Storing fails.
    pub store_fails: bool,
    /// After this many steps of sending or accepting, the host ends the transfer with an ERROR.
    pub fails_after: Option<u32>,
    /// After this many datagrams received, the end is gone without a word.
    pub vanishes_after: Option<u32>,
    /// A client sends its request once more at this time, whatever its state.
    pub asks_again: Option<u64>,
}

/// What an end has seen and done.
#[derive(Debug, Clone, Default)]
pub struct Report {
    pub finish: Option<Finish>,
    pub finished_at: Option<Time>,
    pub closed: bool,
    /// Packets sent: requests, DATA, ACK, OACK, ERROR.
    pub requests: u64,
    pub data: u64,
    pub acks: u64,
    pub oacks: u64,
    pub errors: u64,
    pub bytes: u64,
    pub stats: Stats,
}

/// A host with one transfer.
#[derive(Debug)]
pub struct Endpoint {
    transfer: Option<Transfer>,
    job: Job,
    faults: Faults,
    server: bool,
    /// The bytes on the wire, at the end that sends.
    stream: Rc<[u8]>,
    /// The bytes of the file, at the end that receives.
    received: Vec<u8>,
    /// Bytes of the stream accepted so far.
    accepted: u64,
    decoder: netascii::Decoder,
    /// When the transfer wants to be woken, the decision is made, the store is done.
    timeout: Time,
    decision: Time,
    stored: Time,
    asks_again: Time,
    steps: u32,
    heard: u32,
    gone: bool,
    /// Wake-ups at one and the same time.
    woken: (Time, u32),
    pub report: Report,
}

impl Endpoint {
    pub fn client(job: Job, faults: Faults) -> Self {
        let mut client = Endpoint::new(job, faults, false);
        let Job { operation, asked, settings, .. } = client.job;
        let size = client.stream.len() as u64;
        client.transfer = Some(Transfer::client(Time::default(), operation, asked, size, settings));
        // The first wake-up sends the request.
        client.timeout = Time::default();
        client.asks_again = faults.asks_again.map_or(Time::NEVER, Time::from_micros);
        client
    }

    pub fn server(job: Job, faults: Faults) -> Self {
        Endpoint::new(job, faults, true)
    }

    fn new(job: Job, faults: Faults, server: bool) -> Self {
        let sends = server == (job.operation == Operation::Read);
        let stream = if sends { on_the_wire(&job) } else { Rc::default() };
        Endpoint {
            transfer: None,
            job,
            faults,
            server,
            stream,
            received: Vec::new(),
            accepted: 0,
            decoder: netascii::Decoder::default(),
            timeout: Time::NEVER,
            decision: Time::NEVER,
            stored: Time::NEVER,
            asks_again: Time::NEVER,
            steps: 0,
            heard: 0,
            gone: false,
            woken: (Time::NEVER, 0),
            report: Report::default(),
        }
    }

    /// Blocks that carry its stream.
    pub fn blocks(&self) -> u64 {
        self.stream.len() as u64 / u64::from(self.granted().block_size()) + 1
    }

    fn granted(&self) -> Oack {
        Oack::grant(&self.job.asked, &self.job.limits, None)
    }

    /// The bytes of the file that was received and stored.
    pub fn received(&self) -> &[u8] {
        &self.received
    }

    /// Whether it ended without a word, as told.
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    pub fn transfer(&self) -> Option<&Transfer> {
        self.transfer.as_ref()
    }

    /// When it heard something new for the last time.
    pub fn last_heard(&self) -> Option<Time> {
        self.transfer.as_ref().map(Transfer::heard)
    }

    fn request(&self) -> Vec<u8> {
        let mut buffer = [0; 512];
        let Job { operation, mode, asked, .. } = &self.job;
        let length = RequestPacket::encode(*operation, b"a/file", *mode, asked, &mut buffer);
        buffer[..length.expect("a short name fits")].to_vec()
    }

    fn is_new_request(&mut self, now: Time, datagram: &[u8]) -> bool {
        let Ok(Packet::Request(request)) = Packet::parse(datagram) else { return false };
        if !self.server {
            return false;
        }
        match &mut self.transfer {
            Some(transfer) => transfer.handle_repeated_request(now),
            None => {
                self.transfer = Some(Transfer::server(now, request.operation, self.job.settings));
                // What the wire did to the options is what the server gets.
                self.job.asked = request.options.asked();
                self.decision = now_plus(now, self.faults.decision);
            }
        }
        true
    }

    fn decide(&mut self, now: Time) {
        let Some(transfer) = &mut self.transfer else { return };
        let size = match self.job.operation {
            Operation::Read => Some(self.stream.len() as u64),
            Operation::Write => self.job.asked.tsize,
        };
        transfer.handle_grant(now, &self.job.asked, &self.job.limits, size);
    }

    fn store(&mut self, now: Time) {
        let Some(transfer) = &mut self.transfer else { return };
        if self.faults.store_fails {
            transfer.fail(ErrorCode::DiskFull, "no room");
        } else {
            transfer.handle_stored(now);
        }
    }

    /// Polls until there is nothing more to do: the rule of use.
    fn drive(&mut self, now: Time, datagram: Option<&[u8]>, out: &mut Vec<Vec<u8>>) {
        if self.transfer.is_none() {
            return;
        }
        if self.faults.fails_after.is_some_and(|steps| self.steps >= steps) {
            self.faults.fails_after = None;
            if let Some(transfer) = &mut self.transfer {
                transfer.fail(ErrorCode::NotDefined, "told to fail");
            }
        }
        let mut payload = datagram.and_then(|datagram| datagram.get(DATA_HEADER..));
        let before = out.len();
        for polls in 0.. {
            assert!(polls < 8, "a host polls on and on");
            let Some(transfer) = &mut self.transfer else { return };
            let output = transfer.poll(now);
            let ended = self.report.finish.is_some();
            match output {
                Output::Request => out.push(self.request()),
                Output::Control(control) => {
                    assert!(!ended || matches!(control, Control::Ack(_)), "{control:?} after the end");
                    let mut buffer = [0; MAX_CONTROL];
                    let length = control.encode(&mut buffer).expect("MAX_CONTROL is always enough");
                    out.push(buffer[..length].to_vec());
                }
                Output::Send(blocks) => {
                    assert!(!ended, "DATA after the end");
                    assert!(blocks.count > 0);
                    self.steps += 1;
                    for position in blocks.first..blocks.first + u64::from(blocks.count) {
                        let (offset, length) = transfer.range(position, self.stream.len() as u64);
                        let bytes = &self.stream[offset as usize..][..usize::from(length)];
                        out.push([&data_header(transfer.wire(position)), bytes].concat());
                    }
                }
                Output::Accept { offset, length } => {
                    assert!(!ended, "bytes after the end");
                    let payload = payload.take().expect("Accept follows a DATA packet, once");
                    assert_eq!(payload.len(), usize::from(length));
                    assert_eq!(offset, self.accepted, "offsets are contiguous");
                    self.steps += 1;
                    self.accepted += u64::from(length);
                    match self.job.mode {
                        Mode::Octet => self.received.extend_from_slice(payload),
                        Mode::Netascii => self.decoder.decode(payload, &mut self.received),
                    }
                }
                Output::Store { bytes } => {
                    assert_eq!(bytes, self.accepted);
                    assert_eq!(self.stored, Time::NEVER, "stored once");
                    self.decoder.finish(&mut self.received);
                    self.stored = now_plus(now, self.faults.store);
                }
                Output::Finished(finish) => {
                    assert!(!ended, "finished twice: {:?}, {finish:?}", self.report.finish);
                    self.report.finish = Some(finish);
                    self.report.finished_at = Some(now);
                }
                Output::Timeout(time) => {
                    assert!(!self.report.closed, "a time-out after Closed");
                    self.timeout = time;
                    break;
                }
                Output::Closed => {
                    assert!(self.report.finish.is_some(), "closed without an outcome");
                    self.report.closed = true;
                    self.timeout = Time::NEVER;
                    self.stored = Time::NEVER;
                    break;
                }
            }
        }
        self.count(&out[before..]);
    }

    fn count(&mut self, packets: &[Vec<u8>]) {
        assert!(packets.is_empty() || !self.gone);
        let report = &mut self.report;
        for packet in packets {
            report.bytes += packet.len() as u64;
            *match opcode(packet) {
                DATA => &mut report.data,
                ACK => &mut report.acks,
                ERROR => &mut report.errors,
                OACK => &mut report.oacks,
                _ => &mut report.requests,
            } += 1;
        }
        if let Some(transfer) = &self.transfer {
            report.stats = transfer.stats();
        }
    }

    /// A loop that never sleeps would show as one wake-up after another at the same time.
    fn count_wake_up(&mut self, now: Time) {
        self.woken = if self.woken.0 == now { (now, self.woken.1 + 1) } else { (now, 1) };
        assert!(self.woken.1 <= 4, "woken {} times at {now:?}", self.woken.1);
    }
}

impl Peer for Endpoint {
    fn deadline(&self) -> Time {
        if self.gone {
            return Time::NEVER;
        }
        self.timeout.min(self.decision).min(self.stored).min(self.asks_again)
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Vec<u8>>) {
        self.count_wake_up(now);
        if now >= self.asks_again {
            self.asks_again = Time::NEVER;
            out.push(self.request());
        }
        if now >= self.decision {
            self.decision = Time::NEVER;
            self.decide(now);
        }
        if now >= self.stored {
            self.stored = Time::NEVER;
            self.store(now);
        }
        if now >= self.timeout
            && let Some(transfer) = &mut self.transfer
        {
            transfer.handle_timeout(now);
        }
        self.drive(now, None, out);
    }

    fn receive(&mut self, now: Time, datagram: &[u8], out: &mut Vec<Vec<u8>>) {
        self.heard += 1;
        self.gone |= self.faults.vanishes_after.is_some_and(|datagrams| self.heard > datagrams);
        if self.gone {
            return;
        }
        if !self.is_new_request(now, datagram)
            && let Some(transfer) = &mut self.transfer
        {
            // What is not a packet is dropped, as a host does.
            let _malformed = transfer.handle_datagram(now, datagram);
        }
        self.drive(now, Some(datagram), out);
    }
}

/// The stream that carries a file: the file itself, or its lines as netascii has them, encoded in pieces
/// of a block as a host does.
fn on_the_wire(job: &Job) -> Rc<[u8]> {
    if job.mode == Mode::Octet {
        return job.file.clone();
    }
    let mut encoder = netascii::Encoder::default();
    let mut block = vec![0; usize::from(job.asked.block_size())];
    let (mut stream, mut at) = (Vec::new(), 0);
    loop {
        let (read, written) = encoder.encode(&job.file[at..], &mut block);
        at += read;
        stream.extend_from_slice(&block[..written]);
        if written < block.len() {
            return stream.into();
        }
    }
}

fn now_plus(now: Time, micros: u64) -> Time {
    Time::from_micros(now.as_micros() + micros)
}
