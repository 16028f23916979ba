//! The queries of a transfer: statistics, options, progress, phase.

use super::{Counts, Phase, Stats, Transfer};
use crate::options::OptionSet;
use crate::peer_metrics::PeerMetrics;
use crate::time::Time;
use core::time::Duration;

impl Transfer {
    /// Returns the number on the wire of the block at `position`.
    pub fn wire(&self, position: u64) -> u16 {
        self.settings.rollover.wire(position)
    }

    /// Returns offset and length of the block at `position` of a stream of `size` bytes.
    pub fn range(&self, position: u64, size: u64) -> (u64, u16) {
        let blksize = self.options.block_size();
        let offset = position.saturating_sub(1) * u64::from(blksize);
        let length = size.saturating_sub(offset).min(u64::from(blksize));
        (offset, length as u16)
    }

    /// Returns the granted options (a client's requested options until then).
    #[inline]
    pub fn options(&self) -> OptionSet {
        self.options.into()
    }

    /// Returns how many blocks may be in flight: the window, or with `msftwindow` the largest size that an ACK may
    /// choose.
    pub fn most_window(&self) -> u16 {
        self.options.window_size().max(self.window_limit.into())
    }

    /// Returns the most bytes per second while blocks move, if that is limited.
    pub fn rate(&self) -> Option<u32> {
        match &self.phase {
            Phase::Sending(sender) => sender.rate(),
            Phase::Receiving(receiver) => receiver.rate(),
            _ => None,
        }
    }

    /// Returns the statistics so far.
    pub fn stats(&self) -> Stats {
        let Counts { retransmissions, duplicates, timeouts, needless } = self.counts;
        Stats {
            retransmissions,
            duplicates,
            timeouts: timeouts.into(),
            needless,
            cut_after: self.cut_after(),
        }
    }

    pub(super) fn cut_after(&self) -> u16 {
        if let Phase::Ended(end) = &self.phase { end.cut_after } else { 0 }
    }

    /// Returns the smoothed RTT, once measured.
    pub fn rtt(&self) -> Option<Duration> {
        self.rtt.smoothed().map(|micros| Duration::from_micros(u64::from(micros)))
    }

    /// Returns when the sending side last sent the overdue blocks. `None` if no RTO has expired: for a timer that
    /// fired early, or for the rest of a paced window.
    pub fn overdue_since(&self, now: Time) -> Option<Time> {
        match &self.phase {
            Phase::Sending(sender) if now >= self.deadline && !sender.is_paused(now) => {
                Some(sender.last_sent())
            }
            _ => None,
        }
    }

    /// Returns the metrics of the peer; `manner` is known when the transfer has ended.
    pub fn peer_metrics(&self) -> PeerMetrics {
        PeerMetrics { floor: self.rtt.raised(), manner: self.peer_manner, duplicates: self.duplicates }
    }

    /// Starts with the metrics of the peer's last transfer; call it before the grant.
    pub fn start_with(&mut self, known: PeerMetrics) {
        self.rtt.raise(known.floor);
        self.peer_manner = known.manner;
        self.duplicates = known.duplicates;
    }

    /// Returns the last block that the receiving end has in order.
    pub fn blocks(&self) -> u64 {
        match &self.phase {
            Phase::Sending(sender) => sender.acked(),
            Phase::Receiving(receiver) | Phase::Storing(receiver) | Phase::Dallying(receiver) => {
                receiver.acked()
            }
            Phase::Ended(end) => end.blocks,
            Phase::Deciding | Phase::Requested { .. } | Phase::Offered { .. } => 0,
        }
    }

    /// Returns the bytes of the stream that the receiving end has in order.
    pub fn bytes(&self) -> u64 {
        match &self.phase {
            Phase::Sending(sender) => sender.bytes(),
            Phase::Receiving(receiver) | Phase::Storing(receiver) | Phase::Dallying(receiver) => {
                receiver.bytes()
            }
            Phase::Ended(end) => end.bytes,
            Phase::Deciding | Phase::Requested { .. } | Phase::Offered { .. } => 0,
        }
    }

    /// Returns when the peer last sent something new: a block, the ACK of one, an answer to the handshake.
    /// Repetitions do not count, so that two ends that only repeat themselves give up.
    pub fn heard(&self) -> Time {
        self.heard
    }

    /// Returns when the first block was known to have arrived: for a sender its ACK, for a receiver the block
    /// itself.
    pub fn first_block(&self) -> Option<Time> {
        (self.first_block != Time::NEVER).then_some(self.first_block)
    }

    /// Returns whether blocks leave as single datagrams, even where the kernel can segment.
    pub fn sends_singly(&self) -> bool {
        matches!(&self.phase, Phase::Sending(sender) if sender.sends_singly())
    }

    /// Returns whether a server still waits for its decision.
    pub fn is_deciding(&self) -> bool {
        matches!(self.phase, Phase::Deciding)
    }

    /// Returns how long the peer may be silent, or only repeat itself, before the transfer ends.
    pub fn give_up(&self) -> Duration {
        Duration::from_micros(self.settings.timing.give_up().into())
    }

    /// Returns the longest retransmission time-out.
    pub fn longest_timeout(&self) -> Duration {
        self.settings.timing.cap()
    }

    /// Returns whether everything has arrived and waits for [`Transfer::handle_stored`].
    pub fn is_storing(&self) -> bool {
        matches!(self.phase, Phase::Storing(_))
    }

    /// Returns whether the transfer waits for the host's disk, from [`Transfer::handle_unsent`] or
    /// [`Transfer::handle_full`] to [`Transfer::handle_resumed`].
    pub fn is_stalled(&self) -> bool {
        self.stalled
    }

    /// Returns whether the transfer has succeeded and stays to repeat its last ACK.
    pub fn is_dallying(&self) -> bool {
        matches!(self.phase, Phase::Dallying(_))
    }

    /// Returns whether all blocks have been sent to a peer with a proven address, so that only its last ACK
    /// is missing: if it sends a new request, it has the whole file.
    pub fn awaits_last_ack(&self) -> bool {
        matches!(&self.phase, Phase::Sending(sender) if sender.all_sent()) && !self.unproven()
    }

    /// Returns whether the client of a server's transfer has not answered yet, and so has not proven its
    /// address. True also while the server decides.
    pub fn is_unproven(&self) -> bool {
        self.unproven()
    }

    /// Returns how many blocks, at least 1, are unacknowledged, once each block has been sent. `None` before
    /// that, and for a receiver.
    pub fn left_to_acknowledge(&self) -> Option<u64> {
        match &self.phase {
            Phase::Sending(sender) if sender.all_sent() => Some(sender.unacknowledged()),
            _ => None,
        }
    }
}
