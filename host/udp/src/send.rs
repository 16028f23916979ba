//! Sending in batches, across peers.

use super::Local;
use super::calls::Sender;
use super::message::{Message, Payload, Piece, SEND_BATCH};
use super::segment_limits::SegmentLimits;
use super::socket::Socket;
use super::unreachable::may_be_report;
use std::io;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Queued bytes per call.
const ARENA_BYTES: usize = 1 << 20;

/// How long to wait for room in a full send buffer before the datagrams count as lost.
const FULL_BUFFER_WAIT: Duration = Duration::from_millis(5);

/// How often in a row a call may fail because of ICMP errors of earlier datagrams: the kernel returns such an
/// error once, instead of a result, and has then sent nothing (ip(7), IP_RECVERR).
const MAX_LATE_ERRORS: u32 = 3;

/// The result of sending a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendReport {
    /// Datagrams that the kernel refused; to a peer they look like loss on the path.
    pub lost: u32,
    /// Messages that were sent again in pieces because the kernel refused to segment them.
    pub unsegmented: u32,
}

/// Messages queued for one socket.
pub struct SendBatch {
    arena: Box<[u8]>,
    used: usize,
    messages: Vec<Message>,
    segment_limits: SegmentLimits,
    sender: Sender,
}

impl SendBatch {
    /// Allocates the buffers.
    pub fn new() -> Self {
        SendBatch {
            arena: vec![0; ARENA_BYTES].into_boxed_slice(),
            used: 0,
            messages: Vec::with_capacity(SEND_BATCH),
            segment_limits: SegmentLimits::default(),
            sender: Sender::new(),
        }
    }

    /// Returns whether no message is queued.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Returns whether a message of `length` bytes still fits; if not, flush first.
    pub fn has_room(&self, length: usize) -> bool {
        self.messages.len() < SEND_BATCH && self.used + length <= self.arena.len()
    }

    /// Returns room for the `length` bytes of the next message; `None` if they do not fit. Nothing is sent
    /// before [`SendBatch::push`].
    pub fn room(&mut self, length: usize) -> Option<&mut [u8]> {
        if self.messages.len() >= SEND_BATCH {
            return None;
        }
        self.arena.get_mut(self.used..self.used + length)
    }

    /// Queues the first `length` bytes of the room as datagrams of `segment` bytes, the last of which may be
    /// shorter. At most [`MAX_SEGMENTS`](super::MAX_SEGMENTS) datagrams and [`MAX_MESSAGE`](super::MAX_MESSAGE) bytes, unless it is a single datagram.
    pub fn push(&mut self, peer: SocketAddr, local: Option<Local>, length: usize, segment: usize) {
        debug_assert!(self.messages.len() < SEND_BATCH && self.used + length <= self.arena.len());
        let bytes = self.used..self.used + length;
        self.used = bytes.end;
        self.messages.push(Message {
            peer,
            local,
            bytes,
            segment: segment.max(1),
            payload: None,
            singly: false,
        });
    }

    /// As [`SendBatch::push`], but the room holds only headers of `header` bytes; the payload of each
    /// datagram, `segment - header` bytes and the rest in the last, follows from `content[range]` without a
    /// copy. The room must have a header for each piece of the range, including an empty last one.
    pub fn push_gathered(
        &mut self,
        peer: SocketAddr,
        local: Option<Local>,
        (headers, header): (usize, usize),
        segment: usize,
        (content, range): (&Arc<[u8]>, Range<usize>),
    ) {
        debug_assert!(header > 0 && segment > header && headers % header == 0 && range.end <= content.len());
        debug_assert!(range.len() <= headers / header * (segment - header));
        let bytes = self.used..self.used + headers;
        self.used = bytes.end;
        let payload = Payload { content: content.clone(), range, header };
        self.messages.push(Message { peer, local, bytes, segment, payload: Some(payload), singly: false });
    }

    /// Sends the message that was queued last as single datagrams: a receiver with a small buffer reads some of them
    /// while the others are on their way, and the kernel would queue those of a segmented message all at once.
    pub fn last_singly(&mut self) {
        if let Some(message) = self.messages.last_mut() {
            message.singly = true;
        }
    }

    /// Sends all queued messages. Waits briefly for room in a full send buffer; then datagrams count as lost
    /// and the protocol retransmits them.
    pub fn flush(&mut self, socket: &Socket) -> SendReport {
        let mut report = SendReport::default();
        let mut messages = std::mem::take(&mut self.messages);
        let mut rest = &messages[..];
        // Errors of earlier datagrams that were reported instead of a result for `rest`.
        let mut late_errors = 0;
        while let Some(first) = rest.first() {
            if !self.goes_whole(socket, first) {
                report.lost += self.send_plain(socket, first);
                rest = &rest[1..];
                continue;
            }
            match self.send(socket, rest) {
                Ok(sent) => {
                    rest = &rest[sent.max(1)..];
                    late_errors = 0;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if !wait_writable(socket) {
                        report.lost += rest.iter().map(Message::datagrams).sum::<u32>();
                        break;
                    }
                }
                Err(error) if is_late(socket, &error) && late_errors < MAX_LATE_ERRORS => late_errors += 1,
                Err(error) => {
                    let message = &rest[0];
                    // The error of a single datagram is not about segmentation.
                    if message.datagrams() > 1 && refuses_segments(&error) {
                        // A device without checksum offload refuses all, a small MTU only large ones.
                        let limit =
                            if error.raw_os_error() == Some(libc::EIO) { 0 } else { message.segment - 1 };
                        self.segment_limits.learn(message.peer.ip(), limit, Instant::now());
                        report.unsegmented += 1;
                        report.lost += self.send_plain(socket, message);
                    } else {
                        report.lost += message.datagrams();
                    }
                    rest = &rest[1..];
                    late_errors = 0;
                }
            }
        }
        messages.clear();
        self.messages = messages;
        self.used = 0;
        report
    }

