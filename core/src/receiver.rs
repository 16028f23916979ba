//! The receiving side: the server of a write, the client of a read.
//!
//! Accepts blocks in order and decides when to acknowledge; the bytes stay with the caller.

use crate::allowance::Allowance;
use crate::block::Rollover;
use crate::time::{Recent, Time};
use crate::total_rate::Member;

#[derive(Debug, Clone)]
#[cfg_attr(test, derive(Hash))]
pub(crate) struct Receiver {
    /// The last block accepted; all before it were.
    last: u64,
    /// Bytes accepted.
    bytes: u64,
    /// When the last ACK was sent, and whether the next block can be matched to it (Karn: not after a repeated ACK).
    acked_at: Recent,
    measurable: bool,
    /// The highest block received beyond a reported gap, counted from the last accepted one, 0 for none.
    beyond: u16,
    /// The last duplicate block since the last new one, counted back from that.
    repeated: Option<u16>,
    /// Blocks accepted since the last ACK.
    unacked: u16,
    /// The length of the block just accepted, until the caller takes its bytes.
    accepted: Option<u16>,
    window: u16,
    blksize: u16,
    rollover: Rollover,
    /// The limits of the rate, if there are any.
    rate: Option<Box<RateLimit>>,
}

#[derive(Debug, Clone)]
#[cfg_attr(test, derive(Hash))]
struct RateLimit {
    own: Option<Allowance>,
    shared: Option<Box<Member>>,
    /// The bytes charged so far.
    charged: u64,
    /// When an ACK that is due may be sent, `NEVER` if none is held back.
    held: Time,
    /// The last block that the peer may send: a window beyond the last ACK that was sent, 0 before the first answer.
    most: u64,
}

/// The effect of a DATA packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Received {
    /// Nothing changes, and no answer is sent.
    Ignored,
    /// A duplicate, or a block beyond a gap: the caller repeats the last ACK.
    Repeat,
    /// The next block: [`Receiver::take_accepted`] says where its bytes belong.
    Next { rtt: Option<u32>, ack: bool, end: bool },
    /// Longer than negotiated.
    TooLong,
}

impl Receiver {
    pub(crate) fn new(blksize: u16, window: u16, rollover: Rollover) -> Self {
        Receiver {
            last: 0,
            bytes: 0,
            acked_at: Recent::default(),
            measurable: false,
            beyond: 0,
            repeated: None,
            unacked: 0,
            accepted: None,
            // As in the sender: a window of the whole period would take every duplicate for a new block.
            window: window.clamp(1, (rollover.period() - 1).min(65_535) as u16),
            blksize,
            rollover,
            rate: None,
        }
    }

    /// Limits the bytes that are acknowledged per second, to a rate of its own and to its share of another one.
    pub(crate) fn limit_rate(&mut self, rate: Option<u32>, shared: Option<Box<Member>>) {
        let own = rate.map(|rate| Allowance::new(rate, self.window_bytes()));
        let most = self.last + u64::from(self.window);
        self.rate = Some(Box::new(RateLimit { own, shared, charged: self.bytes, held: Time::NEVER, most }));
    }

    /// Returns the limit of its own rate, if there is one.
    pub(crate) fn rate(&self) -> Option<u32> {
        self.rate.as_ref()?.own.as_ref().map(Allowance::rate)
    }

    /// Returns the member of the rate that it shares, if there is one.
    pub(crate) fn member(&mut self) -> Option<&mut Member> {
        self.rate.as_mut()?.shared.as_deref_mut()
    }

    /// Ends the limits after the last block, whose ACK does not wait.
    pub(crate) fn end_rate(&mut self, now: Time) {
        if let Some(RateLimit { shared: Some(mut member), charged, .. }) = self.rate.take().map(|rate| *rate)
        {
            member.settle(now, self.bytes - charged);
        }
    }

    fn window_bytes(&self) -> u64 {
        u64::from(self.window) * u64::from(self.blksize)
    }

    /// Returns the time before which an upload must not begin, if others have taken the rate that it shares. Otherwise
    /// a series of short uploads would take it all: their last ACKs do not wait.
    pub(crate) fn hold_opening(&mut self, now: Time) -> Option<Time> {
        let rate = self.rate.as_mut()?;
        let due = rate.shared.as_mut()?.queue(now);
        if due > now {
            (rate.held, rate.most) = (due, 0);
        }
        (due > now).then_some(due)
    }

    /// Returns whether the first answer is held back.
    pub(crate) fn holds_opening(&self) -> bool {
        self.rate.as_ref().is_some_and(|rate| rate.most == 0)
    }

