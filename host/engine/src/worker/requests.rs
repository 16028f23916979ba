//! Admission in the worker: from a datagram on a listening socket to a transfer that waits for its decision.

use super::Worker;
use super::messages::{Key, NewRequest, Place, ToControl};
use super::progress_check::ProgressCheck;
use super::sockets::{ListenerId, SocketId};
use super::table::Entry;
use super::transmit::Transmit;
use super::unread::Unread;
use crate::limits::{Claim, Refused};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tuffet_core::{ErrorCode, Packet, RequestPacket, Time, Transfer};
use tuffet_request::events::{Ending, Outcome};
use tuffet_udp::{Local, ReceiveBatch, Received};

/// RFC 2347 allows 512 bytes; some clients send more.
const MAX_REQUEST: usize = 2048;

/// How long a transfer may be without progress before the same request from the same port shows that the
/// client has started over.
const ANEW: Duration = Duration::from_secs(1);

/// The longest delay of a duplicated datagram. Copies arrive milliseconds after their originals: from a
/// retransmission on a radio link, or from two paths of a bridge. Clients repeat an unanswered request after
/// a second or more, so a client that has started over and whose first request is taken for a copy is served
/// when it repeats it.
pub(super) const DOUBLED: Duration = Duration::from_millis(500);

/// ACKs that may come to other TID ports while a transfer is half-open, less one: late ones of earlier transfers from
/// the same port.
const MOST_MISSES: u8 = 8;

/// What it means that a port sends the request of its transfer again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Again {
    /// A copy, or a repetition because the first answer has not arrived.
    Repeated,
    /// Either a copy or a client that has started over: both send the same packets so far.
    Unclear,
    /// The client has started over.
    Anew,
}

/// A request from a port whose last transfer lacks only its last ACK.
pub(super) struct DeferredRequest {
    listening: SocketId,
    served: SocketId,
    peer: SocketAddr,
    local: Option<Local>,
    payload: Box<[u8]>,
}

