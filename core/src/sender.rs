//! The sending side: the server of a read, the client of a write.
//!
//! Tracks which blocks are acknowledged and which may be sent next; the bytes stay with the caller.

mod measure;
mod probe;
mod rare;
mod report;
#[cfg(test)]
mod tests;

use crate::allowance::Allowance;
use crate::block::Rollover;
use crate::bottleneck::AckSample;
use crate::pacer::Pacer;
use crate::time::{Recent, Time};
use crate::total_rate::Member;
pub(crate) use measure::Measured;
use measure::Repeated;
use probe::{FEW, Probe};
use rare::Rare;
use report::LATE_MICROS;

/// A run of blocks to send: `first`, `first + 1`, … (`count` of them).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks {
    /// The position of the first block; 1 is the first block of the file.
    pub first: u64,
    /// The number of blocks, at least 1.
    pub count: u32,
}

#[derive(Debug, Clone)]
#[cfg_attr(test, derive(Hash))]
pub(crate) struct Sender {
    /// Blocks of the whole transfer, the final short (maybe empty) one included, and the bytes of that one.
    total: u64,
    rest: u16,
    /// The last acknowledged block; all before it are acknowledged too. The others are counted from there: no window has
    /// more than 65,535 blocks.
    acked: u64,
    /// Blocks before the next one to send.
    sent: u16,
    /// Blocks up to the last one that was ever sent, and how many of the last call of `poll` had not been sent before.
    reached: u16,
    fresh: u16,
    /// When the first block after `acked` was last sent.
    burst_at: Time,
    /// The block whose round trip is being measured, 0 for none; when it was first sent; the size of its burst; and
    /// whether it has been retransmitted since.
    sampled: u16,
    sampled_at: Recent,
    sampled_of: u16,
    repeated: Repeated,
    /// Time-outs since the last ACK of the window.
    timeouts: u8,
    /// Duplicate ACKs that may answer retransmissions from before the last ACK with news.
    echoes: u8,
    rare: Option<Box<Rare>>,
    window: u16,
    blksize: u16,
    rollover: Rollover,
}

/// When answers to packets sent now arrive, in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct AckTiming {
    /// No answer comes sooner; 0 if unknown.
    pub(crate) earliest: u32,
    /// Nearly a round trip: a report that comes later answers what was sent before. As `surely` if that is unknown.
    pub(crate) round_trip: u32,
    /// All answers but stray ones have arrived, back-off included.
    pub(crate) surely: u32,
    /// For this long after a retransmission the peer may answer it in addition to the original; 0 if unknown.
    pub(crate) echo: u32,
    /// A peer that repeats itself this long after a block was sent lacks it: boot loaders repeat after a
    /// fixed time, and an apparently slow answer may have been such a repetition.
    pub(crate) late: u32,
    /// If so long after an ACK from inside of a window no other one has come, the peer lacks the next block.
    pub(crate) settled: u32,
}

/// In windows of at most so many blocks, losses by chance hardly ever take more than one repetition.
const SMALL: u16 = 8;

/// The effect of an ACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Acked {
    /// Old, repeated or impossible: nothing changes.
    Ignored,
    /// A duplicate, later than an ACK of the block in flight would be: the peer is alive, and lacks that
    /// block.
    Late,
    /// A duplicate that answers a retransmission of an acknowledged block.
    Echo,
    /// New blocks have arrived; `gap`: blocks beyond them are in flight, or the peer, which gets blocks one by one, was late.
    Progress { rtt: Measured, gap: bool },
    /// The peer lacks the block after the acknowledged one: sending continues there.
    Gap,
    /// All blocks have arrived.
    Finished { rtt: Measured },
    /// A receiver in lockstep acknowledges a block that was not sent yet.
    Unsent,
}

/// How far ahead a receiver may be that counts copies. An ACK of a later block is a stray one.
const MOST_COUNTED: u64 = 8;

