//! Admission in the worker: from a datagram on a listening socket to a transfer that waits for its decision.

use super::Worker;
use super::ended_transfers::{Late, LateAnswer};
use super::key::Key;
use super::messages::{MemberUpdate, NewRequest, ToControl};
use super::progress_check::ProgressCheck;
use super::sockets::{ListenerId, SocketId};
use super::successor::Successor;
use super::table::Entry;
use super::ticket::SummaryPermit;
use super::transmit::Transmit;
use super::unread::Unread;
use crate::limits::{Claim, Refused};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tuffet_core::{ErrorCode, Packet, RequestPacket, Time, Transfer};
use tuffet_request::events::Answered;
use tuffet_udp::{Local, ReceiveBatch, Received};

/// The longest request in bytes. RFC 2347 allows 512 bytes; some clients send more.
pub const MAX_REQUEST: usize = 2048;

/// A client that has not answered yet has started over if the same request arrives from the same port this long after the
/// first answer.
const RESTARTED_AFTER: Duration = Duration::from_secs(1);

/// A copy that the network makes of a request follows it within milliseconds. After that, a client that has answered and
/// asks again from the same port may read its file from the start, as loaders do that seek.
const USUAL_DUPLICATE_DELAY: Duration = Duration::from_millis(20);

/// The longest delay of a duplicated datagram. Copies arrive milliseconds after their originals: from a
/// retransmission on a radio link, or from two paths of a bridge. Clients repeat an unanswered request after
/// a second or more. So if the first request of a client that has started over is taken for a copy, the
/// client is served when it repeats it.
pub(super) const MAX_DUPLICATE_DELAY: Duration = Duration::from_millis(500);

/// The same for an upload that is stored, in single-port mode. A copy that is taken for a new request does harm
/// only if the last ACK was lost as well, whereas a request that is taken for a copy gets no answer until its
/// client repeats it.
const MAX_DUPLICATE_DELAY_OF_STORED: Duration = Duration::from_millis(200);

/// One less than the number of ACKs that may arrive on other TID ports while a transfer is half-open: these
/// may be late ACKs of earlier transfers from the same port.
const MAX_MISSES: u8 = 8;

/// The meaning of a request that repeats the request of its port's transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repetition {
    /// A copy, or a repetition because the first answer has not arrived.
    Repeated,
    /// Either a copy or a client that has started over: so far both look the same.
    Unclear,
    /// The client has started over.
    Restart,
}

/// A request from a port while its last transfer lacks only the last ACK.
pub(super) struct DeferredRequest {
    listening: SocketId,
    tid: SocketId,
    peer: SocketAddr,
    local: Option<Local>,
    payload: Box<[u8]>,
}

impl<T: Transmit> Worker<T> {
    /// Handles a datagram on a listening socket that belongs to no transfer there.
    pub(super) fn request(
        &mut self,
        listening: SocketId,
        listener: ListenerId,
        datagram: &Received<'_>,
        now: Time,
    ) {
        // Every worker gets a copy of a broadcast, and one of them answers. In single-port mode the kernel
        // chooses the worker that will get the ACKs, which is not known here, so all must answer.
        let copied = datagram.local.is_some_and(|local| local.copied);
        let first = self.number == 0 && self.wire.sockets.is_first(listening);
        if copied && !first && self.wire.sockets.has_tids(listener) {
            return;
        }
        if self.passes_on(listener, datagram) || !copied && self.hands_over(listener, datagram) {
            return;
        }
        self.request_here(listening, listener, datagram, now);
    }

    /// Handles it in this worker.
    pub(super) fn request_here(
        &mut self,
        listening: SocketId,
        listener: ListenerId,
        datagram: &Received<'_>,
        now: Time,
    ) {
        match Packet::parse(datagram.payload) {
            Ok(Packet::Request(_)) if datagram.payload.len() > MAX_REQUEST => {
                self.wire.counters.malformed += 1;
                self.refuse(
                    listening,
                    datagram,
                    ErrorCode::IllegalOperation,
                    "request longer than 2048 bytes",
                );
            }
            Ok(Packet::Request(request)) => self.admit(listening, listener, datagram, request, now),
            // In single-port mode.
            Ok(Packet::Data { block, .. }) => {
                self.wire.counters.stray += 1;
                self.answer_late(listening, datagram, Late::Data(block), now);
            }
            Ok(Packet::Ack { block }) => {
                self.wire.counters.stray += 1;
                self.answer_late(listening, datagram, Late::Ack(block), now);
            }
            // An answer to nothing, or noise. An ERROR could start a loop between two servers.
            Ok(_) => self.wire.counters.stray += 1,
            Err(malformed) if malformed.is_request() => {
                self.wire.counters.malformed += 1;
                self.refuse(listening, datagram, ErrorCode::IllegalOperation, &malformed.to_string());
            }
            Err(_) => self.wire.counters.malformed += 1,
        }
    }