impl<T: Transmit> Worker<T> {
    /// A datagram on a listening socket that belongs to no transfer there.
    pub(super) fn request(
        &mut self,
        listening: SocketId,
        listener: ListenerId,
        datagram: &Received<'_>,
        now: Time,
    ) {
        // Every worker has a copy of a broadcast: one answers. With a single port the kernel chooses the
        // worker that will get the ACKs, which is not known here, so that all must.
        let copied = datagram.local.is_some_and(|local| local.copied);
        let first = self.number == 0 && self.wire.sockets.is_first(listening);
        if copied && !first && self.wire.sockets.has_tids(listener) {
            return;
        }
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
            // An answer to nothing, or noise: an answer could start a loop between two servers.
            Ok(_) => self.wire.counters.stray += 1,
            Err(malformed) if malformed.is_request() => {
                self.wire.counters.malformed += 1;
                self.refuse(listening, datagram, ErrorCode::IllegalOperation, &malformed.to_string());
            }
            Err(_) => self.wire.counters.malformed += 1,
        }
    }

    /// A request from a port that has a transfer already: a repetition, or the client wants something else.
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
        let again = if same { again(entry, now) } else { Again::Anew };
        if again == Again::Repeated {
            self.wire.counters.repeated += 1;
            if entry.core.is_unproven() {
                entry.requested = now;
            }
            entry.core.handle_repeated_request(now);
            self.drive(index, None, now);
            return;
        }
        // Its last ACK may be unread in another socket: see `take_deferred_requests`.
        if entry.core.awaits_last_ack() && entry.served != listening && !self.looked_for_acks {
            let Received { peer, local, payload, .. } = *datagram;
            let served = entry.served;
            self.deferred_requests.push(DeferredRequest {
                listening,
                served,
                peer,
                local,
                payload: payload.into(),
            });
            return;
        }
        let dallying = entry.core.is_dallying();
        if !same && !dallying && self.recent.came_lately(fingerprint, now) {
            // A late copy of this port's request before its current transfer.
            self.wire.counters.repeated += 1;
            return;
        }
        let two_ports = entry.served != listening;
        let has_room = self.table.len() < self.settings.max_transfers;
        if (again == Again::Unclear || dallying) && two_ports && has_room {
            return self.begin_beside(index, listening, listener, datagram, now);
        }
        // iPXE and U-Boot reuse a source port. The earlier request no longer matters, and an ERROR for it
        // could be taken for an answer to the new one.
        self.supersede(index);
        self.request(listening, listener, datagram, now);
    }

    /// Begins a new transfer for a peer whose old one may still be wanted. The old one keeps its TID, and ends
    /// when the client answers the new one: a client that has begun anew does, one whose request was doubled
    /// only ever answers its first TID (RFC 1350 section 4).
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
            entry.old = Some(old);
        }
    }

    /// Silently ends a transfer whose client has sent a new request, and the old transfer beside it.
    pub(super) fn supersede(&mut self, index: u32) {
        let Some(entry) = self.table.get_mut(index) else { return };
        entry.ending =
            Some(Box::new(Ending::new(Outcome::Aborted, "the client asked again from the same port")));
        let old = entry.old.take();
        self.forget(index);
        self.supersede_old(old);
    }

    /// As [`Worker::supersede`], for a transfer that has stepped aside.
    pub(super) fn supersede_old(&mut self, old: Option<Key>) {
        if let Some(key) = old.filter(|key| self.table.by_key(*key).is_some()) {
            self.supersede(key.index);
        }
    }

    /// Handles the requests that may have overtaken an ACK: earlier datagrams are read first, so that the
    /// previous transfer is known to have succeeded.
    pub(super) fn take_deferred_requests(
        &mut self,
        received: &mut ReceiveBatch,
        unread: &mut Unread,
        now: &mut Time,
    ) {
        for late in std::mem::take(&mut self.deferred_requests) {
            // What is left in it is not signalled again.
            let more = self.receive(late.served, received, now);
            unread.set(late.served, more);
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

    /// A datagram on a TID socket from someone who has no transfer there.
    pub(super) fn stray(&mut self, number: SocketId, datagram: &Received<'_>, now: Time) {
        self.wire.counters.stray += 1;
        if let [0, 4, ..] = datagram.payload {
            return self.missed(number, &datagram.peer, now);
        }
        // RFC 1350 section 4 asks for ERROR 5. Only DATA gets it: its sender still wants something,
        // whereas a late ACK is the end of a transfer that went well, and an ERROR is never answered.
        if let Ok(Packet::Data { .. }) = Packet::parse(datagram.payload) {
            self.refuse(number, datagram, ErrorCode::UnknownTransferId, "unknown transfer ID");
        }
    }

    /// An ACK came to a TID port that is not the one of its peer. A client knows its TID port before it sends its first
    /// ACK, so that many of them are guesses of somebody who cannot see the server's answers.
    fn missed(&mut self, number: SocketId, peer: &SocketAddr, now: Time) {
        let Some(listener) = self.wire.sockets.get(number).map(|socket| socket.listener) else { return };
        for listening in self.wire.sockets.listening(listener) {
            let Some(index) = self.table.find(listening, peer) else { continue };
            let Some(entry) = self.table.get_mut(index).filter(|entry| entry.half_open) else { continue };
            entry.misses += 1;
            if entry.misses >= MOST_MISSES {
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
        let (peer, received) = (datagram.peer, Instant::now());
        let (claim, place) = match self.place_for(&peer, received, now) {
            Ok(found) => found,
            // No answer: the client repeats the request in a second, when there may be room.
            Err(refused) => return self.wire.counters.refused[refused as usize] += 1,
        };
        let served = self.tid_for(listening, listener, &peer);
        let mut core = Transfer::server(now, request.operation, self.settings.transfer.clone());
        core.raise_floor(self.peer_floors.of(peer.ip(), now));
        let fingerprint = self.table.fingerprint(&peer, datagram.payload);
        self.recent.note(fingerprint, now);
        let key = self.table.insert(Entry {
            core,
            peer,
            local: self.wire.sockets.source(listening, datagram.local),
            listening,
            served,
            generation: 0,
            operation: request.operation,
            fingerprint,
            requested: now,
            old: None,
            content: None,
            ticket: None,
            progress: None,
            ending: None,
            share: claim.transfer,
            half_open: false,
            gave_way: false,
            misses: 0,
            progress_check: ProgressCheck::new(now),
            stalled: Time::NEVER,
        });
        self.pending += 1;
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let asked_for = ToControl::Request(NewRequest {
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
        self.outbox.push(asked_for);
    }

    /// Takes everything that a request needs to be admitted, or returns the missing limit. The cheapest check
    /// comes first: in a flood nearly every request ends here.
    fn place_for(
        &mut self,
        peer: &SocketAddr,
        received: Instant,
        now: Time,
    ) -> Result<(Claim, Place), Refused> {
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

    /// A TID socket on which this peer has no transfer; the listening socket where there is no such.
    fn tid_for(&mut self, listening: SocketId, listener: ListenerId, peer: &SocketAddr) -> SocketId {
        self.wire
            .sockets
            .tids(listener, peer)
            .find(|tid| self.table.find(*tid, peer).is_none())
            .unwrap_or(listening)
    }

    /// Tells someone who has no transfer why. Not more often than is configured: the address may be that of
    /// somebody else, and an ERROR is larger than what it answers may be.
    fn refuse(&mut self, number: SocketId, datagram: &Received<'_>, code: ErrorCode, text: &str) {
        if !self.settings.limiter.may_answer(Instant::now()) {
            return;
        }
        self.wire.error(number, datagram.peer, datagram.local, code, text);
    }
}

/// Returns the meaning of a repeated request for this transfer.
fn again(entry: &Entry, now: Time) -> Again {
    let core = &entry.core;
    let nothing_but_the_last_ack = core.awaits_last_ack() || core.is_dallying();
    if !nothing_but_the_last_ack {
        let progresses = now.since(core.heard()) < ANEW;
        // Beginning anew would not make a disk faster.
        let waits = core.is_deciding() || (core.is_stalled() && core.is_unproven());
        return if waits || progresses { Again::Repeated } else { Again::Anew };
    }
    // A client whose last ACK was lost has the whole file. A device that stores a file again reuses its port,
    // maybe at once.
    if now.since(entry.requested) >= DOUBLED {
        Again::Anew
    } else if entry.served == entry.listening {
        // In single-port mode the new one cannot be answered without disturbing the old one.
        Again::Repeated
    } else {
        Again::Unclear
    }
}
