//! A running transfer: a client with its socket, its path and the expected content.

use crate::figures::{Ended, Figures, Outcome};
use crate::loss::Path;
use crate::plan::Plan;
use crate::schedule::Due;
use crate::wire::{Line, Wire};
use std::net::SocketAddr;
use std::time::Duration;
use tuffet_core::{
    ErrorCode, Finish, MAX_CONTROL, Mode, Operation, Output, Packet, RequestPacket, Time, Transfer,
    encode_error,
};
use tuffet_udp::Socket;

/// Connecting costs a system call and saves a route look-up for each packet sent: worth it after this many.
const CONNECT_AFTER: u32 = 8;

/// RFC 2347 limits a request to 512 bytes; names are checked to leave room for the options.
const MAX_REQUEST: usize = 1_024;

/// The shared parts of all transfers, borrowed for one call.
pub(crate) struct Context<'a> {
    pub(crate) now: Time,
    pub(crate) plan: &'a Plan,
    pub(crate) socket: &'a Socket,
    pub(crate) wire: &'a mut Wire,
    pub(crate) figures: &'a mut Figures,
}

pub(crate) struct RunningTransfer {
    transfer: Transfer,
    due: Due,
    file: usize,
    /// The server's TID for this transfer, once it has answered (RFC 1350 section 4).
    peer: Option<SocketAddr>,
    connected: bool,
    datagrams: u32,
    began: bool,
    stalled: bool,
    /// When the request was sent; `None` once it is answered.
    requested: Option<Time>,
    /// When an ACK was sent that nothing new has answered yet. Repeating the ACK does not change this.
    acknowledged: Option<Time>,
    /// The offset of the first wrong byte, or up to a block before it.
    differs: Option<u64>,
    error: Option<String>,
    path: Path,
    /// When anything was last retransmitted.
    repeated: Time,
    /// The core's deadline.
    core_deadline: Time,
    deadline: Time,
}

impl RunningTransfer {
    /// Creates a transfer that has not sent its request yet: call [`RunningTransfer::drive`].
    pub(crate) fn new(now: Time, due: Due, plan: &Plan) -> Self {
        let file = plan.files.pick(due.number);
        let size = match plan.operation {
            Operation::Read => 0,
            Operation::Write => plan.files.get(file).content.as_ref().map_or(0, |bytes| bytes.len() as u64),
        };
        let transfer = Transfer::client(now, plan.operation, plan.options(size), size, plan.settings);
        RunningTransfer {
            transfer,
            due,
            file,
            peer: None,
            connected: false,
            datagrams: 0,
            began: false,
            stalled: false,
            requested: None,
            acknowledged: None,
            differs: None,
            error: None,
            path: plan.loss.path(due.number),
            repeated: now,
            core_deadline: Time::NEVER,
            deadline: Time::NEVER,
        }
    }

    /// When to call [`RunningTransfer::on_timer`].
    pub(crate) fn deadline(&self) -> Time {
        self.deadline
    }

    /// When anything new last arrived.
    pub(crate) fn heard(&self) -> Time {
        self.transfer.heard()
    }

    /// Whether it holds its transfer open without answering.
    pub(crate) fn is_stalled(&self) -> bool {
        self.stalled
    }

    /// File bytes transferred.
    pub(crate) fn bytes(&self) -> u64 {
        self.transfer.bytes()
    }

    /// The facts of the transfer at its end.
    pub(crate) fn ended(&self) -> Ended {
        Ended {
            scheduled: self.due.scheduled,
            bytes: self.transfer.bytes(),
            stats: self.transfer.stats(),
            options: self.transfer.options(),
        }
    }

