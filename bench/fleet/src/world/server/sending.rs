//! The outputs of a server's transfer: packets through the shared card, and its end.

use super::PATIENCE;
use crate::packet::{Down, Tid};
use crate::world::{Event, World, nanos, time};
use std::collections::VecDeque;
use tuffet_core::{Blocks, Control, DATA_HEADER, Output};

impl World<'_> {
    /// Executes all outputs of a transfer; returns the time of the work.
    pub(super) fn drive_server(&mut self, tid: Tid, clock: &mut u64) -> u64 {
        let mut worked = 0;
        loop {
            let Some(transfer) = self.transfer(tid) else { return worked };
            match transfer.poll(time(*clock)) {
                Output::Send(blocks) => worked += self.send_blocks(tid, blocks, clock),
                Output::Control(control) => worked += self.send_control(tid, control, clock),
                Output::Timeout(deadline) => {
                    if let Some(slot) = self.slots.get_mut(tid.slot as usize) {
                        slot.deadline = nanos(deadline);
                    }
                    self.arm_server(tid);
                    return worked;
                }
                Output::Closed => {
                    self.forget(tid);
                    return worked;
                }
                // The transfer only sends, and its client counts the end.
                Output::Finished(_) | Output::Request | Output::Accept { .. } | Output::Store { .. } => {}
            }
        }
    }

    fn send_blocks(&mut self, tid: Tid, blocks: Blocks, clock: &mut u64) -> u64 {
        let costs = self.scenario.costs;
        let Some(blocks) = self.arrived(tid, blocks, *clock) else { return 0 };
        let worked = self.spend(clock, costs.send + costs.block * u64::from(blocks.count));
        let Some(slot) = self.slots.get(tid.slot as usize) else { return worked };
        let (Some(transfer), Some(step)) = (&slot.transfer, self.steps.get(usize::from(slot.step))) else {
            return worked;
        };
        let (client, port, server) = (slot.client, slot.port, slot.server);
        let on_card = |length: u16| self.scenario.on_card(DATA_HEADER as u64 + u64::from(length));
        let last = transfer.range(blocks.first + u64::from(blocks.count) - 1, step.size).1;
        let full = on_card(transfer.options().block_size());
        let all = full * u64::from(blocks.count - 1) + on_card(last);
        let Some(start) = self.on_card(server, all, clock) else { return worked };
        if let Some(server) = self.servers.get_mut(usize::from(server - self.base)) {
            server.figures.blocks += u64::from(blocks.count);
        }
        let packet = Down::Data { first: blocks.first as u32, count: blocks.count as u16 };
        let first = if blocks.count > 1 { full } else { all };
        let at = start + first + self.scenario.delay;
        self.queue.push(at, Event::ToClient { client, port, from: tid, packet });
        worked
    }

    fn send_control(&mut self, tid: Tid, control: Control, clock: &mut u64) -> u64 {
        let worked = self.spend(clock, self.scenario.costs.send);
        let Some(slot) = self.slots.get(tid.slot as usize) else { return worked };
        let (client, port, server) = (slot.client, slot.port, slot.server);
        let length = self.datagram.control(&control).len() as u64;
        let packet = match control {
            Control::Oack(oack) => Down::Oack(Box::new(oack)),
            Control::Error(code, _) => Down::Error(code),
            Control::Ack(_) => return worked,
        };
        let on_card = self.scenario.on_card(length);
        let Some(start) = self.on_card(server, on_card, clock) else { return worked };
        let lost =
            self.clients.get_mut(client as usize).is_none_or(|client| client.loses(self.scenario.loss));
        if !lost {
            let at = start + on_card + self.scenario.delay;
            self.queue.push(at, Event::ToClient { client, port, from: tid, packet });
        }
        worked
    }

    /// Returns when the card begins a transmission of this duration; the worker waits for room before. `None`
    /// if there was none in time.
    fn on_card(&mut self, server: u16, nanos: u64, clock: &mut u64) -> Option<u64> {
        let scenario = self.scenario;
        let server = self.servers.get_mut(usize::from(server - self.base))?;
        let room = (scenario.send_queue * 8_000_000_000 / scenario.nic.max(1)).max(nanos);
        let over = server.card_free.saturating_sub(*clock).saturating_sub(room);
        if over > scenario.work(PATIENCE) {
            *clock += scenario.work(PATIENCE);
            server.figures.dropped += 1;
            return None;
        }
        *clock += over;
        let start = server.card_free.max(*clock);
        server.card_free = start + nanos;
        server.figures.card += nanos;
        Some(start)
    }

    /// Removes a transfer.
    pub(super) fn forget(&mut self, tid: Tid) {
        let Some(slot) = self.slots.get_mut(tid.slot as usize) else { return };
        let Some(transfer) = slot.transfer.take() else { return };
        self.free.push(tid.slot);
        let number = slot.server;
        let Some(server) = self.servers.get_mut(usize::from(number - self.base)) else { return };
        server.transfers = server.transfers.saturating_sub(1);
        server.figures.resent += u64::from(transfer.stats().retransmissions);
    }

    /// Removes the first server with its whole state.
    pub(crate) fn lose_server(&mut self) {
        let gone = self.base;
        for slot in 0..self.slots.len() as u32 {
            let place = &self.slots[slot as usize];
            if place.server == gone && place.transfer.is_some() {
                let generation = place.generation;
                self.forget(Tid { slot, generation });
            }
        }
        if let Some(server) = self.servers.first_mut() {
            server.up = false;
            for core in &mut server.cores {
                core.sockets.iter_mut().for_each(VecDeque::clear);
                core.requests.clear();
                core.due.clear();
                core.arrived.clear();
            }
        }
    }
}