impl Sender {
    /// Creates a sender. `burst`: blocks per millisecond, if that is limited.
    pub(crate) fn new(size: u64, blksize: u16, window: u16, rollover: Rollover, burst: Option<u16>) -> Self {
        // A window of the whole period could not distinguish an ACK of all from an ACK of none.
        let window = window.clamp(1, (rollover.period() - 1).min(65_535) as u16);
        let (total, rest) = whole(size, blksize);
        Sender {
            total,
            rest,
            acked: 0,
            sent: 0,
            reached: 0,
            fresh: 0,
            burst_at: Time::default(),
            sampled: 0,
            sampled_at: Recent::default(),
            sampled_of: 0,
            repeated: Repeated::Not,
            timeouts: 0,
            echoes: 0,
            rare: Rare::of(Pacer::new(burst, window, blksize)),
            window,
            blksize,
            rollover,
        }
    }

    /// Limits the rate of its DATA to so many bytes per second, and to what its share of another rate allows. Windows have
    /// at most `window` blocks.
    pub(crate) fn limit_rate(&mut self, rate: Option<u32>, shared: Option<Box<Member>>, window: u16) {
        let burst = u64::from(window) * u64::from(self.blksize);
        let blksize = self.blksize;
        self.rare().pacer.limit_rate(rate.map(|rate| Allowance::new(rate, burst)), shared, blksize);
    }

    /// Changes how many blocks may be in flight from now on. Blocks that are in flight already stay so.
    pub(crate) fn set_window(&mut self, blocks: u16) {
        self.window = blocks.clamp(1, (self.rollover.period() - 1).min(65_535) as u16);
    }

    /// Sets the end of the stream, which lies in the block sent last or before.
    pub(crate) fn end_at(&mut self, size: u64) {
        (self.total, self.rest) = whole(size, self.blksize);
        // The burst that reaches beyond the end was cut short there.
        let left = (self.total.saturating_sub(self.acked)).min(u16::MAX.into()) as u16;
        (self.sent, self.reached) = (self.sent.min(left), self.reached.min(left));
        let behind = self.rare.as_ref().map_or(0, |rare| rare.sampled_behind);
        let first = self.sampled.saturating_sub(behind);
        self.sampled_of = self.sampled_of.min(left.saturating_add(1).saturating_sub(first));
    }

    /// Whether this block is on its way, as far as is known here. Some number on the wire may mean several positions.
    pub(crate) fn is_in_flight(&self, wire: u16) -> bool {
        let ahead = self.rollover.ahead(self.acked, wire);
        ahead.is_some_and(|ahead| ahead > 0 && ahead <= self.reached.into())
    }

    /// `earliest`: as in [`AckTiming`]. The closure computes the other values, for the blocks of the window,
    /// and is called only for a duplicate ACK, or one from inside of a window.
    #[inline]
    pub(crate) fn on_ack(
        &mut self,
        now: Time,
        wire: u16,
        earliest: u32,
        ack_timing: impl FnOnce(u64) -> AckTiming,
    ) -> Acked {
        let Some(ahead) = self.rollover.ahead(self.acked, wire) else { return Acked::Ignored };
        if ahead > u64::from(self.reached) {
            let counted = self.window == 1 && ahead - u64::from(self.reached) <= MOST_COUNTED;
            return if counted && self.acked > 0 { Acked::Unsent } else { Acked::Ignored };
        }
        let ahead = ahead as u16;
        if ahead == 0 {
            return self.on_duplicate(now, ack_timing(self.in_window()));
        }
        let mut rtt = self.measure(now, ahead);
        let sample = self.ack_sample(now, ahead, earliest);
        // It comes too soon to answer what was sent last: the blocks that it lacks are in flight.
        let soon = earliest > 0 && !self.waited(now, earliest);
        self.judge_report(now, ahead, earliest);
        let probes = self.timeouts;
        let silent = self.was_silent(now, ahead, earliest);
        self.echoes = self.take_echoes(ahead);
        self.acked += u64::from(ahead);
        self.reached -= ahead;
        self.sampled = self.sampled.saturating_sub(ahead);
        // A paced retransmission may have been about to send blocks that have now arrived.
        self.sent = self.sent.saturating_sub(ahead);
        if let Some(rare) = &mut self.rare {
            rare.copied = rare.copied.saturating_sub(ahead);
            rare.probe = Probe::None;
            (rare.reports.repairs, rare.reports.ignored) = (0, false);
            let late = probes > 0 || now.micros_since(self.burst_at) >= LATE_MICROS;
            rare.reports.late = if late { rare.reports.late.saturating_add(1) } else { 0 };
        }
        if self.acked >= self.total {
            return Acked::Finished { rtt };
        }
        let in_vain = self.in_vain();
        let mut gap = in_vain > 0;
        if gap && probes > 0 {
            self.go_back();
            self.tell_pacer(now, sample, in_vain);
        } else if gap {
            let blocks = self.in_window();
            self.on_inside(now, ahead, sample, soon, || ack_timing(blocks).settled);
        } else {
            // Most transfers have never lost anything.
            if self.rare.is_some() {
                self.nothing_is_missing(ahead);
            }
            // One repetition may answer a lost ACK. If it took more, the window arrived by them: the receiver lacked blocks,
            // and cannot or does not report that.
            let by_copies = if probes > 1 && self.window <= SMALL { u32::from(probes) } else { 0 };
            self.tell_pacer(now, sample, by_copies);
        }
        if let Some(rare) = &mut self.rare {
            rare.pacer.silent(silent);
            rare.pacer.timed_out(gap && probes > 0 && ahead <= FEW && self.window > 1);
            // Such a peer may wait for the rest of a window, and answer after a time-out of its own.
            if rare.reports.one_by_one && rare.reports.late > 0 {
                (rtt, gap) = (Measured::Not, true);
            }
        }
        Acked::Progress { rtt, gap }
    }

