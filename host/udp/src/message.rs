//! Messages that are queued for sending, and the limits of calls.

use super::Local;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;

/// The most datagrams into which the kernel segments one message (UDP_MAX_SEGMENTS of older kernels).
pub const MAX_SEGMENTS: usize = 64;

/// The most bytes of one message, for all its datagrams together: the content of an IP packet before
/// segmentation.
pub const MAX_MESSAGE: usize = 65_000;

/// Messages per sending call.
pub(super) const SEND_BATCH: usize = 64;

/// Datagrams per receiving call.
pub(super) const RECEIVE_BATCH: usize = 32;

/// The longest UDP payload is 65,507 bytes over IPv4, so nothing is ever truncated.
pub(super) const ROOM: usize = 65_536;

#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) peer: SocketAddr,
    pub(super) local: Option<Local>,
    /// Bytes of the arena: whole datagrams, or only their headers if there is a payload.
    pub(super) bytes: Range<usize>,
    /// Bytes in each datagram but the last.
    pub(super) segment: usize,
    pub(super) payload: Option<Payload>,
    /// Whether the kernel may not segment it.
    pub(super) singly: bool,
}

/// Bytes that are sent in place, each piece after its own header.
#[derive(Debug, Clone)]
pub(super) struct Payload {
    pub(super) content: Arc<[u8]>,
    pub(super) range: Range<usize>,
    /// Bytes in each header.
    pub(super) header: usize,
}

/// Datagrams of a message that the kernel gets in one piece.
#[derive(Debug, Clone)]
pub(super) struct Piece<'a> {
    pub(super) message: &'a Message,
    pub(super) datagrams: Range<usize>,
}

impl Message {
    pub(super) fn datagrams(&self) -> u32 {
        match &self.payload {
            None => self.bytes.len().div_ceil(self.segment).max(1) as u32,
            Some(payload) => (self.bytes.len() / payload.header) as u32,
        }
    }

    pub(super) fn whole(&self) -> Piece<'_> {
        Piece { message: self, datagrams: 0..self.datagrams() as usize }
    }
}

impl<'a> Piece<'a> {
    /// Calls `each` for the parts of the piece in order: all of it, or header, payload, header, payload, …
    pub(super) fn parts<'b>(&self, arena: &'b [u8], mut each: impl FnMut(&'b [u8]))
    where
        'a: 'b,
    {
        let Piece { message, datagrams } = self;
        let Some(payload) = &message.payload else {
            let start = message.bytes.start + datagrams.start * message.segment;
            let stop = (message.bytes.start + datagrams.end * message.segment).min(message.bytes.end);
            return each(&arena[start..stop]);
        };
        let piece = message.segment - payload.header;
        let bytes = &payload.content[payload.range.clone()];
        for datagram in datagrams.clone() {
            let header = message.bytes.start + datagram * payload.header;
            each(&arena[header..header + payload.header]);
            let start = (datagram * piece).min(bytes.len());
            let stop = (start + piece).min(bytes.len());
            if stop > start {
                each(&bytes[start..stop]);
            }
        }
    }
}
