//! Waiting for the host's disk: a read that is not complete yet, or a full write buffer.
//!
//! The peer is not at fault and cannot help. The transfer sends and repeats nothing, and ignores duplicates
//! of the peer's last packet; the peer's time limit starts again when the disk has answered.

use super::{DuePacket, Phase, Transfer};
use crate::sender::Blocks;
use crate::time::Time;

impl Transfer {
    /// Records that the host has not sent the blocks from `first` on, of the last
    /// [`Output::Send`](super::Output::Send), because their bytes are not available yet. Call this before any
    /// other method, and [`Transfer::handle_resumed`] when they are available. Until then,
    /// [`Output::Timeout`](super::Output::Timeout) is the time at which the host should give up. Does nothing
    /// if the transfer is not sending blocks.
    pub fn handle_unsent(&mut self, now: Time, blocks: Blocks, first: u64) {
        let Phase::Sending(sender) = &mut self.phase else { return };
        let again = sender.unsent(blocks, first);
        self.counts.retransmissions = self.counts.retransmissions.saturating_sub(again);
        self.stall(now);
    }

    /// Records that the host cannot accept more bytes. The transfer acknowledges nothing until
    /// [`Transfer::handle_resumed`], as after [`Transfer::handle_unsent`]. Does nothing if the transfer is
    /// not receiving blocks.
    pub fn handle_full(&mut self, now: Time) {
        if matches!(self.phase, Phase::Receiving(_)) && !self.stalled {
            self.stall(now);
        }
    }

    /// Resumes after the disk has answered. The peer gets its full time to answer again.
    pub fn handle_resumed(&mut self, now: Time) {
        if !core::mem::take(&mut self.stalled) || matches!(self.phase, Phase::Ended(_)) {
            return;
        }
        self.heard = now;
        if let Phase::Receiving(receiver) = &mut self.phase
            && self.due.packet == DuePacket::Ack
        {
            // The answer to this ACK reveals nothing about the round trip, because the ACK was delayed.
            receiver.ack_sent(now, true);
        }
        self.arm(now);
        self.wait_for_held_ack();
    }

    fn stall(&mut self, now: Time) {
        self.stalled = true;
        self.deadline = now + self.give_up();
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Output, Settings};
    use super::*;
    use crate::limits::Limits;
    use crate::options::OptionSet;
    use crate::types::Operation;
    use core::time::Duration;

    fn at(millis: u64) -> Time {
        Time::from_micros(millis * 1_000)
    }

    fn sending(window: u16, size: u64) -> Transfer {
        let mut transfer = Transfer::server(at(0), Operation::Read, Settings::default());
        let asked = OptionSet { windowsize: Some(window), ..OptionSet::default() };
        transfer.handle_grant(at(0), &asked, &Limits { windowsize: 64, ..Limits::default() }, Some(size));
        assert!(matches!(transfer.poll(at(0)), Output::Control(_)));
        assert_eq!(transfer.handle_datagram(at(0), &[0, 4, 0, 0]), Ok(()));
        transfer
    }

    fn sent(transfer: &mut Transfer, now: Time) -> Blocks {
        match transfer.poll(now) {
            Output::Send(blocks) => blocks,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn unsent_blocks_are_sent_later_and_no_packet_is_repeated_meanwhile() {
        let mut transfer = sending(4, 10_000);
        let blocks = sent(&mut transfer, at(0));
        assert_eq!(blocks, Blocks { first: 1, count: 4 });
        transfer.handle_unsent(at(0), blocks, 3);
        let give_up = at(0) + transfer.give_up();
        assert_eq!(transfer.poll(at(0)), Output::Timeout(give_up));
        for time in [5, 500, 5_000] {
            transfer.handle_timeout(at(time));
            // The client repeats its last ACK.
            assert_eq!(transfer.handle_datagram(at(time), &[0, 4, 0, 2]), Ok(()));
            assert_eq!(transfer.poll(at(time)), Output::Timeout(give_up));
        }
        transfer.handle_resumed(at(20_000));
        assert_eq!(sent(&mut transfer, at(20_000)), Blocks { first: 3, count: 4 });
        assert!(matches!(transfer.poll(at(20_000)), Output::Timeout(time) if time < at(22_000)));
        let stats = transfer.stats();
        assert_eq!((stats.retransmissions, stats.timeouts), (0, 0));
        assert_eq!(transfer.handle_datagram(at(20_010), &[0, 4, 0, 6]), Ok(()));
        assert_eq!(transfer.rtt(), Some(Duration::from_millis(10)), "the disk is not the path");
    }

    #[test]
    fn in_lockstep_a_repeated_ack_does_no_harm() {
        let mut transfer = sending(1, 2_000);
        let blocks = sent(&mut transfer, at(0));
        transfer.handle_unsent(at(0), blocks, 1);
        for time in [1, 1_000, 2_000] {
            assert_eq!(transfer.handle_datagram(at(time), &[0, 4, 0, 0]), Ok(()));
            assert!(matches!(transfer.poll(at(time)), Output::Timeout(_)));
        }
        transfer.handle_resumed(at(2_500));
        assert_eq!(sent(&mut transfer, at(2_500)), Blocks { first: 1, count: 1 });
        assert!(matches!(transfer.poll(at(2_500)), Output::Timeout(_)));
    }

    #[test]
    fn a_repeat_that_was_not_sent_counts_once() {
        let mut transfer = sending(4, 10_000);
        sent(&mut transfer, at(0));
        let Output::Timeout(time) = transfer.poll(at(0)) else { panic!("it waits") };
        transfer.handle_timeout(time);
        let probe = sent(&mut transfer, time);
        transfer.handle_unsent(time, probe, probe.first);
        transfer.handle_resumed(time);
        assert_eq!(sent(&mut transfer, time), probe);
        assert_eq!(transfer.stats().retransmissions, probe.count);
    }

    #[test]
    fn an_ack_waits_for_room_and_the_peer_is_not_blamed() {
        let mut transfer = Transfer::server(at(0), Operation::Write, Settings::default());
        transfer.handle_grant(at(0), &OptionSet::default(), &Limits::default(), None);
        assert!(matches!(transfer.poll(at(0)), Output::Control(_)));
        let data = [&[0, 3, 0, 1][..], &[7; 512]].concat();
        assert_eq!(transfer.handle_datagram(at(0), &data), Ok(()));
        assert!(matches!(transfer.poll(at(0)), Output::Accept { length: 512, .. }));
        transfer.handle_full(at(0));
        let give_up = at(0) + transfer.give_up();
        assert_eq!(transfer.poll(at(0)), Output::Timeout(give_up));
        for time in [1_000, 5_000] {
            assert_eq!(transfer.handle_datagram(at(time), &data), Ok(()));
            transfer.handle_timeout(at(time));
            assert_eq!(transfer.poll(at(time)), Output::Timeout(give_up));
        }
        transfer.handle_resumed(at(20_000));
        assert!(matches!(transfer.poll(at(20_000)), Output::Control(_)));
        assert!(matches!(transfer.poll(at(20_000)), Output::Timeout(time) if time > at(20_000)));
        assert_eq!(transfer.stats().timeouts, 0);
    }
}