    /// Handles a time-out: retransmits the block in lockstep, a [`Probe`] of a window. Returns whether that takes a while,
    /// with `pause` microseconds between its steps. `to_client`: windows may be too much for the peer. A server that is silent
    /// has its reasons, such as a rate.
    pub(crate) fn on_timeout(&mut self, pause: u32, to_client: bool) -> bool {
        let after_gap = self.is_behind_copies();
        self.timeouts = self.timeouts.saturating_add(1);
        if self.window == 1 {
            self.roll_back(Repeated::Timeout);
            return false;
        }
        self.rare().copied = self.reached.saturating_add(1);
        self.reports().to_client = to_client;
        self.repeated = self.repeated.max(Repeated::Timeout);
        self.choose_probe(pause, after_gap)
    }

    /// Returns the blocks that may be sent now.
    pub(crate) fn poll(&mut self, now: Time) -> Option<Blocks> {
        self.settle(now);
        if self.held(now).is_some() {
            return None;
        }
        if self.probe() != Probe::None
            && let Some(probe) = self.take_probe(now)
        {
            self.rare().resent_at = now;
            self.fresh = 0;
            return Some(probe);
        }
        let left = self.in_window().saturating_sub(self.sent.into()) as u32;
        if left == 0 {
            return None;
        }
        let count = self.rare.as_mut().map_or(left, |rare| rare.pacer.take(now, left));
        if count == 0 {
            return None;
        }
        let blocks = Blocks { first: self.next(), count };
        // A window has at most 65,535 blocks.
        let (before, sent) = (self.sent, self.sent + count as u16);
        if before == 0 {
            self.burst_at = now;
        }
        let spread = now.micros_since(self.burst_at);
        let is_sampled = (self.sampled == 0 || self.has_rate()) && sent > self.reached;
        if spread > 0 || before < self.reached || self.rare.is_some() {
            let reached = self.reached;
            let rare = self.rare();
            rare.spread = spread;
            if before < reached {
                (rare.resent_at, rare.held_for) = (now, 0);
            }
            if is_sampled {
                rare.sampled_behind = reached.saturating_sub(before);
            }
        }
        // Karn: only blocks sent for the first time are measured, and of these the first, so that an ACK from
        // inside the window can be measured as well. With a rate, the first of the last burst: the time between
        // bursts is not the path's.
        if is_sampled {
            self.sampled = before.max(self.reached) + 1;
            self.sampled_at = Recent::at(now);
            self.sampled_of = count as u16;
            self.repeated = Repeated::Not;
        }
        self.sent = sent;
        self.fresh = sent.saturating_sub(self.reached);
        self.reached = self.reached.max(sent);
        Some(blocks)
    }

