//! Drives transfers: passes datagrams to the state machine, and executes its outputs.

use super::Worker;
use super::content::Content;
use super::decision::Decision;
use super::ended_transfers::End;
use super::gate::Stored;
use super::key::Key;
use super::messages::ToControl;
use super::multicast::Join;
use super::progress_check::ProgressCheck;
use super::sockets::SocketId;
use super::source::ReadError;
use super::table::{Entry, Rare};
use super::ticket::Ticket;
use super::transmit::Transmit;
use tuffet_core::{
    Blocks, DATA_HEADER, ErrorCode, Finish, Limits, OptionSet, Output, Packet, Settings, Time, Transfer,
    UNKNOWN_SIZE,
};
use tuffet_request::Operation;
use tuffet_request::events::{Answered, Ending, LastError, Outcome, Unanswered, outcome_of};
use tuffet_store::{StoreError, Upload};
use tuffet_udp::Received;

/// The most bytes in a window. They limit how much the server sends to a victim for one ACK, if an attacker guesses a
/// TID port. As much as 64 blocks of 8192 bytes: on a local network larger windows are no faster.
const MAX_WINDOW_BYTES: u32 = 512 << 10;

/// The payload of a block that fills an Ethernet frame (RFC 2348). A window of `max-windowsize` such blocks is always
/// permitted: an operator who raises it has a path that holds more than [`MAX_WINDOW_BYTES`].
const FRAME_PAYLOAD: u32 = 1468;

impl<T: Transmit> Worker<T> {
    /// A datagram of a known peer.
    pub(super) fn deliver(&mut self, index: u32, number: SocketId, datagram: &Received<'_>, now: Time) {
        let Some(entry) = self.table.get_mut(index) else { return };
        // RRQ is 1 and WRQ 2 (RFC 1350 section 5); they concern the listening port alone.
        if matches!(datagram.payload, [0, 1 | 2, ..]) {
            if number == entry.listening {
                return self.request_again(index, number, datagram, now);
            }
            return self.wire.counters.stray += 1;
        }
        if number != entry.tid {
            return self.wire.counters.stray += 1;
        }
        let relevant = is_relevant(entry, datagram.payload);
        // The memory for a slow disk is used up: to the core, the block was lost on the path. DATA is 3 (RFC 1350).
        if let (Some(Content::Upload(sink)), [0, 3, ..]) = (&mut entry.content, datagram.payload) {
            let core = &entry.core;
            let window = || usize::from(core.most_window()) * usize::from(core.options().block_size());
            if !sink.make_room(datagram.payload.len(), window) {
                return self.drop_block(index, now);
            }
        }
        if entry.core.handle_datagram(now, datagram.payload).is_err() {
            return self.wire.counters.malformed += 1;
        }
        if !relevant {
            return self.wire.counters.stray += 1;
        }
        if !entry.half_open {
            return self.drive(index, Some(datagram.payload), now);
        }
        // An ERROR may come from a client that has another transfer beside this one (RFC 1350 section 4).
        let answered = !entry.core.is_unproven() && !matches!(datagram.payload, [0, 5, ..]);
        let old = entry.rare_if_present().filter(|_| answered).and_then(|rare| rare.old.take());
        self.drive(index, Some(datagram.payload), now);
        self.clear_half_open(index, now);
        self.supersede_old(old);
    }