    /// Handles a datagram from its socket.
    pub(crate) fn on_datagram(
        &mut self,
        from: SocketAddr,
        datagram: &[u8],
        context: &mut Context<'_>,
    ) -> Option<Outcome> {
        context.figures.packets_in += 1;
        if self.path.loses_inbound(context.now) {
            context.figures.lost_in += 1;
            return None;
        }
        if self.stalled {
            return None;
        }
        if self.peer != Some(from) && !self.meets(from, datagram, context) {
            return None;
        }
        if let Ok(Packet::Error { code, text }) = Packet::parse(datagram) {
            let text = String::from_utf8_lossy(text);
            let text: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
            self.error = Some(format!("ERROR {code}: {text}"));
        }
        let payload = datagram.get(tuffet_core::DATA_HEADER..).unwrap_or_default();
        if let Some(since) = self.requested.take() {
            context.figures.answer.record(context.now.since(since));
        }
        let before = self.transfer.blocks();
        if self.transfer.handle_datagram(context.now, datagram).is_err() {
            context.figures.strays += 1;
            return None;
        }
        if self.transfer.blocks() > before {
            if !self.began {
                self.began = true;
                context.figures.first_block.record(context.now.since(self.due.scheduled));
            }
            if let Some(since) = self.acknowledged.take() {
                context.figures.turnaround.record(context.now.since(since));
            }
        }
        if let Some(stall) = context.plan.stall.filter(|stall| self.transfer.blocks() >= stall.blocks) {
            self.stalled = true;
            self.deadline = context.now + stall.hold;
            return None;
        }
        self.datagrams = self.datagrams.saturating_add(1);
        if self.datagrams == CONNECT_AFTER {
            self.connect(context);
        }
        self.drive(payload, context)
    }

    /// Handles the time of [`RunningTransfer::deadline`].
    pub(crate) fn on_timer(&mut self, context: &mut Context<'_>) -> Option<Outcome> {
        if self.stalled {
            self.transfer.fail(ErrorCode::NotDefined, "a stalled client ends its transfer");
            return self.drive(&[], context).map(|_| Outcome::Stalled);
        }
        if context.plan.fixed_timeout.is_none() {
            self.transfer.handle_timeout(context.now);
            return self.drive(&[], context);
        }
        if context.now.since(self.transfer.heard()) >= context.plan.give_up {
            return Some(self.timed_out());
        }
        // The core's timers are adaptive, those of an ordinary client are not. So this client passes the
        // core's own deadline to it when the fixed timer expires.
        self.transfer.handle_timeout(self.core_deadline);
        self.repeated = context.now;
        self.drive(&[], context)
    }

    /// Executes the core's outputs until it waits or the transfer has ended. `payload` is that of the DATA
    /// packet just handled.
    pub(crate) fn drive(&mut self, payload: &[u8], context: &mut Context<'_>) -> Option<Outcome> {
        loop {
            match self.transfer.poll(context.now) {
                Output::Request => {
                    self.requested.get_or_insert(context.now);
                    self.send_request(context);
                }
                Output::Control(control) => {
                    let mut packet = [0; MAX_CONTROL];
                    if let Some(length) = control.encode(&mut packet) {
                        self.send(&packet[..length], context);
                    }
                    if context.plan.operation == Operation::Read {
                        self.acknowledged.get_or_insert(context.now);
                    }
                }
                Output::Send(blocks) => {
                    let content = context.plan.files.get(self.file).content.as_deref().unwrap_or_default();
                    let line = self.line(context);
                    let (wire, figures) = (&mut *context.wire, &mut *context.figures);
                    wire.send_blocks(line, &mut self.path, &self.transfer, blocks, content, figures);
                }
                Output::Accept { offset, .. } => self.check(offset, payload, context.plan),
                Output::Store { .. } => self.transfer.handle_stored(context.now),
                Output::Finished(finish) => return Some(self.outcome(finish, context.plan)),
                Output::Timeout(core) => {
                    self.core_deadline = core;
                    self.deadline = match context.plan.fixed_timeout {
                        Some(wait) => self.transfer.heard().max(self.repeated) + wait,
                        None => core,
                    };
                    return None;
                }
                Output::Closed => return Some(Outcome::Failed("ended without an outcome".to_owned())),
            }
        }
    }

    /// The first answer sets the server's TID. A datagram from elsewhere gets an ERROR and does not disturb
    /// the transfer (RFC 1350 section 4).
    fn meets(&mut self, from: SocketAddr, datagram: &[u8], context: &mut Context<'_>) -> bool {
        let parsed = Packet::parse(datagram);
        let refuses = matches!(parsed, Ok(Packet::Error { .. }));
        let answers = parsed.is_ok_and(|packet| packet.may_answer(context.plan.operation));
        if self.peer.is_none() && from.ip() == context.plan.server.ip() && answers {
            if !refuses {
                self.peer = Some(from);
            }
            return true;
        }
        context.figures.strays += 1;
        let mut packet = [0; MAX_CONTROL];
        if !refuses
            && parsed.is_ok()
            && let Some(length) =
                encode_error(ErrorCode::UnknownTransferId, "unknown transfer ID", &mut packet)
        {
            let line = Line { socket: context.socket, to: from, connected: false };
            context.wire.send(line, &mut self.path, &packet[..length], context.figures);
        }
        false
    }

