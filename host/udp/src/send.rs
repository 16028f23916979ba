//! Sending: sendmmsg(2) across peers, UDP_SEGMENT within a window.

mod queued;

use super::address::{CONTROL_ROOM, ControlBuffer, ControlWriter, to_kernel};
use super::segment_limits::SegmentLimits;
use super::send_errors::{MAX_LATE_ERRORS, is_late, refuses_segments};
use super::{Local, Socket};
use std::io;
use std::mem::zeroed;
use std::net::SocketAddr;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most datagrams into which the kernel segments one message (UDP_MAX_SEGMENTS of older kernels).
pub const MAX_SEGMENTS: usize = 64;

/// The most bytes of one message, for all its datagrams together: the content of an IP packet before
/// segmentation.
pub const MAX_MESSAGE: usize = 65_000;

/// Messages per call.
const BATCH: usize = 64;

/// Queued bytes per call.
const ARENA_BYTES: usize = 1 << 20;

/// How long to wait for room in a full send buffer before the datagrams count as lost.
const FULL_BUFFER_WAIT: Duration = Duration::from_millis(5);

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
    addresses: Box<[libc::sockaddr_storage]>,
    controls: Box<[ControlBuffer]>,
    vectors: Box<[libc::iovec]>,
    headers: Box<[libc::mmsghdr]>,
}

#[derive(Debug, Clone)]
struct Message {
    peer: SocketAddr,
    local: Option<Local>,
    /// Bytes of the arena: whole datagrams, or only their headers if there is a payload.
    bytes: Range<usize>,
    /// Bytes in each datagram but the last.
    segment: usize,
    payload: Option<Payload>,
    /// Whether the kernel may not segment it.
    singly: bool,
}

/// Bytes that are sent in place, each piece after its own header.
#[derive(Debug, Clone)]
struct Payload {
    content: Arc<[u8]>,
    range: Range<usize>,
    /// Bytes in each header.
    header: usize,
}

// SAFETY: the raw pointers in `headers` and `vectors` are written anew before each call and read by no one
// else; what they point at is owned by the same value.
unsafe impl Send for SendBatch {}

impl SendBatch {
    /// Allocates the buffers.
    pub fn new() -> Self {
        // SAFETY: all-zero bytes are valid for these C structures (null pointers, zero lengths).
        let (address, header, vector): (libc::sockaddr_storage, libc::mmsghdr, libc::iovec) =
            unsafe { (zeroed(), zeroed(), zeroed()) };
        SendBatch {
            arena: vec![0; ARENA_BYTES].into_boxed_slice(),
            used: 0,
            messages: Vec::with_capacity(BATCH),
            segment_limits: SegmentLimits::default(),
            addresses: vec![address; BATCH].into_boxed_slice(),
            controls: vec![ControlBuffer([0; CONTROL_ROOM]); BATCH].into_boxed_slice(),
            vectors: vec![vector; BATCH * 2 * MAX_SEGMENTS].into_boxed_slice(),
            headers: vec![header; BATCH].into_boxed_slice(),
        }
    }

    /// Returns whether no message is queued.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Returns whether a message of `length` bytes still fits; if not, flush first.
    pub fn has_room(&self, length: usize) -> bool {
        self.messages.len() < BATCH && self.used + length <= self.arena.len()
    }

    /// Returns room for the `length` bytes of the next message; `None` if they do not fit. Nothing is sent
    /// before [`SendBatch::push`].
    pub fn room(&mut self, length: usize) -> Option<&mut [u8]> {
        if self.messages.len() >= BATCH {
            return None;
        }
        self.arena.get_mut(self.used..self.used + length)
    }

    /// Queues the first `length` bytes of the room as datagrams of `segment` bytes, the last of which may be
    /// shorter. At most [`MAX_SEGMENTS`] datagrams and [`MAX_MESSAGE`] bytes, unless it is a single datagram.
    pub fn push(&mut self, peer: SocketAddr, local: Option<Local>, length: usize, segment: usize) {
        debug_assert!(self.messages.len() < BATCH && self.used + length <= self.arena.len());
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
        let count = messages.iter().take(BATCH).take_while(whole).count();
        let mut vector = 0;
        for (index, message) in messages[..count].iter().enumerate() {
            vector = self.prepare(index, vector, message, 0..message.datagrams() as usize);
        }
        self.submit(socket, count)
    }