    /// Handles the timer of a transfer, which may expire early.
    pub(super) fn time_out(&mut self, index: u32, now: Time) {
        if self.is_stalled(index, now) {
            return;
        }
        let Some(entry) = self.table.get_mut(index) else { return };
        // The load that holds up this thread holds up clients on this machine, and no others.
        let shares_cores = entry.peer().ip().to_canonical().is_loopback();
        let sent = entry.core.overdue_since(now).filter(|_| shares_cores);
        let soonest = sent.map(|sent| {
            let allowance = self.scheduling_delay.allowance(now).max(self.cores.allowance(now));
            sent + allowance.min(entry.core.longest_timeout())
        });
        if let Some(soonest) = soonest.filter(|soonest| *soonest > now) {
            return self.wheel.set(index, soonest);
        }
        let held_back = entry.half_open && entry.core.is_held_back();
        // Others took the rate that the transfer shares: that is not the client's fault.
        entry.progress_check.forgive(entry.core.take_held_back(), now);
        match entry.progress_check.look(&entry.core, &self.settings.limiter, now) {
            None => entry.core.handle_timeout(now),
            Some((message, ending)) => {
                entry.core.fail(ErrorCode::NotDefined, message);
                entry.rare().ending = Some(ending);
            }
        }
        self.drive(index, None, now);
        if held_back {
            self.first_answer(index, now);
        }
    }

    /// Handles the decision about a request.
    pub(super) fn decided(&mut self, key: Key, ticket: Ticket, decision: Decision, now: Time) {
        self.pending = self.pending.saturating_sub(1);
        let Some(entry) = self.table.by_key(key) else {
            // The client has sent another request meanwhile.
            if let Decision::Grant { content, .. } = decision {
                self.discard(content);
            }
            let detail = "the client sent another request from the same port before this one was decided";
            let ending = Ending::new(Outcome::Aborted, detail);
            return ticket.report(Answered::Undecided, ending, None, None, self.clock);
        };
        entry.answered = decision.answered();
        match decision {
            Decision::Grant { content, limits, settings, group } => {
                if let Some(settings) = settings {
                    entry.core.use_settings(settings);
                }
                let listener = self.wire.sockets.get(entry.listening).map(|its| its.listener);
                if let Some((identity, listener)) = group.zip(listener).filter(|_| self.draining.is_none()) {
                    entry.joined = true;
                    let (peer, local) = (entry.peer(), entry.local);
                    let worker = self.number;
                    let join = Join { worker, key, ticket, content, limits, identity, peer, local, listener };
                    return self.outbox.push(ToControl::Join(Box::new(join)));
                }
                let record = &ticket.record;
                grant(
                    &mut entry.core,
                    entry.operation,
                    now,
                    &record.requested_options(),
                    record.size(),
                    &limits,
                );
                entry.content = Some(content);
                entry.progress_check = ProgressCheck::new(now);
                record.negotiated(&entry.core.options());
            }
            Decision::Refuse { code, message, ending } => {
                entry.core.fail(code, message);
                let error = Some(LastError::Sent(code as u16));
                entry.rare().ending = Some(Ending { error, ..ending });
            }
            Decision::Drop { ending } => {
                entry.core.abandon();
                entry.rare().ending = Some(ending);
            }
        }
        entry.ticket = Some(ticket);
        self.drive(key.index, None, now);
        self.may_be_half_open(key.index, now);
    }

    /// Handles a request after no group had room for it.
    pub(super) fn declined(&mut self, join: Join, now: Time) {
        let Join { key, ticket, content, limits, .. } = join;
        if let Some(entry) = self.table.by_key(key) {
            entry.joined = false;
        }
        // This decision is counted again below.
        self.pending += 1;
        self.decided(key, ticket, Decision::Grant { content, limits, settings: None, group: None }, now);
    }

    /// Handles the end of a membership.
    pub(super) fn left(&mut self, key: Key) {
        if self.table.by_key(key).is_some() {
            self.forget(key.index);
        }
    }

    /// Handles the result of storing an upload.
    pub(super) fn stored(&mut self, key: Key, stored: Stored, now: Time) {
        let Some(entry) = self.table.by_key(key) else { return };
        if let Some((ticket, record)) = entry.ticket.as_mut().zip(stored.record) {
            ticket.record = record;
        }
        match stored.result {
            Ok(()) => entry.core.handle_stored(now),
            Err(error) => fail(entry, &error),
        }
        self.drive(key.index, None, now);
    }

