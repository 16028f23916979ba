//! The path to a peer, as the kernel knows it.

use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;

/// Returns the MTU of the path to this peer in bytes: that of the route's interface, or less if a router on the way has
/// said so. Sends nothing.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_large_packets() {
        assert!(path_mtu(([127, 0, 0, 1], 69).into(), None).unwrap() >= 16_384);
        assert!(path_mtu(([127, 0, 0, 1], 69).into(), Some("lo")).unwrap() >= 16_384);
        assert!(path_mtu(([127, 0, 0, 1], 69).into(), Some("no-such-one")).is_err());
    }
}
