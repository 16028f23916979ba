//! The sockets of a worker: its share of each listening port, and its pools of TID ports.

use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::ops::Range;
use std::os::fd::AsRawFd;
use tuffet_udp::{BindOptions, Local, Socket};

/// TID ports of one listener in one worker. A transfer is identified by (port, peer), so a few ports are
/// enough for any number of transfers. Several ports spread the load over the kernel's buffers and
/// distinguish consecutive transfers; each additional one makes the batches of a busy worker smaller.
const TID_PORTS: u16 = 4;

/// Returns the number of sockets of one listener in one worker.
pub fn sockets_per_worker(single_port: bool) -> u64 {
    1 + if single_port { 0 } else { u64::from(TID_PORTS) }
}

/// A listener as configured and bound.
#[derive(Debug, Clone)]
pub struct ListenerSpec {
    /// Where requests come in.
    pub address: SocketAddr,
    /// Answers come from the listening port too (for NAT, containers and load balancers).
    pub single_port: bool,
    /// Blocks of a window that go out to one client within a millisecond; without it, all of them.
    pub burst: Option<u16>,
}

/// One socket and what it is for.
pub(super) struct WorkerSocket {
    pub(super) socket: Socket,
    /// The listener that it belongs to.
    pub(super) listener: u16,
    /// Whether requests come in here.
    pub(super) listens: bool,
}

/// All sockets of one worker. A socket's number is its place.
pub struct Sockets {
    all: Vec<WorkerSocket>,
    /// For each listener, the numbers of its TID sockets; empty in single-port mode.
    tids: Vec<Range<u16>>,
    /// For each listener, how many blocks go out within a millisecond.
    bursts: Vec<Option<u16>>,
    /// Moves on with each transfer.
    turn: u16,
}

/// What a listening socket is to tell.
const LISTENING: BindOptions = BindOptions { tell_local: true, gro: true, shared: false };

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
        .map(|_| Sockets { all: Vec::new(), tids: Vec::new(), bursts: Vec::new(), turn: fastrand::u16(..) })
        .collect();
    for (number, listener) in listeners.iter_mut().enumerate() {
        let fail = |error| (number, error);
        let given = inherited.next().unwrap_or_default();
        if !given.is_empty() {
            let mut shares: Vec<Vec<Socket>> = bound.iter().map(|_| Vec::new()).collect();
            for (turn, socket) in given.into_iter().enumerate() {
                let socket = Socket::inherit(socket, LISTENING).map_err(fail)?;
                listener.address = socket.local();
                shares[turn % workers].push(socket);
            }
            for (sockets, share) in bound.iter_mut().zip(shares) {
                sockets.add_listener(number as u16, share, listener).map_err(fail)?;
            }
            continue;
        }
        // With SO_REUSEPORT a second server would share the port in silence, so the port is first taken
        // alone.
        let alone = Socket::bind(listener.address, LISTENING).map_err(fail)?;
        listener.address = alone.local();
        let mut alone = (workers == 1).then_some(alone);
        for sockets in &mut bound {
            let socket = match alone.take() {
                Some(socket) => socket,
                None => {
                    Socket::bind(listener.address, BindOptions { shared: true, ..LISTENING }).map_err(fail)?
                }
            };
            sockets.add_listener(number as u16, vec![socket], listener).map_err(fail)?;
        }
    }
    Ok(bound)
}

impl Sockets {
    /// A worker without a socket of the listener gets no TID ports for it either.
    fn add_listener(&mut self, listener: u16, sockets: Vec<Socket>, spec: &ListenerSpec) -> io::Result<()> {
        let tid_ports = if spec.single_port || sockets.is_empty() { 0 } else { TID_PORTS };
        let mut tid = spec.address;
        tid.set_port(0);
        self.all.extend(sockets.into_iter().map(|socket| WorkerSocket { socket, listener, listens: true }));
        let first = self.all.len() as u16;
        for _ in 0..tid_ports {
            let tell_local = tid.ip().is_unspecified();
            let socket = Socket::bind(tid, BindOptions { tell_local, gro: true, shared: false })?;
            self.all.push(WorkerSocket { socket, listener, listens: false });
        }
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

    /// Whether a socket that transfers are served through is among those that have `more` to read.
    pub(super) fn has_unread_tid(&self, more: &[bool]) -> bool {
        let serves = |it: &WorkerSocket| !it.listens || self.tids[usize::from(it.listener)].is_empty();
        self.all.iter().zip(more).any(|(it, more)| *more && serves(it))
    }

    /// From now on nobody wakes for new requests, and those that `receive` was told of are left in the kernel:
    /// the next process that has the socket finds them. Answers the numbers of the sockets that were meant. Where
    /// transfers use the listening port, their packets come there as well, and it is read to the end.
    pub(super) fn stop_listening(&self, registry: &Registry) -> Vec<u16> {
        let all = (0..).zip(&self.all);
        let only_listens = all.filter(|(_, it)| {
            it.listens && !self.tids.get(usize::from(it.listener)).is_none_or(Range::is_empty)
        });
        only_listens
            .map(|(number, it)| {
                // Where it cannot be taken out, the worker wakes for it in vain.
                let _ = registry.deregister(&mut SourceFd(&it.socket.as_raw_fd()));
                number
            })
            .collect()
    }

    /// Whether this is the first socket of its listener; further ones share its port.
    pub(super) fn is_first(&self, number: u16) -> bool {
        let before = number.checked_sub(1).and_then(|before| self.get(before));
        let Some(socket) = self.get(number) else { return false };
        !before.is_some_and(|before| before.listens && before.listener == socket.listener)
    }

    pub(super) fn get(&self, number: u16) -> Option<&WorkerSocket> {
        self.all.get(usize::from(number))
    }

    /// From where a transfer answers: as it was asked, where the socket could answer from several addresses.
    pub(super) fn source(&self, number: u16, asked: Option<Local>) -> Option<Local> {
        asked.filter(|_| self.get(number).is_some_and(|it| it.socket.local().ip().is_unspecified()))
    }

    /// How many blocks of a window the listener of this socket sends within a millisecond.
    pub(super) fn burst(&self, number: u16) -> Option<u16> {
        let listener = self.get(number)?.listener;
        self.bursts.get(usize::from(listener)).copied().flatten()
    }

    /// All numbers, TID sockets first: the last ACK of a transfer must be read before the next request
    /// from the same port.
    pub(super) fn numbers(&self) -> Vec<u16> {
        let mut numbers: Vec<u16> = (0..self.all.len() as u16).collect();
        numbers.sort_by_key(|number| self.all[usize::from(*number)].listens);
        numbers
    }

    /// The TID sockets of a listener, each call starting at the next one: a client that uses its port again
    /// gets another TID, so that a late ACK of its last transfer cannot be taken for one of the next. None
    /// in single-port mode.
    pub(super) fn tids(&mut self, listener: u16) -> impl Iterator<Item = u16> + use<> {
        let range = self.tids.get(usize::from(listener)).cloned().unwrap_or_default();
        let count = range.len() as u16;
        self.turn = self.turn.wrapping_add(1);
        let start = if count > 0 { self.turn % count } else { 0 };
        (0..count).map(move |step| range.start + (start + step) % count)
    }
}
