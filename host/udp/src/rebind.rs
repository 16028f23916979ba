//! Binds a socket to another interface without a privilege, also to one that did not exist when the socket got its port.
//!
//! A parked socket takes its port while the process may still have the privilege for it, and waits for its interface
//! with a filter that drops everything. The kernel compares ports when a socket is bound, and not when its interface
//! changes. So the port is taken on the loopback interface, where it conflicts with sockets that serve all interfaces,
//! as it would later, but not with those of other interfaces.

use super::options::{bind_to_interface, free_bind};
use super::socket::Socket;
use socket2::SockFilter;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;

/// The BPF instruction that accepts 0 bytes of each datagram.
const DROP: SockFilter = SockFilter::new((libc::BPF_RET | libc::BPF_K) as u16, 0, 0, 0);

/// The interface that parked sockets are bound on. Each network namespace has it from its beginning.
pub const LOOPBACK: &str = "lo";

/// Makes a socket drop everything, and binds it to the loopback interface. Parked sockets share a given port with each
/// other, and with sockets that are [reusable](Socket::set_reusable): each will have another interface.
pub(super) fn prepare_parking(socket: &socket2::Socket, address: SocketAddr) -> io::Result<()> {
    socket.attach_filter(&[DROP])?;
    bind_to_interface(socket, LOOPBACK)?;
    if address.port() != 0 { socket.set_reuse_address(true) } else { Ok(()) }
}

impl Socket {
    /// Releases the loopback interface, once all parked sockets of a listener are bound. Otherwise a socket that serves the loopback interface would be
    /// hidden. A port that the kernel chose would be lost, but no other socket has it.
    ///
    /// # Errors
    /// Those of connect(2).
    pub fn leave_loopback(&self) -> io::Result<()> {
        if self.inner().reuse_address()? { self.disconnect() } else { Ok(()) }
    }

    /// Ends the parking of all sockets of a start: from now on, other processes find the port taken. With
    /// `on_loopback`, the socket waits on the loopback interface, where it is in the way of no other interface.
    ///
    /// # Errors
    /// Those of setsockopt(2).
    pub fn settle(&self, on_loopback: bool) -> io::Result<()> {
        self.set_reusable(false)?;
        match self.inner().device() {
            Ok(None) if on_loopback => bind_to_interface(self.inner(), LOOPBACK),
            // The interface of a socket that was handed over may be gone: it is in the way of no other.
            _ => Ok(()),
        }
    }

    /// Permits other sockets that are reusable to take the same port (SO_REUSEADDR).
    ///
    /// # Errors
    /// Those of setsockopt(2).
    pub fn set_reusable(&self, reusable: bool) -> io::Result<()> {
        self.inner().set_reuse_address(reusable)
    }

