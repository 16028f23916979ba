//! The sockets of a worker: its share of each listening port, and its pools of TID ports.

use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::ops::Range;
use std::os::fd::AsRawFd;
use tuffet_udp::{BindOptions, KERNEL_BUFFER, Local, Socket};

/// TID ports of a listener, of all workers together, unless the configuration says otherwise.
///
/// The port is all that a client proves its address with: somebody who forges ACKs has to find it. Each port is a
/// descriptor and some 2.5 KiB of the kernel's memory.
const TID_PORTS: u64 = 512;

/// The part of a process's descriptors that TID ports may take by default: the rest is for files and connections.
const DESCRIPTORS: u64 = 8;

/// TID ports that the transfers of one client address take turns on. Consecutive transfers of a client that uses its
/// port again get different ports. More of them, or ports spread over all clients, would leave a busy worker with
/// one datagram for each system call.
const GROUP: u16 = 4;

/// The fewest TID ports of a listener in one worker.
const LEAST: u64 = 4;

/// Bytes asked for the receive buffer of a TID port. The clients of a listener share all of them; a listening port takes
/// the requests of all, and has more.
const TID_BUFFER: usize = 1 << 20;

/// TID ports of each listener in one worker. `given`: those of the listener in all workers, if the configuration
/// says so; otherwise some that fit into `descriptors`.
pub fn tid_ports(given: Option<u16>, listeners: usize, workers: usize, descriptors: Option<u64>) -> u16 {
    let all = match (given, descriptors) {
        (Some(given), _) => u64::from(given),
        (None, None) => TID_PORTS,
        (None, Some(descriptors)) => TID_PORTS.min(descriptors / DESCRIPTORS / listeners.max(1) as u64),
    };
    let each = all.div_ceil(workers.max(1) as u64);
    // An operator may want fewer.
    let least = if given.is_some() { 1 } else { LEAST };
    each.clamp(least, u16::MAX.into()) as u16
}

/// Sockets of one listener in one worker.
pub fn sockets_per_worker(single_port: bool, tid_ports: u16) -> u64 {
    1 + if single_port { 0 } else { u64::from(tid_ports) }
}

/// Bytes that are asked for the receive buffers of one listener in one worker.
pub fn receive_buffers_per_worker(single_port: bool, tid_ports: u16) -> u64 {
    let tids = sockets_per_worker(single_port, tid_ports) - 1;
    KERNEL_BUFFER as u64 + tids * TID_BUFFER as u64
}

/// A listener as configured and bound.
#[derive(Debug, Clone)]
pub struct ListenerSpec {
    /// Where requests come in.
    pub address: SocketAddr,
    /// Answers come from the listening port too (for NAT, containers and load balancers).
    pub single_port: bool,
    /// TID ports in each worker, unused with a single port; see [`tid_ports`].
    pub tid_ports: u16,
    /// Blocks of a window that go out to one client within a millisecond; without it, all of them.
    pub burst: Option<u16>,
}

/// The number of a listener: its place in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListenerId(pub(super) u16);

impl From<ListenerId> for usize {
    fn from(id: ListenerId) -> usize {
        usize::from(id.0)
    }
}

/// The number of a socket: its place among those of its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId(pub(super) u16);

impl From<SocketId> for usize {
    fn from(id: SocketId) -> usize {
        usize::from(id.0)
    }
}

/// One socket and what it is for.
pub(super) struct WorkerSocket {
    pub(super) socket: Socket,
    /// The listener that it belongs to.
    pub(super) listener: ListenerId,
    /// Whether requests come in here.
    pub(super) listens: bool,
}

/// All sockets of one worker.
pub struct Sockets {
    all: Vec<WorkerSocket>,
    /// For each listener, the numbers of its TID sockets; empty in single-port mode.
    tids: Vec<Range<u16>>,
    /// For each listener, the numbers of its listening sockets.
    listening: Vec<Range<u16>>,
    /// For each listener, how many blocks go out within a millisecond.
    bursts: Vec<Option<u16>>,
    /// Moves on with each transfer.
    turn: u16,
    /// With a key of its own: nobody outside knows which client has which ports.
    chooser: RandomState,
}

/// What a listening socket is to tell. Nothing of closed ports, unless transfers are served through it.
const LISTENING: BindOptions =
    BindOptions { tell_local: true, gro: true, shared: false, errors: false, room: None };