    /// Returns the time before which an ACK that is due now must not be sent, if the rate holds it back.
    #[inline]
    pub(crate) fn hold_ack(&mut self, now: Time) -> Option<Time> {
        if self.rate.is_none() { None } else { self.hold_ack_for_rate(now) }
    }

    /// Apart, so that uploads without a rate do not pay for it.
    #[cold]
    #[inline(never)]
    fn hold_ack_for_rate(&mut self, now: Time) -> Option<Time> {
        let most = self.last + u64::from(self.window);
        let rate = self.rate.as_mut()?;
        let fresh = self.bytes - core::mem::replace(&mut rate.charged, self.bytes);
        let own = rate.own.as_mut().map_or(now, |allowance| allowance.owe(now, fresh));
        let due = rate.shared.as_mut().map_or(own, |member| member.owe(now, fresh).max(own));
        (rate.held, rate.most) = if due > now { (due, rate.most) } else { (Time::NEVER, most) };
        (due > now).then_some(due)
    }

    /// Returns when the ACK that is held back may be sent.
    pub(crate) fn held_ack(&self) -> Option<Time> {
        self.rate.as_ref().map(|rate| rate.held).filter(|held| *held != Time::NEVER)
    }

    /// Releases the ACK that is held back, if its time has come: `Some(None)` if it may be sent now. `Some` of a
    /// later time if it must still wait, because it also acknowledges blocks that have arrived since.
    pub(crate) fn release_ack(&mut self, now: Time) -> Option<Option<Time>> {
        self.held_ack().filter(|held| *held <= now)?;
        let held = self.hold_ack(now);
        if held.is_none() {
            self.acked_at = Recent::at(now);
        }
        Some(held)
    }

    /// Handles a DATA packet. `too_soon`: microseconds within which a duplicate cannot be the reaction to a
    /// lost ACK.
    pub(crate) fn on_data(&mut self, now: Time, wire: u16, length: usize, too_soon: u32) -> Received {
        let Some(ahead) = self.rollover.ahead(self.last, wire) else { return Received::Ignored };
        if ahead == 1 {
            // A peer that goes on without an ACK that is held back would not be slowed down by it.
            let goes_on = self.rate.as_ref().is_some_and(|rate| self.last >= rate.most);
            return if goes_on { Received::Ignored } else { self.on_next(now, length) };
        }
        // The sender is never more than a window beyond the last ACK that it received.
        if ahead != 0 && ahead <= u64::from(self.window) {
            return self.on_beyond(ahead as u16);
        }
        self.on_behind(now, ahead, too_soon)
    }

    /// Handles a DATA packet after all blocks have been accepted. Returns whether the last ACK must be
    /// repeated.
    pub(crate) fn on_late_data(&mut self, now: Time, wire: u16, too_soon: u32) -> bool {
        let ahead = self.rollover.ahead(self.last, wire);
        ahead.is_some_and(|ahead| self.on_behind(now, ahead, too_soon) == Received::Repeat)
    }

    /// Records that an ACK of [`Receiver::acked`] is sent; `again` if it repeats one.
    pub(crate) fn ack_sent(&mut self, now: Time, again: bool) {
        self.unacked = 0;
        self.acked_at = Recent::at(now);
        self.measurable = !again;
    }

