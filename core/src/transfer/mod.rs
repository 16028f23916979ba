//! One transfer, from the request to its end: either role, either direction.
//!
//! # The rule of use
//! After every `handle_*` call, call [`Transfer::poll`] until it returns [`Output::Timeout`] or
//! [`Output::Closed`]. Then wait for a datagram of this peer or for that time, whichever comes first.
//!
//! A server's transfer starts with [`Transfer::server`] and waits for [`Transfer::handle_grant`] (the
//! decision may take time) or [`Transfer::fail`]. A client's starts with [`Transfer::client`] and outputs its
//! request.

mod careful;
mod incoming;
#[cfg(test)]
mod model_state;
mod outputs;
mod queries;
mod rate;
mod stall;
#[cfg(test)]
mod tests;
mod timing;

use crate::block::Rollover;
use crate::control::Control;
use crate::duplicates::Duplicates;
use crate::limits::Limits;
use crate::manner::{KnownManner, Manner};
use crate::options::OptionSet;
use crate::packed_options::PackedOptions;
use crate::packet::{Malformed, Packet};
use crate::receiver::Receiver;
use crate::rtt::{Rtt, Timing};
use crate::sender::{Blocks, Sender};
use crate::time::Time;
use crate::total_rate::Member;
use crate::types::{ErrorCode, Operation};
use careful::Caution;
use outputs::{Due, DuePacket, End};
use std::borrow::Cow;
use std::sync::Arc;
pub(crate) use timing::unmeasured;

/// How often a server retransmits its answer to a client that has not proven its address: a spoofed request
/// costs the spoofed host at most three packets. If more are lost, the client repeats its request (RFC 1350
/// section 2), which is answered.
const UNPROVEN_REPEATS: u8 = 2;

/// How often a server retransmits blocks of the first window, which a forged ACK 0 may have caused. Often enough for
/// a client that stores a one-window file slowly and loses its only ACK.
const FIRST_WINDOW_REPEATS: u8 = 4;

/// How often in total, if a client that has not proven its address repeats its request meanwhile.
const UNPROVEN_ANSWERS: u8 = 4;

/// The size of a stream with an unknown end: see [`Transfer::end_at`].
pub const UNKNOWN_SIZE: u64 = u64::MAX;

/// An action that a transfer requests from its caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Send the request packet (a client's first output, repeated until it is answered).
    Request,
    /// Send this packet.
    Control(Control),
    /// Send these blocks: [`Transfer::wire`] numbers them, [`Transfer::range`] locates their bytes.
    Send(Blocks),
    /// The payload of the DATA packet just handled belongs at this offset of the stream.
    Accept {
        /// Bytes from the start of the stream.
        offset: u64,
        /// Its length in bytes; 0 is possible.
        length: u16,
    },
    /// Everything has arrived: make it durable, then call [`Transfer::handle_stored`], or [`Transfer::fail`]
    /// if that failed. The last ACK waits for it.
    Store {
        /// Bytes in the stream.
        bytes: u64,
    },
    /// The transfer has its outcome. Reported once.
    Finished(Finish),
    /// Nothing to do before this time, unless a datagram arrives.
    Timeout(Time),
    /// The transfer is over: drop it.
    Closed,
}

/// How a transfer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Finish {
    /// All bytes have arrived and, on the receiving side, are stored.
    Complete,
    /// The peer sent an ERROR with this code.
    PeerError(u16),
    /// The peer was silent, or only repeated itself, for too long.
    TimedOut,
    /// This side ended it with an ERROR.
    Failed(ErrorCode),
    /// The peer acknowledged a block that was not sent yet: it has counted a copy of an earlier one, and its file is wrong.
    Miscounted,
    /// A server has sent all blocks, and all but the last one are acknowledged. The peer left without the last ACK, as some
    /// boot ROMs do.
    Unacknowledged,
}

/// The statistics of a transfer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Retransmitted blocks, or packets repeated by a receiver.
    pub retransmissions: u32,
    /// DATA or ACK packets without news.
    pub duplicates: u32,
    /// Time-outs. At most 65535 are counted.
    pub timeouts: u32,
    /// Needless time-outs: the answer was already on its way. At most 65535 are counted.
    pub needless: u16,
    /// The number of blocks after which the receiver repeatedly lost the rest of a window; 0 if it did not. Known
    /// when the transfer has ended.
    pub cut_after: u16,
}

/// The settings of an endpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settings {
    /// Its time-outs.
    pub timing: Timing,
    /// The successor of block 65535.
    pub rollover: Rollover,
}

