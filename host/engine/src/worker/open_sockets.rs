//! Opens the sockets of all workers: listening ports, and the pools of TID ports.

use super::broadcasts::{self, BroadcastSocket};
use super::sockets::Sockets;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use tuffet_request::{PortRange, TidPorts};
use tuffet_udp::{BindOptions, KERNEL_BUFFER, Socket, broadcast_networks};

/// TID ports of a listener over all workers, unless configured otherwise.
///
/// Only knowledge of the port proves a client's address: an attacker who forges ACKs has to guess it. Each
/// port is a descriptor and some 2.5 KiB of the kernel's memory.
const DEFAULT_TID_PORTS: u64 = 512;

/// One in this many of a process's descriptors may be TID ports by default: the rest is for files and
/// connections.
const DESCRIPTOR_FRACTION: u64 = 8;

/// The fewest TID ports of a listener in one worker.
const MIN_TID_PORTS: u64 = 4;

/// Requested size of the receive buffer of a TID port, in bytes. The clients of a listener share all of its
/// TID ports; a listening port receives the requests of all clients, and has a larger buffer.
const TID_BUFFER: usize = 1 << 20;

/// TID ports of each listener in one worker. `configured`: the configured number or range of the listener, for all workers
/// together; without it, the number depends on `descriptors`.
pub fn tid_ports(
    configured: Option<TidPorts>,
    listeners: usize,
    workers: usize,
    descriptors: Option<u64>,
) -> u16 {
    let all = match (configured, descriptors) {
        (Some(TidPorts::Count(count)), _) => u64::from(count),
        (Some(TidPorts::Range(range)), _) => u64::from(range.count()),
        (None, None) => DEFAULT_TID_PORTS,
        (None, Some(descriptors)) => {
            DEFAULT_TID_PORTS.min(descriptors / DESCRIPTOR_FRACTION / listeners.max(1) as u64)
        }
    };
    let each = all.div_ceil(workers.max(1) as u64);
    // An operator may configure fewer.
    let least = if configured.is_some() { 1 } else { MIN_TID_PORTS };
    each.clamp(least, u16::MAX.into()) as u16
}

/// Sockets of one listener in one worker.
pub fn sockets_per_worker(single_port: bool, tid_ports: u16) -> u64 {
    1 + if single_port { 0 } else { u64::from(tid_ports) }
}

/// Requested size of all receive buffers of one listener in one worker, in bytes.
pub fn receive_buffers_per_worker(single_port: bool, tid_ports: u16) -> u64 {
    let tids = sockets_per_worker(single_port, tid_ports) - 1;
    KERNEL_BUFFER as u64 + tids * TID_BUFFER as u64
}

/// A listener as configured and bound.
#[derive(Debug, Clone)]
pub struct ListenerSpec {
    /// Where requests arrive.
    pub address: SocketAddr,
    /// The only interface of all its sockets, whatever addresses it has.
    pub interface: Option<String>,
    /// Whether the address need not be one of this host yet.
    pub free_bind: bool,
    /// Whether IPv4 packets forbid routers to fragment them (the bit DF).
    pub dont_fragment: bool,
    /// Whether answers come from the listening port too (for NAT, containers and load balancers).
    pub single_port: bool,
    /// TID ports in each worker, unused with a single port; see [`tid_ports`].
    pub tid_ports: u16,
    /// The ports that all workers share as TID ports, instead of `tid_ports` of the kernel's choice.
    pub tid_range: Option<PortRange>,
    /// The ports of `tid_range` that other sockets have, in ascending order; found while opening.
    pub taken: Vec<u16>,
}

impl ListenerSpec {
    /// A listener with one TID port in each worker.
    pub fn at(address: SocketAddr) -> ListenerSpec {
        ListenerSpec {
            address,
            interface: None,
            free_bind: false,
            dont_fragment: false,
            single_port: false,
            tid_ports: 1,
            tid_range: None,
            taken: Vec::new(),
        }
    }

    /// The options of a listening socket. It reports no closed ports, unless it serves transfers.
    fn listening(&self) -> BindOptions<'_> {
        BindOptions {
            interface: self.interface.as_deref(),
            free_bind: self.free_bind,
            tell_local: true,
            gro: true,
            shared: false,
            errors: self.single_port,
            dont_fragment: self.dont_fragment,
            room: None,
        }
    }

    fn bind_tid(&self, port: u16) -> io::Result<Socket> {
        let mut address = self.address;
        address.set_port(port);
        let tell_local = address.ip().is_unspecified();
        let options = BindOptions { tell_local, errors: true, room: Some(TID_BUFFER), ..self.listening() };
        Socket::bind(address, options)
    }
}

/// Why the sockets of a listener cannot be opened.
#[derive(Debug)]
pub enum OpenError {
    /// The system refuses a socket.
    Socket(io::Error),
    /// Other sockets have so many ports of `tid_range` that some worker gets none.
    TidRange {
        /// The ports of the listener.
        range: PortRange,
        /// How many of them are free.
        free: usize,
        /// Workers that need one each.
        workers: usize,
    },
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> OpenError {
        OpenError::Socket(error)
    }
}

