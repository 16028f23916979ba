//! A received datagram.

use super::Local;
use std::net::SocketAddr;
use std::slice::Chunks;

/// One datagram of a batch.
#[derive(Debug, Clone, Copy)]
pub struct Received<'a> {
    /// The sender.
    pub peer: SocketAddr,
    /// The destination; `None` if the kernel did not report it.
    pub local: Option<Local>,
    /// The bytes; if the kernel coalesced several datagrams of one peer ([`BindOptions::gro`]), those of all
    /// of them.
    ///
    /// [`BindOptions::gro`]: super::BindOptions::gro
    pub payload: &'a [u8],
    /// Bytes in each datagram of a coalesced payload, the last of which may be shorter.
    pub segment: Option<usize>,
}

impl<'a> Received<'a> {
    /// Returns the datagrams of the payload: one, unless the kernel coalesced several. None if it is empty.
    pub fn datagrams(&self) -> Chunks<'a, u8> {
        self.payload.chunks(self.segment.unwrap_or(self.payload.len()).max(1))
    }

    /// Iterates over the datagrams, each with its addresses. An empty payload is one empty datagram: the
    /// kernel does not coalesce these.
    pub fn each(&self) -> impl Iterator<Item = Received<'a>> + use<'a> {
        let Received { peer, local, payload, .. } = *self;
        let empty = payload.is_empty().then_some(payload);
        self.datagrams().chain(empty).map(move |payload| Received { peer, local, payload, segment: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_datagram_is_one_without_bytes() {
        for segment in [None, Some(100)] {
            let peer = "127.0.0.1:1".parse().unwrap();
            let received = Received { peer, local: None, payload: &[], segment };
            assert_eq!(received.datagrams().count(), 0);
            assert_eq!(received.each().map(|it| it.payload.len()).collect::<Vec<_>>(), [0]);
        }
    }
}