/// Opens the sockets of all workers. `inherited` has the sockets of each listener that were bound before this
/// process began; if there are none, the listener is bound here. Resolves the addresses: port 0 becomes the
/// port that the kernel chose.
///
/// Inherited sockets are distributed among the workers, and each is read by one: all datagrams of a client
/// must reach the worker that has its transfer. The kernel ensures that if several sockets share a port, but
/// nothing would if several workers read one socket. If there are fewer sockets than workers, some workers do
/// not serve this listener.
///
/// # Errors
/// With the number of the listener that failed.
pub fn open_all(
    listeners: &mut [ListenerSpec],
    inherited: Vec<Vec<UdpSocket>>,
    workers: usize,
) -> Result<Vec<Sockets>, (usize, io::Error)> {
    let mut inherited = inherited.into_iter();
    let mut bound: Vec<Sockets> = (0..workers)
        .map(|_| Sockets {
            all: Vec::new(),
            tids: Vec::new(),
            listening: Vec::new(),
            bursts: Vec::new(),
            turn: fastrand::u16(..),
            chooser: RandomState::new(),
        })
        .collect();
    for (number, listener) in listeners.iter_mut().enumerate() {
        let fail = |error| (number, error);
        let given = inherited.next().unwrap_or_default();
        let options = BindOptions { errors: listener.single_port, ..LISTENING };
        if !given.is_empty() {
            let mut shares: Vec<Vec<Socket>> = bound.iter().map(|_| Vec::new()).collect();
            for (turn, socket) in given.into_iter().enumerate() {
                let socket = Socket::inherit(socket, options).map_err(fail)?;
                listener.address = socket.local();
                shares[turn % workers].push(socket);
            }
            for (sockets, share) in bound.iter_mut().zip(shares) {
                sockets.add_listener(ListenerId(number as u16), share, listener).map_err(fail)?;
            }
            continue;
        }
        // With SO_REUSEPORT a second server would share the port in silence, so the port is first taken
        // alone.
        let alone = Socket::bind(listener.address, options).map_err(fail)?;
        listener.address = alone.local();
        let mut alone = (workers == 1).then_some(alone);
        for sockets in &mut bound {
            let socket = match alone.take() {
                Some(socket) => socket,
                None => {
                    Socket::bind(listener.address, BindOptions { shared: true, ..options }).map_err(fail)?
                }
            };
            sockets.add_listener(ListenerId(number as u16), vec![socket], listener).map_err(fail)?;
        }
    }
    Ok(bound)
}

impl Sockets {
    /// A worker without a socket of the listener gets no TID ports for it either.
    fn add_listener(
        &mut self,
        listener: ListenerId,
        sockets: Vec<Socket>,
        spec: &ListenerSpec,
    ) -> io::Result<()> {
        let tid_ports = if spec.single_port || sockets.is_empty() { 0 } else { spec.tid_ports };
        if self.all.len() + sockets.len() + usize::from(tid_ports) > usize::from(u16::MAX) {
            return Err(io::Error::other(
                "a worker has 65535 sockets at most; lower `listeners[].tid-ports`",
            ));
        }
        let mut tid = spec.address;
        tid.set_port(0);
        let before = self.all.len() as u16;
        self.all.extend(sockets.into_iter().map(|socket| WorkerSocket { socket, listener, listens: true }));
        let first = self.all.len() as u16;
        for _ in 0..tid_ports {
            let tell_local = tid.ip().is_unspecified();
            let options =
                BindOptions { tell_local, gro: true, shared: false, errors: true, room: Some(TID_BUFFER) };
            let socket = Socket::bind(tid, options)?;
            self.all.push(WorkerSocket { socket, listener, listens: false });
        }
        self.listening.push(before..first);
        self.tids.push(first..self.all.len() as u16);
        self.bursts.push(spec.burst);
        Ok(())
    }

    pub(super) fn register(&self, registry: &Registry) -> io::Result<()> {
        for (number, socket) in self.all.iter().enumerate() {
            registry.register(
                &mut SourceFd(&socket.socket.as_raw_fd()),
                Token(number),
                Interest::READABLE,
            )?;
        }
        Ok(())
    }

    /// Whether transfers are served through this socket.
    pub(super) fn serves(&self, number: SocketId) -> bool {
        self.get(number).is_some_and(|it| !it.listens || self.tids[usize::from(it.listener)].is_empty())
    }

    /// Whether the listener has TID sockets: not in single-port mode.
    pub(super) fn has_tids(&self, listener: ListenerId) -> bool {
        self.tids.get(usize::from(listener)).is_some_and(|tids| !tids.is_empty())
    }

    /// The numbers of the sockets that a listener listens on.
    pub(super) fn listening(&self, listener: ListenerId) -> impl Iterator<Item = SocketId> + use<> {
        self.listening.get(usize::from(listener)).cloned().unwrap_or_default().map(SocketId)
    }

    /// From now on nobody wakes for new requests, and those that `receive` was told of are left in the kernel:
    /// the next process that has the socket finds them. Answers the numbers of the sockets that were meant. Where
    /// transfers use the listening port, their packets come there as well, and it is read to the end.
    pub(super) fn stop_listening(&self, registry: &Registry) -> Vec<SocketId> {
        let all = (0..).zip(&self.all);
        let only_listens = all.filter(|(_, it)| {
            it.listens && !self.tids.get(usize::from(it.listener)).is_none_or(Range::is_empty)
        });
        only_listens
            .map(|(number, it)| {
                // Where it cannot be taken out, the worker wakes for it in vain.
                let _ = registry.deregister(&mut SourceFd(&it.socket.as_raw_fd()));
                SocketId(number)
            })
            .collect()
    }

