//! Care for clients that may count a copy of a block as the next one: see [`Duplicates`].

use super::{Finish, Phase, Transfer};
use crate::duplicates::Duplicates;
use crate::manner::Manner;
use crate::rtt::Care;
use crate::time::Time;
use crate::types::{ErrorCode, Operation};

/// How often a server repeats the last block, if all others are acknowledged: some boot ROMs never acknowledge it.
const LAST_BLOCK_REPEATS: u8 = 3;

/// Windows are too much for a client that got so many copies at least, and one for every eight blocks; for every block, if
/// no time-out was involved.
const TELLING_COPIES: u64 = 16;

/// Microseconds after each of these repetitions at least: the path may be down for a while.
const LAST_BLOCK_PAUSES: [u32; LAST_BLOCK_REPEATS as usize] = [500_000, 2_000_000, 4_000_000];

/// What a transfer takes care of now, apart from its time-outs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(test, derive(Hash))]
pub(super) enum Caution {
    #[default]
    None,
    /// A second OACK may make the peer give up, until it has answered the first one.
    OneOack,
    /// A copy was answered, and the next ACK shows how the peer took it.
    Watched,
    /// The peer asks for the last block when it lacks it, so copies need not be far apart.
    Asks,
}

impl Transfer {
    /// Decides how soon a packet may be repeated. `known`: the class of the client bears copies.
    pub(super) fn choose_care(&mut self, known: bool) {
        let care = match () {
            () if !self.server || !self.is_lockstep() => Care::None,
            () if self.duplicates.are_counted() => Care::Longest,
            // It has asked for windows before, and got them.
            () if self.peer_manner.manner == Manner::Lockstep => Care::None,
            () if known || self.duplicates.are_borne() || self.settings.timing.lockstep_micros() == 0 => {
                Care::None
            }
            () => Care::Lockstep,
        };
        self.rtt.set_care(care);
    }

    /// Whether a window has one block, and the client cannot choose a larger one (`msftwindow`).
    fn is_lockstep(&self) -> bool {
        self.options.window_size() == 1 && self.window_limit == 0
    }

    fn is_careful(&self) -> bool {
        self.rtt.care() != Care::None
    }

    /// After a time-out: holds the next block back, until the client would have answered a copy.
    #[cold]
    pub(super) fn watch_for_a_second_answer(&mut self, now: Time) {
        if !self.is_careful() {
            return;
        }
        let wait = self.rtt.answer_to_a_copy(&self.settings.timing);
        let Phase::Sending(sender) = &mut self.phase else { return };
        // The host may not have sent the copy: its disk was slow.
        if sender.has_sent_copies() {
            sender.hold(now, wait);
            self.caution = Caution::Watched;
        }
    }

    /// Handles a second ACK of a block that was sent twice.
    #[cold]
    pub(super) fn answered_twice(&mut self) {
        if self.was_watched() {
            self.duplicates.answered_twice();
            self.trust();
        }
    }

    /// Handles the ACK of the block after one that was sent twice.
    #[inline]
    pub(super) fn bore_the_last_copy(&mut self) {
        if self.was_watched() {
            self.duplicates.repaired();
            self.trust();
        }
    }

    fn was_watched(&mut self) -> bool {
        let was = self.caution == Caution::Watched;
        if was {
            self.caution = Caution::None;
        }
        was
    }

    fn trust(&mut self) {
        if self.duplicates.are_borne() {
            self.rtt.set_care(Care::None);
        }
    }

    /// After the ACK of the last block: waits whether the client acknowledges one more, if it may have counted a copy.
    /// Returns whether it does.
    #[inline(never)]
    pub(super) fn confirms(&mut self, now: Time) -> bool {
        if !self.is_careful() {
            return false;
        }
        let wait = self.rtt.answer_to_a_copy(&self.settings.timing);
        let Phase::Sending(sender) = &mut self.phase else { return false };
        if !sender.has_sent_copies() {
            return false;
        }
        sender.hold(now, wait);
        self.deadline = now.after(wait);
        true
    }

    /// Returns whether each block is acknowledged, and the client is only waited for in case it has counted a copy.
    pub fn is_confirmed(&self) -> bool {
        matches!(&self.phase, Phase::Sending(sender) if sender.is_acknowledged())
    }

