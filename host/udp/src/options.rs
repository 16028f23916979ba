//! Options of sockets on Linux.

use socket2::{Domain, Protocol, Type};
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;

/// The ICMP errors of earlier datagrams that a call may return (icmp(7), ipv6(7)).
pub(super) const ICMP_ERRORS: [i32; 10] = [
    libc::ECONNREFUSED,
    libc::EHOSTUNREACH,
    libc::ENETUNREACH,
    libc::EHOSTDOWN,
    libc::ENONET,
    libc::EMSGSIZE,
    libc::EPROTO,
    libc::ENOPROTOOPT,
    libc::EOPNOTSUPP,
    libc::EACCES,
];

/// Creates a non-blocking socket for this family of addresses.
pub(super) fn non_blocking(address: SocketAddr) -> io::Result<socket2::Socket> {
    let kind = Type::DGRAM.nonblocking();
    socket2::Socket::new(Domain::for_address(address), kind, Some(Protocol::UDP))
}

/// Binds the socket to an interface (SO_BINDTODEVICE).
pub(super) fn bind_to_interface(socket: &socket2::Socket, interface: &str) -> io::Result<()> {
    socket.bind_device(Some(interface.as_bytes()))
}

/// Permits an address that this host does not have (IP_FREEBIND).
pub(super) fn free_bind(socket: &socket2::Socket, address: SocketAddr) -> io::Result<()> {
    match address {
        SocketAddr::V4(_) => socket.set_freebind_v4(true),
        SocketAddr::V6(_) => socket.set_freebind_v6(true),
    }
}

pub(super) fn set_receive_buffer(socket: &socket2::Socket, size: usize) {
    set_buffer(socket, libc::SO_RCVBUFFORCE, libc::SO_RCVBUF, size);
}

pub(super) fn set_send_buffer(socket: &socket2::Socket, size: usize) {
    set_buffer(socket, libc::SO_SNDBUFFORCE, libc::SO_SNDBUF, size);
}

/// Sets a buffer size, beyond the system's limit if this process is permitted to (`forced`), otherwise up to
/// it.
fn set_buffer(socket: &socket2::Socket, forced: libc::c_int, option: libc::c_int, size: usize) {
    let size = libc::c_int::try_from(size).unwrap_or(libc::c_int::MAX);
    if set_option(socket, libc::SOL_SOCKET, forced, size).is_err() {
        let _ = set_option(socket, libc::SOL_SOCKET, option, size);
    }
}

/// Clears the bit "don't fragment" of all IPv4 packets, so that routers fragment what is too large for them, and ignores
/// smaller MTUs that ICMP reports (ip(7), IP_MTU_DISCOVER): anyone can forge such a report. The MTU of the interface
/// remains, above which the kernel fragments. IPv6 has no such bit. Best effort: transfers within the MTU of the path
/// need no fragments.
pub(super) fn fragment(socket: &socket2::Socket, address: SocketAddr) {
    if address.is_ipv4() && discover_mtu(socket, libc::IP_PMTUDISC_OMIT).is_err() {
        // Linux before 3.15: this one heeds reports, too.
        let _ = discover_mtu(socket, libc::IP_PMTUDISC_DONT);
    }
}

/// Sets the bit "don't fragment" of all packets of an IPv4 socket; the kernel then refuses datagrams larger than the MTU
/// of the path.
pub(super) fn refuse_fragments(socket: &socket2::Socket) -> io::Result<()> {
    discover_mtu(socket, libc::IP_PMTUDISC_DO)
}

/// Permits the kernel to fragment what exceeds the MTU of the path, and only that; returns whether it does.
pub(super) fn permit_fragments(socket: &socket2::Socket) -> bool {
    discover_mtu(socket, libc::IP_PMTUDISC_WANT).is_ok()
}

fn discover_mtu(socket: &socket2::Socket, how: libc::c_int) -> io::Result<()> {
    set_option(socket, libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, how)
}

/// Makes the kernel keep ICMP errors, or discard them with those that it keeps; returns whether it does. Best effort:
/// transfers also end without these errors, only later.
pub(super) fn report_errors(socket: &socket2::Socket, address: SocketAddr, report: bool) -> bool {
    match address {
        SocketAddr::V4(_) => set_option(socket, libc::IPPROTO_IP, libc::IP_RECVERR, report.into()),
        SocketAddr::V6(_) => set_option(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVERR, report.into()),
    }
    .is_ok()
}

/// Makes each datagram carry its local address and interface.
pub(super) fn tell_local(socket: &socket2::Socket, address: SocketAddr) -> io::Result<()> {
    match address {
        SocketAddr::V4(_) => set_option(socket, libc::IPPROTO_IP, libc::IP_PKTINFO, 1),
        SocketAddr::V6(_) => set_option(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO, 1),
    }
}

/// setsockopt(2) for an integer.
pub(super) fn set_option(
    socket: &socket2::Socket,
    level: libc::c_int,
    name: libc::c_int,
    value: libc::c_int,
) -> io::Result<()> {
    // SAFETY: `value` lives through the call and the length is its size.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            std::ptr::from_ref(&value).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The MTU of the path to the peer of a connected socket.
pub(super) fn connected_mtu(socket: &socket2::Socket, peer: SocketAddr) -> io::Result<u32> {
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
