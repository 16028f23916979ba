//! The host of one transfer, in either role, which checks every step.

use super::job::Job;
use super::ledger::Ledger;
use super::world::Peer;
use super::{ACK, DATA, ERROR, OACK, opcode};
use crate::faults::{Disk, Faults, Verdict};
use std::rc::Rc;
use std::time::Duration;
use tuffet_core::{
    Control, DATA_HEADER, ErrorCode, Finish, MAX_CONTROL, Mode, Operation, OptionSet, Output, Packet,
    PeerMetrics, RequestPacket, Stats, Time, Transfer, data_header, netascii,
};
use tuffet_testkit::invariants::{Invariant, Lives};

/// The observations and actions of an end.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// How its transfer finished: the complete one, else the last.
    pub finish: Option<Finish>,
    pub finished_at: Option<Time>,
    /// Whether the last transfer was closed and dropped.
    pub closed: bool,
    /// The number of transfers, of outcomes, and of complete transfers.
    pub begun: u64,
    pub outcomes: u64,
    pub completed: u64,
    /// Packets sent: requests, DATA, ACK, OACK, ERROR.
    pub requests: u64,
    pub data: u64,
    pub acks: u64,
    pub oacks: u64,
    pub errors: u64,
    /// DATA that left as single datagrams, although the kernel could segment them.
    pub singly: u64,
    pub bytes: u64,
    pub stats: Stats,
}

/// A host with one peer and one transfer at a time.
#[derive(Debug)]
pub struct Endpoint {
    transfer: Option<Transfer>,
    job: Job,
    faults: Faults,
    server: bool,
    /// The bytes on the wire, at the sending end.
    stream: Rc<[u8]>,
    /// The bytes of the file, at the receiving end; and those of a complete transfer.
    received: Vec<u8>,
    whole: Option<Vec<u8>>,
    /// Bytes of the stream accepted so far.
    accepted: u64,
    decoder: netascii::Decoder,
    /// The request that the transfer is for.
    request: Vec<u8>,
    /// Whether the transfer has its outcome.
    ended: bool,
    /// When the transfer must be woken, the decision is made, the store is complete.
    timeout: Time,
    decision: Time,
    stored: Time,
    asks_again: Time,
    restarts: Time,
    /// When it resumes after a stall, and the datagrams that have arrived meanwhile.
    stalled: Time,
    waiting: Vec<Vec<u8>>,
    /// The last time that the transfer made progress.
    moved: Time,
    steps: u32,
    heard: u32,
    gone: bool,
    /// Wake-ups at the same time.
    woken: (Time, u32),
    ledger: Ledger,
    pub report: Report,
}

/// The same request counts as a repetition within a second of the last progress, and as a new one after that,
/// as in the server's worker.
const ANEW: Duration = Duration::from_secs(1);

/// Datagrams queued for a stalled end; a socket has no room for more.
const WAITING: usize = 200;

impl Endpoint {
    pub fn client(job: Job, faults: Faults) -> Self {
        let mut client = Endpoint::new(job, faults, false);
        client.start(Time::default());
        let at = |time: Option<u64>| time.map_or(Time::NEVER, Time::from_micros);
        (client.asks_again, client.restarts) = (at(faults.asks_again), at(faults.restarts));
        client
    }

    pub fn server(job: Job, faults: Faults) -> Self {
        Endpoint::new(job, faults, true)
    }

    fn new(job: Job, faults: Faults, server: bool) -> Self {
        let sends = server == (job.operation == Operation::Read);
        let stream = if sends { job.on_the_wire() } else { Rc::default() };
        Endpoint {
            transfer: None,
            job,
            faults,
            server,
            stream,
            received: Vec::new(),
            whole: None,
            accepted: 0,
            decoder: netascii::Decoder::default(),
            request: Vec::new(),
            ended: false,
            timeout: Time::NEVER,
            decision: Time::NEVER,
            stored: Time::NEVER,
            asks_again: Time::NEVER,
            restarts: Time::NEVER,
            stalled: Time::NEVER,
            waiting: Vec::new(),
            moved: Time::default(),
            steps: 0,
            heard: 0,
            gone: false,
            woken: (Time::NEVER, 0),
            ledger: Ledger::default(),
            report: Report::default(),
        }
    }

    /// Returns the number of blocks that carry its stream.
    pub fn blocks(&self) -> u64 {
        self.stream.len() as u64 / u64::from(self.granted().block_size()) + 1
    }

