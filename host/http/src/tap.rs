//! Copies of what passes on connections, for captures.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

/// Gets copies of the bytes of connections: what the clients have sent, and what the kernel has taken to be sent. For HTTPS,
/// these are the encrypted bytes.
pub trait Tap: fmt::Debug + Send + Sync {
    /// Gets bytes that have passed. It must not block.
    fn passed(&self, segment: &Segment<'_>);
}

/// Bytes that have passed on a connection, at once.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Segment<'a> {
    /// The client's end of the connection.
    pub client: SocketAddr,
    /// The server's end.
    pub local: SocketAddr,
    /// Whether the client has sent them.
    pub is_inbound: bool,
    /// The number of bytes that passed in this direction before, modulo 2³².
    pub before: u32,
    /// The number of bytes that have passed in the other direction, modulo 2³².
    pub opposite: u32,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// The tap of one connection.
#[derive(Debug)]
pub(crate) struct ConnectionTap {
    tap: Arc<dyn Tap>,
    client: SocketAddr,
    local: SocketAddr,
    received: u32,
    sent: u32,
}

impl ConnectionTap {
    pub(crate) fn new(tap: Arc<dyn Tap>, client: SocketAddr, local: SocketAddr) -> ConnectionTap {
        ConnectionTap { tap, client, local, received: 0, sent: 0 }
    }

    pub(crate) fn received(&mut self, bytes: &[u8]) {
        self.passed(true, bytes);
        self.received = self.received.wrapping_add(bytes.len() as u32);
    }

    /// The first `count` bytes of these parts were sent.
    pub(crate) fn sent<'a>(&mut self, count: usize, parts: impl Iterator<Item = &'a [u8]>) {
        let mut left = count;
        for part in parts {
            let bytes = &part[..part.len().min(left)];
            if bytes.is_empty() {
                continue;
            }
            left -= bytes.len();
            self.passed(false, bytes);
            self.sent = self.sent.wrapping_add(bytes.len() as u32);
        }
    }

    fn passed(&self, is_inbound: bool, bytes: &[u8]) {
        let (before, opposite) =
            if is_inbound { (self.received, self.sent) } else { (self.sent, self.received) };
        let Self { client, local, .. } = *self;
        self.tap.passed(&Segment { client, local, is_inbound, before, opposite, bytes });
    }
}
