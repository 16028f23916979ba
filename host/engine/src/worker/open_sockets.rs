//! Opens the sockets of all workers: listening ports, and the pools of TID ports.
//!
//! A listener whose interface does not exist yet gets its sockets all the same: they take their ports, for which the
//! process may lack the privilege later, and wait. What is missing is looked for before anything is bound, because a
//! port that another process has must end the start, and parked sockets would hide it.

use super::bound_sockets::{BoundSockets, distribute, handed_over_ports, look_for_interface};
use super::broadcasts;
use super::listener_spec::{ListenerSpec, Missing, TID_BUFFER};
use super::sockets::{ListenerSockets, Sockets};
use std::fmt;
use std::io;
use std::net::SocketAddr;
use tuffet_request::PortRange;
use tuffet_udp::{BindOptions, LOOPBACK, Socket, broadcast_networks, has_ipv6, interface_index};

/// The attempts to find a port that is free in both families.
const PORT_ATTEMPTS: usize = 16;

/// Why the sockets of a listener cannot be opened.
#[derive(Debug)]
#[non_exhaustive]
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

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Socket(error) => error.fmt(f),
            OpenError::TidRange { range, free, workers } => {
                write!(f, "{free} ports of {range} are free, and {workers} workers need one each")
            }
        }
    }
}

impl std::error::Error for OpenError {}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> OpenError {
        OpenError::Socket(error)
    }
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
    mut inherited: Vec<BoundSockets>,
    workers: usize,
) -> Result<Vec<Sockets>, (usize, OpenError)> {
    inherited.resize_with(listeners.len(), BoundSockets::default);
    let held = handed_over_ports(&inherited);
    for (number, (listener, bound)) in listeners.iter_mut().zip(&inherited).enumerate() {
        let looked = match bound.sockets.is_empty() {
            true => look_for_missing(listener, &held),
            false if bound.handed_over => look_for_interface(listener),
            false => Ok(()),
        };
        looked.map_err(|error| (number, error.into()))?;
    }
    // Who passes sockets in decides what is received.
    let bound_here: Vec<bool> =
        inherited.iter().map(|bound| bound.handed_over || bound.sockets.is_empty()).collect();
    let mut opened: Vec<Vec<ListenerSockets>> =
        listeners.iter().map(|_| (0..workers).map(|_| ListenerSockets::default()).collect()).collect();
    open_where(listeners, &mut opened, &mut inherited, |listener| !listener.is_parked())?;
    park(listeners, &mut opened, &mut inherited)?;
    open_broadcasts(listeners, &mut opened, &bound_here);
    let mut all: Vec<Sockets> = (0..workers).map(|_| Sockets::new()).collect();
    for (number, shares) in opened.into_iter().enumerate() {
        let alone = one_gets_all(&shares);
        let parked = listeners.get(number).is_some_and(ListenerSpec::is_parked);
        for (sockets, share) in all.iter_mut().zip(shares) {
            let share = ListenerSockets { parked, alone, ..share };
            sockets.add_listener(share).map_err(|error| (number, error.into()))?;
        }
    }
    Ok(all)
}

/// Whether several workers have sockets with one port, and the kernel gives all datagrams to one of them: they were bound to
/// an interface that came later.
fn one_gets_all(shares: &[ListenerSockets]) -> bool {
    let is_apart = |share: &ListenerSockets| {
        !share.listening.is_empty() && share.listening.iter().all(|socket| !socket.shares_port())
    };
    shares.len() > 1 && shares.iter().all(is_apart)
}

/// Opens the sockets that receive broadcasts, for listeners that are there and were bound here.
fn open_broadcasts(listeners: &[ListenerSpec], opened: &mut [Vec<ListenerSockets>], bound_here: &[bool]) {
    let networks = broadcast_networks().unwrap_or_default();
    let addresses: Vec<SocketAddr> = listeners.iter().map(|listener| listener.address).collect();
    for ((listener, shares), bound_here) in listeners.iter().zip(opened).zip(bound_here) {
        if !bound_here || listener.is_parked() {
            continue;
        }
        let options = BindOptions { room: Some(TID_BUFFER), ..listener.listening() };
        let answering = broadcasts::answering_workers(listener.single_port, shares.len());
        for share in shares.iter_mut().take(answering) {
            share.broadcasts = broadcasts::open(listener.address, options, &addresses, &networks);
        }
    }
}