    fn granted(&self) -> OptionSet {
        OptionSet::grant(&self.job.requested, &self.job.limits, None)
    }

    /// Returns the bytes of the file that was received and stored.
    pub fn received(&self) -> &[u8] {
        self.whole.as_deref().unwrap_or(&self.received)
    }

    /// Returns whether it vanished, as its faults say.
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    /// Returns when it last received something new.
    pub fn last_heard(&self) -> Option<Time> {
        self.transfer.as_ref().map(Transfer::heard)
    }

    /// Returns what its transfer learnt of the peer.
    pub fn peer_metrics(&self) -> PeerMetrics {
        self.transfer.as_ref().map(Transfer::peer_metrics).unwrap_or_default()
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns the counts of its transfers.
    pub fn lives(&self) -> Lives {
        let Report { begun, outcomes, closed, .. } = self.report;
        Lives { begun, outcomes, held: u64::from(begun > 0 && !closed) }
    }

    fn request(&self) -> Vec<u8> {
        let mut buffer = [0; 512];
        let Job { operation, mode, requested, .. } = &self.job;
        let length = RequestPacket::encode(*operation, b"a/file", *mode, requested, &mut buffer);
        buffer[..length.expect("a short name fits")].to_vec()
    }

    /// Starts a client: its first wake-up sends the request.
    fn start(&mut self, now: Time) {
        let Job { operation, requested, settings, .. } = self.job;
        let transfer = Transfer::client(now, operation, requested, self.stream.len() as u64, settings);
        self.begin(now, transfer);
        self.timeout = now;
    }

    /// Begins a transfer. The previous one, if any, no longer matters.
    fn begin(&mut self, now: Time, transfer: Transfer) {
        if let Some(mut before) = self.transfer.replace(transfer) {
            before.abandon();
            Invariant::ExactlyOneOutcome.demand_eq(
                before.poll(now),
                Output::Closed,
                "after it was abandoned",
            );
            self.report.outcomes += u64::from(!self.ended);
        }
        self.report.begun += 1;
        self.report.closed = false;
        self.ended = false;
        self.received.clear();
        self.accepted = 0;
        self.decoder = netascii::Decoder::default();
        (self.timeout, self.decision, self.stored) = (Time::NEVER, Time::NEVER, Time::NEVER);
        self.moved = now;
        self.ledger.begin();
    }

    /// Returns whether this is a server that received a request; begins its transfer.
    fn is_asked(&mut self, now: Time, datagram: &[u8]) -> bool {
        let Ok(Packet::Request(request)) = Packet::parse(datagram) else { return false };
        if !self.server {
            return false;
        }
        let running = self.transfer.as_mut().filter(|transfer| {
            let lately = now.since(transfer.heard()) < ANEW;
            let all_moved = transfer.awaits_last_ack() || transfer.is_dallying();
            transfer.is_deciding() || (lately && !all_moved)
        });
        match running {
            Some(transfer) if self.request == datagram && !self.report.closed => {
                transfer.handle_repeated_request(now);
            }
            _ => {
                let mut transfer = Transfer::server(now, request.operation, self.job.settings);
                transfer.start_with(self.job.known);
                self.begin(now, transfer);
                // The server gets the options as the path delivered them.
                self.job.requested = request.options.requested();
                self.request = datagram.to_vec();
                self.decision = now_plus(now, self.faults.decision);
            }
        }
        true
    }

    fn decide(&mut self, now: Time) {
        let Some(transfer) = &mut self.transfer else { return };
        self.moved = now;
        match self.faults.verdict {
            Verdict::Grant => {
                let size = match self.job.operation {
                    Operation::Read => Some(self.stream.len() as u64),
                    Operation::Write => self.job.requested.tsize,
                };
                transfer.handle_grant(now, &self.job.requested, &self.job.limits, size);
            }
            Verdict::Deny => transfer.fail(ErrorCode::AccessViolation, "denied"),
            Verdict::Drop => {
                transfer.abandon();
                self.ended = true;
                self.report.outcomes += 1;
            }
        }
    }

    fn store(&mut self, now: Time) {
        let Some(transfer) = &mut self.transfer else { return };
        self.moved = now;
        if self.faults.disk == Disk::CannotStore {
            transfer.fail(ErrorCode::DiskFull, "no room");
        } else {
            transfer.handle_stored(now);
        }
    }

    /// Polls until there is nothing more to do, as the rule of use requires.
    fn drive(&mut self, now: Time, datagram: Option<&[u8]>, out: &mut Vec<Vec<u8>>) {
        let mut payload = datagram.and_then(|datagram| datagram.get(DATA_HEADER..));
        let before = out.len();
        for polls in 0.. {
            Invariant::NoBusyLoop.demand(polls < 8, "a host polls on and on");
            let Some(transfer) = &mut self.transfer else { return };
            if self.report.closed {
                break;
            }
            let output = transfer.poll(now);
            match output {
                Output::Request => out.push(self.request()),
                Output::Control(control) => {
                    let late = self.ended && !matches!(control, Control::Ack(_));
                    Invariant::ExactlyOneOutcome.demand(!late, format_args!("{control:?} after the end"));
                    let mut buffer = [0; MAX_CONTROL];
                    let length = control.encode(&mut buffer).expect("MAX_CONTROL is always enough");
                    out.push(buffer[..length].to_vec());
                }
                Output::Send(blocks) => {
                    Invariant::ExactlyOneOutcome.demand(!self.ended, "DATA after the end");
                    assert!(blocks.count > 0);
                    self.steps += 1;
                    self.ledger.send(blocks, transfer, self.server);
                    let before = out.len();
                    for position in blocks.first..blocks.first + u64::from(blocks.count) {
                        let (offset, length) = transfer.range(position, self.stream.len() as u64);
                        let last = position
                            == self.stream.len() as u64 / u64::from(transfer.options().block_size()) + 1;
                        let Some(bytes) =
                            read(self.faults.disk, self.steps, &self.stream, offset, length, last)
                        else {
                            // As the worker does: after a read error it sends nothing of the batch.
                            out.truncate(before);
                            transfer.fail(ErrorCode::NotDefined, "read error");
                            break;
                        };
                        out.push([&data_header(transfer.wire(position))[..], &bytes].concat());
                    }
                }
                Output::Accept { offset, length } => {
                    Invariant::ExactlyOneOutcome.demand(!self.ended, "bytes after the end");
                    let payload = payload.take().unwrap_or_default();
                    let right = (payload.len(), offset) == (usize::from(length), self.accepted);
                    Invariant::ContiguousOffsets.demand(right, format_args!("{length} bytes at {offset}"));
                    self.steps += 1;
                    self.accepted += u64::from(length);
                    let full = match self.faults.disk {
                        Disk::FailsAfter(steps) => self.steps > steps,
                        Disk::EndsAt(at) => self.accepted > at,
                        _ => false,
                    };
                    if full {
                        transfer.fail(ErrorCode::DiskFull, "no room");
                        continue;
                    }
                    match self.job.mode {
                        Mode::Octet => self.received.extend_from_slice(payload),
                        Mode::Netascii => self.decoder.decode(payload, &mut self.received),
                    }
                }
                Output::Store { bytes } => {
                    Invariant::ContiguousOffsets.demand_eq(bytes, self.accepted, "bytes to store");
                    assert_eq!(self.stored, Time::NEVER, "stored once");
                    self.decoder.finish(&mut self.received);
                    self.stored = now_plus(now, self.faults.store);
                }
                Output::Finished(finish) => {
                    let twice = format_args!("{:?}, then {finish:?}", self.report.finish);
                    Invariant::ExactlyOneOutcome.demand(!self.ended, twice);
                    self.finished(now, finish);
                }
                Output::Timeout(time) => {
                    self.timeout = time;
                    break;
                }
                Output::Closed => {
                    Invariant::ExactlyOneOutcome.demand(self.ended, "closed without an outcome");
                    self.close(now);
                    break;
                }
            }
        }
        self.count(&out[before..]);
    }

    fn finished(&mut self, now: Time, finish: Finish) {
        self.ended = true;
        self.report.outcomes += 1;
        if finish == Finish::Complete {
            self.report.completed += 1;
            self.whole = Some(self.received.clone());
        }
        if self.report.finish != Some(Finish::Complete) {
            self.report.finish = Some(finish);
            self.report.finished_at = Some(now);
        }
    }

    fn close(&mut self, now: Time) {
        self.report.closed = true;
        (self.timeout, self.decision, self.stored) = (Time::NEVER, Time::NEVER, Time::NEVER);
        let moved = self.moved.max(self.last_heard().unwrap_or_default());
        let most = self.patience();
        let late = format_args!("closed at {now:?}, {most} µs or more after {moved:?}");
        Invariant::BoundedMemory.demand(now.as_micros() <= moved.as_micros() + most, late);
    }

    /// Returns the microseconds after the last progress by which its transfer is dropped: the longest wait
    /// for the peer in a scenario, three of the requested time-outs, and the time for repeating the last ACK.
    fn patience(&self) -> u64 {
        let OptionSet { timeout, utimeout, .. } = self.job.requested;
        let named = u64::from(timeout.unwrap_or(0)) * 1_000_000;
        let named = 3 * named.max(utimeout.unwrap_or(0).into());
        let stalled = self.faults.stalls.map_or(0, |(_, pause)| pause);
        named.max(60_000_000) + 10_000_000 + stalled + 1_000
    }

    fn count(&mut self, packets: &[Vec<u8>]) {
        assert!(packets.is_empty() || !self.gone);
        self.ledger.say(packets, self.server);
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
            if transfer.sends_singly() {
                report.singly += packets.iter().filter(|packet| opcode(packet) == DATA).count() as u64;
            }
            report.stats = transfer.stats();
        }
    }

