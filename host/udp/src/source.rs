//! The source address of an outgoing datagram.

use super::Local;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// What the kernel is told of the source of a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    V4(Ipv4Addr),
    /// With the index of the interface that it leaves through; 0 for any.
    V6(Ipv6Addr, u32),
}

impl Source {
    /// Returns the source address of a datagram to `to`, and for an IPv6 group the interface that it leaves through: unlike
    /// an IPv4 one, the kernel does not choose that by the source address.
    pub(super) fn of(local: &Local, to: &SocketAddr) -> Option<Source> {
        let to_group = to.is_ipv6() && to.ip().is_multicast();
        match local.address {
            Some(IpAddr::V4(ip)) => Some(Source::V4(ip)),
            // A link-local address is only unique on its link.
            Some(IpAddr::V6(ip)) if to_group || ip.is_unicast_link_local() => {
                Some(Source::V6(ip, local.interface))
            }
            Some(IpAddr::V6(ip)) => Some(Source::V6(ip, 0)),
            None if to_group => Some(Source::V6(Ipv6Addr::UNSPECIFIED, local.interface)),
            None => None,
        }
    }
}

/// Returns the address if datagrams can be sent from it.
pub(super) fn unicast(ip: IpAddr) -> Option<IpAddr> {
    let group = ip.is_multicast() || ip == IpAddr::V4(Ipv4Addr::BROADCAST);
    (!group && !ip.is_unspecified()).then_some(ip)
}
