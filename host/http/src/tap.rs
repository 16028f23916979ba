//! Copies of what passes on connections, for captures.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

/// Gets copies of the bytes of connections: what the clients have sent and what the kernel has taken to be sent. Of HTTPS
/// these are the encrypted ones.
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
    /// The bytes, in parts.
    pub parts: &'a [&'a [u8]],
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
        self.passed(true, &[bytes]);
        self.received = self.received.wrapping_add(bytes.len() as u32);
    }

    /// The first `count` bytes of these parts were sent.
    pub(crate) fn sent<'a>(&mut self, count: usize, parts: impl Iterator<Item = &'a [u8]>) {
        let mut left = count;
        let parts: Vec<&[u8]> = parts
            .map(|part| {
                let taken = &part[..part.len().min(left)];
                left -= taken.len();
                taken
            })
            .filter(|part| !part.is_empty())
            .collect();
        self.passed(false, &parts);
        self.sent = self.sent.wrapping_add(count as u32);
    }

    fn passed(&self, is_inbound: bool, parts: &[&[u8]]) {
        let (before, opposite) =
            if is_inbound { (self.received, self.sent) } else { (self.sent, self.received) };
        let Self { client, local, .. } = *self;
        self.tap.passed(&Segment { client, local, is_inbound, before, opposite, parts });
    }
}
