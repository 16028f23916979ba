//! The section `multicast`: groups of clients that read one file from one stream.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::settings::{Listener, Multicast};
use tuffet_request::{Network, PortRange};

use super::resolver::Resolver;
use super::suggest::{closest, unknown};

/// The limit of group addresses.
const MAX_ADDRESSES: u32 = 1024;

/// Groups of clients that read one file from one stream (RFC 2090).
// Not `Multicast` itself: networks become addresses, and names of listeners their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenMulticast {
    /// The addresses of groups of IPv4 clients, as a network: at most 1024 of them. Take them from 239.0.0.0/8, which
    /// is for use within an organisation.
    pub addresses: String,
    /// The addresses of groups of IPv6 clients, likewise. Take them from ff15::/16 (of the site) or ff18::/16 (of the
    /// organisation), and let them end in 8000:0 to ffff:ffff, the identifiers for groups that a server creates
    /// (RFC 3307).
    pub ipv6_addresses: String,
    /// The UDP ports of groups. Consecutive groups have different ones, because some clients receive all groups of a
    /// port.
    #[schemars(extend("format" = "tid-ports"))]
    pub ports: String,
    /// How many networks the blocks cross (for IPv6, the hop limit): 1 keeps them in the network of the server. Routers
    /// between must forward multicast, too.
    #[schemars(range(min = 1, max = 255))]
    pub ttl: u8,
    /// The most groups at a time. Each combination of file and block size has its own group. Further clients get the
    /// file for themselves.
    #[schemars(range(min = 1, max = 4096))]
    pub groups: u16,
    /// The most members of a group. Further clients get the file for themselves.
    #[schemars(range(min = 1, max = 65535))]
    pub members: u16,
    /// The names of the listeners with multicast groups. Default: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("uniqueItems" = true))]
    pub listeners: Vec<String>,
}

impl Default for WrittenMulticast {
    fn default() -> Self {
        Self {
            addresses: "239.255.69.0/28".into(),
            ipv6_addresses: "ff15::8000:4500/124".into(),
            ports: "1758-1773".into(),
            ttl: 1,
            groups: 16,
            members: 1000,
            listeners: Vec::new(),
        }
    }
}

impl Resolver<'_> {
    pub(crate) fn multicast(&mut self, written: WrittenMulticast, listeners: &[Listener]) -> Multicast {
        let WrittenMulticast { addresses, ipv6_addresses, ports, ttl, groups, members, listeners: named } =
            written;
        let mut of_groups = Vec::new();
        match ipv4_groups(&addresses) {
            Ok(addresses) => of_groups.extend(addresses.into_iter().map(IpAddr::V4)),
            Err(complaint) => self.wrong("/multicast/addresses", complaint),
        }
        match ipv6_groups(&ipv6_addresses) {
            Ok(addresses) => of_groups.extend(addresses.into_iter().map(IpAddr::V6)),
            Err(complaint) => self.wrong("/multicast/ipv6-addresses", complaint),
        }
        // The schema check has ensured this.
        let ports = ports.parse::<PortRange>().map(|range| range.ports().collect()).unwrap_or_default();
        for (index, name) in named.iter().enumerate() {
            if !listeners.iter().any(|listener| listener.name == *name) {
                let known = || listeners.iter().map(|listener| listener.name.as_str());
                let like = closest(name, known());
                self.wrong(format!("/multicast/listeners/{index}"), unknown("listener", name, like, known()));
            }
        }
        let enabled = |listener: &Listener| named.is_empty() || named.contains(&listener.name);
        Multicast {
            addresses: of_groups,
            ports,
            ttl,
            groups: groups.into(),
            members: members.into(),
            listeners: listeners.iter().map(enabled).collect(),
        }
    }
}

fn ipv4_groups(text: &str) -> Result<Vec<Ipv4Addr>, String> {
    let (address, bits) = text.split_once('/').unwrap_or((text, "32"));
    let (Ok(IpAddr::V4(first)), Ok(bits)) = (address.parse::<IpAddr>(), bits.parse::<u32>()) else {
        let elsewhere = if text.contains(':') { " (IPv6 ones belong into `ipv6-addresses`)" } else { "" };
        return Err(format!(
            "`{text}` is not a network of IPv4 addresses; write it as 239.255.69.0/28{elsewhere}"
        ));
    };
    text.parse::<Network>()?;
    let count = 1_u32.checked_shl(32 - bits).unwrap_or(u32::MAX);
    if !first.is_multicast() {
        return Err(format!("{first} is not a multicast address; these are 224.0.0.0 to 239.255.255.255"));
    }
    if first.octets()[..3] == [224, 0, 0] {
        return Err(format!("{text} belongs to routing protocols (RFC 5771); take addresses of 239.0.0.0/8"));
    }
    if count > MAX_ADDRESSES {
        return Err(format!("`{text}` has {count} addresses; give at most {MAX_ADDRESSES}, a /22"));
    }
    Ok((0..count).map(|index| Ipv4Addr::from(u32::from(first) + index)).collect())
}