    /// Sends messages up to the first that fails or must be segmented here; an error is that of the very
    /// first.
    fn send(&mut self, socket: &Socket, messages: &[Message]) -> io::Result<usize> {
        let whole = |message: &&Message| self.goes_whole(socket, message);
        let count = messages.iter().take(SEND_BATCH).take_while(whole).count();
        self.submit(socket, messages[..count].iter().map(Message::whole))
    }

    /// Sends a message as single datagrams, because the kernel does not segment it; returns the number of
    /// lost ones.
    fn send_plain(&mut self, socket: &Socket, message: &Message) -> u32 {
        let datagrams = message.datagrams() as usize;
        let (mut at, mut late_errors) = (0, 0);
        while at < datagrams {
            let next = at..datagrams.min(at + SEND_BATCH);
            let single = next.map(|datagram| Piece { message, datagrams: datagram..datagram + 1 });
            match self.submit(socket, single) {
                Ok(sent) => {
                    at += sent.max(1);
                    late_errors = 0;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && wait_writable(socket) => {}
                Err(error) if is_late(socket, &error) && late_errors < MAX_LATE_ERRORS => late_errors += 1,
                Err(_) => return (datagrams - at) as u32,
            }
        }
        0
    }

    /// Calls `each` for every queued datagram, with its peer, its source address if one is set, and its bytes in two
    /// parts, of which the second may be empty.
    pub fn each(&self, mut each: impl FnMut(SocketAddr, Option<Local>, &[u8], &[u8])) {
        for Message { peer, local, bytes, segment, payload, .. } in &self.messages {
            let bytes = &self.arena[bytes.clone()];
            match payload {
                None => bytes.chunks(*segment).for_each(|datagram| each(*peer, *local, datagram, &[])),
                Some(Payload { content, range, header }) => {
                    let mut rest = &content[range.clone()];
                    for header in bytes.chunks(*header) {
                        let (now, later) = rest.split_at(rest.len().min(segment - header.len()));
                        each(*peer, *local, header, now);
                        rest = later;
                    }
                }
            }
        }
    }

    /// Returns the queued datagrams instead of sending them: for tests without a network.
    pub fn drain(&mut self) -> Vec<(SocketAddr, Vec<u8>)> {
        let mut datagrams = Vec::new();
        self.each(|peer, _, header, payload| datagrams.push((peer, [header, payload].concat())));
        self.messages.clear();
        self.used = 0;
        datagrams
    }

    fn submit<'a>(
        &mut self,
        socket: &Socket,
        pieces: impl Iterator<Item = Piece<'a>> + Clone,
    ) -> io::Result<usize> {
        match self.sender.send(socket.inner(), &self.arena, pieces.clone()) {
            Err(error) if error.raw_os_error() == Some(libc::EMSGSIZE) && socket.allow_fragments() => {
                self.sender.send(socket.inner(), &self.arena, pieces)
            }
            sent => sent,
        }
    }

    /// Whether to pass the message to the kernel in one piece: a single datagram, or one that the kernel may
    /// segment.
    fn goes_whole(&self, socket: &Socket, message: &Message) -> bool {
        message.datagrams() == 1
            || (!message.singly
                && socket.segments()
                && self.segment_limits.allow(message.peer.ip(), message.segment))
    }
}

impl Default for SendBatch {
    fn default() -> Self {
        SendBatch::new()
    }
}

fn wait_writable(socket: &Socket) -> bool {
    let mut ready = [rustix::event::PollFd::new(socket, rustix::event::PollFlags::OUT)];
    let patience = rustix::event::Timespec { tv_sec: 0, tv_nsec: FULL_BUFFER_WAIT.as_nanos() as _ };
    rustix::event::poll(&mut ready, Some(&patience)).is_ok_and(|count| count > 0)
}

/// The errors with which kernels refuse UDP_SEGMENT: no checksum offload (EIO), segments beyond the MTU
/// (EINVAL, EMSGSIZE), no such option (ENOPROTOOPT).
fn refuses_segments(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EIO | libc::EINVAL | libc::EMSGSIZE | libc::ENOPROTOOPT))
}

/// Returns whether this may be the ICMP error of an earlier datagram.
fn is_late(socket: &Socket, error: &io::Error) -> bool {
    socket.reports_errors() && may_be_report(error)
}

#[cfg(test)]
mod tests;