/// One transfer as a state machine. See the module's rule of use.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub struct Transfer {
    phase: Phase,
    /// Granted options (server); requested, then granted options (client).
    options: PackedOptions,
    /// The largest window size that an ACK may choose; 0 without `msftwindow`.
    window_limit: u8,
    /// Shared by all transfers of an endpoint, except those with a `timeout` option.
    settings: Arc<Settings>,
    rtt: Rtt,
    /// When the peer last sent something new.
    heard: Time,
    /// When the first block was known to have arrived, `NEVER` before that.
    first_block: Time,
    /// When to act if the peer stays silent.
    deadline: Time,
    counts: Counts,
    repeats: u8,
    server: bool,
    /// Whether it waits for the host's disk: see `stall`.
    stalled: bool,
    /// As in [`PeerMetrics::manner`](crate::PeerMetrics::manner).
    peer_manner: KnownManner,
    /// As in [`PeerMetrics::duplicates`](crate::PeerMetrics::duplicates).
    duplicates: Duplicates,
    caution: Caution,
    operation: Operation,
    due: Due,
}

#[derive(Debug)]
#[cfg_attr(test, derive(Clone, Hash))]
enum Phase {
    /// A server waits for the decision.
    Deciding,
    /// A client waits for the first answer to its request.
    Requested {
        size: u64,
    },
    /// A server has sent OACK for a read and waits for ACK 0.
    Offered {
        size: u64,
        pace: Pace,
    },
    Sending(Sender),
    Receiving(Receiver),
    /// Everything has arrived and is being stored.
    Storing(Receiver),
    /// Stored and acknowledged; stays to repeat the last ACK (RFC 1350 section 6).
    Dallying(Receiver),
    Ended(End),
}

/// The counts of [`Stats`], in the width that they need.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(Clone))]
struct Counts {
    retransmissions: u32,
    duplicates: u32,
    timeouts: u16,
    needless: u16,
}

impl Counts {
    /// Counts a packet without news. A peer may send more of them than there are numbers.
    fn duplicate(&mut self) {
        self.duplicates = self.duplicates.saturating_add(1);
    }
}

/// How quickly a server sends or acknowledges.
#[derive(Debug, Clone, Default)]
#[cfg_attr(test, derive(Hash))]
struct Pace {
    /// Blocks per millisecond, if limited.
    burst: Option<u16>,
    /// Bytes per second, if limited.
    rate: Option<u32>,
    /// Its share of a rate, if there is one.
    shared: Option<Box<Member>>,
}

impl Transfer {
    /// Creates a server's transfer for a request that arrived `now`; it stays silent until the decision.
    pub fn server(now: Time, operation: Operation, settings: impl Into<Arc<Settings>>) -> Self {
        Transfer::new(now, operation, settings.into(), OptionSet::default(), true, Phase::Deciding)
    }

    /// Creates a client's transfer; its first output is the request. `requested` are the options in that
    /// request; `size` is the number of bytes to write (unused for a read).
    pub fn client(
        now: Time,
        operation: Operation,
        requested: OptionSet,
        size: u64,
        settings: impl Into<Arc<Settings>>,
    ) -> Self {
        let mut transfer =
            Transfer::new(now, operation, settings.into(), requested, false, Phase::Requested { size });
        transfer.due.packet = DuePacket::Request;
        transfer.arm(now);
        transfer
    }

    fn new(
        now: Time,
        operation: Operation,
        settings: Arc<Settings>,
        options: OptionSet,
        server: bool,
        phase: Phase,
    ) -> Self {
        Transfer {
            phase,
            options: options.into(),
            window_limit: 0,
            settings,
            rtt: Rtt::default(),
            heard: now,
            first_block: Time::NEVER,
            deadline: Time::NEVER,
            counts: Counts::default(),
            repeats: 0,
            server,
            stalled: false,
            peer_manner: KnownManner::default(),
            duplicates: Duplicates::UNKNOWN,
            caution: Caution::None,
            operation,
            due: Due::default(),
        }
    }

    /// Replaces the initial settings before the grant: the decision may depend on the client. Does nothing when the
    /// transfer is not waiting for a decision.
    pub fn use_settings(&mut self, settings: Arc<Settings>) {
        if matches!(self.phase, Phase::Deciding) {
            self.settings = settings;
        }
    }