/// Finds out what this listener must wait for. `held`: the ports that a server before this one hands over for other
/// listeners, so that no other program can have them.
///
/// # Errors
/// Another process has the port of a listener whose interface is missing, or this process may not have it.
fn look_for_missing(listener: &mut ListenerSpec, held: &[u16]) -> io::Result<()> {
    if !listener.may_wait {
        return Ok(());
    }
    if listener.address.is_ipv6() && !has_ipv6() {
        match listener.ipv4_too {
            true => listener.lacks_ipv6 = true,
            false => listener.missing = Some(Missing::Ipv6),
        }
    }
    let Some(interface) = &listener.interface else { return Ok(()) };
    if listener.missing.is_some() || interface_index(interface)?.is_some() {
        return Ok(());
    }
    let is_held = held.contains(&listener.address.port());
    for address in listener.addresses().into_iter().filter(|_| !is_held) {
        let alone = BindOptions { interface: Some(LOOPBACK), free_bind: true, ..BindOptions::default() };
        Socket::bind(address, alone)?;
    }
    listener.missing = Some(Missing::Interface);
    Ok(())
}

/// Opens the sockets of some listeners.
fn open_where(
    listeners: &mut [ListenerSpec],
    opened: &mut [Vec<ListenerSockets>],
    inherited: &mut [BoundSockets],
    which: impl Fn(&ListenerSpec) -> bool,
) -> Result<(), (usize, OpenError)> {
    for (number, (listener, shares)) in listeners.iter_mut().zip(opened.iter_mut()).enumerate() {
        if which(listener) {
            let bound = inherited.get_mut(number).map(std::mem::take).unwrap_or_default();
            let open = match bound.sockets.is_empty() {
                true => open_listening(listener, shares),
                false => distribute(listener, shares, bound),
            };
            let left = open.and_then(|()| leave_loopback(listener, shares));
            left.map_err(|error| (number, error.into()))?;
        }
    }
    // Ranges first: the kernel may choose any port for the other listeners.
    for ranges in [true, false] {
        for (number, (listener, shares)) in listeners.iter_mut().zip(opened.iter_mut()).enumerate() {
            if !which(listener) || listener.single_port || listener.tid_range.is_some() != ranges {
                continue;
            }
            for address in listener.addresses() {
                // A worker without a listening socket needs no TID ports for it either.
                let listens = |share: &&mut ListenerSockets| share.listens(address);
                let mut serving: Vec<&mut ListenerSockets> = shares.iter_mut().filter(listens).collect();
                match listener.tid_range {
                    _ if serving.is_empty() => Ok(()),
                    Some(range) => tids_of_range(listener, address, range, &mut serving),
                    None => tids_of_any_port(listener, address, &mut serving).map_err(OpenError::Socket),
                }
                .map_err(|error| (number, error))?;
            }
            leave_loopback(listener, shares).map_err(|error| (number, error.into()))?;
            listener.taken.sort_unstable();
            listener.taken.dedup();
        }
    }
    Ok(())
}

/// Opens the sockets of listeners whose interfaces do not exist yet. They may have the ports of listeners of the loopback
/// interface, where they are bound for a moment.
fn park(
    listeners: &mut [ListenerSpec],
    opened: &mut [Vec<ListenerSockets>],
    inherited: &mut [BoundSockets],
) -> Result<(), (usize, OpenError)> {
    if !listeners.iter().any(ListenerSpec::is_parked) {
        return Ok(());
    }
    let is_on_loopback = |listener: &ListenerSpec| listener.interface.as_deref() == Some(LOOPBACK);
    for_each_socket(listeners, opened, is_on_loopback, |socket| socket.set_reusable(true))?;
    open_where(listeners, opened, inherited, ListenerSpec::is_parked)?;
    for_each_socket(listeners, opened, is_on_loopback, |socket| socket.set_reusable(false))?;
    let loopback_is_free = !listeners.iter().any(is_on_loopback);
    for_each_socket(listeners, opened, ListenerSpec::is_parked, |socket| socket.settle(loopback_is_free))
}

