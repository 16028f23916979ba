//! The listeners of a program.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use tuffet_request::TidPorts;
use tuffet_request::settings::{self, Ceilings};

/// An address on which a server receives requests.
#[derive(Debug)]
pub struct Listener {
    settings: settings::Listener,
    sockets: Vec<UdpSocket>,
}

impl Listener {
    /// A listener that [`Builder::bind`](crate::Builder::bind) binds; port 0 is any free one. Its name is the address.
    pub fn bind(address: SocketAddr) -> Listener {
        Listener { settings: settings::Listener::at(&address.to_string(), address), sockets: Vec::new() }
    }

    /// A listener with this bound socket, which one worker serves. Sockets of TID ports are bound to the same IP address.
    /// A socket of IPv6 must carry only IPv6 (`IPV6_V6ONLY`).
    ///
    /// # Errors
    /// The socket has no address.
    pub fn from_socket(socket: UdpSocket) -> io::Result<Listener> {
        let listener = Listener::bind(socket.local_addr()?);
        Ok(Listener { sockets: vec![socket], ..listener })
    }

    /// As [`Listener::from_socket`], with one more socket of the same address (`SO_REUSEPORT`), for another worker.
    #[must_use]
    pub fn and_socket(mut self, socket: UdpSocket) -> Listener {
        self.sockets.push(socket);
        self
    }

    /// The name for hooks and logs; unique.
    #[must_use]
    pub fn name(mut self, name: &str) -> Listener {
        self.settings.name = name.to_owned();
        self
    }

    /// Whether transfers use the listening port instead of TID ports: for clients behind NAT, containers and load
    /// balancers.
    #[must_use]
    pub fn single_port(mut self, single_port: bool) -> Listener {
        self.settings.single_port = single_port;
        self
    }

    /// Whether the address `[::]` stands for all addresses of IPv4, too, with sockets of their own. Default: IPv6 alone.
    #[must_use]
    pub fn ipv4_too(mut self, ipv4_too: bool) -> Listener {
        self.settings.ipv4_too = ipv4_too;
        self
    }

    /// The only network interface that it serves. Needs Linux.
    #[must_use]
    pub fn interface(mut self, interface: &str) -> Listener {
        self.settings.interface = Some(interface.to_owned());
        self
    }

    /// Whether this host may not have the address yet (`IP_FREEBIND`). Needs Linux.
    #[must_use]
    pub fn free_bind(mut self, free_bind: bool) -> Listener {
        self.settings.free_bind = free_bind;
        self
    }

    /// The TID ports, divided among the workers. Default: as many as the descriptors of the process allow, at most 512.
    #[must_use]
    pub fn tid_ports(mut self, tid_ports: TidPorts) -> Listener {
        self.settings.tid_ports = Some(tid_ports);
        self
    }

    /// The negotiation settings for its clients.
    #[must_use]
    pub fn ceilings(mut self, ceilings: Ceilings) -> Listener {
        self.settings.rules.ceilings = ceilings;
        self
    }

    /// The names of the only roots that it serves.
    #[must_use]
    pub fn roots<'a>(mut self, roots: impl IntoIterator<Item = &'a str>) -> Listener {
        self.settings.rules.roots = Some(roots.into_iter().map(str::to_owned).collect());
        self
    }

    pub(super) fn into_parts(self) -> (settings::Listener, Vec<UdpSocket>) {
        (self.settings, self.sockets)
    }
}