    /// Counts wake-ups: a busy loop would show as one after another at the same time.
    fn count_wake_up(&mut self, now: Time) {
        self.woken = if self.woken.0 == now { (now, self.woken.1 + 1) } else { (now, 1) };
        Invariant::NoBusyLoop
            .demand(self.woken.1 <= 4, format_args!("woken {} times at {now:?}", self.woken.1));
    }

    /// Returns whether one of its own times has come.
    fn is_due(now: Time, at: &mut Time) -> bool {
        let due = now >= *at;
        if due {
            *at = Time::NEVER;
        }
        due
    }

    fn take(&mut self, now: Time, datagram: &[u8], out: &mut Vec<Vec<u8>>) {
        self.ledger.hear(datagram, self.transfer.as_ref());
        if !self.is_asked(now, datagram)
            && let Some(transfer) = &mut self.transfer
        {
            // Malformed packets are dropped, as a host does.
            let _malformed = transfer.handle_datagram(now, datagram);
        }
        self.drive(now, Some(datagram), out);
    }
}

impl Peer for Endpoint {
    /// A system call, or its part in one, takes as long.
    fn spacing(&self) -> u64 {
        if self.transfer.as_ref().is_some_and(Transfer::sends_singly) { 2 } else { 0 }
    }

    fn deadline(&self) -> Time {
        if self.gone {
            return Time::NEVER;
        }
        if self.stalled != Time::NEVER {
            return self.stalled;
        }
        self.timeout.min(self.decision).min(self.stored).min(self.asks_again).min(self.restarts)
    }