    /// Executes all outputs of a transfer. `datagram` is the one that it has just handled.
    pub(super) fn drive(&mut self, index: u32, datagram: Option<&[u8]>, now: Time) {
        loop {
            let Some(entry) = self.table.get_mut(index) else { return };
            match entry.core.poll(now) {
                Output::Send(blocks) => self.send_blocks(index, blocks, now),
                Output::Control(control) => self.wire.control(entry, &control),
                Output::Accept { length, .. } => {
                    let payload = datagram.and_then(|bytes| bytes.get(DATA_HEADER..)).unwrap_or_default();
                    let payload = &payload[..payload.len().min(usize::from(length))];
                    let Some(Content::Upload(sink)) = &mut entry.content else { continue };
                    match sink.accept(payload) {
                        Ok(()) => self.write_on(index, now),
                        Err(error) => fail(entry, &error),
                    }
                }
                Output::Store { .. } => self.store(index, now),
                Output::Finished(finish) => self.finished(index, finish, datagram, now),
                Output::Timeout(time) => {
                    if let Some(ticket) = &entry.ticket {
                        let (bytes, stats) = (entry.core.bytes(), entry.core.stats());
                        ticket.record.progress.set(bytes, stats.retransmissions);
                        if bytes == 0 && stats.duplicates > 0 && !entry.core.is_unproven() {
                            ticket.record.progress.note_lack_of_first_block();
                        }
                    }
                    return self.wheel.set(index, time);
                }
                Output::Closed => return self.forget(index),
                // Only clients send requests.
                Output::Request => {}
            }
        }
    }

    /// Removes a transfer. Reports the recorded outcome, if none was reported yet.
    pub(super) fn forget(&mut self, index: u32) {
        self.wheel.cancel(index);
        let Some(mut entry) = self.table.remove(index) else { return };
        entry.place.inspect(|place| self.half_open.remove(*place));
        self.settings.limiter.transfer_ended(entry.share);
        let (client, now) = (entry.peer().ip(), self.clock.now());
        self.note_metrics(client, entry.core.peer_metrics(), now);
        if let Some(content) = entry.content.take() {
            self.discard(content);
        }
        if let Some(ticket) = entry.ticket.take() {
            let ending = entry.rare_if_present().and_then(|rare| rare.ending.take());
            let ending = ending.unwrap_or(Outcome::Aborted.into());
            let unanswered = unanswered(&mut entry, &ending);
            ticket.report(entry.answered, ending, unanswered, Some((&entry.core, None)), self.clock);
        }
    }

    fn send_blocks(&mut self, index: u32, blocks: Blocks, now: Time) {
        let Some(entry) = self.table.get_mut(index) else { return };
        let (code, message, detail) = match self.wire.blocks(entry, blocks) {
            Ok(()) if matches!(entry.content, Some(Content::Bytes(_))) => return,
            Ok(()) => return self.read_on(index),
            Err((first, ReadError::NotYet)) => return self.stall(index, blocks, first, now),
            Err((_, ReadError::Changed)) => {
                let changed = "the file changed while it was read";
                (ErrorCode::NotDefined, changed.to_owned(), changed.to_owned())
            }
            Err((_, ReadError::Io(error))) => {
                let detail = format!("the file cannot be read: {error}");
                let source = entry.content.as_mut().and_then(Content::source);
                match source.map(|source| source.file().unreadable(error)) {
                    Some(error) if error.code() != ErrorCode::NotDefined => {
                        (error.code(), error.message().to_owned(), detail)
                    }
                    _ => (ErrorCode::NotDefined, "read error".to_owned(), detail),
                }
            }
        };
        entry.core.fail(code, message);
        entry.rare().ending = Some(Ending::new(Outcome::Failed, detail));
    }

    /// Handles the end of an upload's bytes.
    fn store(&mut self, index: u32, now: Time) {
        let Some(entry) = self.table.get_mut(index) else { return };
        let Some(Content::Upload(sink)) = &mut entry.content else { return };
        if let Err(error) = sink.finish() {
            return fail(entry, &error);
        }
        self.write_on(index, now);
        self.store_complete(index);
    }

