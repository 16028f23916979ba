//! The sockets of a worker: its share of each listening port, and its pools of TID ports.

use super::broadcasts::BroadcastSocket;
use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::ops::Range;
use std::os::fd::AsRawFd;
use tuffet_udp::{Local, Socket};

/// TID ports that the transfers of one client address take turns on. Consecutive transfers of a client that
/// reuses its port get different ones. With more of them, or with ports spread over all clients, a busy
/// worker would receive one datagram per system call.
const GROUP: u16 = 4;

/// The number of a listener: its position in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListenerId(pub(super) u16);

impl From<ListenerId> for usize {
    fn from(id: ListenerId) -> usize {
        usize::from(id.0)
    }
}

/// The number of a socket: its position among those of its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId(pub(super) u16);

impl From<SocketId> for usize {
    fn from(id: SocketId) -> usize {
        usize::from(id.0)
    }
}

/// The sockets of one listener in one worker.
#[derive(Default)]
pub(super) struct ListenerSockets {
    pub(super) listening: Vec<Socket>,
    pub(super) broadcasts: Vec<BroadcastSocket>,
    pub(super) tids: Vec<Socket>,
    /// Whether the TID ports are of a configured range.
    pub(super) ranged: bool,
    /// Whether its interface does not exist yet.
    pub(super) parked: bool,
    /// Whether one worker gets all its requests.
    pub(super) alone: bool,
}

impl ListenerSockets {
    pub(super) fn all(&self) -> impl Iterator<Item = &Socket> {
        self.listening.iter().chain(&self.tids)
    }

    /// Whether requests of the family of this address arrive here.
    pub(super) fn listens(&self, address: SocketAddr) -> bool {
        self.listening.iter().any(|socket| socket.local().is_ipv6() == address.is_ipv6())
    }
}

/// A socket and its purpose.
pub(super) struct WorkerSocket {
    pub(super) socket: Socket,
    /// The listener that it belongs to.
    pub(super) listener: ListenerId,
    /// Whether it receives requests.
    pub(super) listens: bool,
    /// Of a socket that receives broadcasts alone: the addresses of this host that its listener answers for.
    pub(super) answers_for: Option<Box<[IpAddr]>>,
}

impl WorkerSocket {
    fn new(socket: Socket, listener: ListenerId, listens: bool) -> WorkerSocket {
        WorkerSocket { socket, listener, listens, answers_for: None }
    }
}

/// The numbers of a listener's TID sockets, by family.
#[derive(Debug, Clone, Default)]
struct Tids {
    v4: Range<u16>,
    v6: Range<u16>,
    /// Whether their ports are of a configured range.
    ranged: bool,
}

impl Tids {
    fn is_empty(&self) -> bool {
        self.v4.is_empty() && self.v6.is_empty()
    }
}

/// All sockets of one worker.
pub struct Sockets {
    all: Vec<WorkerSocket>,
    /// For each listener, the numbers of its TID sockets; empty in single-port mode.
    tids: Vec<Tids>,
    /// For each listener, the numbers of its listening sockets.
    listening: Vec<Range<u16>>,
    /// For each listener, whether its interface has not existed so far.
    parked: Vec<bool>,
    /// The listeners whose requests one worker gets.
    alone: Vec<ListenerId>,
    /// Advances with each transfer.
    turn: u32,
    /// Randomly keyed, so that an outsider cannot tell the ports of a client.
    chooser: RandomState,
}

impl Sockets {
    pub(super) fn new() -> Sockets {
        Sockets {
            all: Vec::new(),
            tids: Vec::new(),
            listening: Vec::new(),
            parked: Vec::new(),
            alone: Vec::new(),
            turn: fastrand::u16(..).into(),
            chooser: RandomState::new(),
        }
    }