    fn wake(&mut self, now: Time, out: &mut Vec<Vec<u8>>) {
        self.count_wake_up(now);
        if Self::is_due(now, &mut self.stalled) {
            for datagram in std::mem::take(&mut self.waiting) {
                self.take(now, &datagram, out);
            }
            return;
        }
        if Self::is_due(now, &mut self.restarts) {
            self.start(now);
        }
        if Self::is_due(now, &mut self.asks_again) {
            out.push(self.request());
        }
        if Self::is_due(now, &mut self.decision) {
            self.decide(now);
        }
        if Self::is_due(now, &mut self.stored) {
            self.store(now);
        }
        self.ledger.talk.own += 1;
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
        if let Some((after, pause)) = self.faults.stalls
            && self.heard == after + 1
        {
            self.stalled = now_plus(now, pause);
        }
        if self.stalled == Time::NEVER {
            self.take(now, datagram, out);
        } else if self.waiting.len() < WAITING {
            self.waiting.push(datagram.to_vec());
        }
    }
}

/// Returns the bytes of a block, as far as the disk delivers them.
fn read(disk: Disk, steps: u32, stream: &[u8], offset: u64, length: u16, last: bool) -> Option<Vec<u8>> {
    let end = offset + u64::from(length);
    let mut bytes = stream[offset as usize..end as usize].to_vec();
    match disk {
        Disk::FailsAfter(after) if steps > after => return None,
        Disk::EndsAt(at) if end > at => return None,
        Disk::ChangesAt(at) if at < stream.len() as u64 => {
            if last {
                return None;
            }
            let from = at.saturating_sub(offset).min(u64::from(length)) as usize;
            bytes[from..].iter_mut().for_each(|byte| *byte = !*byte);
        }
        _ => {}
    }
    Some(bytes)
}

fn now_plus(now: Time, micros: u64) -> Time {
    Time::from_micros(now.as_micros() + micros)
}