    /// Returns the last accepted block, which an ACK names.
    pub(crate) fn acked(&self) -> u64 {
        self.last
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns whether the bytes of the last block wait for [`Receiver::take_accepted`].
    pub(crate) fn has_accepted(&self) -> bool {
        self.accepted.is_some()
    }

    /// Returns offset and length of the block just accepted, once.
    pub(crate) fn take_accepted(&mut self) -> Option<(u64, u16)> {
        let length = self.accepted.take()?;
        Some((self.bytes - u64::from(length), length))
    }

    fn on_next(&mut self, now: Time, length: usize) -> Received {
        if length > usize::from(self.blksize) {
            return Received::TooLong;
        }
        let rtt = (self.measurable && self.unacked == 0).then(|| self.acked_at.micros_until(now));
        self.last += 1;
        self.bytes += length as u64;
        self.unacked += 1;
        self.accepted = Some(length as u16);
        self.beyond = 0;
        self.repeated = None;
        let end = length < usize::from(self.blksize);
        Received::Next { rtt, ack: end || self.unacked >= self.window, end }
    }

    /// RFC 7440 section 4: a gap is answered with the last block in order, once each time the sender passes
    /// it: an earlier block than before shows that it went back. The same block again does not, however often
    /// it arrives.
    fn on_beyond(&mut self, ahead: u16) -> Received {
        if self.window == 1 {
            return Received::Ignored;
        }
        let again = self.beyond == 0 || ahead < self.beyond;
        self.beyond = if again { ahead } else { self.beyond.max(ahead) };
        if again { Received::Repeat } else { Received::Ignored }
    }

    /// Handles the number `ahead` of the last block if it belongs to a block that was accepted before.
    fn on_behind(&mut self, now: Time, ahead: u64, too_soon: u32) -> Received {
        let behind = if ahead == 0 { 0 } else { self.rollover.period() - ahead };
        if behind < self.last { self.on_repeated(now, behind as u16, too_soon) } else { Received::Ignored }
    }

    /// Either our ACK was lost, or the block was duplicated on the path. Only the first is answered: a
    /// duplicated block follows its original closely, a retransmission comes after a time-out. In the middle
    /// of a window no ACK can have been lost, and another one would look like the report of a gap.
    fn on_repeated(&mut self, now: Time, behind: u16, too_soon: u32) -> Received {
        let again = self.repeated.is_none_or(|repeated| behind >= repeated);
        self.repeated = Some(behind);
        let doubled = self.acked_at.micros_until(now) < too_soon;
        if again && !doubled && self.unacked == 0 { Received::Repeat } else { Received::Ignored }
    }
}

#[cfg(test)]
impl Receiver {
    /// Shifts all remembered times to another clock.
    pub(crate) fn shift(&mut self, now: Time, to: &dyn Fn(Time) -> Time) {
        self.acked_at = self.acked_at.shift(now, to);
        if let Some(rate) = &mut self.rate {
            rate.held = to(rate.held);
            if let Some(allowance) = &mut rate.own {
                allowance.shift(to);
            }
            if let Some(member) = &mut rate.shared {
                member.shift(to);
            }
        }
    }