    /// Handles the ACK of a block that was not sent yet.
    #[cold]
    pub(super) fn miscounted(&mut self) {
        // Without a copy of ours, the network doubled a block, or the ACK is forged: nothing to remember for days.
        if matches!(&self.phase, Phase::Sending(sender) if sender.has_sent_copies()) {
            self.duplicates = Duplicates::COUNTED;
        }
        let text = "the client acknowledged a block that was not sent";
        self.end(Some(Finish::Miscounted), Some(Box::new((ErrorCode::IllegalOperation, text.into()))));
    }

    /// Returns whether the client seems to have left with the whole file: only the ACK of the last block is missing, and that
    /// block was repeated often enough, or for as long as a client may be silent.
    pub(super) fn has_left_with_all(&self, is_too_late: bool) -> bool {
        let least = if is_too_late { 1 } else { LAST_BLOCK_REPEATS };
        self.lacks_the_last_ack() && self.repeats >= least
    }

    /// Returns whether a server has sent all blocks of a read, and all but the last one are acknowledged.
    pub fn lacks_the_last_ack(&self) -> bool {
        self.server
            && self.operation == Operation::Read
            && !self.unproven()
            && matches!(&self.phase, Phase::Sending(sender) if sender.unacknowledged() == 1 && sender.all_sent())
    }

    /// Returns how long to wait at least before the next repetition, or the end, while only the last ACK is missing.
    fn last_block_pause(&self) -> u32 {
        let pause = self.repeats.checked_sub(1).and_then(|number| LAST_BLOCK_PAUSES.get(usize::from(number)));
        let may_be_soon = self.caution == Caution::Asks && self.repeats < LAST_BLOCK_REPEATS;
        let pause = pause.filter(|_| self.lacks_the_last_ack() && !may_be_soon);
        pause.map_or(0, |pause| *pause)
    }

    /// Chooses whether the client has windows from now on, after a gap, or, if `repeated`, after a time-out.
    #[cold]
    pub(super) fn choose_windows(&mut self, repeated: bool) {
        let left = matches!(&self.phase, Phase::Sending(sender) if sender.has_left_windows());
        if left {
            self.return_to_windows();
        } else if self.options.window_size() > 1 {
            self.leave_windows(repeated);
        }
    }

    /// Sends one block for each answer, if the client acknowledges each block and yet gets many of them twice: it is too slow
    /// for windows, and its ACKs say where it is.
    fn leave_windows(&mut self, repeated: bool) {
        let copies = u64::from(self.counts.retransmissions);
        // Without a time-out the copies come from reports of gaps, which may be right.
        let telling = if repeated { copies * 8 } else { copies };
        let Phase::Sending(sender) = &mut self.phase else { return };
        if self.server && copies >= TELLING_COPIES && telling >= sender.acked() && sender.acknowledges_each()
        {
            sender.leave_windows();
            self.rtt.restart();
            self.peer_manner.manner = Manner::Lockstep;
        }
    }

    /// Returns to windows if answers are late again and again: the client waits for the rest of a window, and its reports of
    /// gaps only looked as if it acknowledged each block.
    fn return_to_windows(&mut self) {
        let window = self.options.window_size();
        if let Phase::Sending(sender) = &mut self.phase
            && sender.answers_late()
            && self.window_limit == 0
        {
            sender.return_to_windows(window);
        }
    }

    /// Returns how long to wait at least before the next repetition, apart from the RTO.
    #[cold]
    pub(super) fn longer_wait(&mut self) -> u32 {
        if self.caution == Caution::OneOack {
            match &self.phase {
                Phase::Offered { .. } => return self.settings.timing.lockstep_micros(),
                Phase::Receiving(receiver) if receiver.acked() == 0 => {
                    return self.settings.timing.lockstep_micros();
                }
                // The OACK is answered.
                _ => self.caution = Caution::None,
            }
        }
        self.last_block_pause()
    }

    /// Handles a duplicate of the ACK before the last one: the client is still there, and lacks the last block.
    #[cold]
    pub(super) fn lacks_the_last_block(&mut self) {
        if self.repeats > 0 && self.lacks_the_last_ack() {
            self.repeats = 0;
            if self.caution != Caution::Watched {
                self.caution = Caution::Asks;
            }
        }
    }
}
