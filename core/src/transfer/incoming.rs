//! How a transfer handles the peer's packets.

use super::timing::unmeasured;
use super::{DuePacket, Finish, Pace, Phase, Transfer};
use crate::options::{OptionSet, Options};
use crate::packed_options::PackedOptions;
use crate::receiver::Received;
use crate::sender::Acked;
use crate::time::Time;
use crate::types::{ErrorCode, Operation};
use std::sync::Arc;

impl Transfer {
    pub(super) fn on_data(&mut self, now: Time, wire: u16, length: usize) {
        if let (Phase::Requested { .. }, Operation::Read, 1) = (&self.phase, self.operation, wire) {
            // DATA 1 instead of OACK: the server ignores options (RFC 2347).
            self.sample_handshake(now);
            self.options = PackedOptions::default();
            self.start_receiving(None, Pace::default());
        }
        let too_soon = self.rtt.soonest();
        match &mut self.phase {
            Phase::Receiving(receiver) => match receiver.on_data(now, wire, length, too_soon) {
                Received::Ignored => self.counts.duplicate(),
                Received::TooLong => {
                    self.fail(ErrorCode::IllegalOperation, "DATA longer than the block size")
                }
                Received::Repeat => {
                    receiver.ack_sent(now, true);
                    self.counts.duplicate();
                    self.due.packet = DuePacket::Ack;
                    self.arm(now);
                    self.hold_ack(now);
                }
                Received::Next { rtt, ack, end } => {
                    if ack && !end {
                        receiver.ack_sent(now, false);
                    }
                    match rtt {
                        Some(rtt) => self.rtt.sample(rtt),
                        None if self.rtt.smoothed().is_none() => {
                            self.rtt.at_most(now.micros_since(self.heard), &self.settings.timing)
                        }
                        None => self.rtt.ease(),
                    }
                    self.has_arrived(now);
                    self.due.packet = if ack && !end { DuePacket::Ack } else { DuePacket::None };
                    self.arm(now);
                    if end {
                        self.start_storing(now);
                    } else if ack {
                        self.hold_ack(now);
                    }
                }
            },
            Phase::Storing(_) => self.counts.duplicate(),
            Phase::Dallying(receiver) => {
                self.counts.duplicate();
                if receiver.on_late_data(now, wire, too_soon) {
                    self.due.packet = DuePacket::Ack;
                }
            }
            _ => {}
        }
    }

    /// With `msftwindow`, each ACK has a fifth byte: the size of the next window, bounded like a negotiated one. An
    /// ACK without that byte changes nothing, or asks for a first window of one block. Returns the size.
    pub(super) fn on_wanted_window(&mut self, ack: &[u8]) -> u8 {
        let [_, _, _, _, wanted, ..] = ack else { return 1 };
        let window = (*wanted).clamp(1, self.window_limit);
        if let Phase::Sending(sender) = &mut self.phase {
            sender.set_window(window.into());
        }
        window
    }

    /// `window`: the size of a first window, with `msftwindow`.
    pub(super) fn on_ack(&mut self, now: Time, wire: u16, window: u8) {
        match (&self.phase, wire) {
            (Phase::Offered { size, pace }, 0) => {
                let (size, pace) = (*size, pace.clone());
                self.sample_handshake(now);
                self.hear(now);
                self.start_sending(size, pace, window);
                return;
            }
            (Phase::Requested { size }, 0) if self.operation == Operation::Write => {
                // ACK 0 instead of OACK: the server ignores options (RFC 2347).
                let size = *size;
                self.sample_handshake(now);
                self.hear(now);
                self.options = PackedOptions::default();
                self.start_sending(size, Pace::default(), 1);
                return;
            }
            _ => {}
        }
        let blksize = self.options.block_size();
        let Phase::Sending(sender) = &mut self.phase else { return };
        let repeated = sender.has_repeated();
        // The client reports that it lacks the first block.
        let lacks_all = sender.acked() == 0;
        let (rtt, timing) = (&self.rtt, &self.settings.timing);
        let ack_timing = |blocks| rtt.ack_timing(timing, unmeasured(timing, blksize, blocks));
        let acked = sender.on_ack(now, wire, rtt.soonest(), ack_timing);
        match acked {
            Acked::Ignored => {
                self.counts.duplicate();
                if wire == self.wire(self.blocks()) {
                    self.lacks_the_last_block();
                }
            }
            Acked::Late => {
                self.counts.duplicate();
                self.lacks_the_last_block();
                self.hasten(now);
            }
            Acked::Echo => {
                self.counts.duplicate();
                let needless = u16::from(self.rtt.echoed(&self.settings.timing));
                self.counts.needless = self.counts.needless.saturating_add(needless);
                self.answered_twice();
            }
            Acked::Unsent if self.server && self.window_limit == 0 => self.miscounted(),
            Acked::Unsent => self.counts.duplicate(),
            Acked::Gap => {
                if lacks_all {
                    self.counts.duplicate();
                }
                // A further report of the same gap may answer what was sent before the last repair.
                if sender.repairs() == 1 {
                    self.rtt.reset_back_off();
                }
                self.arm(now);
            }
            Acked::Progress { rtt, gap } => {
                self.take_measurement(rtt);
                if gap {
                    self.rtt.ease();
                }
                self.has_arrived(now);
                self.bore_the_last_copy();
                if repeated || gap {
                    self.choose_windows(repeated);
                }
                self.arm(now);
                if repeated {
                    self.watch_for_a_second_answer(now);
                }
            }
            Acked::Finished { rtt } => {
                self.take_measurement(rtt);
                self.has_arrived(now);
                self.bore_the_last_copy();
                if !self.confirms(now) {
                    self.finish(Finish::Complete);
                }
            }
        }
    }

    pub(super) fn on_oack(&mut self, now: Time, answer: Options<'_>) {
        match &mut self.phase {
            Phase::Requested { size } => {
                let size = *size;
                let Some(granted) = OptionSet::verify(&self.options.into(), answer) else {
                    self.fail(
                        ErrorCode::OptionRefused,
                        "an option that was not asked, or more than was asked",
                    );
                    return;
                };
                self.sample_handshake(now);
                self.hear(now);
                self.take_options(granted);
                match self.operation {
                    Operation::Read => {
                        self.due.packet = DuePacket::Ack;
                        self.start_receiving(Some(now), Pace::default());
                        self.arm(now);
                    }
                    Operation::Write => {
                        self.start_sending(size, Pace::default(), 1);
                    }
                }
            }
            // Our ACK 0 was lost.
            Phase::Receiving(receiver) if !self.server && receiver.acked() == 0 => {
                receiver.ack_sent(now, true);
                self.counts.duplicate();
                self.due.packet = DuePacket::Ack;
                self.arm(now);
            }
            _ => {}
        }
    }

    pub(super) fn on_error(&mut self, code: u16) {
        if !matches!(self.phase, Phase::Ended(_) | Phase::Dallying(_)) {
            self.finish(Finish::PeerError(code));
        }
    }

    pub(super) fn take_options(&mut self, options: OptionSet) {
        self.options = options.into();
        if let Some(micros) = options.retransmission() {
            let settings = Arc::make_mut(&mut self.settings);
            settings.timing = settings.timing.with_timeout_option(micros);
        }
        if let Some(rollover) = options.rollover.filter(|rollover| *rollover != self.settings.rollover) {
            Arc::make_mut(&mut self.settings).rollover = rollover;
        }
    }
}