    /// Records that the host has not sent the blocks from `first` on, of the `blocks` from the last `poll`:
    /// its disk has not delivered them yet. A later `poll` returns them again. Returns how many of them had
    /// been sent before.
    pub(crate) fn unsent(&mut self, blocks: Blocks, first: u64) -> u32 {
        let end = blocks.first + u64::from(blocks.count);
        if let Some(rare) = &mut self.rare {
            rare.pacer.unsent(end - first);
        }
        if end < self.next() {
            // A probe at the beginning of the window does not move `next`.
            self.probe_again(first);
            return (end - first) as u32;
        }
        let reached = self.reached.saturating_sub(core::mem::take(&mut self.fresh));
        let again = (self.acked + u64::from(reached) + 1).saturating_sub(first).min(end - first) as u32;
        self.sent = first.saturating_sub(self.acked + 1).min(self.sent.into()) as u16;
        self.reached = reached.max(self.sent);
        // The disk, not the path, delays the ACK of this window.
        self.sampled = 0;
        again
    }

    /// When the rest of a paced window or of a probe may be sent, or a gap is certain, if it waits for one of them.
    #[inline]
    pub(crate) fn resumes(&self, now: Time) -> Option<Time> {
        // Most transfers wait for nothing but their peer.
        if self.rare.is_some() { self.limit_ends(now) } else { None }
    }

    fn limit_ends(&self, now: Time) -> Option<Time> {
        let paced = self
            .pacer()
            .and_then(|pacer| pacer.resumes(now))
            .filter(|_| self.has_more())
            .max(self.next_step(now));
        [paced, self.gap_due(), self.held(now)].into_iter().flatten().min()
    }

    /// Returns whether blocks that may be in flight, or a probe, have not been sent yet.
    fn has_more(&self) -> bool {
        u64::from(self.sent) < self.in_window() || self.probe() != Probe::None
    }

    /// Returns whether its own pace holds blocks back, so that no answer is overdue. A rate does so until they are
    /// sent, even if the host is late.
    pub(crate) fn is_paused(&self, now: Time) -> bool {
        self.resumes(now).is_some() || (self.has_rate() && self.has_more())
    }

    /// Returns whether the rate holds blocks back that have never been sent: their peer has nothing to answer.
    pub(crate) fn owes_blocks(&self) -> bool {
        self.has_rate() && self.probe() == Probe::None && self.sent >= self.reached && self.has_more()
    }

    /// Returns when the first unacknowledged block, or a probe for it, was last sent.
    pub(crate) fn last_sent(&self) -> Time {
        let resent_at = self.resent_at();
        if resent_at == Time::NEVER { self.burst_at } else { self.burst_at.max(resent_at) }
    }

    /// Returns the next block to send.
    fn next(&self) -> u64 {
        self.acked + u64::from(self.sent) + 1
    }

    /// Returns the highest block sent so far.
    pub(crate) fn high(&self) -> u64 {
        self.acked + u64::from(self.reached)
    }

    /// Returns the number of acknowledged blocks.
    pub(crate) fn acked(&self) -> u64 {
        self.acked
    }

    /// Returns whether blocks of the current window may be queued behind older copies of themselves.
    pub(crate) fn is_behind_copies(&self) -> bool {
        let resent_at = self.resent_at();
        self.timeouts == 0 && resent_at != Time::NEVER && resent_at >= self.burst_at
    }

    /// Returns how many blocks may be in flight now.
    pub(crate) fn in_window(&self) -> u64 {
        self.total.saturating_sub(self.acked).min(self.window.into())
    }

    /// Returns how many blocks are sent without a pause: those of the window, or of a burst that the rate allows.
    pub(crate) fn at_once(&self) -> u64 {
        self.in_window().min(self.pacer().map_or(u64::MAX, Pacer::burst_of_rate))
    }

    /// Returns the number of blocks that are not acknowledged.
    pub(crate) fn unacknowledged(&self) -> u64 {
        self.total.saturating_sub(self.acked)
    }

    /// Returns whether each block was sent at least once.
    pub(crate) fn all_sent(&self) -> bool {
        self.high() >= self.total
    }

