//! A bound UDP socket.

use socket2::{Domain, Protocol, SockAddr, Type};
use std::cell::Cell;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

/// The requested size of each kernel buffer in bytes. A storm of requests overflows the default of 208 KiB;
/// the kernel grants up to `net.core.rmem_max` (root: all of it).
pub const KERNEL_BUFFER: usize = 8 << 20;

/// The default size of a receive buffer (`net.core.rmem_default`).
const USUAL_BUFFER: usize = 208 << 10;

/// The options of binding a socket.
#[derive(Debug, Clone, Copy, Default)]
pub struct BindOptions<'a> {
    /// The only interface that datagrams are received from and sent to (SO_BINDTODEVICE), whatever addresses it has.
    pub interface: Option<&'a str>,
    /// Whether the address need not be one of this host yet (IP_FREEBIND).
    pub free_bind: bool,
    /// Whether several sockets share the port, with peers spread over them by the kernel (SO_REUSEPORT).
    pub shared: bool,
    /// Whether datagrams of one peer may arrive coalesced in one buffer (UDP_GRO); see
    /// [`Received::datagrams`](super::Received::datagrams).
    pub gro: bool,
    /// Whether each datagram carries its local address and interface.
    pub tell_local: bool,
    /// Whether the kernel keeps the ICMP errors of datagrams sent from here (IP_RECVERR); see
    /// [`UnreachableBatch`](super::UnreachableBatch).
    pub errors: bool,
    /// The requested size of the receive buffer in bytes; by default [`KERNEL_BUFFER`].
    pub room: Option<usize>,
}

/// A bound, non-blocking UDP socket.
#[derive(Debug)]
pub struct Socket {
    inner: socket2::Socket,
    local: Cell<SocketAddr>,
    /// Whether UDP_SEGMENT may be used at all.
    segments: Cell<bool>,
    /// Whether the kernel refuses datagrams larger than the path's MTU rather than fragment them. Set until
    /// it refuses one: see [`Socket::allow_fragments`].
    whole: Cell<bool>,
    /// As in [`BindOptions`].
    errors: bool,
}

impl Socket {
    /// Binds to `address`; port 0 takes any free port. IPv6 sockets carry only IPv6.
    pub fn bind(address: SocketAddr, options: BindOptions<'_>) -> io::Result<Socket> {
        let inner = socket2::Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
        inner.set_nonblocking(true)?;
        if address.is_ipv6() {
            inner.set_only_v6(true)?;
        }
        if options.shared {
            inner.set_reuse_port(true)?;
        }
        // Before the port: sockets of different interfaces may share one.
        if let Some(interface) = options.interface {
            inner.bind_device(Some(interface.as_bytes()))?;
        }
        if options.free_bind {
            match address {
                SocketAddr::V4(_) => inner.set_freebind_v4(true)?,
                SocketAddr::V6(_) => inner.set_freebind_v6(true)?,
            }
        }
        // The buffer sizes are a request: a refusal costs speed under bursts, not correctness.
        set_buffer(&inner, libc::SO_RCVBUFFORCE, libc::SO_RCVBUF, options.room.unwrap_or(KERNEL_BUFFER));
        set_buffer(&inner, libc::SO_SNDBUFFORCE, libc::SO_SNDBUF, KERNEL_BUFFER);
        if options.tell_local {
            enable_packet_info(&inner, address)?;
        }
        if options.gro {
            coalesce(&inner);
        }
        let errors = options.errors && report_errors(&inner, address);
        inner.bind(&SockAddr::from(address))?;
        let local = inner.local_addr()?.as_socket().unwrap_or(address);
        let whole = Cell::new(discover_mtu(&inner, address));
        Ok(Socket { inner, local: Cell::new(local), segments: Cell::new(true), whole, errors })
    }

    /// Adopts a socket that another process has bound, with the options of [`Socket::bind`]. That process
    /// decided about sharing, and buffers larger than the default keep their size.
    pub fn inherit(socket: UdpSocket, options: BindOptions<'_>) -> io::Result<Socket> {
        let local = socket.local_addr()?;
        let inner = socket2::Socket::from(socket);
        inner.set_nonblocking(true)?;
        // The kernel reports twice the requested size (socket(7), SO_RCVBUF).
        if inner.recv_buffer_size()? <= 2 * USUAL_BUFFER {
            set_buffer(&inner, libc::SO_RCVBUFFORCE, libc::SO_RCVBUF, KERNEL_BUFFER);
        }
        if inner.send_buffer_size()? <= 2 * USUAL_BUFFER {
            set_buffer(&inner, libc::SO_SNDBUFFORCE, libc::SO_SNDBUF, KERNEL_BUFFER);
        }
        if options.tell_local {
            enable_packet_info(&inner, local)?;
        }
        if options.gro {
            coalesce(&inner);
        }
        let errors = options.errors && report_errors(&inner, local);
        let whole = Cell::new(discover_mtu(&inner, local));
        Ok(Socket { inner, local: Cell::new(local), segments: Cell::new(true), whole, errors })
    }

