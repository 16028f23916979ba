//! What a client does: one file after the other, by the client role of the core.

use crate::chain::Wish;
use crate::packet::{Down, Tid, Up};
use crate::scenario::BACK_OFF;
use crate::world::{Event, World, nanos, time};
use tuffet_core::{Control, DATA_HEADER, ErrorCode, Finish, Operation, Output, Transfer, data_header};

/// One machine that boots. Small: there are a million.
#[derive(Debug)]
pub(crate) struct Client {
    /// Its number, which stands for its address.
    pub(crate) number: u32,
    /// What is random about it, so that it does not matter what others do meanwhile.
    pub(crate) random: fastrand::Rng,
    transfer: Option<Box<Transfer>>,
    /// What a server made of its last request (the server's table of peers).
    pub(crate) serving: Tid,
    /// Who answered it, and from which port.
    pub(crate) peer: Tid,
    pub(crate) peer_port: u16,
    /// Its own port: another one for each request.
    pub(crate) port: u16,
    step: u8,
    failures: u8,
    /// A size was told.
    size_sent: bool,
    /// When its link has brought all that was sent to it so far.
    link_free: u64,
    /// When its transfer wants to be woken, and when it will be looked at.
    deadline: u64,
    timer: u64,
}

/// A block as it was sent.
#[derive(Debug, Clone, Copy)]
struct Block {
    offset: u64,
    length: u16,
}

impl Client {
    pub(crate) fn new(number: u32, seed: u64) -> Self {
        Client {
            number,
            random: fastrand::Rng::with_seed(seed),
            transfer: None,
            serving: Tid::NONE,
            peer: Tid::NONE,
            peer_port: 0,
            port: 1_023,
            step: 0,
            failures: 0,
            size_sent: false,
            link_free: 0,
            deadline: u64::MAX,
            timer: u64::MAX,
        }
    }

    /// Whether its path loses a datagram now.
    pub(crate) fn loses(&mut self, of_a_million: u32) -> bool {
        of_a_million > 0 && self.random.u32(0..1_000_000) < of_a_million
    }
}

