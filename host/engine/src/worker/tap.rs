//! Copies of datagrams, and of what passes on connections by HTTP, for `tuffet capture`.
//!
//! A worker has a tap only during a capture; otherwise a batch costs one comparison with `None`. Copies go into a
//! bounded queue. If it is full, datagrams are counted instead of copied, so that capturing never makes a worker
//! wait.

use super::Worker;
use super::sockets::SocketId;
use super::transmit::Transmit;
use crossbeam_queue::ArrayQueue;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::SystemTime;
use tuffet_udp::{Local, ReceiveBatch, SendBatch};

/// The most bytes in the queue: some 100 ms of a fast transfer.
const MAX_BYTES: u64 = 16 << 20;

/// The most datagrams in the queue.
const MAX_DATAGRAMS: usize = 16 << 10;

/// The queue between the workers and the reader of a capture.
#[derive(Debug)]
pub struct Tap {
    /// The clients to capture; all of them, if the list is empty. A client without a port matches with any port.
    clients: Vec<(IpAddr, Option<u16>)>,
    queue: ArrayQueue<Tapped>,
    /// Bytes in the queue.
    waiting: AtomicU64,
    dropped: AtomicU64,
}

/// A copy of a datagram, or of a segment of a connection.
#[derive(Debug)]
pub struct Tapped {
    /// When it was received, or handed to the kernel.
    pub at: SystemTime,
    /// Whether it came from the client.
    pub inbound: bool,
    /// The client.
    pub peer: SocketAddr,
    /// The server's end; its address may be unspecified if the kernel chooses it.
    pub local: SocketAddr,
    /// Its payload.
    pub bytes: Box<[u8]>,
    /// Where it belongs in its connection; `None` for a datagram.
    pub place: Option<StreamPlace>,
}

/// Where bytes belong in the two streams of a connection, modulo 2³².
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamPlace {
    /// The bytes that passed before in the same direction.
    pub before: u32,
    /// The bytes that have passed in the other one.
    pub opposite: u32,
}

impl Tap {
    /// Creates a tap for the datagrams of these clients; of all clients, if there are none.
    pub fn new(clients: Vec<(IpAddr, Option<u16>)>) -> Tap {
        let queue = ArrayQueue::new(MAX_DATAGRAMS);
        Tap { clients, queue, waiting: AtomicU64::new(0), dropped: AtomicU64::new(0) }
    }

    /// Takes the oldest copy.
    pub fn take(&self) -> Option<Tapped> {
        let tapped = self.queue.pop()?;
        self.waiting.fetch_sub(tapped.bytes.len() as u64, Relaxed);
        Some(tapped)
    }

    /// Returns the number of datagrams that found no room.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }

    /// Whether the datagrams of a client are copied.
    pub fn wants(&self, peer: &SocketAddr) -> bool {
        let (ip, port) = (peer.ip().to_canonical(), peer.port());
        let is_it = |(its, only): &(IpAddr, Option<u16>)| *its == ip && only.is_none_or(|only| only == port);
        self.clients.is_empty() || self.clients.iter().any(is_it)
    }

    /// Copies bytes that have passed on a connection between a client, which this tap wants, and the server's end.
    pub fn put_segment(
        &self,
        inbound: bool,
        ends: (SocketAddr, SocketAddr),
        place: StreamPlace,
        bytes: &[u8],
    ) {
        self.put(SystemTime::now(), inbound, ends, [bytes, &[]], Some(place));
    }

    fn put(
        &self,
        at: SystemTime,
        inbound: bool,
        ends: (SocketAddr, SocketAddr),
        parts: [&[u8]; 2],
        place: Option<StreamPlace>,
    ) {
        let length = (parts[0].len() + parts[1].len()) as u64;
        // Checked first, so that no datagram is copied in vain.
        let has_room = self.waiting.fetch_add(length, Relaxed) + length <= MAX_BYTES && !self.queue.is_full();
        let (peer, local) = ends;
        let copy = || Tapped { at, inbound, peer, local, bytes: parts.concat().into(), place };
        if !has_room || self.queue.push(copy()).is_err() {
            self.waiting.fetch_sub(length, Relaxed);
            self.dropped.fetch_add(1, Relaxed);
        }
    }

