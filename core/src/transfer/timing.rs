//! The timers of a transfer: measuring, waiting, retransmitting.

use super::careful::Caution;
use super::{DuePacket, FIRST_WINDOW_REPEATS, Phase, Transfer, UNPROVEN_REPEATS};
use crate::rtt::Timing;
use crate::sender::Measured;
use crate::time::Time;

/// The slowest link for which an unmeasured window is planned: 10 Mbit/s, in microseconds per 1,000 bytes.
const UNMEASURED_MICROS_PER_KB: u64 = 800;

/// Microseconds before the third retransmission of a first window; twice as many before the fourth.
const FIRST_WINDOW_PAUSE: u32 = 1_000_000;

/// Microseconds between two steps of a walk through a window, on short paths: the last step follows 0.13 seconds
/// after the first. And the least RTO after the walk: a peer that does not answer a whole window is busy.
const WALK_PAUSE: u32 = 8_000;
const AFTER_WALK: u32 = 640_000;

/// Returns how long this many blocks take on an unmeasured link, in microseconds.
pub(crate) fn unmeasured(timing: &Timing, blksize: u16, blocks: u64) -> u32 {
    let micros = u64::from(blksize) * blocks * UNMEASURED_MICROS_PER_KB / 1_000;
    u32::try_from(micros).unwrap_or(u32::MAX).min(timing.give_up() / 4)
}

impl Transfer {
    /// Retransmits the packets that the peer seems to lack.
    pub(super) fn repeat(&mut self, now: Time) {
        self.repeats = self.repeats.saturating_add(1);
        self.rtt.back_off();
        match &mut self.phase {
            Phase::Requested { .. } => self.due.packet = DuePacket::Request,
            Phase::Offered { .. } => self.due.packet = DuePacket::Oack,
            Phase::Sending(sender) => {
                let pause = WALK_PAUSE.max(self.rtt.smoothed().unwrap_or(0) / 4);
                if sender.on_timeout(pause, self.server) {
                    self.rtt.back_off_to(AFTER_WALK, &self.settings.timing);
                }
            }
            Phase::Receiving(receiver) => {
                receiver.ack_sent(now, true);
                let opening = self.server && receiver.acked() == 0 && !self.options.is_empty();
                self.due.packet = if opening { DuePacket::Oack } else { DuePacket::Ack };
            }
            Phase::Deciding | Phase::Storing(_) | Phase::Dallying(_) | Phase::Ended(_) => return,
        }
        if !matches!(self.phase, Phase::Sending(_)) {
            self.counts.retransmissions += 1;
        }
        self.arm(now);
        if self.due.packet == DuePacket::Ack {
            self.hold_ack(now);
        }
    }

    /// Returns whether the peer has not answered anything from this address yet.
    pub(super) fn unproven(&self) -> bool {
        match &self.phase {
            Phase::Deciding | Phase::Offered { .. } => true,
            Phase::Sending(sender) => sender.acked() == 0 && self.options.is_empty(),
            Phase::Receiving(receiver) => receiver.acked() == 0,
            _ => false,
        }
    }

    /// Returns whether a server waits for the client before it retransmits again: no block has arrived yet,
    /// so even an ACK 0 may have been spoofed, and the answer to it is a whole window.
    pub(super) fn has_repeated_enough(&self) -> bool {
        let most = if self.unproven() { UNPROVEN_REPEATS } else { FIRST_WINDOW_REPEATS };
        self.server && self.blocks() == 0 && self.repeats >= most
    }

    /// Returns how long the peer may send nothing new, in microseconds.
    pub(super) fn patience(&self) -> u32 {
        let timing = &self.settings.timing;
        if self.server && self.unproven() { timing.unproven() } else { timing.give_up() }
    }

    pub(super) fn hear(&mut self, now: Time) {
        self.heard = now;
        self.repeats = 0;
    }

