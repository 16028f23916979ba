//! The pending outputs of a transfer, and its end.

use super::{Finish, Output, Phase, Transfer};
use crate::control::Control;
use crate::time::Time;
use crate::types::ErrorCode;
use std::borrow::Cow;

/// A code and a text for the peer, boxed because hardly any transfer has one.
type Error = Box<(ErrorCode, Cow<'static, str>)>;

/// The pending outputs of `poll`, in this order.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(Clone, Hash))]
pub(super) struct Due {
    pub(super) store: bool,
    pub(super) packet: DuePacket,
    /// The outcome of a transfer that dallies.
    pub(super) complete: bool,
}

/// The packet to send before any block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(test, derive(Hash))]
pub(super) enum DuePacket {
    #[default]
    None,
    Request,
    Oack,
    Ack,
}

/// What is left of a transfer that has ended.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, Hash))]
pub(super) struct End {
    pub(super) blocks: u64,
    pub(super) bytes: u64,
    /// As in [`Stats`](super::Stats).
    pub(super) cut_after: u16,
    /// Pending outputs of `poll`, in this order.
    error: Option<Error>,
    finish: Option<Finish>,
}

impl Transfer {
    /// Returns the next action. Call until [`Output::Timeout`] or [`Output::Closed`].
    pub fn poll(&mut self, now: Time) -> Output {
        if let Phase::Receiving(receiver) | Phase::Storing(receiver) = &mut self.phase
            && let Some((offset, length)) = receiver.take_accepted()
        {
            return Output::Accept { offset, length };
        }
        if core::mem::take(&mut self.due.store) {
            return Output::Store { bytes: self.bytes() };
        }
        if self.due.packet != DuePacket::None
            && let Some(output) = self.take_packet()
        {
            return output;
        }
        match &mut self.phase {
            Phase::Ended(end) => {
                if let Some(error) = end.error.take() {
                    let (code, text) = *error;
                    return Output::Control(Control::Error(code, text));
                }
                end.finish.take().map_or(Output::Closed, Output::Finished)
            }
            Phase::Dallying(_) if core::mem::take(&mut self.due.complete) => {
                Output::Finished(Finish::Complete)
            }
            Phase::Sending(sender) if !self.stalled => {
                let high = sender.high();
                let Some(blocks) = sender.poll(now) else {
                    let Some(resumes) = sender.resumes(now) else { return Output::Timeout(self.deadline) };
                    return self.paused(now, resumes);
                };
                let again = (high + 1).saturating_sub(blocks.first).min(u64::from(blocks.count));
                self.counts.retransmissions = self.counts.retransmissions.saturating_add(again as u32);
                self.arm(now);
                Output::Send(blocks)
            }
            _ => Output::Timeout(self.deadline),
        }
    }

    /// Takes the packet that is due, unless a full disk holds back an ACK.
    fn take_packet(&mut self) -> Option<Output> {
        if self.due.packet == DuePacket::Ack && self.stalled {
            return None;
        }
        Some(match core::mem::take(&mut self.due.packet) {
            DuePacket::None => return None,
            DuePacket::Request => Output::Request,
            DuePacket::Oack => Output::Control(Control::Oack(self.options.into())),
            DuePacket::Ack => Output::Control(Control::Ack(self.wire(self.blocks()))),
        })
    }

    pub(super) fn finish(&mut self, finish: Finish) {
        self.end(Some(finish), None);
    }

    /// Ends, but keeps the source of the statistics until the outcome has been reported.
    pub(super) fn end(&mut self, finish: Option<Finish>, error: Option<Error>) {
        self.deadline = Time::NEVER;
        self.due = Due::default();
        let mut cut_after = self.cut_after();
        if let Phase::Sending(sender) = &self.phase {
            cut_after = sender.overflows_after();
            self.peer_manner = sender.learnt(self.peer_manner);
        }
        self.phase =
            Phase::Ended(End { blocks: self.blocks(), bytes: self.bytes(), cut_after, error, finish });
    }
}