/// The sockets of one listener in one worker.
#[derive(Default)]
pub(super) struct ListenerSockets {
    pub(super) listening: Vec<Socket>,
    pub(super) broadcasts: Vec<BroadcastSocket>,
    pub(super) tids: Vec<Socket>,
}

/// Opens the sockets of all workers. `inherited` holds, for each listener, the sockets that were bound before
/// this process started; if there are none, the listener is bound here. Resolves the addresses: port 0
/// becomes the port that the kernel chose.
///
/// Inherited sockets are distributed among the workers, and each is read by one: all datagrams of a client must reach
/// the worker that has its transfer. The kernel ensures that if several sockets share a port, but not if several
/// workers read one socket. If there are fewer sockets than workers, some workers do not serve this listener.
///
/// # Errors
/// The error, with the number of the listener.
pub fn open_all(
    listeners: &mut [ListenerSpec],
    inherited: Vec<Vec<UdpSocket>>,
    workers: usize,
) -> Result<Vec<Sockets>, (usize, OpenError)> {
    let mut inherited = inherited.into_iter();
    let mut opened = Vec::new();
    let mut bound_here = Vec::new();
    for (number, listener) in listeners.iter_mut().enumerate() {
        let bound = inherited.next().unwrap_or_default();
        bound_here.push(bound.is_empty());
        let shares = listening_sockets(listener, bound, workers);
        opened.push(shares.map_err(|error| (number, error.into()))?);
    }
    // Who passes sockets in decides what is received.
    let networks = broadcast_networks().unwrap_or_default();
    let addresses: Vec<SocketAddr> = listeners.iter().map(|listener| listener.address).collect();
    let all = listeners.iter().zip(&mut opened).zip(bound_here);
    for ((listener, shares), _) in all.filter(|(_, bound_here)| *bound_here) {
        let options = BindOptions { room: Some(TID_BUFFER), ..listener.listening() };
        // One worker answers a broadcast. In single-port mode only the kernel knows which of them gets the ACKs.
        let answering = if listener.single_port { workers } else { 1 };
        for share in shares.iter_mut().take(answering) {
            share.broadcasts = broadcasts::open(listener.address, options, &addresses, &networks);
        }
    }
    // Ranges first: the kernel may choose any port for the other listeners.
    for ranges in [true, false] {
        for (number, (listener, shares)) in listeners.iter_mut().zip(&mut opened).enumerate() {
            if listener.single_port || listener.tid_range.is_some() != ranges {
                continue;
            }
            // A worker without a listening socket needs no TID ports for it either.
            let mut serving: Vec<&mut ListenerSockets> =
                shares.iter_mut().filter(|share| !share.listening.is_empty()).collect();
            match listener.tid_range {
                Some(range) => tids_of_range(listener, range, &mut serving),
                None => tids_of_any_port(listener, &mut serving).map_err(OpenError::Socket),
            }
            .map_err(|error| (number, error))?;
        }
    }
    let mut all: Vec<Sockets> = (0..workers).map(|_| Sockets::new()).collect();
    for (number, shares) in opened.into_iter().enumerate() {
        for (sockets, share) in all.iter_mut().zip(shares) {
            sockets.add_listener(share).map_err(|error| (number, error.into()))?;
        }
    }
    Ok(all)
}

/// Opens the sockets of one worker in a simulation: none has a port, and nothing is sent through them.
///
/// # Errors
/// The system has no descriptors.
#[cfg(any(test, feature = "simulation"))]
pub(super) fn open_virtual(listeners: &[ListenerSpec]) -> io::Result<Sockets> {
    let mut sockets = Sockets::new();
    for listener in listeners {
        let tids = if listener.single_port { 0 } else { listener.tid_ports };
        let open = || Socket::client(listener.address, 0, false);
        let tids = (0..tids).map(|_| open()).collect::<io::Result<_>>()?;
        let listening = vec![open()?];
        sockets.add_listener(ListenerSockets { listening, tids, ..ListenerSockets::default() })?;
    }
    Ok(sockets)
}

/// Opens the listening sockets of each worker.
fn listening_sockets(
    listener: &mut ListenerSpec,
    bound: Vec<UdpSocket>,
    workers: usize,
) -> io::Result<Vec<ListenerSockets>> {
    let mut shares: Vec<ListenerSockets> = (0..workers).map(|_| ListenerSockets::default()).collect();
    if !bound.is_empty() {
        for (turn, socket) in bound.into_iter().enumerate() {
            let socket = Socket::inherit(socket, listener.listening())?;
            listener.address = socket.local();
            shares[turn % workers].listening.push(socket);
        }
        return Ok(shares);
    }
    // With SO_REUSEPORT a second server would silently share the port, so the port is first bound without
    // it.
    let alone = Socket::bind(listener.address, listener.listening())?;
    listener.address = alone.local();
    let mut alone = (workers == 1).then_some(alone);
    for share in &mut shares {
        let socket = match alone.take() {
            Some(socket) => socket,
            None => Socket::bind(listener.address, BindOptions { shared: true, ..listener.listening() })?,
        };
        share.listening.push(socket);
    }
    Ok(shares)
}

