//! The section `multicast`: groups of clients that read one file from one stream.

use std::net::{IpAddr, Ipv4Addr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::{Network, PortRange};

use super::listeners::Listener;
use super::resolver::Resolver;
use super::suggest::{closest, unknown};

/// The most addresses of groups.
const MOST_ADDRESSES: u32 = 1024;

/// Groups of clients that read one file from one stream (RFC 2090).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenMulticast {
    /// The addresses of groups, as a network: at most 1024 of them. Take them from 239.0.0.0/8, which is for use
    /// within an organisation.
    pub addresses: String,
    /// The UDP ports of groups. Consecutive groups have different ones, because some clients receive all groups of a
    /// port.
    #[schemars(extend("format" = "tid-ports"))]
    pub ports: String,
    /// How many networks the blocks cross: 1 keeps them in the network of the server. Routers between must forward
    /// multicast, too.
    #[schemars(range(min = 1, max = 255))]
    pub ttl: u8,
    /// The most groups at a time. Each file has a group of its own, for each block size. Further clients get the file
    /// for themselves.
    #[schemars(range(min = 1, max = 4096))]
    pub groups: u16,
    /// The most members of a group. Further clients get the file for themselves.
    #[schemars(range(min = 1, max = 65535))]
    pub members: u16,
    /// The listeners whose clients may join groups, by name. Default: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("uniqueItems" = true))]
    pub listeners: Vec<String>,
}

impl Default for WrittenMulticast {
    fn default() -> Self {
        Self {
            addresses: "239.255.69.0/28".into(),
            ports: "1758-1773".into(),
            ttl: 1,
            groups: 16,
            members: 1000,
            listeners: Vec::new(),
        }
    }
}

/// The checked section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Multicast {
    /// The addresses of groups, at least one.
    pub addresses: Vec<Ipv4Addr>,
    /// Their ports, at least one.
    pub ports: Vec<u16>,
    /// How many networks the blocks cross, at least 1.
    pub ttl: u8,
    /// The most groups at a time.
    pub groups: usize,
    /// The most members of a group.
    pub members: usize,
    /// For each listener, by number, whether its clients may join groups.
    pub listeners: Vec<bool>,
}

impl Resolver<'_> {
    pub(crate) fn multicast(&mut self, written: WrittenMulticast, listeners: &[Listener]) -> Multicast {
        let WrittenMulticast { addresses, ports, ttl, groups, members, listeners: named } = written;
        let addresses = match group_addresses(&addresses) {
            Ok(addresses) => addresses,
            Err(complaint) => {
                self.wrong("/multicast/addresses", complaint);
                Vec::new()
            }
        };
        // The shape has been checked.
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
            addresses,
            ports,
            ttl,
            groups: groups.into(),
            members: members.into(),
            listeners: listeners.iter().map(enabled).collect(),
        }
    }
}

fn group_addresses(text: &str) -> Result<Vec<Ipv4Addr>, String> {
    let (address, bits) = text.split_once('/').unwrap_or((text, "32"));
    let (Ok(IpAddr::V4(first)), Ok(bits)) = (address.parse::<IpAddr>(), bits.parse::<u32>()) else {
        return Err(format!("`{text}` is not a network of IPv4 addresses; write it as 239.255.69.0/28"));
    };
    text.parse::<Network>()?;
    let count = 1_u32.checked_shl(32 - bits).unwrap_or(u32::MAX);
    if !first.is_multicast() {
        return Err(format!("{first} is not a multicast address; these are 224.0.0.0 to 239.255.255.255"));
    }
    if first.octets()[..3] == [224, 0, 0] {
        return Err(format!("{text} belongs to routing protocols (RFC 5771); take addresses of 239.0.0.0/8"));
    }
    if count > MOST_ADDRESSES {
        return Err(format!("`{text}` has {count} addresses; give at most {MOST_ADDRESSES}, a /22"));
    }
    Ok((0..count).map(|index| Ipv4Addr::from(u32::from(first) + index)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_groups() {
        assert_eq!(group_addresses("239.1.2.3").unwrap(), [Ipv4Addr::new(239, 1, 2, 3)]);
        assert_eq!(group_addresses("239.1.2.4/30").unwrap().last(), Some(&Ipv4Addr::new(239, 1, 2, 7)));
        for (text, advice) in [
            ("10.0.0.0/28", "is not a multicast address"),
            ("224.0.0.0/28", "belongs to routing protocols"),
            ("239.0.0.0/8", "give at most 1024"),
            ("239.0.0.1/28", "bits beyond its prefix"),
            ("ff3e::/120", "is not a network of IPv4"),
            ("239.0.0.0/33", "not a prefix length"),
            ("", "is not a network of IPv4"),
        ] {
            let complaint = group_addresses(text).unwrap_err();
            assert!(complaint.contains(advice), "{text}: {complaint}");
        }
    }
}