impl World<'_> {
    /// The client asks for the file of its step.
    pub(crate) fn ask(&mut self, index: u32) {
        let now = self.now;
        let Some(client) = self.clients.get_mut(index as usize) else { return };
        let Some(step) = self.steps.get(usize::from(client.step)) else { return };
        client.port = if client.port == u16::MAX { 1_024 } else { client.port + 1 };
        client.peer = Tid::NONE;
        client.size_sent = false;
        let settings = self.client_settings.clone();
        let transfer = Transfer::client(time(now), Operation::Read, step.requested(), 0, settings);
        client.transfer = Some(Box::new(transfer));
        self.drive_client(index, now, None);
    }

    pub(crate) fn client_timer(&mut self, index: u32) {
        let now = self.now;
        let Some(client) = self.clients.get_mut(index as usize) else { return };
        if client.timer != now {
            return; // Another one was set since.
        }
        client.timer = u64::MAX;
        self.wake_client(index, now);
    }

    /// Acts on the client's deadline if it has come, else sees to it that someone looks again.
    fn wake_client(&mut self, index: u32, at: u64) {
        let Some(client) = self.clients.get_mut(index as usize) else { return };
        if client.deadline <= at
            && let Some(transfer) = &mut client.transfer
        {
            transfer.handle_timeout(time(at));
            self.drive_client(index, at, None);
        } else {
            self.arm_client(index);
        }
    }

    /// A packet has come to a port of the client.
    pub(crate) fn deliver_down(&mut self, index: u32, port: u16, from: Tid, packet: Down) {
        let Some(client) = self.clients.get_mut(index as usize) else { return };
        // A boot ROM that has moved on is silent at its old port.
        if client.port != port || client.transfer.is_none() {
            return;
        }
        if client.peer == Tid::NONE {
            client.peer = from;
            client.peer_port = self.slots.get(from.slot as usize).map_or(0, |slot| slot.port_of_tid);
        } else if client.peer != from {
            return;
        }
        match packet {
            Down::Data { first, count } => self.take_blocks(index, first, count),
            Down::Oack(oack) => self.take_control(index, &Control::Oack(*oack)),
            Down::Error(code) => self.take_control(index, &Control::Error(code, "file not found".into())),
        }
    }

    fn take_control(&mut self, index: u32, control: &Control) {
        let now = self.now;
        let Some(client) = self.clients.get_mut(index as usize) else { return };
        let Some(transfer) = &mut client.transfer else { return };
        let _well_formed = transfer.handle_datagram(time(now), self.datagram.control(control));
        let probes = self.steps.get(usize::from(client.step)).is_some_and(|step| step.wish == Wish::Probe);
        if probes && matches!(control, Control::Oack(oack) if oack.tsize.is_some()) {
            client.size_sent = true;
            transfer.fail(ErrorCode::OptionRefused, "");
        }
        self.drive_client(index, now, None);
    }

    /// Blocks that left a server in one go, each at the time when the client's link has brought it. What
    /// comes of one may lie ahead of the world's time, never behind; nothing else reaches this client
    /// before them, since its link brings one after the other.
    fn take_blocks(&mut self, index: u32, first: u32, count: u16) {
        let scenario = self.scenario;
        let Some(client) = self.clients.get(index as usize) else { return };
        let (port, Some(step)) = (client.port, self.steps.get(usize::from(client.step)).copied()) else {
            return;
        };
        // As the server granted it.
        let blksize = u64::from(step.requested().block_size());
        let apart = scenario.on_card(DATA_HEADER as u64 + blksize);
        for nth in 0..u64::from(count) {
            let position = u64::from(first) + nth;
            let offset = (position - 1) * blksize;
            let length = step.size.saturating_sub(offset).min(blksize) as u16;
            let Some(client) = self.clients.get_mut(index as usize) else { return };
            let sent = self.now + nth * apart;
            let at = client.link_free.max(sent) + scenario.on_link(DATA_HEADER as u64 + u64::from(length));
            if client.loses(scenario.loss) {
                continue;
            }
            client.link_free = at;
            if client.deadline <= at {
                self.wake_client(index, at);
            }
            let Some(client) = self.clients.get_mut(index as usize) else { return };
            // Its end may have come with the last block, or with its patience.
            let Some(transfer) = client.transfer.as_mut().filter(|_| client.port == port) else { return };
            let header = data_header(transfer.wire(position));
            let payload = self
                .contents
                .get(usize::from(client.step))
                .and_then(|content| content.get(offset as usize..offset as usize + usize::from(length)));
            let datagram = self.datagram.data(header, length, payload);
            let _well_formed = transfer.handle_datagram(time(at), datagram);
            self.drive_client(index, at, Some(Block { offset, length }));
        }
    }

    /// Does all that the client's transfer asks for. `block` is the one that it has just been given.
    fn drive_client(&mut self, index: u32, at: u64, mut block: Option<Block>) {
        loop {
            let Some(client) = self.clients.get_mut(index as usize) else { return };
            let Some(transfer) = &mut client.transfer else { return };
            match transfer.poll(time(at)) {
                Output::Request => {
                    let step = client.step;
                    self.send_up(index, at, Up::Request(step));
                }
                Output::Control(Control::Ack(number)) => self.send_up(index, at, Up::Ack(number)),
                Output::Control(Control::Error(code, _)) => self.send_up(index, at, Up::Error(code)),
                Output::Accept { offset, length } => {
                    let same =
                        block.take().is_some_and(|block| (block.offset, block.length) == (offset, length));
                    let content = self.contents.get(usize::from(client.step));
                    let equal = content.is_none_or(|content| {
                        content.get(offset as usize..offset as usize + usize::from(length))
                            == self.datagram.bytes().get(DATA_HEADER..)
                    });
                    self.figures.wrong += u64::from(!same || !equal);
                }
                Output::Store { bytes } => {
                    let size = self.steps.get(usize::from(client.step)).map(|step| step.size);
                    self.figures.wrong += u64::from(size != Some(bytes));
                    transfer.handle_stored(time(at));
                }
                Output::Finished(finish) => return self.end_step(index, at, finish),
                Output::Timeout(deadline) => {
                    client.deadline = nanos(deadline);
                    return self.arm_client(index);
                }
                Output::Closed => return,
                // A client that reads has nothing to offer.
                Output::Control(Control::Oack(_)) | Output::Send(_) => {}
            }
        }
    }

    /// One look is planned at a time; it is put off when it comes too early.
    fn arm_client(&mut self, index: u32) {
        let Some(client) = self.clients.get_mut(index as usize) else { return };
        if client.transfer.is_some() && client.deadline < client.timer {
            client.timer = client.deadline.max(self.now);
            self.queue.push(client.timer, Event::ClientTimer(index));
        }
    }

    fn end_step(&mut self, index: u32, at: u64, finish: Finish) {
        let Some(client) = self.clients.get_mut(index as usize) else { return };
        let transfer = client.transfer.take();
        self.figures.repeated += transfer.map_or(0, |transfer| u64::from(transfer.stats().retransmissions));
        client.deadline = u64::MAX;
        let Some(step) = self.steps.get(usize::from(client.step)) else { return };
        let done = match step.wish {
            Wish::Probe => client.size_sent,
            Wish::Missing => finish == Finish::PeerError(ErrorCode::FileNotFound as u16),
            Wish::Whole => finish == Finish::Complete,
        };
        if !done {
            let wait = BACK_OFF[usize::from(client.failures).min(BACK_OFF.len() - 1)] * 1_000_000_000;
            client.failures = client.failures.saturating_add(1);
            client.step = 0;
            self.figures.restarts += 1;
            return self.queue.push(at + wait, Event::Ask(index));
        }
        client.step += 1;
        match self.steps.get(usize::from(client.step)) {
            Some(next) => self.queue.push(at + u64::from(next.pause) * 1_000_000, Event::Ask(index)),
            None => self.figures.booted.push((at / 1_000_000) as u32),
        }
    }
}