fn tids_of_any_port(listener: &ListenerSpec, serving: &mut [&mut ListenerSockets]) -> io::Result<()> {
    for share in serving {
        for _ in 0..listener.tid_ports {
            share.tids.push(listener.bind_tid(0)?);
        }
    }
    Ok(())
}

/// Divides the free ports of a range among the workers. They are dealt out at random, so that an outsider cannot tell
/// which worker, and so which clients, have a port.
fn tids_of_range(
    listener: &mut ListenerSpec,
    range: PortRange,
    serving: &mut [&mut ListenerSockets],
) -> Result<(), OpenError> {
    let mut ports: Vec<u16> = range.ports().collect();
    fastrand::shuffle(&mut ports);
    let workers = serving.len();
    let mut free = 0;
    for port in ports {
        match listener.bind_tid(port) {
            Ok(socket) => {
                if let Some(share) = serving.get_mut(free % workers.max(1)) {
                    share.tids.push(socket);
                }
                free += 1;
            }
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => listener.taken.push(port),
            Err(error) => return Err(error.into()),
        }
    }
    listener.taken.sort_unstable();
    if free < workers { Err(OpenError::TidRange { range, free, workers }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    #[test]
    fn tid_ports_fit_the_descriptors_unless_they_are_given() {
        assert_eq!(tid_ports(None, 1, 2, None), 256);
        assert_eq!(tid_ports(None, 1, 2, Some(65_536)), 256);
        assert_eq!(tid_ports(None, 2, 2, Some(1_024)), 32);
        assert_eq!(tid_ports(None, 1, 1_000, Some(65_536)), 4);
        assert_eq!(tid_ports(Some(TidPorts::Count(1)), 1, 1, None), 1);
        assert_eq!(tid_ports(Some(TidPorts::Count(65_535)), 1, 2, Some(1_024)), 32_768);
        let range = Some(TidPorts::Range("30000-30010".parse().unwrap()));
        assert_eq!(tid_ports(range, 1, 4, Some(1_024)), 3);
        assert_eq!((sockets_per_worker(true, 9), sockets_per_worker(false, 9)), (1, 10));
    }

    /// Consecutive ones of these ports of 127.0.0.1, of which `taken` are in use. By default, Linux gives ports below
    /// 32,768 to nobody who asks for any.
    fn range_with(ports: Range<u16>, count: u16, taken: &[u16]) -> (PortRange, Vec<UdpSocket>) {
        for _ in 0..1_000 {
            let first = fastrand::u16(ports.start..ports.end - count);
            let bind = |port| UdpSocket::bind(("127.0.0.1", port)).ok();
            let all: Option<Vec<UdpSocket>> = (first..first + count).map(bind).collect();
            let Some(all) = all else { continue };
            let is_taken =
                |socket: &UdpSocket| taken.contains(&(socket.local_addr().unwrap().port() - first));
            let range = format!("{first}-{}", first + count - 1).parse().unwrap();
            return (range, all.into_iter().filter(is_taken).collect());
        }
        panic!("no {count} ports in a row are free");
    }

    fn opened(range: PortRange, workers: usize) -> Result<(Vec<u16>, Vec<u16>), OpenError> {
        let mut listeners =
            [ListenerSpec { tid_range: Some(range), ..ListenerSpec::at(([127, 0, 0, 1], 0).into()) }];
        let shares = open_all(&mut listeners, Vec::new(), workers).map_err(|(_, error)| error)?;
        let [listener] = listeners;
        // Without the listening socket of each.
        Ok((shares.iter().map(|sockets| sockets.len() - 1).collect(), listener.taken))
    }

    #[test]
    fn a_range_is_divided_and_taken_ports_are_named() {
        let (range, taken) = range_with(20_000..26_000, 11, &[2, 5]);
        let mut ports: Vec<u16> = taken.iter().map(|socket| socket.local_addr().unwrap().port()).collect();
        ports.sort_unstable();
        assert_eq!(opened(range, 4).unwrap(), (vec![3, 2, 2, 2], ports));
        drop(taken);
        assert_eq!(opened(range, 2).unwrap(), (vec![6, 5], Vec::new()));
    }

    #[test]
    fn each_worker_needs_a_port_of_the_range() {
        let (range, _taken) = range_with(26_000..32_000, 3, &[0, 2]);
        assert_eq!(opened(range, 1).unwrap().0, [1]);
        let error = opened(range, 2).unwrap_err();
        assert!(matches!(error, OpenError::TidRange { free: 1, workers: 2, .. }), "{error:?}");
    }
}
