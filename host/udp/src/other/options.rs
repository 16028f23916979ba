//! Options of sockets on systems other than Linux.

use nix::sys::socket::{setsockopt, sockopt};
use socket2::{Domain, Protocol, Type};
use std::io;
use std::net::SocketAddr;

/// The smallest buffer that is requested after the system refused larger ones.
const SMALLEST_BUFFER: usize = 64 << 10;

/// No call returns the error of an earlier datagram.
pub(super) const ICMP_ERRORS: [i32; 0] = [];

/// Creates a non-blocking socket for this family of addresses.
pub(super) fn non_blocking(address: SocketAddr) -> io::Result<socket2::Socket> {
    let socket = socket2::Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// # Errors
/// Always: only Linux ties a socket to an interface in both directions.
pub(super) fn bind_to_interface(_: &socket2::Socket, _: &str) -> io::Result<()> {
    Err(unsupported("binding a socket to an interface needs Linux"))
}

/// # Errors
/// Always.
pub(super) fn free_bind(_: &socket2::Socket, _: SocketAddr) -> io::Result<()> {
    Err(unsupported("binding to an address that this host does not have needs Linux"))
}

pub(super) fn set_receive_buffer(socket: &socket2::Socket, size: usize) {
    set_buffer(size, |size| socket.set_recv_buffer_size(size));
}

pub(super) fn set_send_buffer(socket: &socket2::Socket, size: usize) {
    set_buffer(size, |size| socket.set_send_buffer_size(size));
}

/// These systems refuse a size beyond their limit instead of granting the limit.
fn set_buffer(mut size: usize, set: impl Fn(usize) -> io::Result<()>) {
    while set(size).is_err() && size > SMALLEST_BUFFER {
        size /= 2;
    }
}

/// These systems permit fragments by default.
pub(super) fn fragment(_: &socket2::Socket, _: SocketAddr) {}

/// # Errors
/// Always: each system has another option, or none.
pub(super) fn refuse_fragments(_: &socket2::Socket) -> io::Result<()> {
    Err(unsupported("forbidding fragments needs Linux"))
}

/// Fragments are permitted already.
pub(super) fn permit_fragments(_: &socket2::Socket) -> bool {
    false
}

/// These systems report no errors to sockets without a peer.
pub(super) fn report_errors(_: &socket2::Socket, _: SocketAddr, _: bool) -> bool {
    false
}

/// Makes each datagram carry its local address.
pub(super) fn tell_local(socket: &socket2::Socket, address: SocketAddr) -> io::Result<()> {
    match address {
        #[cfg(target_os = "freebsd")]
        SocketAddr::V4(_) => setsockopt(socket, sockopt::Ipv4RecvDstAddr, &true)?,
        #[cfg(not(target_os = "freebsd"))]
        SocketAddr::V4(_) => setsockopt(socket, sockopt::Ipv4PacketInfo, &true)?,
        SocketAddr::V6(_) => setsockopt(socket, sockopt::Ipv6RecvPacketInfo, &true)?,
    }
    Ok(())
}

/// # Errors
/// Always: no option of a socket tells it.
pub(super) fn connected_mtu(_: &socket2::Socket, _: SocketAddr) -> io::Result<u32> {
    Err(unsupported("the MTU of a path is known on Linux only"))
}

fn unsupported(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, text)
}