    /// Copies the datagrams that a socket with this address is about to send, to clients or to one of `groups`.
    pub(super) fn sent(&self, through: SocketAddr, batch: &SendBatch, groups: &[SocketAddr]) {
        let at = SystemTime::now();
        batch.each(|peer, local, header, payload| {
            if self.wants(&peer) || groups.contains(&peer) {
                self.put(at, false, (peer, end(through, local)), [header, payload], None);
            }
        });
    }

    pub(super) fn received(&self, through: SocketAddr, batch: &ReceiveBatch) {
        let at = SystemTime::now();
        for buffer in (0..batch.len()).filter_map(|index| batch.get(index)) {
            if self.wants(&buffer.peer) {
                for datagram in buffer.each() {
                    self.put(
                        at,
                        true,
                        (buffer.peer, end(through, buffer.local)),
                        [datagram.payload, &[]],
                        None,
                    );
                }
            }
        }
    }
}

/// The server's end of a datagram.
fn end(socket: SocketAddr, local: Option<Local>) -> SocketAddr {
    let address = local.and_then(|local| local.address).filter(|_| socket.ip().is_unspecified());
    SocketAddr::new(address.unwrap_or(socket.ip()), socket.port())
}

impl<T: Transmit> Worker<T> {
    /// Copies the datagrams that a socket has just received, during a capture.
    pub(super) fn tap_received(&self, number: SocketId, batch: &ReceiveBatch) {
        let Some(tap) = &self.wire.tap else { return };
        if let Some(socket) = self.wire.sockets.get(number) {
            tap.received(socket.socket.local(), batch);
        }
    }

    /// Starts or stops a capture.
    pub(super) fn set_tap(&mut self, tap: Option<Arc<Tap>>) {
        self.wire.tap = tap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(port: u16) -> SocketAddr {
        ([192, 0, 2, 1], port).into()
    }

    fn put(tap: &Tap, bytes: usize) {
        tap.put(SystemTime::UNIX_EPOCH, true, (peer(1), peer(69)), [&vec![7; bytes], &[8]], None);
    }

    #[test]
    fn datagrams_without_room_are_counted() {
        let tap = Tap::new(Vec::new());
        for _ in 0..MAX_DATAGRAMS + 5 {
            put(&tap, 9);
        }
        assert_eq!(tap.dropped(), 5);
        let first = tap.take().unwrap();
        assert_eq!((first.bytes.len(), first.bytes[9]), (10, 8));
        while tap.take().is_some() {}
        assert_eq!(tap.waiting.load(Relaxed), 0);
        // Large ones: bytes count, too.
        for _ in 0..300 {
            put(&tap, (1 << 16) - 1);
        }
        assert_eq!(tap.dropped(), 5 + 300 - (MAX_BYTES >> 16));
        while tap.take().is_some() {}
        put(&tap, 1);
        assert!(tap.take().is_some() && tap.take().is_none());
        assert_eq!(tap.waiting.load(Relaxed), 0);
    }

    #[test]
    fn a_client_is_an_address_or_one_port_of_it() {
        assert!(Tap::new(Vec::new()).wants(&peer(1)));
        let all = Tap::new(vec![([192, 0, 2, 1].into(), None)]);
        assert!(all.wants(&peer(1)) && all.wants(&"[::ffff:192.0.2.1]:1".parse().unwrap()));
        assert!(!all.wants(&([192, 0, 2, 2], 1).into()));
        let one = Tap::new(vec![([192, 0, 2, 1].into(), Some(7))]);
        assert!(one.wants(&peer(7)) && !one.wants(&peer(8)));
    }
}
