//! What a sender needs once blocks are limited, lost or sent again.

use super::Sender;
use super::probe::Probe;
use super::report::Reports;
use crate::bottleneck::AckSample;
use crate::manner::KnownManner;
use crate::pacer::Pacer;
use crate::time::Time;
use crate::total_rate::Member;

/// The state that most transfers never have.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(Hash))]
pub(super) struct Rare {
    pub(super) pacer: Pacer,
    pub(super) reports: Reports,
    /// When blocks were last retransmitted, `NEVER` if none were. The copies, and the blocks that they
    /// overtook, cause ACKs without news: one rollback answers one gap, however often the peer reports it.
    pub(super) resent_at: Time,
    /// How many microseconds after `resent_at` the next block waits, in lockstep, for a second answer to the last one.
    pub(super) held_for: u32,
    /// Microseconds between the sending of the first block after the acknowledged one and of the last block.
    pub(super) spread: u32,
    /// How many blocks, from the acknowledged one on, may have been sent more than once. ACKs of others are no echo.
    pub(super) copied: u16,
    /// How many blocks of its burst preceded the block whose round trip is being measured.
    pub(super) sampled_behind: u16,
    /// What the last time-out caused.
    pub(super) probe: Probe,
}

impl Default for Rare {
    fn default() -> Self {
        Rare {
            pacer: Pacer::default(),
            reports: Reports::default(),
            resent_at: Time::NEVER,
            held_for: 0,
            spread: 0,
            copied: 0,
            sampled_behind: 0,
            probe: Probe::None,
        }
    }
}

impl Rare {
    /// Returns it if there is a limit.
    pub(super) fn of(pacer: Pacer) -> Option<Box<Rare>> {
        pacer.has_state().then(|| Box::new(Rare { pacer, ..Rare::default() }))
    }
}

impl Sender {
    pub(super) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    pub(super) fn pacer(&self) -> Option<&Pacer> {
        self.rare.as_ref().map(|rare| &rare.pacer)
    }

    pub(super) fn reports(&mut self) -> &mut Reports {
        &mut self.rare().reports
    }

    pub(super) fn resent_at(&self) -> Time {
        self.rare.as_ref().map_or(Time::NEVER, |rare| rare.resent_at)
    }

    pub(super) fn probe(&self) -> Probe {
        self.rare.as_ref().map_or(Probe::None, |rare| rare.probe)
    }

    /// Sends nothing for so many microseconds. Only after a block was sent more than once.
    pub(crate) fn hold(&mut self, now: Time, micros: u32) {
        debug_assert!(self.has_sent_copies(), "the time would never come");
        let rare = self.rare();
        rare.held_for = now.micros_since(rare.resent_at).saturating_add(micros);
    }

    /// Returns until when it sends nothing, if that is later.
    #[inline]
    pub(super) fn held(&self, now: Time) -> Option<Time> {
        let rare = self.rare.as_ref().filter(|rare| rare.held_for > 0)?;
        Some(rare.resent_at.after(rare.held_for)).filter(|until| now < *until)
    }

    /// Returns whether the next ACK answers a block that was sent more than once.
    pub(crate) fn has_repeated(&self) -> bool {
        self.timeouts > 0
    }

    /// Returns whether some block was sent more than once.
    pub(crate) fn has_sent_copies(&self) -> bool {
        self.resent_at() != Time::NEVER
    }

    /// Returns whether each block is acknowledged.
    pub(crate) fn is_acknowledged(&self) -> bool {
        self.acked >= self.total
    }

    /// Returns how often the sender went back since the last ACK with news.
    pub(crate) fn repairs(&self) -> u8 {
        self.rare.as_ref().map_or(0, |rare| rare.reports.repairs)
    }

    /// Returns whether a duplicate ACK was ignored since the sender went back.
    pub(super) fn has_ignored_report(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.reports.ignored)
    }

    pub(super) fn has_rate(&self) -> bool {
        self.pacer().is_some_and(Pacer::has_rate)
    }

    /// Returns the member of the rate that it shares, if there is one.
    pub(crate) fn member(&mut self) -> Option<&mut Member> {
        self.rare.as_mut()?.pacer.member()
    }

    /// Returns the limit of the rate, if there is one.
    pub(crate) fn rate(&self) -> Option<u32> {
        self.pacer()?.rate()
    }

    /// Where windows were cut off again and again, in blocks, if the receiver overflows there; else 0.
    pub(crate) fn overflows_after(&self) -> u16 {
        self.pacer().map_or(0, Pacer::overflows_after)
    }

    /// Starts with the manner that the peer's last transfer learnt.
    pub(crate) fn start_with(&mut self, known: KnownManner) {
        if known != KnownManner::default() {
            let window = self.window;
            self.rare().pacer.start_with(known, window);
        }
    }

    /// The manner that suits the peer; `known` is what the transfer began with.
    pub(crate) fn learnt(&self, known: KnownManner) -> KnownManner {
        self.pacer().map_or(known, |pacer| pacer.learnt(known, self.window))
    }

    /// Returns whether blocks leave as single datagrams, even where the kernel can segment.
    pub(crate) fn sends_singly(&self) -> bool {
        self.pacer().is_some_and(Pacer::sends_singly)
    }

    /// Tells the pacer of a part of a window: see [`Pacer::arrived`].
    #[inline]
    pub(super) fn tell_pacer(&mut self, now: Time, sample: AckSample, in_vain: u32) {
        let window = self.window;
        if in_vain > 0 || self.rare.is_some() {
            self.rare().pacer.arrived(now, window, sample, in_vain);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A peer that never answers must not cost more: a sender in lockstep has it from the first time-out on.
    #[test]
    fn it_is_small() {
        assert!(size_of::<Rare>() <= 72, "{}", size_of::<Rare>());
    }
}