fn ipv6_groups(text: &str) -> Result<Vec<Ipv6Addr>, String> {
    let (address, bits) = text.split_once('/').unwrap_or((text, "128"));
    let (Ok(first), Ok(bits)) = (address.parse::<Ipv6Addr>(), bits.parse::<u32>()) else {
        return Err(format!("`{text}` is not a network of IPv6 addresses; write it as ff15::8000:4500/124"));
    };
    text.parse::<Network>()?;
    let [kind, octet, ..] = first.octets();
    // RFC 4291 section 2.7: after the first eight bits, four flags and the scope.
    let (flags, scope) = (octet >> 4, octet & 0x0f);
    if kind != 0xff {
        return Err(format!("{first} is not a multicast address; these begin with ff"));
    }
    if bits < 16 {
        return Err(format!("`{text}` is of several scopes; give at most {MAX_ADDRESSES} addresses, a /118"));
    }
    if flags & 1 == 0 {
        return Err(format!(
            "{text} belongs to well-known groups (RFC 4291); take addresses such as ff1{scope:x}::8000:4500"
        ));
    }
    if !(2..=0xe).contains(&scope) {
        return Err(format!(
            "{text} has a scope that does not leave the host or is reserved (RFC 4291); take addresses of ff15::/16"
        ));
    }
    // RFC 4607 section 1: ff3x::/32. Source-specific groups need a named sender, and TFTP has none.
    if flags == 3 && first.segments()[1] == 0 {
        return Err(format!(
            "{text} is for groups of one known sender (RFC 4607); take addresses of ff1{scope:x}::/16"
        ));
    }
    let count = 1_u128.checked_shl(128 - bits).unwrap_or(u128::MAX);
    if count > MAX_ADDRESSES.into() {
        return Err(format!("`{text}` has {count} addresses; give at most {MAX_ADDRESSES}, a /118"));
    }
    Ok((0..count).map(|index| Ipv6Addr::from(u128::from(first) + index)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_groups() {
        assert_eq!(ipv4_groups("239.1.2.3").unwrap(), [Ipv4Addr::new(239, 1, 2, 3)]);
        assert_eq!(ipv4_groups("239.1.2.4/30").unwrap().last(), Some(&Ipv4Addr::new(239, 1, 2, 7)));
        for (text, advice) in [
            ("10.0.0.0/28", "is not a multicast address"),
            ("224.0.0.0/28", "belongs to routing protocols"),
            ("239.0.0.0/8", "give at most 1024"),
            ("239.0.0.1/28", "bits beyond its prefix"),
            ("ff3e::/120", "belong into `ipv6-addresses`"),
            ("239.0.0.0/33", "not a prefix length"),
            ("", "is not a network of IPv4"),
        ] {
            let complaint = ipv4_groups(text).unwrap_err();
            assert!(complaint.contains(advice), "{text}: {complaint}");
        }
    }

    #[test]
    fn addresses_of_ipv6_groups() {
        let last = |text| ipv6_groups(text).unwrap().last().unwrap().to_string();
        for (text, expected) in [
            ("ff15::8000:4500/124", "ff15::8000:450f"),
            ("ff12::1", "ff12::1"),
            ("ff38:30:2001:db8::/118", "ff38:30:2001:db8::3ff"),
            ("ff1e:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ff1e:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ] {
            assert_eq!(last(text), expected);
        }
        for (text, advice) in [
            ("2001:db8::/124", "is not a multicast address"),
            ("ff02::/124", "belongs to well-known groups"),
            ("ff05::1:3", "such as ff15::8000:4500"),
            ("ff11::/124", "does not leave the host"),
            ("ff1f::/124", "reserved"),
            ("ff38::/124", "of one known sender"),
            ("ff15::/117", "give at most 1024"),
            ("ff15::/16", "give at most 1024"),
            ("ff00::/8", "of several scopes"),
            ("ff15::1/124", "bits beyond its prefix"),
            ("ff15::/129", "not a prefix length"),
            ("239.255.69.0/28", "is not a network of IPv6"),
            ("ff15::1%eth0", "is not a network of IPv6"),
            ("", "is not a network of IPv6"),
        ] {
            let complaint = ipv6_groups(text).unwrap_err();
            assert!(complaint.contains(advice), "{text}: {complaint}");
        }
    }
}
