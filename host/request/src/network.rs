//! Networks of clients.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// The addresses that begin with the same bits: `10.0.0.0/8`, `2001:db8::/32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

impl Network {
    /// Returns whether the address is in the network. Addresses of the other family never are.
    pub fn contains(&self, address: IpAddr) -> bool {
        let same = |one: u128, other: u128, width: u32| {
            let free = width - u32::from(self.prefix);
            one.checked_shr(free) == other.checked_shr(free)
        };
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(one), IpAddr::V4(other)) => {
                same(u32::from(one).into(), u32::from(other).into(), u32::BITS)
            }
            (IpAddr::V6(one), IpAddr::V6(other)) => same(one.into(), other.into(), u128::BITS),
            _ => false,
        }
    }
}

impl Network {
    /// Returns whether it has addresses of IPv6.
    #[doc(hidden)]
    pub fn is_ipv6(&self) -> bool {
        self.address.is_ipv6()
    }

    /// Returns whether all addresses of the other network are in this one.
    #[doc(hidden)]
    pub fn covers(&self, other: &Network) -> bool {
        self.prefix <= other.prefix && self.contains(other.address)
    }
}

impl FromStr for Network {
    type Err = String;

    /// Parses `ADDRESS/BITS`, or a single address. The error names the problem and the remedy.
    fn from_str(text: &str) -> Result<Network, String> {
        let (address, prefix) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address
            .parse()
            .map_err(|_| format!("`{text}` is not a network; write it as 10.0.0.0/8 or 2001:db8::/32"))?;
        let width: u8 = if address.is_ipv4() { 32 } else { 128 };
        let prefix =
            match prefix {
                None => width,
                Some(bits) => bits.parse().ok().filter(|bits| *bits <= width).ok_or_else(|| {
                    format!("`/{bits}` is not a prefix length of {address}; give 0 to {width}")
                })?,
            };
        let network = Network { address, prefix };
        let first = network.first();
        if first != address {
            return Err(format!(
                "`{text}` has bits beyond its prefix; write {first}/{prefix} for the network, or {address} for one address"
            ));
        }
        Ok(network)
    }
}

impl<'de> Deserialize<'de> for Network {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Network {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Network".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "network" })
    }
}

impl Network {
    fn first(&self) -> IpAddr {
        match self.address {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.prefix)).unwrap_or(0);
                std::net::Ipv4Addr::from(u32::from(address) & mask).into()
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.prefix)).unwrap_or(0);
                std::net::Ipv6Addr::from(u128::from(address) & mask).into()
            }
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_covers_its_subnets() {
        let covers = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|text| text.parse::<Network>().unwrap());
            one.covers(&other)
        };
        assert!(covers("10.0.0.0/8", "10.1.0.0/16") && covers("10.0.0.0/8", "10.0.0.0/8"));
        assert!(covers("0.0.0.0/0", "192.0.2.1") && covers("2001:db8::/32", "2001:db8:1::/48"));
        assert!(!covers("10.1.0.0/16", "10.0.0.0/8") && !covers("10.0.0.0/8", "11.0.0.0/16"));
        assert!(!covers("::/0", "10.0.0.0/8"));
    }

    #[test]
    fn a_network_contains_its_addresses() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("192.0.2.0/31", "192.0.2.1", "192.0.2.2"),
            ("0.0.0.0/0", "203.0.113.9", "2001:db8::1"),
            ("::/0", "2001:db8::1", "203.0.113.9"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::1"),
            ("2001:db8::1", "2001:db8::1", "2001:db8::2"),
            ("10.0.0.0/8", "::ffff:10.1.1.1", "::10.1.1.1"),
        ] {
            let its: Network = network.parse().unwrap();
            assert!(its.contains(inside.parse().unwrap()), "{network} {inside}");
            assert!(!its.contains(outside.parse().unwrap()), "{network} {outside}");
        }
    }

    #[test]
    fn each_bad_network_gets_its_own_advice() {
        for (text, advice) in [
            ("10.0.0.1/8", "write 10.0.0.0/8 for the network, or 10.0.0.1 for one address"),
            ("10.0.0.0/33", "give 0 to 32"),
            ("::/129", "give 0 to 128"),
            ("10.0.0.0/x", "give 0 to 32"),
            ("lan", "write it as 10.0.0.0/8"),
            ("10.0.0", "write it as 10.0.0.0/8"),
        ] {
            let error = text.parse::<Network>().unwrap_err();
            assert!(error.contains(advice), "{text}: {error}");
        }
    }
}
