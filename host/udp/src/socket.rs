//! A bound UDP socket.

use super::{calls, options, rebind};
use socket2::{SockAddr, SockRef};
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
    /// Whether IPv4 packets forbid routers to fragment them (the bit DF), as long as they fit the MTU of the path that the
    /// kernel knows. By default routers may, and the kernel ignores smaller MTUs that ICMP reports.
    pub dont_fragment: bool,
    /// Whether the socket waits for an interface that does not exist yet: it has its port, and receives nothing until
    /// [`Socket::rebind`]. Instead of `interface`; implies `free_bind`.
    pub parked: bool,
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
    /// Whether the kernel refuses datagrams larger than the path's MTU rather than fragment them: with
    /// [`BindOptions::dont_fragment`], until it refuses one. See [`Socket::allow_fragments`].
    whole: Cell<bool>,
    /// As in [`BindOptions`].
    errors: bool,
}

impl Socket {
    /// Binds to `address`; port 0 takes any free port. IPv6 sockets carry only IPv6.
    pub fn bind(address: SocketAddr, wanted: BindOptions<'_>) -> io::Result<Socket> {
        let inner = options::non_blocking(address)?;
        if address.is_ipv6() {
            inner.set_only_v6(true)?;
        }
        if wanted.shared {
            inner.set_reuse_port(true)?;
        }
        // Before the port: sockets of different interfaces may share one.
        if wanted.parked {
            rebind::prepare_parking(&inner, address)?;
        } else if let Some(interface) = wanted.interface {
            options::bind_to_interface(&inner, interface)?;
        }
        if wanted.free_bind || wanted.parked {
            options::free_bind(&inner, address)?;
        }
        // The buffer sizes are a request: a refusal costs speed under bursts, not correctness.
        options::set_receive_buffer(&inner, wanted.room.unwrap_or(KERNEL_BUFFER));
        options::set_send_buffer(&inner, KERNEL_BUFFER);
        if wanted.tell_local {
            options::tell_local(&inner, address)?;
        }
        if wanted.gro {
            calls::coalesce(&inner);
        }
        let errors = wanted.errors && options::report_errors(&inner, address, true);
        inner.bind(&SockAddr::from(address))?;
        let local = inner.local_addr()?.as_socket().unwrap_or(address);
        let whole = Cell::new(refuses_fragments(&inner, address, wanted)?);
        Ok(Socket { inner, local: Cell::new(local), segments: Cell::new(calls::SEGMENTS), whole, errors })
    }

    /// Adopts a socket that another process has bound, with the options of [`Socket::bind`]. That process
    /// decided about sharing, and buffers larger than the default keep their size.
    pub fn inherit(socket: UdpSocket, wanted: BindOptions<'_>) -> io::Result<Socket> {
        let local = socket.local_addr()?;
        let inner = socket2::Socket::from(socket);
        inner.set_nonblocking(true)?;
        // The kernel reports twice the requested size (socket(7), SO_RCVBUF).
        if inner.recv_buffer_size()? <= 2 * USUAL_BUFFER {
            options::set_receive_buffer(&inner, KERNEL_BUFFER);
        }
        if inner.send_buffer_size()? <= 2 * USUAL_BUFFER {
            options::set_send_buffer(&inner, KERNEL_BUFFER);
        }
        if wanted.tell_local {
            options::tell_local(&inner, local)?;
        }
        if wanted.gro {
            calls::coalesce(&inner);
        }
        let errors = wanted.errors && options::report_errors(&inner, local, true);
        let whole = Cell::new(refuses_fragments(&inner, local, wanted)?);
        Ok(Socket { inner, local: Cell::new(local), segments: Cell::new(calls::SEGMENTS), whole, errors })
    }

    /// Creates a socket for one peer, like an ordinary client's: the kernel picks the port when the first
    /// datagram is sent, so [`Socket::local`] is unspecified, and does not report the local address of
    /// received datagrams. Its receive buffer holds `room` bytes in the kernel's accounting, but at least the
    /// default; `gro` as in [`BindOptions`].
    pub fn client(peer: SocketAddr, room: usize, gro: bool) -> io::Result<Socket> {
        let inner = options::non_blocking(peer)?;
        if room > USUAL_BUFFER {
            // The kernel doubles the requested size (socket(7), SO_RCVBUF).
            options::set_receive_buffer(&inner, room / 2);
        }
        if gro {
            calls::coalesce(&inner);
        }
        options::fragment(&inner, peer);
        let any: IpAddr =
            if peer.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let local = SocketAddr::new(any, 0);
        Ok(Socket {
            inner,
            local: Cell::new(local),
            segments: Cell::new(calls::SEGMENTS),
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

    /// Returns a second descriptor of this socket, which keeps its port after it is closed here.
    ///
    /// # Errors
    /// The process has no descriptors left.
    pub fn duplicate(&self) -> io::Result<UdpSocket> {
        Ok(self.inner.try_clone()?.into())
    }

    /// Lets other sockets of this user share the port (SO_REUSEPORT).
    ///
    /// # Errors
    /// Those of setsockopt(2).
    pub fn share_port(&self) -> io::Result<()> {
        self.inner.set_reuse_port(true)
    }

    /// Whether the kernel spreads peers over this socket and others of its port (SO_REUSEPORT). A socket that was
    /// [bound to another interface](Socket::rebind) no longer does.
    pub fn shares_port(&self) -> bool {
        self.inner.reuse_port().unwrap_or(false)
    }

    /// The bound address, with the port that the kernel chose.
    pub fn local(&self) -> SocketAddr {
        self.local.get()
    }

    #[cfg(target_os = "linux")]
    pub(super) fn set_local(&self, local: SocketAddr) {
        self.local.set(local);
    }

    pub(super) fn inner(&self) -> &socket2::Socket {
        &self.inner
    }

    /// Permits fragmentation after a datagram exceeded the path's MTU, which a block size above the MTU needs. Returns
    /// false if it was permitted already.
    pub(super) fn allow_fragments(&self) -> bool {
        self.whole.take() && options::permit_fragments(&self.inner)
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

/// Clears the bit "don't fragment" of all IPv4 packets sent from this socket; the kernel sets it by default. Other systems
/// than Linux leave it clear, and IPv6 has none.
pub fn fragment(socket: &UdpSocket) {
    if let Ok(local) = socket.local_addr() {
        options::fragment(&SockRef::from(socket), local);
    }
}

/// Decides about fragments; returns whether the kernel refuses larger datagrams.
fn refuses_fragments(
    socket: &socket2::Socket,
    address: SocketAddr,
    wanted: BindOptions<'_>,
) -> io::Result<bool> {
    if wanted.dont_fragment && address.is_ipv4() {
        options::refuse_fragments(socket)?;
        return Ok(true);
    }
    options::fragment(socket, address);
    Ok(false)
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
