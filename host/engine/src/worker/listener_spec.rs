//! A listener as configured and bound.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use tuffet_request::PortRange;
use tuffet_udp::{BindOptions, Socket};

/// Requested size of the receive buffer of a TID port, in bytes. The clients of a listener share all of its
/// TID ports; a listening port receives the requests of all clients, and has a larger buffer.
pub(super) const TID_BUFFER: usize = 1 << 20;

/// A listener as configured and bound.
#[derive(Debug, Clone)]
pub struct ListenerSpec {
    /// Where requests arrive.
    pub address: SocketAddr,
    /// Whether `address`, which is `[::]`, stands for all addresses of IPv4, too. They have sockets of their own, so IPv4
    /// clients have IPv4 addresses everywhere.
    pub ipv4_too: bool,
    /// The only interface of all its sockets, whatever addresses it has.
    pub interface: Option<String>,
    /// Whether the address need not be one of this host yet.
    pub free_bind: bool,
    /// Whether IPv4 packets forbid routers to fragment them (the bit DF).
    pub dont_fragment: bool,
    /// Whether the listener may wait for an interface or an address that is not there yet, or do without IPv6.
    pub may_wait: bool,
    /// Whether answers come from the listening port too (for NAT, containers and load balancers).
    pub single_port: bool,
    /// TID ports in each worker for each family, unused with a single port; see [`tid_ports`](super::tid_ports).
    pub tid_ports: u16,
    /// The ports that all workers share as TID ports, instead of `tid_ports` of the kernel's choice.
    pub tid_range: Option<PortRange>,
    /// The ports of `tid_range` that other sockets have, in ascending order; found while opening.
    pub taken: Vec<u16>,
    /// What the listener waits for; found while opening.
    pub missing: Option<Missing>,
    /// Whether it serves IPv4 alone because this machine has no IPv6; found while opening.
    pub lacks_ipv6: bool,
}

/// What a listener waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The interface. Its sockets have their ports, and receive nothing before [`Socket::rebind`].
    Interface,
    /// The address. Its sockets are bound to it, and the kernel delivers to them once this machine has it.
    Address,
    /// IPv6. It has no sockets.
    Ipv6,
}

impl ListenerSpec {
    /// A listener with one TID port in each worker.
    pub fn at(address: SocketAddr) -> ListenerSpec {
        ListenerSpec {
            address,
            ipv4_too: false,
            interface: None,
            free_bind: false,
            dont_fragment: false,
            may_wait: false,
            single_port: false,
            tid_ports: 1,
            tid_range: None,
            taken: Vec::new(),
            missing: None,
            lacks_ipv6: false,
        }
    }

    /// The addresses of its sockets, one for each family that it serves.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        let ipv4 = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), self.address.port());
        let own = !self.lacks_ipv6 && self.missing != Some(Missing::Ipv6);
        self.ipv4_too.then_some(ipv4).into_iter().chain(own.then_some(self.address)).collect()
    }

    /// Whether its interface does not exist yet.
    pub(super) fn is_parked(&self) -> bool {
        self.missing == Some(Missing::Interface)
    }

    /// The options of a listening socket. It reports no closed ports, unless it serves transfers.
    pub(super) fn listening(&self) -> BindOptions<'_> {
        BindOptions { tell_local: true, gro: true, errors: self.single_port, ..self.place() }
    }

    /// Binds a socket for transfers at one of its addresses.
    pub(super) fn bind_tid(&self, mut address: SocketAddr, port: u16) -> io::Result<Socket> {
        address.set_port(port);
        let tell_local = address.ip().is_unspecified();
        let options =
            BindOptions { tell_local, gro: true, errors: true, room: Some(TID_BUFFER), ..self.place() };
        Socket::bind(address, options)
    }

    /// The options that decide where its sockets are bound.
    pub(super) fn place(&self) -> BindOptions<'_> {
        BindOptions {
            interface: self.interface.as_deref(),
            parked: self.is_parked(),
            free_bind: self.free_bind,
            dont_fragment: self.dont_fragment,
            ..BindOptions::default()
        }
    }
}