    /// Grants the request. `requested` are the options of the request, `size` the bytes of the file as they
    /// appear on the wire (for a read), or as the client announced (for a write).
    ///
    /// A read without a size cannot be sent: it ends with an ERROR. A read of [`UNKNOWN_SIZE`] is sent until
    /// [`Transfer::end_at`] sets its end; its OACK has no `tsize`. Does nothing when the transfer is not
    /// waiting for a decision.
    pub fn handle_grant(&mut self, now: Time, requested: &OptionSet, limits: &Limits, size: Option<u64>) {
        if !matches!(self.phase, Phase::Deciding) {
            return;
        }
        if self.operation == Operation::Read && size.is_none() {
            self.fail(ErrorCode::NotDefined, "the size of the file is not known");
            return;
        }
        let mut requested = *requested;
        if self.peer_manner.manner == Manner::Lockstep {
            // As servers without the option.
            requested.windowsize = None;
        }
        let requested = &requested;
        let limits = &limits.clone().within_rate(requested);
        // RFC 2349 lets a server omit `tsize`.
        let may_be_empty = limits.empty_tsize || self.operation == Operation::Write;
        let said = size.filter(|size| *size > 0 || may_be_empty);
        let said = said.filter(|size| *size < UNKNOWN_SIZE);
        let mut granted = OptionSet::grant(requested, limits, said);
        // Only the ACKs of reads choose a window size.
        granted.msftwindow &= self.operation == Operation::Read;
        self.take_options(granted);
        let blksize = self.options.block_size();
        let shared =
            limits.total_rate.clone().map(|total| Box::new(Member::new(total, limits.client, blksize)));
        let pace = Pace { burst: limits.burst, rate: limits.rate, shared };
        self.window_limit = if granted.msftwindow { limits.most_window().min(255) as u8 } else { 0 };
        self.heard = now;
        self.choose_care(limits.bears_duplicates);
        let has_options = !self.options.is_empty();
        if has_options && !limits.bears_repeated_oack {
            self.caution = Caution::OneOack;
        }
        if has_options {
            self.due.packet = DuePacket::Oack;
        }
        match self.operation {
            Operation::Read if has_options => {
                self.phase = Phase::Offered { size: size.unwrap_or(0), pace };
            }
            Operation::Read => self.start_sending(size.unwrap_or(0), pace, 1),
            Operation::Write => {
                if !has_options {
                    self.due.packet = DuePacket::Ack;
                }
                self.start_receiving(Some(now), pace);
            }
        }
        self.arm(now);
        self.hold_opening(now);
    }

    /// Sets the size of a stream of [`UNKNOWN_SIZE`], after the host has found its end in the blocks of the last
    /// [`Output::Send`]. The caller has sent no block beyond the end, and calls this before the next `handle_*`.
    pub fn end_at(&mut self, size: u64) {
        if let Phase::Sending(sender) = &mut self.phase {
            sender.end_at(size);
        }
    }

    /// Handles a report by the peer's host that the peer's port is closed (ICMP port unreachable); `quoted`
    /// is the beginning of the datagram that was sent there. If the quoted packet is in flight, ends the
    /// transfer silently, as if the peer had been silent for too long. Otherwise returns false: the report is
    /// about another transfer, or was forged by an attacker who does not know its progress.
    ///
    /// Some hosts quote only addresses. That is sufficient while the peer has not proven its address.
    pub fn handle_unreachable(&mut self, quoted: &[u8]) -> bool {
        let is_ours = match (&self.phase, quoted) {
            (Phase::Offered { .. }, [0, 6, ..]) => true,
            (Phase::Sending(sender), [0, 3, high, low, ..]) => {
                sender.is_in_flight(u16::from_be_bytes([*high, *low]))
            }
            (Phase::Receiving(receiver), [0, 4, high, low, ..]) => {
                u16::from_be_bytes([*high, *low]) == self.wire(receiver.acked())
            }
            (Phase::Receiving(receiver), [0, 6, ..]) => receiver.acked() == 0,
            (Phase::Deciding, _) => false,
            (_, []) => self.unproven(),
            _ => false,
        };
        let ends = self.server && is_ours;
        if ends {
            self.finish(Finish::TimedOut);
        }
        ends
    }

    /// Handles a datagram of this transfer's peer. Ignores malformed ones, and one that arrives before the
    /// [`Output::Accept`] of the last one was polled: the peer takes it for lost.
    pub fn handle_datagram(&mut self, now: Time, datagram: &[u8]) -> Result<(), Malformed> {
        let packet = Packet::parse(datagram)?;
        if matches!(&self.phase, Phase::Receiving(receiver) | Phase::Storing(receiver) if receiver.has_accepted())
        {
            return Ok(());
        }
        match packet {
            Packet::Data { block, payload } => self.on_data(now, block, payload.len()),
            Packet::Ack { block } => {
                let window = if self.window_limit > 0 { self.on_wanted_window(datagram) } else { 1 };
                self.on_ack(now, block, window);
            }
            Packet::Error { code, .. } => self.on_error(code),
            Packet::Oack(options) => self.on_oack(now, options),
            // The caller recognises a repeated request, because it knows the requested file name.
            Packet::Request(_) => {}
        }
        Ok(())
    }