    /// Sends a message as single datagrams, because the kernel does not segment it; returns the number of
    /// lost ones.
    fn send_plain(&mut self, socket: &Socket, message: &Message) -> u32 {
        let datagrams = message.datagrams() as usize;
        let (mut at, mut late_errors) = (0, 0);
        while at < datagrams {
            let count = (datagrams - at).min(BATCH);
            let mut vector = 0;
            for index in 0..count {
                vector = self.prepare(index, vector, message, at + index..at + index + 1);
            }
            match self.submit(socket, count) {
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

    /// Describes some datagrams of a message to the kernel in one header, from the given index of the vectors
    /// on; returns the next free index.
    fn prepare(&mut self, index: usize, vector: usize, message: &Message, datagrams: Range<usize>) -> usize {
        let mut control = ControlWriter::new(&mut self.controls[index]);
        if let Some(local) = &message.local {
            control.source(local, &message.peer);
        }
        if datagrams.len() > 1 {
            control.segment(message.segment as u16);
        }
        let used = control.finish();
        let end = match &message.payload {
            None => {
                let start = message.bytes.start + datagrams.start * message.segment;
                let stop = (message.bytes.start + datagrams.end * message.segment).min(message.bytes.end);
                self.vectors[vector] = vector_of(&self.arena[start..stop]);
                vector + 1
            }
            Some(payload) => self.gather(vector, message, payload, datagrams),
        };
        let header = &mut self.headers[index].msg_hdr;
        header.msg_namelen = to_kernel(&message.peer, &mut self.addresses[index]);
        header.msg_name = std::ptr::from_mut(&mut self.addresses[index]).cast();
        header.msg_iov = std::ptr::from_mut(&mut self.vectors[vector]);
        header.msg_iovlen = (end - vector) as _;
        header.msg_control =
            if used == 0 { std::ptr::null_mut() } else { self.controls[index].0.as_mut_ptr().cast() };
        header.msg_controllen = used as _;
        end
    }

    /// Header, payload, header, payload, …
    fn gather(
        &mut self,
        vector: usize,
        message: &Message,
        payload: &Payload,
        datagrams: Range<usize>,
    ) -> usize {
        let piece = message.segment - payload.header;
        let bytes = &payload.content[payload.range.clone()];
        let mut at = vector;
        for datagram in datagrams {
            let header = message.bytes.start + datagram * payload.header;
            self.vectors[at] = vector_of(&self.arena[header..header + payload.header]);
            at += 1;
            let start = (datagram * piece).min(bytes.len());
            let stop = (start + piece).min(bytes.len());
            if stop > start {
                self.vectors[at] = vector_of(&bytes[start..stop]);
                at += 1;
            }
        }
        at
    }

    fn submit(&mut self, socket: &Socket, count: usize) -> io::Result<usize> {
        match self.submit_once(socket, count) {
            Err(error) if error.raw_os_error() == Some(libc::EMSGSIZE) && socket.allow_fragments() => {
                self.submit_once(socket, count)
            }
            sent => sent,
        }
    }

    fn submit_once(&mut self, socket: &Socket, count: usize) -> io::Result<usize> {
        // SAFETY: the first `count` headers were prepared just now; each points at its own address, control
        // and vectors in `self`, and these at bytes of the arena or of a content that its message holds.
        // All live and stay in place through the call, which only reads the bytes.
        let sent = unsafe {
            sendmmsg(socket.as_raw_fd(), self.headers.as_mut_ptr(), count as libc::c_uint, libc::MSG_DONTWAIT)
        };
        if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(sent as usize) }
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

#[cfg(not(target_env = "musl"))]
use libc::sendmmsg;

/// sendmmsg(2). That of musl is a loop of sendmsg(2): POSIX gives three fields narrower types than the kernel, and musl
/// does not rely on zeroes behind them. Here they are zeroed when they are made, and nothing writes them.
///
/// # Safety
/// As for sendmmsg(2), and the padding of each header and control message is zero.
#[cfg(target_env = "musl")]
unsafe fn sendmmsg(
    socket: libc::c_int,
    headers: *mut libc::mmsghdr,
    count: libc::c_uint,
    flags: libc::c_int,
) -> libc::c_long {
    const { assert!(cfg!(target_endian = "little"), "the padding stands behind the value") };
    // SAFETY: the caller keeps what sendmmsg(2) asks for.
    unsafe { libc::syscall(libc::SYS_sendmmsg, socket, headers, count, flags) }
}

impl Default for SendBatch {
    fn default() -> Self {
        SendBatch::new()
    }
}

impl Message {
    fn datagrams(&self) -> u32 {
        match &self.payload {
            None => self.bytes.len().div_ceil(self.segment).max(1) as u32,
            Some(payload) => (self.bytes.len() / payload.header) as u32,
        }
    }
}

/// A vector for sending: the kernel only reads the bytes.
fn vector_of(bytes: &[u8]) -> libc::iovec {
    libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() }
}

fn wait_writable(socket: &Socket) -> bool {
    let mut ready = [rustix::event::PollFd::new(socket, rustix::event::PollFlags::OUT)];
    let patience = rustix::event::Timespec { tv_sec: 0, tv_nsec: FULL_BUFFER_WAIT.as_nanos() as _ };
    rustix::event::poll(&mut ready, Some(&patience)).is_ok_and(|count| count > 0)
}

#[cfg(test)]
mod tests;
