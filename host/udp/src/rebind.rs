//! Binds a socket to another interface without a privilege.

use super::options::bind_to_interface;
use super::socket::Socket;
use socket2::SockFilter;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;

/// The BPF instruction that accepts 0 bytes of each datagram.
const DROP: SockFilter = SockFilter::new((libc::BPF_RET | libc::BPF_K) as u16, 0, 0, 0);

impl Socket {
    /// Binds the socket to the interface that now has this name (SO_BINDTODEVICE); its address and port stay, unless
    /// the kernel chose the port and another socket has taken it meanwhile. Until it succeeds, the socket receives
    /// nothing.
    ///
    /// To change the interface of a bound socket takes CAP_NET_RAW, and to bind one that has none takes nothing since
    /// Linux 5.7. A UDP socket loses its interface when it is disconnected (`connect` with AF_UNSPEC), connected or not.
    ///
    /// # Errors
    /// There is no such interface; the kernel is older than 5.7 and this process has no CAP_NET_RAW; the machine does
    /// not have the address of the socket (yet).
    pub fn rebind(&self, interface: &str) -> io::Result<()> {
        // Until the new interface is set, datagrams from other interfaces would arrive.
        self.inner().attach_filter(&[DROP])?;
        self.disconnect()?;
        bind_to_interface(self.inner(), interface)?;
        // With the connection a socket also loses a port that the kernel chose.
        if self.bound_address()?.port() == 0 {
            let mut address = self.local();
            match self.inner().bind(&address.into()) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                    address.set_port(0);
                    self.inner().bind(&address.into())?;
                }
                result => result?,
            }
        }
        self.set_local(self.bound_address()?);
        self.inner().detach_filter()
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
            assert_eq!(socket.inner().device().unwrap().as_deref(), Some(&b"lo"[..]));
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