    /// Returns the acknowledged bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let blksize = u64::from(self.blksize);
        if self.acked < self.total {
            self.acked * blksize
        } else {
            (self.total - 1) * blksize + u64::from(self.rest)
        }
    }

    fn on_duplicate(&mut self, now: Time, ack_timing: AckTiming) -> Acked {
        if self.held(now).is_some() {
            // The next block waits so that this can be told from the ACK of that block.
            return Acked::Echo;
        }
        if self.sent == 0 {
            return Acked::Ignored;
        }
        // RFC 1123 section 4.2.3.1, the Sorcerer's Apprentice: a duplicate ACK never triggers DATA in
        // lockstep. In a window it may report the loss of the first block.
        let counted = self.echoes > 0;
        self.echoes = self.echoes.saturating_sub(1);
        if counted && self.resent_within(now, ack_timing.echo) && self.resent_at() < self.burst_at {
            return Acked::Echo;
        }
        if self.window == 1 {
            if !self.waited(now, ack_timing.late) {
                return Acked::Ignored;
            }
            if !counted {
                self.repeated = Repeated::Asked;
            }
            return Acked::Late;
        }
        // After a time-out it answers the probe. Soon after a retransmission it is an echo: of the gap (some
        // peers send one ACK for every later block), or of the copies.
        let echo = if self.timeouts > 0 {
            self.resent_within(now, ack_timing.earliest)
        } else {
            // A second report of the gap that the sender went back to is no echo of the first one when the answer to the
            // copies is due: the first of them was lost as well. But a peer that reports a gap more than once may go on for
            // longer than a round trip seems to take, and each copy makes that longer. So the wait doubles.
            let repairs = self.repairs();
            let answered = if repairs == 1 && !self.has_ignored_report() {
                ack_timing.round_trip
            } else {
                ack_timing.surely.saturating_mul(1 << repairs.saturating_sub(1).min(16))
            };
            let copy = self.is_at_copies() && self.resent_within(now, answered);
            copy || !self.waited(now, ack_timing.earliest)
        };
        if echo || counted {
            if let Some(rare) = &mut self.rare {
                rare.reports.ignored = rare.reports.repairs > 0;
            }
            return Acked::Ignored;
        }
        let silent = self.was_silent(now, 0, ack_timing.earliest);
        if core::mem::take(&mut self.timeouts) > 0 {
            self.rare().probe = Probe::None;
            self.nothing_arrived(now);
            if silent {
                self.rare().pacer.silent(true);
            }
            self.rare().pacer.timed_out(true);
            self.go_back();
            return Acked::Gap;
        }
        if self.on_repeated_report(now, ack_timing.settled) { Acked::Gap } else { Acked::Ignored }
    }

    /// Tells the pacer of a window of which no block arrived.
    fn nothing_arrived(&mut self, now: Time) {
        let nothing = AckSample { arrived: 0, took: now.micros_since(self.burst_at), sending: 0, least: 0 };
        self.tell_pacer(now, nothing, self.in_vain());
    }

    fn roll_back(&mut self, why: Repeated) {
        self.rare().copied = self.reached.saturating_add(1);
        self.sent = 0;
        if self.sampled > 0 {
            self.repeated = self.repeated.max(why);
        }
    }

    fn resent_within(&self, now: Time, micros: u32) -> bool {
        let resent_at = self.resent_at();
        resent_at != Time::NEVER && now.micros_since(resent_at) < micros
    }

    /// Returns whether at least `micros` have passed since the first unacknowledged block was sent.
    fn waited(&self, now: Time, micros: u32) -> bool {
        now.micros_since(self.burst_at) >= micros
    }
}

/// Returns how many blocks so many bytes take, and the bytes in the last one.
fn whole(size: u64, blksize: u16) -> (u64, u16) {
    let blksize = u64::from(blksize.max(1));
    (size / blksize + 1, (size % blksize) as u16)
}

#[cfg(test)]
impl Sender {
    /// Shifts all remembered times to another clock; resets those without effect.
    pub(crate) fn shift(&mut self, now: Time, to: &dyn Fn(Time) -> Time) {
        self.burst_at = to(self.burst_at);
        self.sampled_at = if self.sampled == 0 { Recent::default() } else { self.sampled_at.shift(now, to) };
        if let Some(rare) = &mut self.rare {
            rare.resent_at = to(rare.resent_at);
            rare.reports.shift(to);
            rare.pacer.shift(to);
        }
    }

    /// Sets the state as if all blocks up to `position` had been sent and acknowledged.
    pub(crate) fn at(mut self, position: u64) -> Self {
        (self.acked, self.sent, self.reached) = (position, 0, 0);
        self
    }
}
