//! Eviction of half-open transfers, to make room for others.

use super::Worker;
use super::transmit::Transmit;
use tuffet_core::Time;
use tuffet_request::events::{Ending, Outcome};

impl<T: Transmit> Worker<T> {
    /// Returns whether there is room for one more transfer. The oldest half-open transfer may have to give
    /// way.
    ///
    /// It gives way only if its client should have replied by now. Otherwise, in a storm of honest clients, each
    /// newcomer would evict a client that is about to answer, and none would make progress.
    pub(super) fn has_room(&mut self, now: Time) -> bool {
        if self.table.len() < self.settings.max_transfers {
            return true;
        }
        let Some((index, since)) = self.half_open.oldest() else { return false };
        if let Some(entry) = self.table.get_mut(index).filter(|entry| entry.core.is_held_back()) {
            // Its client could not reply. The next newcomer looks at another transfer.
            entry.place.inspect(|place| self.half_open.renew(*place, now));
            return false;
        }
        if now.since(since) < self.settings.answer_due {
            return false;
        }
        self.oldest_gives_way("limits.transfers", now);
        self.table.len() < self.settings.max_transfers
    }

    /// Counts the time of a half-open transfer from now on, if its first answer has waited for a rate until now.
    pub(super) fn first_answer(&mut self, index: u32, now: Time) {
        let Some(entry) = self.table.get_mut(index) else { return };
        if let Some(place) = entry.place.filter(|_| !entry.core.is_held_back()) {
            self.half_open.renew(place, now);
        }
    }

    /// Lists a granted transfer as half-open if its client has not answered yet.
    pub(super) fn may_be_half_open(&mut self, index: u32, now: Time) {
        let Some(entry) = self.table.get_mut(index) else { return };
        if !entry.core.is_unproven() || entry.core.is_deciding() {
            return;
        }
        entry.half_open = true;
        entry.place = Some(self.half_open.push(index, now));
        let most = self.settings.limiter.half_open().div_ceil(self.settings.workers).max(1);
        while self.half_open.len() > most {
            self.oldest_gives_way("limits.half-open", now);
        }
    }

    /// Removes a transfer from the list after its first datagram.
    pub(super) fn clear_half_open(&mut self, index: u32, now: Time) {
        let Some(entry) = self.table.get_mut(index) else { return };
        if entry.half_open && !entry.core.is_unproven() {
            entry.half_open = false;
            // Until now, the client may have repeated its request.
            entry.requested = now.into();
            entry.ticket.as_ref().inspect(|ticket| ticket.record.progress.note_answered());
            entry.place.take().inspect(|place| self.half_open.remove(*place));
        }
    }

    /// Silently ends the oldest half-open transfer. If its client exists, it repeats its request.
    fn oldest_gives_way(&mut self, limit: &'static str, now: Time) {
        let limit = self.settings.limiter.names().of(limit);
        let Some(index) = self.half_open.take_oldest() else { return };
        let Some(entry) = self.table.get_mut(index) else { return };
        entry.place = None;
        let why = if entry.core.is_held_back() {
            "its first answer waited for the rate"
        } else {
            "its client had not answered"
        };
        let detail = format!("{why}, and another took its place ({limit})");
        entry.core.abandon();
        let rare = entry.rare();
        rare.gave_way = true;
        rare.ending = Some(Ending::new(Outcome::TimedOut, detail));
        self.wire.counters.gave_way += 1;
        self.drive(index, None, now);
    }

    /// Silently ends a half-open transfer because an attacker is guessing its TID port. If its client exists, it
    /// repeats its request.
    pub(super) fn give_up_guessed(&mut self, index: u32, now: Time) {
        let Some(entry) = self.table.get_mut(index) else { return };
        let detail =
            "its client had not answered, and ACKs in its name came to other TID ports: they are forged";
        entry.core.abandon();
        entry.rare().ending = Some(Ending::new(Outcome::TimedOut, detail));
        self.drive(index, None, now);
    }
}