/// Frees the loopback interface for the next parked sockets.
fn leave_loopback(listener: &ListenerSpec, shares: &[ListenerSockets]) -> io::Result<()> {
    if !listener.is_parked() {
        return Ok(());
    }
    shares.iter().flat_map(ListenerSockets::all).try_for_each(Socket::leave_loopback)
}

fn for_each_socket(
    listeners: &[ListenerSpec],
    opened: &[Vec<ListenerSockets>],
    which: impl Fn(&ListenerSpec) -> bool,
    mut action: impl FnMut(&Socket) -> io::Result<()>,
) -> Result<(), (usize, OpenError)> {
    for (number, (listener, shares)) in listeners.iter().zip(opened).enumerate() {
        if which(listener) {
            let mut sockets = shares.iter().flat_map(ListenerSockets::all);
            sockets.try_for_each(&mut action).map_err(|error| (number, error.into()))?;
        }
    }
    Ok(())
}

/// Opens the sockets of one worker in a simulation: none has a port, and nothing is sent through them.
///
/// # Errors
/// The system has no descriptors.
#[cfg(any(test, feature = "simulation"))]
pub(super) fn open_virtual(listeners: &[ListenerSpec]) -> io::Result<Sockets> {
    let mut sockets = Sockets::new();
    for listener in listeners {
        let each = if listener.single_port { 0 } else { listener.tid_ports };
        let open = |address| Socket::client(address, 0, false);
        let listening = vec![open(listener.address)?];
        let mut share = ListenerSockets { listening, ..ListenerSockets::default() };
        for address in listener.addresses() {
            let tids = (0..each).map(|_| open(address)).collect::<io::Result<Vec<_>>>()?;
            share.tids.extend(tids);
        }
        sockets.add_listener(share)?;
    }
    Ok(sockets)
}

/// Opens the listening sockets of each worker.
fn open_listening(listener: &mut ListenerSpec, shares: &mut [ListenerSockets]) -> io::Result<()> {
    let may_choose = listener.address.port() == 0;
    for _ in 1..PORT_ATTEMPTS {
        match try_listening(listener, shares) {
            // The port that the kernel chose for one family is taken in the other.
            Err(error) if may_choose && error.kind() == io::ErrorKind::AddrInUse => {
                listener.address.set_port(0);
                shares.iter_mut().for_each(|share| share.listening.clear());
            }
            result => return result,
        }
    }
    try_listening(listener, shares)
}

fn try_listening(listener: &mut ListenerSpec, shares: &mut [ListenerSockets]) -> io::Result<()> {
    for mut address in listener.addresses() {
        address.set_port(listener.address.port());
        // With SO_REUSEPORT a second server would silently share the port, so the port is first bound without
        // it.
        let alone = bind_alone(listener, address)?;
        let address = alone.local();
        match address.is_ipv6() == listener.address.is_ipv6() {
            true => listener.address = address,
            false => listener.address.set_port(address.port()),
        }
        let mut alone = (shares.len() == 1).then_some(alone);
        for share in &mut *shares {
            let socket = match alone.take() {
                Some(socket) => socket,
                None => Socket::bind(address, BindOptions { shared: true, ..listener.listening() })?,
            };
            share.listening.push(socket);
        }
    }
    Ok(())
}

/// Binds the first socket of an address, which this machine may not have yet.
fn bind_alone(listener: &mut ListenerSpec, address: SocketAddr) -> io::Result<Socket> {
    match Socket::bind(address, listener.listening()) {
        Err(error)
            if error.kind() == io::ErrorKind::AddrNotAvailable
                && listener.may_wait
                && !listener.free_bind =>
        {
            (listener.free_bind, listener.missing) = (true, Some(Missing::Address));
            Socket::bind(address, listener.listening())
        }
        result => result,
    }
}

fn tids_of_any_port(
    listener: &ListenerSpec,
    address: SocketAddr,
    serving: &mut [&mut ListenerSockets],
) -> io::Result<()> {
    for share in serving {
        for _ in 0..listener.tid_ports {
            share.tids.push(listener.bind_tid(address, 0)?);
        }
    }
    Ok(())
}