    /// Binds the socket to the interface that now has this name (SO_BINDTODEVICE); its address and port stay, unless
    /// the kernel chose the port and another socket has taken it meanwhile. Until it succeeds, the socket receives
    /// nothing.
    ///
    /// To change the interface of a bound socket takes CAP_NET_RAW, and to bind one that has none takes nothing since
    /// Linux 5.7. The socket leaves its reuseport group for ever: of several that share a port, one then gets everything, and
    /// it no longer [shares its port](Socket::shares_port). A UDP socket loses its interface when it is disconnected
    /// (`connect` with AF_UNSPEC), connected or not.
    ///
    /// Two processes that have the socket may both do this, at any time.
    ///
    /// # Errors
    /// There is no such interface; the kernel is older than 5.7 and this process has no CAP_NET_RAW.
    pub fn rebind(&self, interface: &str) -> io::Result<()> {
        if self.is_bound_to(interface) && !self.shares_port() {
            self.set_local(self.bound_address()?);
            return self.accept_all();
        }
        // Until the new interface is set, datagrams from other interfaces would arrive.
        self.inner().attach_filter(&[DROP])?;
        self.disconnect()?;
        self.inner().set_reuse_port(false)?;
        bind_to_interface(self.inner(), interface)?;
        // With the connection a socket also loses a port that the kernel chose.
        if self.bound_address()?.port() == 0 {
            let mut address = self.local();
            // The address of a new interface comes after it.
            free_bind(self.inner(), address)?;
            match self.inner().bind(&address.into()) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                    address.set_port(0);
                    self.inner().bind(&address.into())?;
                }
                result => result?,
            }
        }
        self.set_local(self.bound_address()?);
        self.accept_all()
    }

    /// Returns whether the socket is bound to the interface that now has this name.
    pub fn is_bound_to(&self, interface: &str) -> bool {
        // Without an interface of that number the kernel has no name.
        let bound = self.inner().device().ok().flatten();
        bound.is_some_and(|its| its.strip_suffix(b"\0").unwrap_or(&its) == interface.as_bytes())
    }

    /// Ends the filter of a parked socket.
    fn accept_all(&self) -> io::Result<()> {
        match self.inner().detach_filter() {
            // It has none, or another process has removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        }
    }

    fn bound_address(&self) -> io::Result<SocketAddr> {
        let address = self.inner().local_addr()?;
        address.as_socket().ok_or_else(|| io::Error::other("not an IP address"))
    }

    fn disconnect(&self) -> io::Result<()> {
        let unspecified =
            libc::sockaddr { sa_family: libc::AF_UNSPEC as libc::sa_family_t, sa_data: [0; 14] };
        // SAFETY: `unspecified` lives through the call and the length is its size.
        let result = unsafe {
            libc::connect(
                self.as_raw_fd(),
                &raw const unspecified,
                size_of::<libc::sockaddr>() as libc::socklen_t,
            )
        };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(test)]
mod tests {
    use crate::{BindOptions, Socket};
    use std::net::{SocketAddr, UdpSocket};

    fn bound(address: &str) -> Socket {
        Socket::bind(
            address.parse().unwrap(),
            BindOptions { interface: Some("lo"), ..BindOptions::default() },
        )
        .unwrap()
    }

    fn parked(address: &str, shared: bool) -> Socket {
        let options = BindOptions { parked: true, shared, ..BindOptions::default() };
        Socket::bind(address.parse().unwrap(), options).unwrap()
    }

    /// An address that this machine does not have is no obstacle.
    #[test]
    fn a_parked_socket_receives_nothing_until_its_interface_exists() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let socket = parked(address, false);
            let before = socket.local();
            assert!(before.port() != 0 && !arrives(&socket));
            socket.settle(true).unwrap();
            assert!(!arrives(&socket));
            socket.rebind("lo").unwrap();
            assert_eq!(socket.local(), before);
            assert!(arrives(&socket));
        }
        parked("192.0.2.77:0", false).settle(true).unwrap();
    }

    /// As for two listeners of one port whose interfaces are missing, beside one of the loopback interface.
    #[test]
    fn parked_sockets_share_a_port_with_each_other_and_with_reusable_ones() {
        let served = bound("0.0.0.0:0");
        let at = served.local().to_string();
        let taken = BindOptions { parked: true, ..BindOptions::default() };
        let error = Socket::bind(served.local(), taken).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse);
        served.set_reusable(true).unwrap();
        let all = [parked(&at, true), parked(&at, true), parked(&at, true)];
        all.iter().for_each(|socket| socket.leave_loopback().unwrap());
        for socket in all.iter().chain([&served]) {
            socket.settle(false).unwrap();
        }
        let to = SocketAddr::from(([127, 0, 0, 1], served.local().port()));
        UdpSocket::bind("127.0.0.1:0").unwrap().send_to(b"datagram", to).unwrap();
        let mut buffer = [std::mem::MaybeUninit::uninit(); 16];
        assert!(served.inner().recv(&mut buffer).is_ok(), "the parked ones do not take it");
        assert!(UdpSocket::bind(to).is_err(), "others find the port taken");
    }

    fn arrives(socket: &Socket) -> bool {
        let sender = UdpSocket::bind((socket.local().ip(), 0)).unwrap();
        sender.send_to(b"datagram", socket.local()).unwrap();
        let mut buffer = [std::mem::MaybeUninit::uninit(); 16];
        // Over loopback a datagram has arrived when it is sent.
        socket.inner().recv(&mut buffer).is_ok()
    }

    #[test]
    fn a_socket_keeps_its_address_and_receives_nothing_while_it_has_no_interface() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let socket = bound(address);
            let before = socket.local();
            socket.rebind("lo").unwrap();
            assert_eq!(socket.local(), before);
            assert!(socket.is_bound_to("lo") && !socket.is_bound_to("l"));
            assert!(arrives(&socket));
            assert!(socket.rebind("no-such-one").is_err());
            assert!(!arrives(&socket));
            socket.rebind("lo").unwrap();
            assert!(arrives(&socket));
        }
    }

    /// The port that the kernel chose is free for a moment.
    #[test]
    fn a_port_that_another_socket_took_is_replaced() {
        let socket = bound("127.0.0.1:0");
        let before: SocketAddr = socket.local();
        socket.disconnect().unwrap();
        let _taken = UdpSocket::bind(before).unwrap();
        socket.rebind("lo").unwrap();
        assert_ne!(socket.local(), before);
        assert!(arrives(&socket));
    }
}