    /// Adds the next listener.
    pub(super) fn add_listener(&mut self, share: ListenerSockets) -> io::Result<()> {
        let ListenerSockets { listening, broadcasts, tids, ranged, parked, alone } = share;
        let more = listening.len() + broadcasts.len() + tids.len();
        if self.all.len() + more > usize::from(u16::MAX) {
            return Err(io::Error::other(
                "a worker has 65535 sockets at most; lower `listeners[].tid-ports`",
            ));
        }
        let listener = ListenerId(self.tids.len() as u16);
        self.parked.push(parked);
        self.alone.extend(alone.then_some(listener));
        let before = self.all.len() as u16;
        self.all.extend(listening.into_iter().map(|socket| WorkerSocket::new(socket, listener, true)));
        self.listening.push(before..self.all.len() as u16);
        self.all.extend(broadcasts.into_iter().map(|BroadcastSocket { socket, answers_for }| WorkerSocket {
            answers_for: Some(answers_for),
            ..WorkerSocket::new(socket, listener, true)
        }));
        let first = self.all.len() as u16;
        let (v4, v6): (Vec<Socket>, Vec<Socket>) =
            tids.into_iter().partition(|socket| socket.local().is_ipv4());
        let middle = first + v4.len() as u16;
        let tids = v4.into_iter().chain(v6);
        self.all.extend(tids.map(|socket| WorkerSocket::new(socket, listener, false)));
        self.tids.push(Tids { v4: first..middle, v6: middle..self.all.len() as u16, ranged });
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

    /// Returns whether this socket serves transfers.
    pub(super) fn serves(&self, number: SocketId) -> bool {
        self.get(number).is_some_and(|it| !it.listens || self.tids[usize::from(it.listener)].is_empty())
    }

    /// Returns whether the listener has TID sockets: not in single-port mode.
    pub(super) fn has_tids(&self, listener: ListenerId) -> bool {
        self.tids.get(usize::from(listener)).is_some_and(|tids| !tids.is_empty())
    }

    /// The numbers of a listener's listening sockets.
    pub(super) fn listening(&self, listener: ListenerId) -> impl Iterator<Item = SocketId> + use<> {
        self.listening.get(usize::from(listener)).cloned().unwrap_or_default().map(SocketId)
    }

    /// Returns the socket that handles a datagram of this one, and the local end that it has there: a broadcast is handled
    /// as if it had been sent to the address of its listener. `None` if it is not meant for that.
    pub(super) fn handling(
        &self,
        number: SocketId,
        local: Option<Local>,
    ) -> Option<(SocketId, Option<Local>)> {
        let socket = self.get(number)?;
        let Some(answers_for) = &socket.answers_for else { return Some((number, local)) };
        let local =
            local.filter(|local| local.address.is_some_and(|address| answers_for.contains(&address)))?;
        let listening = self.listening(socket.listener).next()?;
        let address = self.get(listening).map(|listening| listening.socket.local().ip());
        Some((listening, Some(Local { address, ..local })))
    }

    /// Closes the sockets that only receive requests, so that another process can have their ports. Whoever holds a
    /// duplicate finds the unread requests. Returns the numbers of the affected sockets. If transfers use the listening
    /// port, their packets arrive there too, and the worker reads it to the end.
    pub(super) fn stop_listening(&mut self, registry: &Registry) -> Vec<SocketId> {
        let tids = &self.tids;
        let only_listens =
            |it: &WorkerSocket| it.listens && !tids.get(usize::from(it.listener)).is_none_or(Tids::is_empty);
        let mut stopped = Vec::new();
        for (number, it) in (0..).zip(&mut self.all).filter(|(_, it)| only_listens(it)) {
            // If it cannot be deregistered, the worker wakes for it in vain.
            let _ = registry.deregister(&mut SourceFd(&it.socket.as_raw_fd()));
            // Numbers of sockets are positions, so an unbound one takes its place.
            if let Ok(unbound) = Socket::client(it.socket.local(), 0, false) {
                it.socket = unbound;
            }
            stopped.push(SocketId(number));
        }
        stopped
    }

    /// Stops reading listening ports that transfers use, and goes on sending from there: another process passes on what
    /// arrives for them. Returns the numbers of the affected sockets.
    pub(super) fn stop_reading(&self, registry: &Registry) -> Vec<SocketId> {
        let numbers = (0..self.len()).map(SocketId);
        let shared =
            numbers.filter(|number| self.get(*number).is_some_and(|its| its.listens) && self.serves(*number));
        shared
            .inspect(|number| {
                if let Some(its) = self.get(*number) {
                    // If it cannot be deregistered, this worker takes a part of what arrives, and passes it on.
                    let _ = registry.deregister(&mut SourceFd(&its.socket.as_raw_fd()));
                }
            })
            .collect()
    }

    /// Whether any listener has TID ports of a configured range.
    pub(super) fn has_ranges(&self) -> bool {
        self.tids.iter().any(|tids| tids.ranged)
    }

    /// Closes TID ports of configured ranges, except for one in `keep` (0: all of them) and those that are `used`. No
    /// transfer begins there again.
    pub(super) fn give_up_tids(&mut self, registry: &Registry, keep: u16, used: &HashSet<SocketId>) {
        for tids in self.tids.iter_mut().filter(|tids| tids.ranged) {
            for range in [&mut tids.v4, &mut tids.v6] {
                let kept = (range.len() as u16).checked_div(keep).unwrap_or_default();
                let given_up = range.start + kept..range.end;
                if kept > 0 {
                    range.end = range.start + kept;
                }
                for number in given_up.map(SocketId).filter(|number| !used.contains(number)) {
                    let Some(its) = self.all.get_mut(usize::from(number)) else { continue };
                    let _ = registry.deregister(&mut SourceFd(&its.socket.as_raw_fd()));
                    if let Ok(unbound) = Socket::client(its.socket.local(), 0, false) {
                        its.socket = unbound;
                    }
                }
            }
        }
    }

    /// The worker of this peer, if one worker gets the requests of all.
    pub(super) fn share_of(&self, peer: &SocketAddr, workers: usize) -> usize {
        (self.chooser.hash_one(peer.ip()) % workers.max(1) as u64) as usize
    }

    /// Returns duplicates of the listening sockets, with their listeners.
    ///
    /// # Errors
    /// The process has no descriptors left.
    pub fn duplicate_listening(&self) -> io::Result<Vec<(ListenerId, UdpSocket)>> {
        let numbers = self.listening.iter().cloned().flatten();
        let sockets = numbers.filter_map(|number| self.all.get(usize::from(number)));
        sockets.map(|its| Ok((its.listener, its.socket.duplicate()?))).collect()
    }

    /// Binds the sockets of a listener to the interface that now has this name, those where requests arrive only if this
    /// process is `listening` there. A few system calls for each socket: while its interface is gone, the listener has
    /// nothing better to do, and the others wait for a millisecond.
    pub(super) fn rebind(&mut self, listener: usize, interface: &str, listening: bool) -> io::Result<()> {
        let its = self.all.iter().filter(|it| usize::from(it.listener) == listener);
        for it in its.filter(|it| listening || !it.listens) {
            it.socket.rebind(interface)?;
            // It no longer shares its port with others that wait.
            it.socket.set_reusable(false)?;
        }
        if let Some(parked) = self.parked.get_mut(listener) {
            *parked = false;
        }
        Ok(())
    }

    /// Lets another process park sockets on the ports of those that are parked here, or no longer.
    pub(super) fn share_parked(&self, shared: bool) {
        let is_parked =
            |it: &&WorkerSocket| self.parked.get(usize::from(it.listener)).is_some_and(|its| *its);
        for it in self.all.iter().filter(is_parked) {
            // If it fails, the other process finds the port taken, and says so.
            let _ = it.socket.set_reusable(shared);
        }
    }

    /// The listeners whose requests one worker gets.
    pub(super) fn alone(&self) -> Vec<ListenerId> {
        self.alone.clone()
    }

    /// Returns whether this is the first socket of its listener and family; others share its port.
    pub(super) fn is_first(&self, number: SocketId) -> bool {
        let Some(socket) = self.get(number) else { return false };
        let family = |socket: &WorkerSocket| socket.socket.local().is_ipv6();
        let mut before = self.listening(socket.listener).take_while(|its| *its < number);
        !before.any(|its| self.get(its).is_some_and(|its| family(its) == family(socket)))
    }

    pub(super) fn get(&self, number: SocketId) -> Option<&WorkerSocket> {
        self.all.get(usize::from(number))
    }

    /// The source of a transfer's packets: the destination of its request, if the socket has several addresses, and
    /// the interface, which the blocks of an IPv6 group leave through.
    pub(super) fn source(&self, number: SocketId, local: Option<Local>) -> Option<Local> {
        let socket = self.get(number)?;
        let has_several = socket.socket.local().ip().is_unspecified();
        local.map(|local| Local { address: local.address.filter(|_| has_several), ..local })
    }

    /// The number of sockets.
    pub(super) fn len(&self) -> u16 {
        self.all.len() as u16
    }

    /// The TID sockets of a listener for transfers of this peer; none in single-port mode. Each call starts
    /// at the next one: a client that reuses its port gets another TID, so a late ACK of its last transfer is
    /// not taken for one of the next.
    ///
    /// They are chosen at random for each address: a client at one address learns nothing of the ports of
    /// another.
    pub(super) fn tids(
        &mut self,
        listener: ListenerId,
        peer: &SocketAddr,
    ) -> impl Iterator<Item = SocketId> + use<> {
        let tids = self.tids.get(usize::from(listener)).cloned().unwrap_or_default();
        let range = if peer.is_ipv4() { tids.v4 } else { tids.v6 };
        let count = range.len() as u16;
        self.turn = self.turn.wrapping_add(1);
        let size = GROUP.min(count);
        let groups = u64::from(count.checked_div(size).unwrap_or(1));
        let (mut group, mut start) = (0, 0_u64);
        if count > 0 {
            // The last group also has the remainder of the division.
            let random = self.chooser.hash_one(peer.ip());
            group = (random % groups) as u16;
            // No overflow: that would repeat a socket where their number is no power of two.
            start = (random >> 48) + u64::from(peer.port()) + u64::from(self.turn);
        }
        let first = range.start + group * size;
        let size = if u64::from(group) + 1 == groups { range.end - first } else { size };
        let start = start.checked_rem(size.into()).unwrap_or_default() as u16;
        (0..size).map(move |step| SocketId(first + (start + step) % size))
    }
}

#[cfg(test)]
mod tests {
    use super::super::listener_spec::ListenerSpec;
    use super::super::open_sockets::open_all;
    use super::*;
    use std::collections::HashSet;

    /// The ports of one address reveal nothing of those of another, and each port is used.
    #[test]
    fn an_address_has_a_few_ports_of_all() {
        for ports in [1, 3, 4, 8, 50, 64] {
            let address = ([127, 0, 0, 1], 0).into();
            let mut listeners = [ListenerSpec { tid_ports: ports, ..ListenerSpec::at(address) }];
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