    /// Whether this is the first socket of its listener; further ones share its port.
    pub(super) fn is_first(&self, number: SocketId) -> bool {
        let before = number.0.checked_sub(1).and_then(|before| self.get(SocketId(before)));
        let Some(socket) = self.get(number) else { return false };
        !before.is_some_and(|before| before.listens && before.listener == socket.listener)
    }

    pub(super) fn get(&self, number: SocketId) -> Option<&WorkerSocket> {
        self.all.get(usize::from(number))
    }

    /// From where a transfer answers: as it was asked, where the socket could answer from several addresses.
    pub(super) fn source(&self, number: SocketId, local: Option<Local>) -> Option<Local> {
        local.filter(|_| self.get(number).is_some_and(|it| it.socket.local().ip().is_unspecified()))
    }

    /// How many blocks of a window the listener of this socket sends within a millisecond.
    pub(super) fn burst(&self, number: SocketId) -> Option<u16> {
        let listener = self.get(number)?.listener;
        self.bursts.get(usize::from(listener)).copied().flatten()
    }

    /// How many sockets there are.
    pub(super) fn len(&self) -> u16 {
        self.all.len() as u16
    }

    /// The TID sockets of a listener that transfers of this peer may have, each call starting at the next one: a client
    /// that uses its port again gets another TID, so that a late ACK of its last transfer cannot be taken for one of
    /// the next. None in single-port mode.
    ///
    /// They are chosen at random, once for each address: whoever asks from one address learns nothing of the ports of
    /// another.
    pub(super) fn tids(
        &mut self,
        listener: ListenerId,
        peer: &SocketAddr,
    ) -> impl Iterator<Item = SocketId> + use<> {
        let range = self.tids.get(usize::from(listener)).cloned().unwrap_or_default();
        let count = range.len() as u16;
        self.turn = self.turn.wrapping_add(1);
        let size = GROUP.min(count);
        let groups = u64::from(count.checked_div(size).unwrap_or(1));
        let (mut group, mut start) = (0, 0);
        if count > 0 {
            // The last group has the rest of a division, too.
            let random = self.chooser.hash_one(peer.ip());
            group = (random % groups) as u16;
            start = ((random >> 48) as u16).wrapping_add(peer.port()).wrapping_add(self.turn);
        }
        let first = range.start + group * size;
        let size = if u64::from(group) + 1 == groups { range.end - first } else { size };
        (0..size).map(move |step| SocketId(first + (start % size + step) % size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn tid_ports_fit_the_descriptors_unless_they_are_given() {
        assert_eq!(tid_ports(None, 1, 2, None), 256);
        assert_eq!(tid_ports(None, 1, 2, Some(65_536)), 256);
        assert_eq!(tid_ports(None, 2, 2, Some(1_024)), 32);
        assert_eq!(tid_ports(None, 1, 1_000, Some(65_536)), 4);
        assert_eq!(tid_ports(Some(1), 1, 1, None), 1);
        assert_eq!(tid_ports(Some(65_535), 1, 2, Some(1_024)), 32_768);
        assert_eq!((sockets_per_worker(true, 9), sockets_per_worker(false, 9)), (1, 10));
    }

    /// The ports of one address say nothing of those of another, and each port is somebody's.
    #[test]
    fn an_address_has_a_few_ports_of_all() {
        for ports in [1, 3, 4, 8, 50, 64] {
            let address = ([127, 0, 0, 1], 0).into();
            let mut listeners = [ListenerSpec { address, single_port: false, tid_ports: ports, burst: None }];
            let mut sockets = open_all(&mut listeners, Vec::new(), 1).unwrap().pop().unwrap();
            let mut all = HashSet::new();
            for client in 0..2_000_u16 {
                let [high, low] = client.to_be_bytes();
                let peer = |port: u16| ([10, 0, high, low], port).into();
                let own: Vec<SocketId> = sockets.tids(ListenerId(0), &peer(1)).collect();
                let next: Vec<SocketId> = sockets.tids(ListenerId(0), &peer(1)).collect();
                assert!(ports == 1 || own[0] != next[0], "another one next time");
                let own: HashSet<SocketId> = own.into_iter().collect();
                assert_eq!(own, next.into_iter().collect());
                assert_eq!(own, sockets.tids(ListenerId(0), &peer(2)).collect());
                assert!(own.len() < 2 * usize::from(GROUP) && own.len() >= usize::from(ports.min(GROUP)));
                all.extend(own);
            }
            assert_eq!(all, (1..=ports).map(SocketId).collect());
        }
    }
}
