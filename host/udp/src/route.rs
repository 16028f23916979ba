//! The path to a peer, as the kernel knows it.

use super::options::{bind_to_interface, connected_mtu};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::io;
use std::net::{Ipv6Addr, SocketAddr};

/// Returns the MTU of the path to this peer in bytes: that of the route's interface, or less if a router on the path
/// has reported less. Sends nothing.
///
/// # Errors
/// There is no route, or this system is not Linux.
pub fn path_mtu(peer: SocketAddr, interface: Option<&str>) -> io::Result<u32> {
    let socket = Socket::new(Domain::for_address(peer), Type::DGRAM, Some(Protocol::UDP))?;
    if let Some(interface) = interface {
        bind_to_interface(&socket, interface)?;
    }
    socket.connect(&SockAddr::from(peer))?;
    connected_mtu(&socket, peer)
}

/// Whether datagrams to this IPv6 group can leave through the interface with this index: the loopback interface and some
/// tunnels carry no multicast. Sends nothing.
pub fn carries_group(group: Ipv6Addr, interface: u32) -> bool {
    let connect = || {
        let socket = Socket::new(Domain::IPV6, Type::DGRAM, Some(Protocol::UDP))?;
        socket.set_multicast_if_v6(interface)?;
        // Port 9 discards, but nothing is sent.
        socket.connect(&SockAddr::from(SocketAddr::from((group, 9))))
    };
    interface != 0 && connect().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_large_packets() {
        assert!(path_mtu(([127, 0, 0, 1], 69).into(), None).unwrap() >= 16_384);
        assert!(path_mtu(([127, 0, 0, 1], 69).into(), Some("lo")).unwrap() >= 16_384);
        assert!(path_mtu(([127, 0, 0, 1], 69).into(), Some("no-such-one")).is_err());
    }

    #[test]
    fn loopback_carries_no_group() {
        let group: Ipv6Addr = "ff15::8000:4500".parse().unwrap();
        for interface in [0, 1, u32::MAX] {
            assert!(!carries_group(group, interface), "{interface}");
        }
    }
}