    /// Takes the round trip of a handshake, counted from its first packet. A repetition makes it ambiguous (Karn),
    /// and so does a server that is slow to decide. The next packets are measured anew if this one is not
    /// representative: a window takes longer than a packet.
    pub(super) fn sample_handshake(&mut self, now: Time) {
        let rtt = now.micros_since(self.heard);
        let exact = self.repeats == 0;
        if exact {
            self.rtt.sample(rtt)
        } else {
            self.rtt.at_most(rtt, &self.settings.timing)
        }
        if !exact || !self.server {
            self.rtt.restart();
        } else if self.options.window_size() > 1 {
            self.rtt.restart_with_windows();
        }
    }

    pub(super) fn take_measurement(&mut self, rtt: Measured) {
        let timing = &self.settings.timing;
        let sends = matches!(self.phase, Phase::Sending(_));
        match rtt {
            Measured::Not => {}
            Measured::Exactly { micros, part, whole } => {
                if part < whole {
                    self.rtt.sample_part(micros, part, whole, self.unmeasured());
                } else {
                    self.rtt.sample(micros);
                }
                if sends {
                    self.rtt.learn_floor(micros, true, part, timing);
                }
            }
            Measured::AtMost(micros) => {
                self.rtt.at_most(micros, timing);
                if sends {
                    self.rtt.learn_floor(micros, false, 1, timing);
                }
            }
            Measured::AfterTimeout { first, last, gap } => {
                // The probe alone made the peer report the gap.
                let needless = if gap || self.options.window_size() == 1 {
                    self.rtt.packet_answered_after_timeout(timing, first, last)
                } else {
                    self.rtt.answered_after_timeout(timing, first, last)
                };
                self.counts.needless = self.counts.needless.saturating_add(needless.into());
            }
        }
    }

    /// Returns how long the awaited packets take on an unmeasured link, in microseconds; never so long that
    /// the transfer would end before the first retransmission.
    pub(super) fn unmeasured(&self) -> u32 {
        let blocks = match &self.phase {
            Phase::Sending(sender) => sender.at_once(),
            Phase::Receiving(_) => 1,
            _ => 0,
        };
        unmeasured(&self.settings.timing, self.options.block_size(), blocks)
    }

    /// Handles a repeated ACK: the peer is alive and lacks the block in flight, so a longer back-off does not
    /// help. The restarted timer sends the block; the duplicate ACK itself causes no DATA.
    pub(super) fn hasten(&mut self, now: Time) {
        if self.unproven() || self.stalled {
            return;
        }
        if self.blocks() == 0 {
            self.repeats = 0;
        }
        self.rtt.reset_back_off();
        let late = self.rtt.ack_timing(&self.settings.timing, self.unmeasured()).late;
        self.deadline = self.deadline.min(now.after(late));
    }

    pub(super) fn arm(&mut self, now: Time) {
        if self.stalled {
            return;
        }
        let unmeasured = if self.rtt.is_measured() { 0 } else { self.unmeasured() };
        let mut wait = self.rtt.timeout(&self.settings.timing, unmeasured);
        if matches!(self.phase, Phase::Receiving(_)) {
            // The sender's own timer should fire first: it knows better what was lost. Its disk may hold it up at
            // any time, however quickly the peer has acknowledged blocks of other transfers.
            wait = wait.max(self.rtt.cautious_floor(&self.settings.timing)).saturating_mul(2);
        }
        if let Phase::Sending(sender) = &self.phase
            && sender.is_behind_copies()
        {
            wait = wait.saturating_add(self.rtt.smoothed().unwrap_or(0));
        }
        if self.repeats > 0 || self.caution != Caution::None {
            wait = wait.max(self.longer_wait());
        }
        if self.server && self.blocks() == 0 && !self.unproven() && self.repeats >= UNPROVEN_REPEATS {
            // Only a few are left: they must outlast a client that stores a one-window file slowly.
            wait = wait.max(FIRST_WINDOW_PAUSE << (self.repeats - UNPROVEN_REPEATS).min(2));
        }
        self.deadline = now.after(wait).min(self.heard.after(self.patience()).max(now.after(1)));
    }
}