    /// Sets the state as if all blocks up to `position` had been accepted and acknowledged.
    pub(crate) fn at(mut self, position: u64) -> Self {
        (self.last, self.bytes) = (position, position * u64::from(self.blksize));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Time {
        Time::from_micros(micros)
    }

    /// Gives it a block, and returns the effect and the offset of its bytes.
    fn block(receiver: &mut Receiver, micros: u64, wire: u16) -> (Received, Option<u64>) {
        let received = receiver.on_data(at(micros), wire, receiver.blksize.into(), 0);
        (received, receiver.take_accepted().map(|(offset, _)| offset))
    }

    fn next(offset: u64, ack: bool) -> (Received, Option<u64>) {
        (Received::Next { rtt: None, ack, end: false }, Some(offset))
    }

    #[test]
    fn one_ack_for_a_window_one_for_a_gap() {
        let mut receiver = Receiver::new(512, 4, Rollover::Zero);
        assert_eq!(block(&mut receiver, 0, 1), next(0, false));
        assert_eq!(receiver.on_data(at(0), 3, 512, 0), Received::Repeat, "block 2 is missing");
        receiver.ack_sent(at(0), true);
        assert_eq!(receiver.on_data(at(0), 4, 512, 0), Received::Ignored, "the same gap");
        for number in 2..5 {
            assert_eq!(block(&mut receiver, 0, number), next(u64::from(number - 1) * 512, false));
        }
        assert_eq!(block(&mut receiver, 0, 5), next(2048, true));
        assert_eq!(receiver.take_accepted(), None, "once");
    }

    #[test]
    fn a_gap_is_reported_again_when_the_sender_passes_it_again() {
        let mut receiver = Receiver::new(512, 4, Rollover::Zero);
        assert_eq!(receiver.on_data(at(0), 2, 512, 0), Received::Repeat);
        assert_eq!(receiver.on_data(at(0), 3, 512, 0), Received::Ignored);
        assert_eq!(receiver.on_data(at(0), 2, 512, 0), Received::Repeat);
    }

    #[test]
    fn a_block_beyond_a_gap_is_answered_once_however_often_it_comes() {
        let mut receiver = Receiver::new(512, 8, Rollover::Zero);
        assert_eq!(block(&mut receiver, 0, 1), next(0, false));
        assert_eq!(receiver.on_data(at(0), 3, 512, 0), Received::Repeat);
        for repeat in 1..100 {
            assert_eq!(receiver.on_data(at(repeat * 50_000), 3, 512, 0), Received::Ignored);
        }
        assert_eq!(receiver.on_data(at(6_000_000), 4, 512, 0), Received::Ignored);
        assert_eq!(receiver.on_data(at(6_000_000), 3, 512, 0), Received::Repeat, "the sender went back");
    }

    #[test]
    fn a_doubled_block_is_not_answered_a_repeated_one_is() {
        let mut receiver = Receiver::new(512, 1, Rollover::Zero);
        assert_eq!(block(&mut receiver, 0, 1), next(0, true));
        receiver.ack_sent(at(0), false);
        assert_eq!(receiver.on_data(at(50), 1, 512, 100), Received::Ignored);
        assert_eq!(receiver.on_data(at(20_000), 1, 512, 100), Received::Repeat);
    }

    #[test]
    fn a_doubled_block_in_a_window_is_not_answered() {
        let mut receiver = Receiver::new(512, 4, Rollover::Zero);
        receiver.ack_sent(at(0), false);
        assert!(matches!(receiver.on_data(at(400), 1, 512, 200), Received::Next { .. }));
        assert_eq!(receiver.on_data(at(401), 1, 512, 200), Received::Ignored);
        assert!(matches!(receiver.on_data(at(402), 2, 512, 200), Received::Next { ack: false, .. }));
    }

    #[test]
    fn after_the_end_only_accepted_blocks_are_answered() {
        let mut receiver = Receiver::new(512, 1, Rollover::Zero);
        receiver.on_data(at(0), 1, 100, 0);
        receiver.ack_sent(at(0), false);
        assert!(receiver.on_late_data(at(5), 1, 0));
        assert!(!receiver.on_late_data(at(5), 2, 0), "a block after the last");
        assert_eq!((receiver.acked(), receiver.bytes()), (1, 100));
    }

    #[test]
    fn a_sender_that_goes_on_without_the_ack_that_is_held_back_is_not_heard() {
        let mut receiver = Receiver::new(512, 2, Rollover::Zero);
        receiver.limit_rate(Some(1_024), None);
        assert_eq!(
            [block(&mut receiver, 0, 1), block(&mut receiver, 0, 2)],
            [next(0, false), next(512, true)]
        );
        receiver.ack_sent(at(0), false);
        assert_eq!(receiver.hold_ack(at(0)), Some(at(1_000_000)));
        for block in 3..100 {
            let received = receiver.on_data(at(0), block, 512, 0);
            assert!(matches!(received, Received::Ignored | Received::Repeat), "{block}: {received:?}");
        }
        assert_eq!((receiver.bytes(), receiver.release_ack(at(1_000_000))), (1_024, Some(None)));
        assert_eq!(block(&mut receiver, 1_000_000, 3).1, Some(1_024));
    }

    #[test]
    fn an_upload_waits_for_its_turn_and_takes_nothing_before() {
        let total = std::sync::Arc::new(crate::TotalRate::new(1_000_000));
        let member = || Some(Box::new(Member::new(std::sync::Arc::clone(&total), 7, 512)));
        let mut one = Receiver::new(512, 64, Rollover::Zero);
        one.limit_rate(None, member());
        assert_eq!(one.hold_opening(at(1_000_000)), None);
        assert!(matches!(one.on_data(at(1_000_000), 1, 512, 0), Received::Next { .. }));
        one.bytes = 100_030;
        // All but 30 ms, which are made up for.
        one.end_rate(at(1_000_000));
        let mut other = Receiver::new(512, 64, Rollover::Zero);
        other.limit_rate(None, member());
        assert_eq!((other.hold_opening(at(1_000_000)), other.holds_opening()), (Some(at(1_070_030)), true));
        assert_eq!(other.on_data(at(1_000_000), 1, 512, 0), Received::Ignored);
        assert_eq!((other.release_ack(at(1_070_030)), other.holds_opening()), (Some(None), false));
        assert_eq!(block(&mut other, 1_080_000, 1).1, Some(0));
    }

    #[test]
    fn impossible_blocks_are_ignored_or_refused() {
        let mut receiver = Receiver::new(512, 1, Rollover::Zero);
        assert_eq!(receiver.on_data(at(0), 0, 512, 0), Received::Ignored, "there is no block 0");
        assert_eq!(receiver.on_data(at(0), 60_000, 512, 0), Received::Ignored);
        assert_eq!(receiver.on_data(at(0), 1, 513, 0), Received::TooLong);
        assert_eq!(receiver.bytes(), 0);
    }

    #[test]
    fn positions_pass_the_rollover() {
        for rollover in [Rollover::Zero, Rollover::One] {
            let mut receiver = Receiver::new(8, 16, rollover);
            for position in 1..200_000_u64 {
                let (_, offset) = block(&mut receiver, 0, rollover.wire(position));
                assert_eq!(offset, Some((position - 1) * 8));
                if position % 16 == 0 {
                    receiver.ack_sent(at(0), false);
                }
            }
        }
    }
}
