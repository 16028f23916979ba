//! The addresses that count as one client.

use std::net::{IpAddr, SocketAddr};

/// One client, for limits and shares: an IPv4 address, or the first bits of an IPv6 address. A machine may
/// own a whole /64 and send requests from each of its addresses.
///
/// All link-local addresses share a prefix, so each (address, link) is a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientKey(u128, u32);

impl ClientKey {
    /// Work of the server itself, such as a call of an observer. No client has the unspecified address.
    pub const SERVER: ClientKey = ClientKey(0, 0);

    /// Returns the client at `peer`; `prefix` is the number of significant bits of an IPv6 address.
    pub fn of(peer: &SocketAddr, prefix: u8) -> ClientKey {
        match peer {
            SocketAddr::V4(v4) => ClientKey(v4.ip().to_ipv6_mapped().to_bits(), 0),
            SocketAddr::V6(v6) if v6.ip().is_unicast_link_local() => {
                ClientKey(v6.ip().to_bits(), v6.scope_id())
            }
            SocketAddr::V6(v6) => match IpAddr::V6(*v6.ip()).to_canonical() {
                IpAddr::V4(v4) => ClientKey(v4.to_ipv6_mapped().to_bits(), 0),
                IpAddr::V6(ip) => {
                    let below = u128::MAX.checked_shr(u32::from(prefix)).unwrap_or(0);
                    ClientKey(ip.to_bits() & !below, 0)
                }
            },
        }
    }

    /// Returns a number that no other client has.
    pub fn to_bits(self) -> u128 {
        // The second half of the prefix of link-local addresses is 0.
        self.0 ^ u128::from(self.1) << 64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str, prefix: u8) -> bool {
        let key = |text: &str| ClientKey::of(&text.parse().unwrap(), prefix);
        key(one) == key(other)
    }

    #[test]
    fn addresses_matter_and_ports_do_not() {
        assert!(same("192.0.2.1:1", "192.0.2.1:2", 64));
        assert!(!same("192.0.2.1:1", "192.0.2.2:1", 64));
        assert!(same("[::ffff:192.0.2.1]:1", "192.0.2.1:1", 64));
        assert!(!same("[::ffff:192.0.2.1]:1", "[::ffff:192.0.2.2]:1", 64));
    }

    #[test]
    fn a_prefix_is_one_client_as_wide_as_it_is_configured() {
        assert!(same("[2001:db8:0:1::1]:1", "[2001:db8:0:1:ffff::2]:9", 64));
        assert!(!same("[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1", 64));
        assert!(same("[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1", 48));
        assert!(!same("[2001:db8::1]:1", "[2001:db8::2]:1", 128));
        assert!(same("[2001:db8::1]:1", "[2001:db8::1]:2", 128));
    }

    #[test]
    fn link_local_addresses_are_distinguished() {
        assert!(!same("[fe80::1%2]:1", "[fe80::2%2]:1", 64));
        assert!(!same("[fe80::1%2]:1", "[fe80::1%3]:1", 64));
        assert!(same("[fe80::1%2]:1", "[fe80::1%2]:9", 64));
    }
}