    /// Handles a repeated request of the client: its answer may have been lost. Answers again if only the
    /// first answer has been sent, and ignores it otherwise.
    pub fn handle_repeated_request(&mut self, now: Time) {
        self.counts.duplicate();
        let may_repeat = !self.is_held_back() && self.unproven() && self.repeats < UNPROVEN_ANSWERS;
        if self.server && !self.is_deciding() && may_repeat {
            self.repeat(now);
        }
    }

    /// Handles the expiry of [`Output::Timeout`]. Does nothing if called early.
    pub fn handle_timeout(&mut self, now: Time) {
        let paused = matches!(&self.phase, Phase::Sending(sender) if sender.is_paused(now));
        if now < self.deadline || paused || self.stalled || self.release_ack(now) {
            return;
        }
        if matches!(self.phase, Phase::Dallying(_)) {
            self.end(self.due.complete.then_some(Finish::Complete), None);
            return;
        }
        if self.is_confirmed() {
            self.finish(Finish::Complete);
            return;
        }
        let patience = self.patience();
        let is_too_late = now.micros_since(self.heard) >= patience;
        if self.has_left_with_all(is_too_late) {
            self.finish(Finish::Unacknowledged);
            return;
        }
        if is_too_late {
            self.finish(Finish::TimedOut);
            return;
        }
        if self.has_repeated_enough() {
            self.deadline = self.heard.after(patience).max(now.after(1));
            return;
        }
        self.counts.timeouts = self.counts.timeouts.saturating_add(1);
        self.repeat(now);
    }

    /// Completes [`Output::Store`]: the last ACK is sent.
    pub fn handle_stored(&mut self, now: Time) {
        let Phase::Storing(receiver) = &mut self.phase else { return };
        receiver.ack_sent(now, false);
        self.phase = Phase::Dallying(receiver.clone());
        self.due.packet = DuePacket::Ack;
        self.due.complete = true;
        self.deadline = now.after(self.settings.timing.dally());
    }

    /// Ends the transfer with an ERROR: a denial, a file that cannot be read or stored, a shutdown. Does
    /// nothing once the transfer has its outcome.
    pub fn fail(&mut self, code: ErrorCode, text: impl Into<Cow<'static, str>>) {
        if matches!(self.phase, Phase::Ended(_) | Phase::Dallying(_)) {
            return;
        }
        self.end(Some(Finish::Failed(code)), Some(Box::new((code, text.into()))));
    }

    /// Ends the transfer silently: its request must not be answered.
    pub fn abandon(&mut self) {
        self.end(None, None);
    }

    fn has_arrived(&mut self, now: Time) {
        self.first_block = self.first_block.min(now);
        self.hear(now);
    }

    /// `wanted`: the size of the first window, with `msftwindow`.
    fn start_sending(&mut self, size: u64, pace: Pace, wanted: u8) {
        let blksize = self.options.block_size();
        let window = if self.window_limit > 0 { wanted.into() } else { self.options.window_size() };
        let mut sender = Sender::new(size, blksize, window, self.settings.rollover, pace.burst);
        sender.start_with(self.peer_manner);
        if pace.has_rate() {
            sender.limit_rate(pace.rate, pace.shared, window.max(self.window_limit.into()));
        }
        self.phase = Phase::Sending(sender);
    }

    /// `answered_at`: when the OACK or ACK that the first block answers was sent, if any.
    fn start_receiving(&mut self, answered_at: Option<Time>, pace: Pace) {
        let (blksize, window) = (self.options.block_size(), self.options.window_size());
        let mut receiver = Receiver::new(blksize, window, self.settings.rollover);
        if let Some(answered_at) = answered_at {
            receiver.ack_sent(answered_at, false);
        }
        if pace.has_rate() {
            receiver.limit_rate(pace.rate, pace.shared);
        }
        self.phase = Phase::Receiving(receiver);
    }

    fn start_storing(&mut self, now: Time) {
        let Phase::Receiving(receiver) = &mut self.phase else { return };
        receiver.end_rate(now);
        self.phase = Phase::Storing(receiver.clone());
        self.stalled = false;
        self.due.store = true;
        self.deadline = Time::NEVER;
    }
}
