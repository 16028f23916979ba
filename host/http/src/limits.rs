//! The limits of a server, and what one client is for them.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

/// The limits of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpLimits {
    /// Concurrent connections, of all listeners. Beyond, a new one closes another. Default: 1024.
    pub connections: usize,
    /// Concurrent connections of one client. Default: 64.
    pub per_client: usize,
    /// The number of leading bits of an IPv6 address that identify a client, 1 to 128. Default: 64.
    pub ipv6_prefix: u8,
    /// The time limit of a TLS handshake, of the head of a request, and of an idle connection. Default: 10 s.
    pub head_timeout: Duration,
    /// The least rate of a client in bytes per second, in each 60 s of waiting for it to read an answer, or to send a
    /// body. Systems take bytes in steps as large as their buffers, so a client that takes a few times this rate is safe.
    /// Default: 1024. 0: no limit.
    pub least_rate: u64,
}

impl Default for HttpLimits {
    fn default() -> Self {
        HttpLimits {
            connections: 1024,
            per_client: 64,
            ipv6_prefix: 64,
            head_timeout: Duration::from_secs(10),
            least_rate: 1024,
        }
    }
}

impl HttpLimits {
    /// Returns the address by which a client is known.
    pub(crate) fn client(&self, address: IpAddr) -> IpAddr {
        match address.to_canonical() {
            IpAddr::V6(address) => {
                let host = u32::from(128_u8.saturating_sub(self.ipv6_prefix));
                let mask = u128::MAX.checked_shl(host).unwrap_or(0);
                Ipv6Addr::from_bits(address.to_bits() & mask).into()
            }
            v4 => v4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_one_host_is_one_client() {
        let client = |address: &str, ipv6_prefix| {
            let limits = HttpLimits { ipv6_prefix, ..HttpLimits::default() };
            limits.client(address.parse().expect("an address")).to_string()
        };
        for (address, prefix, expected) in [
            ("192.0.2.7", 64, "192.0.2.7"),
            ("::ffff:192.0.2.7", 64, "192.0.2.7"),
            ("2001:db8::1:2:3:4", 64, "2001:db8::"),
            ("2001:db8::1:2:3:4", 128, "2001:db8::1:2:3:4"),
            ("2001:db8::1:2:3:4", 16, "2001::"),
            ("2001:db8::1:2:3:4", 0, "::"),
        ] {
            assert_eq!(client(address, prefix), expected, "{address}/{prefix}");
        }
    }
}