    /// Requests that an upload be stored, if all its bytes have arrived and are written.
    pub(super) fn store_complete(&mut self, index: u32) {
        let Some(entry) = self.table.get_mut(index) else { return };
        // The ticket stays with the transfer until its outcome.
        let Some(record) = entry.ticket.as_ref().map(|ticket| ticket.record.clone()) else { return };
        let Some(Content::Upload(sink)) = &mut entry.content else { return };
        let Some((upload, gate)) = sink.take_complete() else { return };
        let limit = sink.times().commit(upload.is_supplied(), entry.core.give_up());
        entry.content = None;
        entry.rare().commit_point = Some(upload.commit_point());
        let key = Key { index, epoch: entry.epoch };
        self.outbox.push(ToControl::Store { worker: self.number, key, upload, record, gate, limit });
    }

    fn finished(&mut self, index: u32, finish: Finish, datagram: Option<&[u8]>, now: Time) {
        let Some(entry) = self.table.get_mut(index) else { return };
        let Some(ticket) = entry.ticket.take() else { return };
        let ending = match entry.rare_if_present().and_then(|rare| rare.ending.take()) {
            Some(ending) => ending,
            None => {
                let text = datagram.and_then(error_text);
                outcome_of(entry.operation, finish, entry.core.blocks(), text)
            }
        };
        let last = entry.core.wire(entry.core.blocks());
        let end = match (finish, entry.operation) {
            (Finish::Complete, Operation::Write) => Some(End::Stored(last)),
            (Finish::Unacknowledged, _) => Some(End::Sent(entry.core.wire(entry.core.blocks() + 1))),
            (Finish::TimedOut | Finish::Failed(_) | Finish::Miscounted, _) if !entry.half_open => {
                Some(End::Over)
            }
            _ => None,
        };
        if let Some(end) = end {
            let timeout = entry.core.options().timeout;
            self.ended_transfers.note(entry.tid, &entry.peer(), end, timeout, now);
        }
        let unanswered = unanswered(entry, &ending);
        // The size may have been found while the file was sent.
        let size = entry.content.as_ref().and_then(Content::size);
        ticket.report(entry.answered, ending, unanswered, Some((&entry.core, size)), self.clock);
    }

    /// Discards content on another thread if that may block: removing a temporary file, or closing a file of some
    /// file systems.
    fn discard(&mut self, content: Content) {
        match content {
            // An upload that is being written is discarded when the write ends.
            Content::Upload(sink) => self.discard_upload(sink.into_upload()),
            content if content.closing().may_wait() => self.outbox.push(ToControl::Close(content)),
            content => drop(content),
        }
    }

    pub(super) fn discard_upload(&mut self, upload: Option<Upload>) {
        self.outbox.extend(upload.map(ToControl::Discard));
    }

    /// Ends a transfer because its upload cannot be written.
    pub(super) fn fail(&mut self, index: u32, error: &StoreError) {
        if let Some(entry) = self.table.get_mut(index) {
            fail(entry, error);
        }
    }
}

/// Negotiates the options of a granted request.
fn grant(
    core: &mut Transfer,
    operation: Operation,
    now: Time,
    requested: &OptionSet,
    size: Option<u64>,
    limits: &Limits,
) {
    let limits = Limits { windowsize: cap_window(requested, limits), ..limits.clone() };
    let size = match operation {
        // Its end is found while it is sent.
        Operation::Read => Some(size.unwrap_or(UNKNOWN_SIZE)),
        Operation::Write => size,
    };
    core.handle_grant(now, requested, &limits, size);
}

/// The options that a worker would grant to a request with these options, for `size` bytes if that is known.
pub fn granted_options(
    operation: Operation,
    requested: &OptionSet,
    size: Option<u64>,
    limits: &Limits,
) -> OptionSet {
    let mut core = Transfer::server(Time::from_micros(0), operation, Settings::default());
    grant(&mut core, operation, Time::from_micros(0), requested, size, limits);
    core.options()
}

