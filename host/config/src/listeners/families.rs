//! The families that the address `[::]` stands for.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use super::WrittenListener;
use crate::address::parse_address;
use crate::resolver::Resolver;
use crate::tree::join;
use tuffet_request::settings::Listener;

/// The address of a listener, and its interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    address: SocketAddr,
    interface: Option<String>,
}

impl Place {
    pub(super) fn of(written: &WrittenListener) -> Option<Place> {
        let address = parse_address(&written.address).ok()?;
        Some(Place { address, interface: written.interface.clone() })
    }

    /// Whether this is an IPv4 address that `[::]` would take the port of.
    fn has_port_of(&self, written: &WrittenListener, address: SocketAddr) -> bool {
        self.address.is_ipv4()
            && address.port() != 0
            && self.address.port() == address.port()
            && !are_apart(self.interface.as_deref(), written.interface.as_deref())
    }
}

/// Whether two listeners have different interfaces.
pub(super) fn are_apart(one: Option<&str>, other: Option<&str>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one != other)
}

/// The addresses of a listener, one for each family.
pub(super) fn addresses(listener: &Listener) -> impl Iterator<Item = IpAddr> {
    let v4 = listener.ipv4_too.then_some(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    v4.into_iter().chain([listener.address.ip()])
}

impl Resolver<'_> {
    /// Returns whether a listener serves IPv4 by its address `[::]`.
    pub(super) fn ipv4_too(&mut self, pointer: &str, written: &WrittenListener, all: &[Place]) -> bool {
        let address = parse_address(&written.address).ok().filter(SocketAddr::is_ipv6);
        let Some(address) = address.filter(|address| address.ip().is_unspecified()) else {
            if written.ipv6_only.is_some() {
                let message =
                    "only the address `[::]` has both families, so `ipv6-only` has no effect; remove it";
                self.wrong_key(join(pointer, "ipv6-only"), message);
            }
            return false;
        };
        match written.ipv6_only {
            Some(only) => !only,
            None => !all.iter().any(|other| other.has_port_of(written, address)),
        }
    }
}