/// Divides the free ports of a range among the workers. They are dealt out at random, so that an outsider cannot tell
/// which worker, and so which clients, have a port.
fn tids_of_range(
    listener: &mut ListenerSpec,
    address: SocketAddr,
    range: PortRange,
    serving: &mut [&mut ListenerSockets],
) -> Result<(), OpenError> {
    serving.iter_mut().for_each(|share| share.ranged = true);
    let mut ports: Vec<u16> = range.ports().collect();
    fastrand::shuffle(&mut ports);
    let workers = serving.len();
    let mut free = 0;
    for port in ports {
        match listener.bind_tid(address, port) {
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
    if free < workers { Err(OpenError::TidRange { range, free, workers }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;
    use std::ops::Range;

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

    /// The listening sockets of each worker for a listener whose interface does not exist.
    fn parked(address: SocketAddr) -> (Vec<Sockets>, [ListenerSpec; 1]) {
        let interface = Some("no-such-one".into());
        let mut listeners = [ListenerSpec { interface, may_wait: true, ..ListenerSpec::at(address) }];
        let shares = open_all(&mut listeners, Vec::new(), 2).unwrap();
        assert_eq!(listeners[0].missing, Some(Missing::Interface));
        (shares, listeners)
    }

    /// The kernel removes a socket from its reuseport group when its interface changes, and has no way back into it. All
    /// requests of the listener then go to one worker, and none is lost.
    #[test]
    fn one_worker_serves_an_interface_that_comes_later() {
        let (port, _) = range_with(14_000..20_000, 1, &[]);
        let address = SocketAddr::from(([127, 0, 0, 1], port.ports().next().unwrap()));
        let (mut shares, _) = parked(address);
        let taken = UdpSocket::bind(address).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
        let arrived = |shares: &[Sockets]| {
            let mut batch = tuffet_udp::ReceiveBatch::new();
            shares
                .iter()
                .map(|sockets| {
                    let mut count = 0;
                    let socket = &sockets.get(super::super::sockets::SocketId(0)).unwrap().socket;
                    while batch.fill(socket).is_ok() && !batch.is_empty() {
                        count += batch.len();
                    }
                    count
                })
                .collect::<Vec<_>>()
        };
        let send = || {
            for _ in 0..64 {
                UdpSocket::bind("127.0.0.1:0").unwrap().send_to(b"datagram", address).unwrap();
            }
        };
        send();
        assert_eq!(arrived(&shares), [0, 0]);
        for sockets in &mut shares {
            sockets.rebind(0, "lo", true).unwrap();
        }
        send();
        let counts = arrived(&shares);
        assert!(counts.iter().sum::<usize>() == 64 && counts.contains(&64), "{counts:?}");
    }

    #[test]
    fn the_port_of_another_program_is_not_waited_for() {
        let other = UdpSocket::bind("127.0.0.1:0").unwrap();
        let interface = Some("no-such-one".into());
        let address = other.local_addr().unwrap();
        let mut listeners = [ListenerSpec { interface, may_wait: true, ..ListenerSpec::at(address) }];
        let Err((0, OpenError::Socket(error))) = open_all(&mut listeners, Vec::new(), 1) else {
            panic!("the port is taken")
        };
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    }

    #[test]
    fn both_families_have_one_port_and_ports_of_their_own_for_transfers() {
        let address: SocketAddr = "[::]:0".parse().unwrap();
        let both = ListenerSpec { ipv4_too: true, tid_ports: 3, ..ListenerSpec::at(address) };
        let mut listeners = [both];
        let mut sockets = open_all(&mut listeners, Vec::new(), 1).unwrap().pop().unwrap();
        assert_eq!(sockets.len(), 8);
        let [v4, v6] = listeners[0].addresses()[..] else { panic!("{listeners:?}") };
        assert!(v4.port() != 0 && v4.port() == v6.port() && v4.is_ipv4() && v6.is_ipv6());
        for client in ["192.0.2.1:1024", "[2001:db8::1]:1024"] {
            let client: SocketAddr = client.parse().unwrap();
            let tids: Vec<_> = sockets.tids(super::super::sockets::ListenerId(0), &client).collect();
            let is_its = |tid: &_| {
                let socket = sockets.get(*tid).unwrap();
                !socket.listens && socket.socket.local().is_ipv4() == client.is_ipv4()
            };
            assert!(tids.len() == 3 && tids.iter().all(is_its), "{client}: {tids:?}");
        }
    }
}