/// The largest window that fits into [`MAX_WINDOW_BYTES`], or into as many Ethernet frames as the configured window has
/// blocks, with the block size that will be granted.
fn cap_window(requested: &OptionSet, limits: &Limits) -> u16 {
    let blksize = requested.block_size().min(limits.blksize);
    let most = MAX_WINDOW_BYTES.max(u32::from(limits.windowsize) * FRAME_PAYLOAD) / u32::from(blksize.max(1));
    limits.windowsize.min(most.clamp(1, u16::MAX.into()) as u16)
}

/// Returns whether a packet can mean anything to this transfer, now or as a duplicate. Other packets have no
/// effect.
fn is_relevant(entry: &Entry, packet: &[u8]) -> bool {
    match (packet, entry.operation) {
        ([0, 5, ..], _) => true,
        ([0, 4, ..], Operation::Read) | ([0, 3, ..], Operation::Write) => !entry.core.is_deciding(),
        _ => false,
    }
}

/// Ends a transfer because its content cannot be read or written.
pub(super) fn fail(entry: &mut Entry, error: &StoreError) {
    entry.core.fail(error.code(), error.message().to_owned());
    entry.rare().ending = Some(Ending::new(outcome_of_store_error(error), error.to_string()));
}

/// Returns the outcome by cause: the rules, the requested name, or the server.
pub fn outcome_of_store_error(error: &StoreError) -> Outcome {
    match error {
        StoreError::NotFound
        | StoreError::NoFolder(_)
        | StoreError::Spelling
        | StoreError::Ambiguous(..)
        | StoreError::TooManyNames(_)
        | StoreError::NotCreated => Outcome::NotFound,
        StoreError::Denied(_)
        | StoreError::LeadsOut { .. }
        | StoreError::Protected(_)
        | StoreError::NotPublic { .. }
        | StoreError::Exists
        | StoreError::ReadOnly
        | StoreError::NotRegular(_)
        | StoreError::Refused(_)
        | StoreError::Busy { .. }
        | StoreError::TooDeep { .. }
        | StoreError::VersionName(_)
        | StoreError::Quota { .. }
        | StoreError::TooLarge { .. } => Outcome::Denied,
        StoreError::Forbidden { .. }
        | StoreError::LinkFolder { .. }
        | StoreError::NoSpace(_)
        | StoreError::Exhausted(_)
        | StoreError::Unopened
        | StoreError::Uncounted
        | StoreError::VersionNotKept(_)
        | StoreError::RefusedByOrigin { .. }
        | StoreError::Unreachable { .. }
        | StoreError::UnknownRoot(_)
        | StoreError::Unstaged { .. }
        | StoreError::Unjudged(_)
        | StoreError::Unresponsive(_)
        | StoreError::Io(_) => Outcome::Failed,
    }
}

/// Returns why a transfer with this ending counts as unanswered; `None` if its client has answered. A client that
/// ended it has.
fn unanswered(entry: &mut Entry, ending: &Ending) -> Option<Unanswered> {
    if !entry.half_open {
        return None;
    }
    let rare = entry.rare_if_present().map(|rare| &*rare);
    match rare {
        Some(Rare { gave_way: true, .. }) => Some(Unanswered::GaveWay),
        Some(Rare { asked_again: true, .. }) => Some(Unanswered::AskedAgain),
        Some(Rare { closed: true, .. }) => Some(Unanswered::TimedOut),
        _ => (ending.outcome == Outcome::TimedOut).then_some(Unanswered::TimedOut),
    }
}

pub(super) fn error_text(datagram: &[u8]) -> Option<String> {
    match Packet::parse(datagram) {
        Ok(Packet::Error { text, .. }) => {
            Some(String::from_utf8_lossy(&text[..text.len().min(200)]).into_owned())
        }
        _ => None,
    }
}