    /// Handles a request from a port that already has a transfer: a repetition, or a request for something
    /// else.
    pub(super) fn request_again(
        &mut self,
        index: u32,
        listening: SocketId,
        datagram: &Received<'_>,
        now: Time,
    ) {
        let Some(listener) = self.wire.sockets.get(listening).map(|socket| socket.listener) else { return };
        let is_readable = matches!(Packet::parse(datagram.payload), Ok(Packet::Request(_)));
        if !is_readable || datagram.payload.len() > MAX_REQUEST {
            // The transfer continues, and an ERROR could be taken for its end.
            return self.wire.counters.malformed += 1;
        }
        let fingerprint = self.table.fingerprint(&datagram.peer, datagram.payload);
        let Some(entry) = self.table.get_mut(index) else { return };
        let same = entry.fingerprint == fingerprint;
        let repetition = if same { repetition(entry, now) } else { Repetition::Restart };
        if repetition == Repetition::Repeated {
            self.wire.counters.repeated += 1;
            if entry.joined {
                return self.tell_group(index, MemberUpdate::Repeated);
            }
            if entry.core.is_unproven() {
                entry.requested = now.into();
            }
            entry.core.handle_repeated_request(now);
            self.drive(index, None, now);
            return;
        }
        // Its last ACK may be unread in another socket: see `take_deferred_requests`.
        if entry.core.awaits_last_ack() && entry.tid != listening && !self.looked_for_acks {
            let Received { peer, local, payload, .. } = *datagram;
            let tid = entry.tid;
            self.deferred_requests.push(DeferredRequest {
                listening,
                tid,
                peer,
                local,
                payload: payload.into(),
            });
            return;
        }
        let dallying = entry.core.is_dallying();
        if !same && !dallying && self.recent_requests.is_recent(fingerprint, now) {
            // A late copy of an earlier request of this port.
            self.wire.counters.repeated += 1;
            return;
        }
        let two_ports = entry.tid != listening;
        let has_room = self.table.len() < self.settings.max_transfers;
        if (repetition == Repetition::Unclear || dallying) && two_ports && has_room {
            return self.begin_beside(index, listening, listener, datagram, now);
        }
        // iPXE and U-Boot reuse a source port. The earlier request no longer matters, and an ERROR for it
        // could be taken for an answer to the new one.
        self.supersede(index, if same { Successor::Same } else { Successor::Other });
        self.request(listening, listener, datagram, now);
    }

    /// Begins a new transfer for a peer that may still need the old one. The old one keeps its TID, and ends when the
    /// client answers the new one. A client that has started over does so. If its request was duplicated, it answers
    /// only the first TID (RFC 1350 section 4).
    fn begin_beside(
        &mut self,
        index: u32,
        listening: SocketId,
        listener: ListenerId,
        datagram: &Received<'_>,
        now: Time,
    ) {
        if self.draining.is_some() {
            return self.wire.counters.stopping += 1;
        }
        let Some(old) = self.table.step_aside(index) else { return };
        if let Some(entry) = self.table.get_mut(index) {
            // Both count as one transfer for the limits.
            self.settings.limiter.transfer_ended(std::mem::take(&mut entry.share));
        }
        self.request(listening, listener, datagram, now);
        let new = self.table.find(listening, &datagram.peer);
        if let Some(entry) = new.and_then(|new| self.table.get_mut(new)) {
            entry.rare().old = Some(old);
        }
    }

    /// Silently ends a transfer because its client has sent a new request, and the old transfer beside it.
    fn supersede(&mut self, index: u32, successor: Successor) {
        let Some(entry) = self.table.get_mut(index) else { return };
        let ending = successor.ending_of(&entry.core);
        // What waits for a rate has not been sent.
        let asked_again = successor == Successor::Same && entry.half_open && !entry.core.is_held_back();
        let rare = entry.rare();
        (rare.ending, rare.asked_again) = (Some(ending), asked_again);
        let old = rare.old.take();
        if entry.joined {
            self.tell_group(index, MemberUpdate::Left);
        }
        self.forget(index);
        self.supersede_old(old);
    }

