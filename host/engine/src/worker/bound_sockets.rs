//! Sockets of listeners that were bound before this process started: a service manager passes them, or the server that this
//! one succeeds hands them over.
//!
//! A server that succeeds another one takes all sockets of its listeners, also those that wait for an interface. A socket of
//! its own would compete for the requests with that of a process that only has its last transfers to end.

use super::listener_spec::{ListenerSpec, Missing};
use super::sockets::ListenerSockets;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use tuffet_udp::{BindOptions, Socket, interface_index, is_assigned, may_bind_to};

/// Sockets of a listener that were bound before this process started.
#[derive(Debug, Default)]
pub struct BoundSockets {
    /// The sockets; none if the listener is to be bound.
    pub sockets: Vec<UdpSocket>,
    /// Whether a server that this one succeeds has bound them, as this one would have.
    pub handed_over: bool,
}

/// The ports of the sockets that another server hands over.
pub(super) fn handed_over_ports(inherited: &[BoundSockets]) -> Vec<u16> {
    let sockets = inherited.iter().filter(|bound| bound.handed_over).flat_map(|bound| &bound.sockets);
    sockets.filter_map(|socket| Some(socket.local_addr().ok()?.port())).collect()
}

/// Finds out whether a listener whose sockets are handed over must wait for its interface. If it may not wait, binding
/// fails.
///
/// # Errors
/// The kernel does not tell.
pub(super) fn look_for_interface(listener: &mut ListenerSpec) -> io::Result<()> {
    let Some(interface) = &listener.interface else { return Ok(()) };
    if listener.may_wait && interface_index(interface)?.is_none() {
        listener.missing = Some(Missing::Interface);
    }
    Ok(())
}

/// Distributes inherited sockets among the workers. The listener serves the families that it has sockets of.
pub(super) fn distribute(
    listener: &mut ListenerSpec,
    shares: &mut [ListenerSockets],
    bound: BoundSockets,
) -> io::Result<()> {
    let mut turns = [0, 0];
    let chosen = listener.address.port() == 0;
    let workers = shares.len();
    for socket in bound.sockets {
        let socket = Socket::inherit(socket, listener.listening())?;
        if bound.handed_over {
            join_interface(listener, &socket, chosen)?;
        }
        let (local, turn) = (socket.local(), &mut turns[usize::from(socket.local().is_ipv6())]);
        if local.is_ipv6() == listener.address.is_ipv6() || !listener.ipv4_too {
            listener.address = local;
        } else {
            listener.address.set_port(local.port());
        }
        shares[*turn % workers].listening.push(socket);
        *turn += 1;
    }
    if bound.handed_over {
        add_missing(listener, shares, turns);
        if listener.may_wait
            && !listener.free_bind
            && !listener.is_parked()
            && !is_assigned(listener.address, listener.interface.as_deref())
        {
            (listener.free_bind, listener.missing) = (true, Some(Missing::Address));
        }
    }
    if listener.ipv4_too && turns.contains(&0) {
        listener.ipv4_too = false;
        if turns[1] == 0 {
            listener.address = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), listener.address.port());
        }
    }
    Ok(())
}

/// Binds a socket that is handed over to the interface of its listener: the server before may have waited for it. If it
/// still does not exist, the socket goes on waiting. `chosen`: the kernel chose the port.
fn join_interface(listener: &ListenerSpec, socket: &Socket, chosen: bool) -> io::Result<()> {
    let Some(interface) = &listener.interface else { return Ok(()) };
    if listener.is_parked() {
        // Others may wait on the port, as beside a socket that this process has parked.
        return if chosen { Ok(()) } else { socket.set_reusable(true) };
    }
    if socket.is_bound_to(interface) {
        return Ok(());
    }
    // The other server still serves with this socket.
    may_bind_to(interface)?;
    socket.rebind(interface)
}

/// Binds sockets for workers that got none, because the server before had fewer of them. It began to bind these ports, so
/// nobody else has them. If that is impossible, these workers stay idle for this listener.
fn add_missing(listener: &ListenerSpec, shares: &mut [ListenerSockets], given: [usize; 2]) {
    for (ipv6, given) in [false, true].into_iter().zip(given) {
        if given >= shares.len() {
            continue;
        }
        let of_family = |share: &ListenerSockets| {
            share.listening.iter().position(|socket| socket.local().is_ipv6() == ipv6)
        };
        let Some(first) = shares.iter().find_map(|share| Some(&share.listening[of_family(share)?])) else {
            continue;
        };
        let (address, options) = (first.local(), BindOptions { shared: true, ..listener.listening() });
        let mut all = shares.iter().flat_map(|share| &share.listening);
        let shares_port = all.try_for_each(Socket::share_port);
        for share in shares.iter_mut().skip(given) {
            if let (Ok(()), Ok(socket)) = (&shares_port, Socket::bind(address, options)) {
                share.listening.push(socket);
            }
        }
    }
}
