//! The other end of a connection, for the shares of what there is few of.

use std::net::{IpAddr, Ipv6Addr};

/// The other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// An address; for IPv6 the /64 network, all of which one host can use.
    Network(IpAddr),
    /// A local user of a socket in the file system; `None` if unknown.
    User(Option<u32>),
}

impl Peer {
    /// Returns the peer at this address.
    pub fn of(address: IpAddr) -> Peer {
        Peer::Network(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
            v4 => v4,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_one_host_is_one_peer() {
        let near =
            |last: u64| Peer::of(IpAddr::V6(Ipv6Addr::from_bits(0x2001_0db8 << 96 | u128::from(last))));
        assert_eq!(near(1), near(u64::MAX));
        let v4 = |last| Peer::of(IpAddr::from([192, 0, 2, last]));
        assert_ne!(v4(1), v4(2));
        assert_eq!(Peer::of("::ffff:192.0.2.1".parse().unwrap()), v4(1));
    }
}