    fn tell_group(&mut self, index: u32, news: MemberUpdate) {
        let Some(entry) = self.table.get_mut(index) else { return };
        let key = Key { index, epoch: entry.epoch };
        self.outbox.push(ToControl::Member { worker: self.number, key, news });
    }

    /// As [`Worker::supersede`], for a transfer that stands beside a newer one.
    pub(super) fn supersede_old(&mut self, old: Option<Key>) {
        if let Some(key) = old.filter(|key| self.table.by_key(*key).is_some()) {
            self.supersede(key.index, Successor::Beside);
        }
    }

    /// Handles the requests that may have overtaken an ACK: the worker reads earlier datagrams first, and so
    /// learns that the previous transfer has succeeded.
    pub(super) fn take_deferred_requests(
        &mut self,
        received: &mut ReceiveBatch,
        unread: &mut Unread,
        now: &mut Time,
    ) {
        for late in std::mem::take(&mut self.deferred_requests) {
            // Its remaining datagrams are not signalled again.
            let more = self.receive(late.tid, received, now);
            unread.set(late.tid, more);
            self.looked_for_acks = true;
            let DeferredRequest { listening, peer, local, payload, .. } = late;
            let datagram = Received { peer, local, payload: &payload, segment: None };
            match (self.table.find(listening, &peer), self.wire.sockets.get(listening)) {
                (Some(index), _) => self.deliver(index, listening, &datagram, *now),
                (None, Some(socket)) => self.request(listening, socket.listener, &datagram, *now),
                (None, None) => {}
            }
            self.looked_for_acks = false;
        }
    }

    /// Handles a datagram on a TID socket from a peer without a transfer there.
    pub(super) fn stray(&mut self, number: SocketId, datagram: &Received<'_>, now: Time) {
        self.wire.counters.stray += 1;
        match Packet::parse(datagram.payload) {
            Ok(Packet::Ack { block }) if !self.answer_late(number, datagram, Late::Ack(block), now) => {
                self.missed(number, &datagram.peer, now);
            }
            // RFC 1350 section 4 asks for ERROR 5. Only DATA gets it from a stranger: its sender still waits for an
            // answer, whereas a late ACK is the end of a successful transfer, and an ERROR is never answered.
            Ok(Packet::Data { block, .. }) if !self.answer_late(number, datagram, Late::Data(block), now) => {
                self.refuse(number, datagram, ErrorCode::UnknownTransferId, "unknown transfer ID");
            }
            _ => {}
        }
    }

    /// Answers a packet of a transfer that has ended. Returns whether it is one.
    fn answer_late(&mut self, number: SocketId, datagram: &Received<'_>, late: Late, now: Time) -> bool {
        let Some(answer) = self.ended_transfers.answer(number, &datagram.peer, late, now) else {
            return false;
        };
        match (answer, late) {
            (LateAnswer::Acknowledge, Late::Data(block)) => {
                self.wire.ack(number, datagram.peer, datagram.local, block);
            }
            (LateAnswer::Error, _) => {
                self.refuse(number, datagram, ErrorCode::UnknownTransferId, "the transfer has ended");
            }
            _ => {}
        }
        true
    }

    /// Counts an ACK that arrived on another TID port than that of its peer. A client knows its TID port
    /// before it sends its first ACK, so many such ACKs are guesses by an attacker who cannot see the
    /// server's answers.
    fn missed(&mut self, number: SocketId, peer: &SocketAddr, now: Time) {
        let Some(listener) = self.wire.sockets.get(number).map(|socket| socket.listener) else { return };
        for listening in self.wire.sockets.listening(listener) {
            let Some(index) = self.table.find(listening, peer) else { continue };
            let Some(entry) = self.table.get_mut(index).filter(|entry| entry.half_open) else { continue };
            entry.misses += 1;
            if entry.misses >= MAX_MISSES {
                self.give_up_guessed(index, now);
            }
        }
    }

