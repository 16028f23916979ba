//! Transfers of a server that wait for its origin: for the size of a file, then for its bytes.

use crate::chain::Wish;
use crate::packet::Tid;
use crate::world::{Event, World, time};
use tuffet_core::Blocks;

impl World<'_> {
    /// Whether a request must wait until the origin has answered; if so, it will be continued then.
    pub(super) fn waits_to_open(&mut self, tid: Tid, now: u64) -> bool {
        let scale = self.scenario.scale;
        let Some(slot) = self.slots.get_mut(tid.slot as usize) else { return false };
        let Some(step) = self.steps.get(usize::from(slot.step)) else { return false };
        let server = self.servers.get_mut(usize::from(slot.server - self.base));
        let Some(cache) = server.and_then(|server| server.cache.as_mut()) else { return false };
        let known = match step.wish {
            Wish::Missing => cache.look_up(now, scale),
            Wish::Probe | Wish::Whole => cache.open(now, step.size),
        };
        slot.opening = known > now;
        if slot.opening {
            self.queue.push(known, Event::FromOrigin(tid));
        }
        slot.opening
    }

    /// Gives a transfer back to its worker.
    pub(crate) fn origin_answered(&mut self, tid: Tid) {
        let Some(slot) = self.slots.get(tid.slot as usize) else { return };
        if slot.generation != tid.generation || slot.transfer.is_none() {
            return;
        }
        let (server, number) = (slot.server, slot.core);
        if let Some(core) = self.core(server, number) {
            core.arrived.push_back(tid);
            self.rouse(server, number);
        }
    }

    /// Continues a transfer that waited. Returns the time of the work.
    pub(super) fn go_on(&mut self, tid: Tid, clock: &mut u64) -> u64 {
        let Some(slot) = self.slots.get_mut(tid.slot as usize) else { return 0 };
        if slot.generation != tid.generation {
            return 0;
        }
        if std::mem::take(&mut slot.opening) {
            return self.grant(tid, clock);
        }
        if let Some(transfer) = &mut slot.transfer {
            transfer.handle_resumed(time(*clock));
        }
        self.drive_server(tid, clock)
    }

    /// Returns the blocks that have arrived. The transfer waits for the others.
    pub(super) fn arrived(&mut self, tid: Tid, blocks: Blocks, now: u64) -> Option<Blocks> {
        let slot = self.slots.get_mut(tid.slot as usize)?;
        let (Some(transfer), Some(step)) = (&mut slot.transfer, self.steps.get(usize::from(slot.step)))
        else {
            return None;
        };
        let server = self.servers.get(usize::from(slot.server - self.base));
        let Some(cache) = server.and_then(|server| server.cache.as_ref()) else { return Some(blocks) };
        let end = |position| {
            let (offset, length) = transfer.range(position, step.size);
            offset + u64::from(length)
        };
        let last = blocks.first + u64::from(blocks.count) - 1;
        let here = cache.arrived(now, step.size);
        if end(last) <= here {
            return Some(blocks);
        }
        let count = (blocks.first..=last).take_while(|&position| end(position) <= here).count();
        let complete = cache.complete_at(step.size, end(last));
        transfer.handle_unsent(time(now), blocks, blocks.first + count as u64);
        self.queue.push(complete.max(self.now), Event::FromOrigin(tid));
        (count > 0).then_some(Blocks { count: count as u32, ..blocks })
    }
}
