//! The path to a peer, as the kernel knows it.

use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::io;
use std::net::{Ipv6Addr, SocketAddr};
use std::os::fd::AsRawFd;

/// Returns the MTU of the path to this peer in bytes: that of the route's interface, or less if a router on the path
/// has reported less. Sends nothing.
///
/// # Errors
/// There is no route.
pub fn path_mtu(peer: SocketAddr, interface: Option<&str>) -> io::Result<u32> {
    let socket = Socket::new(Domain::for_address(peer), Type::DGRAM, Some(Protocol::UDP))?;
    if let Some(interface) = interface {
        socket.bind_device(Some(interface.as_bytes()))?;
    }
    socket.connect(&SockAddr::from(peer))?;
    let (level, option) = match peer {
        SocketAddr::V4(_) => (libc::IPPROTO_IP, libc::IP_MTU),
        SocketAddr::V6(_) => (libc::IPPROTO_IPV6, libc::IPV6_MTU),
    };
    let mut mtu: libc::c_int = 0;
    let mut length = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: `mtu` and `length` live through the call, and `length` is the size of `mtu`.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            level,
            option,
            std::ptr::from_mut(&mut mtu).cast(),
            std::ptr::from_mut(&mut length),
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    u32::try_from(mtu).map_err(io::Error::other)
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