    fn admit(
        &mut self,
        listening: SocketId,
        listener: ListenerId,
        datagram: &Received<'_>,
        request: RequestPacket<'_>,
        now: Time,
    ) {
        if self.draining.is_some() {
            return self.wire.counters.stopping += 1;
        }
        let (peer, received) = (datagram.peer, self.clock.instant());
        let (claim, place) = match self.reserve(&peer, received, now) {
            Ok(found) => found,
            // No answer: the client repeats the request in a second, when there may be a free place.
            Err(refused) => {
                self.wire.counters.refused[refused as usize] += 1;
                return self.dropping.note_refused(refused, peer.ip(), received);
            }
        };
        let tid = self.tid_for(listening, listener, &peer);
        self.ended_transfers.forget(tid, &peer);
        let mut core = Transfer::server(now, request.operation, self.settings.transfer.clone());
        core.start_with(self.known_metrics(peer.ip(), now));
        let fingerprint = self.table.fingerprint(&peer, datagram.payload);
        self.recent_requests.note(fingerprint, now);
        let key = self.table.insert(Entry {
            core,
            peer: peer.into(),
            local: self.wire.sockets.source(listening, datagram.local),
            listening,
            tid,
            aside: false,
            epoch: 0,
            operation: request.operation,
            fingerprint,
            requested: now.into(),
            content: None,
            ticket: None,
            answered: Answered::Undecided,
            share: claim.transfer,
            half_open: false,
            place: None,
            misses: 0,
            progress_check: ProgressCheck::new(now),
            joined: false,
            rare: None,
        });
        self.pending += 1;
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let message = ToControl::Request(NewRequest {
            worker: self.number,
            key,
            received,
            listener,
            peer,
            local: datagram.local,
            operation: request.operation,
            mode: request.mode,
            name: request.name.into(),
            options: request
                .options
                .iter()
                .map(|(name, value)| (lossy(name).to_ascii_lowercase(), lossy(value)))
                .collect(),
            requested: request.options.requested(),
            place,
            share: claim.pending,
        });
        self.outbox.push(message);
    }

    /// Takes all places that a request needs, or returns the limit that it exceeds. The cheapest check comes first,
    /// because a flood ends here.
    fn reserve(
        &mut self,
        peer: &SocketAddr,
        received: Instant,
        now: Time,
    ) -> Result<(Claim, SummaryPermit), Refused> {
        if self.pending >= self.settings.max_pending {
            return Err(Refused::Pending);
        }
        let claim = self.settings.limiter.admit(peer, received)?;
        let place = if self.has_room(now) {
            self.summaries.clone().try_reserve_owned().map_err(|_| Refused::Events)
        } else {
            Err(Refused::Transfers)
        };
        place.map(|place| (claim, place)).inspect_err(|_| self.settings.limiter.withdrawn(claim))
    }

    /// Returns a TID socket on which this peer has no transfer, or the listening socket if there is none.
    fn tid_for(&mut self, listening: SocketId, listener: ListenerId, peer: &SocketAddr) -> SocketId {
        self.wire
            .sockets
            .tids(listener, peer)
            .find(|tid| self.table.find(*tid, peer).is_none())
            .unwrap_or(listening)
    }

    /// Sends an ERROR to a peer without a transfer, at most at the configured rate: the address may be
    /// spoofed, and the ERROR may be larger than the datagram that it answers.
    fn refuse(&mut self, number: SocketId, datagram: &Received<'_>, code: ErrorCode, text: &str) {
        if !self.settings.limiter.may_answer(self.clock.instant()) {
            return;
        }
        self.wire.error(number, datagram.peer, datagram.local, code, text);
    }
}

/// Returns the meaning of a repeated request for this transfer.
fn repetition(entry: &Entry, now: Time) -> Repetition {
    let core = &entry.core;
    let nothing_but_the_last_ack = core.awaits_last_ack() || core.is_dallying();
    if !nothing_but_the_last_ack && (core.is_deciding() || core.is_unproven()) {
        let is_soon = now.since(core.heard()) < RESTARTED_AFTER;
        // Starting over would not make a disk faster.
        let waits = core.is_deciding() || core.is_stalled();
        return if waits || is_soon { Repetition::Repeated } else { Repetition::Restart };
    }
    // If only the last ACK was lost, the client has the whole file. A device that stores a file again reuses its
    // port, possibly at once.
    let ago = entry.requested.until(now);
    if ago >= MAX_DUPLICATE_DELAY {
        Repetition::Restart
    } else if !nothing_but_the_last_ack && ago < USUAL_DUPLICATE_DELAY {
        Repetition::Repeated
    } else if entry.tid == entry.listening {
        // In single-port mode the new transfer cannot be answered without disturbing the old one.
        let has_left = core.is_dallying() && ago >= MAX_DUPLICATE_DELAY_OF_STORED;
        if has_left || !nothing_but_the_last_ack { Repetition::Restart } else { Repetition::Repeated }
    } else {
        Repetition::Unclear
    }
}