    /// Connects the socket. Not for written windows, whose batches carry their address anyway, nor for
    /// sockets that the next transfer reuses: disconnecting costs as much as connecting saved.
    fn connect(&mut self, context: &Context<'_>) {
        let windows = context.plan.operation == Operation::Write && self.transfer.options().window_size() > 1;
        let Some(peer) = self.peer.filter(|_| !windows && !context.plan.reuse_sockets) else { return };
        self.connected = rustix::net::connect(context.socket, &peer).is_ok();
    }

    fn line<'a>(&self, context: &Context<'a>) -> Line<'a> {
        Line {
            socket: context.socket,
            to: self.peer.unwrap_or(context.plan.server),
            connected: self.connected,
        }
    }

    fn send(&mut self, packet: &[u8], context: &mut Context<'_>) {
        let line = self.line(context);
        context.wire.send(line, &mut self.path, packet, context.figures);
    }

    fn send_request(&mut self, context: &mut Context<'_>) {
        let plan = context.plan;
        let name = &plan.files.get(self.file).name;
        let mut packet = [0; MAX_REQUEST];
        let options = &self.transfer.options();
        let length = match plan.operation {
            Operation::Read => {
                RequestPacket::encode(Operation::Read, name.as_bytes(), Mode::Octet, options, &mut packet)
            }
            Operation::Write => {
                let own = format!("{name}.{}{}", plan.tag, self.due.number);
                RequestPacket::encode(Operation::Write, own.as_bytes(), Mode::Octet, options, &mut packet)
            }
        };
        match length {
            Some(length) => self.send(&packet[..length], context),
            None => self.transfer.fail(ErrorCode::NotDefined, "the request is too long"),
        }
    }

    fn check(&mut self, offset: u64, payload: &[u8], plan: &Plan) {
        let blksize = self.transfer.options().block_size();
        if !plan.files.get(self.file).accepts(blksize, offset, payload) {
            self.differs.get_or_insert(offset);
        }
    }

    fn outcome(&mut self, finish: Finish, plan: &Plan) -> Outcome {
        match finish {
            Finish::Complete => self.verdict(plan),
            // The last two are a server's.
            Finish::TimedOut | Finish::Miscounted | Finish::Unacknowledged => self.timed_out(),
            Finish::PeerError(code) => {
                Outcome::Failed(self.error.take().unwrap_or_else(|| format!("ERROR {code}")))
            }
            Finish::Failed(ErrorCode::OptionRefused) => {
                Outcome::Failed("the server granted options that were not asked, or more of them".to_owned())
            }
            Finish::Failed(ErrorCode::IllegalOperation) => {
                Outcome::Failed("the server sent DATA longer than the block size".to_owned())
            }
            Finish::Failed(code) => Outcome::Failed(format!("this client ended it ({code:?})")),
        }
    }

    fn timed_out(&self) -> Outcome {
        Outcome::TimedOut { answered: self.peer.is_some() }
    }

    /// Compares the received content with the expected one.
    fn verdict(&self, plan: &Plan) -> Outcome {
        if plan.operation == Operation::Write {
            return Outcome::Completed;
        }
        let file = plan.files.get(self.file);
        let name = &file.name;
        if let Some(offset) = self.differs {
            return Outcome::WrongBytes(format!("wrong bytes: {name} differs in the block at {offset}"));
        }
        let (got, promised) = (self.transfer.bytes(), self.transfer.options().tsize);
        let whole = file.content.as_ref().map(|bytes| bytes.len() as u64);
        match whole.or(promised) {
            Some(expected) if got != expected => {
                Outcome::WrongBytes(format!("wrong bytes: {name} came as {got} bytes instead of {expected}"))
            }
            _ => Outcome::Completed,
        }
    }
}

/// The resolution of timers: a fiftieth of a fixed time-out, or well below the adaptive floor of 20 ms.
pub(crate) fn timer_grain(plan: &Plan) -> Duration {
    let (least, most) = (Duration::from_millis(1), Duration::from_millis(20));
    plan.fixed_timeout.map_or(least * 2, |wait| (wait / 50).clamp(least, most))
}