    /// Creates a socket for one peer, like an ordinary client's: the kernel picks the port when the first
    /// datagram is sent, so [`Socket::local`] is unspecified, and does not report the local address of
    /// received datagrams. Its receive buffer holds `room` bytes in the kernel's accounting, but at least the
    /// default; `gro` as in [`BindOptions`].
    pub fn client(peer: SocketAddr, room: usize, gro: bool) -> io::Result<Socket> {
        let kind = Type::DGRAM.nonblocking();
        let inner = socket2::Socket::new(Domain::for_address(peer), kind, Some(Protocol::UDP))?;
        if room > USUAL_BUFFER {
            // The kernel doubles the requested size (socket(7), SO_RCVBUF).
            set_buffer(&inner, libc::SO_RCVBUFFORCE, libc::SO_RCVBUF, room / 2);
        }
        if gro {
            coalesce(&inner);
        }
        let any: IpAddr =
            if peer.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let local = SocketAddr::new(any, 0);
        Ok(Socket {
            inner,
            local: Cell::new(local),
            segments: Cell::new(true),
            whole: Cell::new(false),
            errors: false,
        })
    }

    /// Sets the size of the receive buffer in bytes, as programs do (SO_RCVBUF); the kernel doubles it for its own needs.
    ///
    /// # Errors
    /// Those of setsockopt(2).
    pub fn set_receive_buffer(&self, bytes: usize) -> io::Result<()> {
        self.inner.set_recv_buffer_size(bytes)
    }

    /// The bound address, with the port that the kernel chose.
    pub fn local(&self) -> SocketAddr {
        self.local.get()
    }

    pub(super) fn set_local(&self, local: SocketAddr) {
        self.local.set(local);
    }

    pub(super) fn inner(&self) -> &socket2::Socket {
        &self.inner
    }

    /// Permits fragmentation after a datagram exceeded the path's MTU (the kernel's default, which a block
    /// size above the MTU needs). Returns false if it was permitted already.
    pub(super) fn allow_fragments(&self) -> bool {
        self.whole.take()
            && set_option(&self.inner, libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, libc::IP_PMTUDISC_WANT)
                .is_ok()
    }

    /// Limits how many networks a datagram to a multicast group crosses (IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS).
    ///
    /// # Errors
    /// The kernel refuses it.
    pub fn set_multicast_ttl(&self, ttl: u8) -> io::Result<()> {
        match self.local() {
            SocketAddr::V4(_) => self.inner.set_multicast_ttl_v4(ttl.into()),
            SocketAddr::V6(_) => self.inner.set_multicast_hops_v6(ttl.into()),
        }
    }

    /// Disables UDP_SEGMENT on this socket.
    pub fn disable_segmentation(&self) {
        self.segments.set(false);
    }

    pub(super) fn segments(&self) -> bool {
        self.segments.get()
    }

    /// Whether any call may return the ICMP error of an earlier datagram.
    pub(super) fn reports_errors(&self) -> bool {
        self.errors
    }
}

impl AsRawFd for Socket {
    fn as_raw_fd(&self) -> RawFd {
        self.inner.as_raw_fd()
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inner.as_fd()
    }
}

/// Sets a buffer size, beyond the system's limit if this process is permitted to (`forced`), otherwise up to
/// it.
fn set_buffer(socket: &socket2::Socket, forced: libc::c_int, option: libc::c_int, size: usize) {
    let size = libc::c_int::try_from(size).unwrap_or(libc::c_int::MAX);
    if set_option(socket, libc::SOL_SOCKET, forced, size).is_err() {
        let _ = set_option(socket, libc::SOL_SOCKET, option, size);
    }
}

/// Requests coalescing: kernels before 5.0 deliver each datagram separately.
fn coalesce(socket: &socket2::Socket) {
    let _ = set_option(socket, libc::SOL_UDP, libc::UDP_GRO, 1);
}

/// Requests that the kernel refuse datagrams larger than the path's MTU; returns whether it does. Otherwise
/// the kernel must number each datagram for its fragments, in a table that all sockets share. IPv6 numbers
/// only fragments.
fn discover_mtu(socket: &socket2::Socket, address: SocketAddr) -> bool {
    address.is_ipv4()
        && set_option(socket, libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, libc::IP_PMTUDISC_DO).is_ok()
}

/// Best effort: transfers also end without these errors, only later.
fn report_errors(socket: &socket2::Socket, address: SocketAddr) -> bool {
    match address {
        SocketAddr::V4(_) => set_option(socket, libc::IPPROTO_IP, libc::IP_RECVERR, 1),
        SocketAddr::V6(_) => set_option(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVERR, 1),
    }
    .is_ok()
}

fn enable_packet_info(socket: &socket2::Socket, address: SocketAddr) -> io::Result<()> {
    match address {
        SocketAddr::V4(_) => set_option(socket, libc::IPPROTO_IP, libc::IP_PKTINFO, 1),
        SocketAddr::V6(_) => set_option(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO, 1),
    }
}

/// setsockopt(2) for an integer.
fn set_option(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_both_families_have_a_largest_number_of_hops() {
        let v4 = Socket::bind(([127, 0, 0, 1], 0).into(), BindOptions::default()).unwrap();
        v4.set_multicast_ttl(7).unwrap();
        assert_eq!(v4.inner.multicast_ttl_v4().unwrap(), 7);
        let v6 = Socket::bind((Ipv6Addr::LOCALHOST, 0).into(), BindOptions::default()).unwrap();
        v6.set_multicast_ttl(7).unwrap();
        assert_eq!(v6.inner.multicast_hops_v6().unwrap(), 7);
    }
}
