//! Sets of client addresses, to calculate with rules that name exceptions.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Addresses of both families.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Addresses {
    v4: Ranges,
    v6: Ranges,
}

/// First and last numbers of ranges, in order and apart from each other.
type Ranges = Vec<(u128, u128)>;

const LAST_V4: u128 = u32::MAX as u128;

impl Addresses {
    pub(super) fn all() -> Addresses {
        Addresses { v4: vec![(0, LAST_V4)], v6: vec![(0, u128::MAX)] }
    }

    /// Returns the addresses that have the first `prefix` bits of this one; `None` if it has fewer bits.
    pub(super) fn network(address: IpAddr, prefix: u32) -> Option<Addresses> {
        let (number, bits) = number(address);
        let host = low_bits(bits.checked_sub(prefix)?);
        let range = vec![(number & !host, number | host)];
        Some(match address {
            IpAddr::V4(_) => Addresses { v4: range, v6: Vec::new() },
            IpAddr::V6(_) => Addresses { v4: Vec::new(), v6: range },
        })
    }

    pub(super) fn and(&self, other: &Addresses) -> Addresses {
        Addresses { v4: joined(&self.v4, &other.v4), v6: joined(&self.v6, &other.v6) }
    }

    pub(super) fn without(&self, other: &Addresses) -> Addresses {
        Addresses { v4: cut(&self.v4, &other.v4), v6: cut(&self.v6, &other.v6) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.v4.is_empty() && self.v6.is_empty()
    }

    /// Returns the set as subnets.
    pub(super) fn subnets(&self) -> Vec<String> {
        let v4 = self.v4.iter().flat_map(|range| networks(*range, 32));
        let v4 = v4.map(|(number, prefix)| format!("{}/{prefix}", Ipv4Addr::from_bits(number as u32)));
        let v6 = self.v6.iter().flat_map(|range| networks(*range, 128));
        let v6 = v6.map(|(number, prefix)| format!("{}/{prefix}", Ipv6Addr::from_bits(number)));
        v4.chain(v6).collect()
    }
}

fn number(address: IpAddr) -> (u128, u32) {
    match address {
        IpAddr::V4(v4) => (v4.to_bits().into(), 32),
        IpAddr::V6(v6) => (v6.to_bits(), 128),
    }
}

fn low_bits(count: u32) -> u128 {
    if count >= 128 { u128::MAX } else { (1 << count) - 1 }
}

fn joined(one: &Ranges, other: &Ranges) -> Ranges {
    let mut all: Ranges = one.iter().chain(other).copied().collect();
    all.sort_unstable();
    let mut ranges: Ranges = Vec::new();
    for (first, last) in all {
        match ranges.last_mut() {
            Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
            _ => ranges.push((first, last)),
        }
    }
    ranges
}

fn cut(ranges: &Ranges, holes: &Ranges) -> Ranges {
    let mut rest = ranges.clone();
    for (first, last) in holes {
        let parts = rest.into_iter().flat_map(|(start, end)| {
            let below = first.checked_sub(1).map(|before| (start, end.min(before)));
            let above = last.checked_add(1).map(|after| (start.max(after), end));
            [below, above].into_iter().flatten().filter(|(start, end)| start <= end)
        });
        rest = parts.collect();
    }
    rest
}

/// Returns the largest networks that make up a range, with their prefixes.
fn networks((mut first, last): (u128, u128), bits: u32) -> Vec<(u128, u32)> {
    let mut networks = Vec::new();
    loop {
        let aligned = if first == 0 { bits } else { first.trailing_zeros().min(bits) };
        let fits = |free: &u32| first.checked_add(low_bits(*free)).is_some_and(|end| end <= last);
        let free = (0..=aligned).rev().find(fits).unwrap_or(0);
        networks.push((first, bits - free));
        match first.checked_add(low_bits(free)).and_then(|end| end.checked_add(1)) {
            Some(next) if next <= last => first = next,
            _ => return networks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Addresses {
        let (address, prefix) = text.split_once('/').unwrap();
        Addresses::network(address.parse().unwrap(), prefix.parse().unwrap()).unwrap()
    }

    #[test]
    fn sets_are_cut_and_joined() {
        let ten = network("10.0.0.0/8");
        assert_eq!(Addresses::all().subnets(), ["0.0.0.0/0", "::/0"]);
        assert_eq!(ten.without(&network("10.128.0.0/9")).subnets(), ["10.0.0.0/9"]);
        assert_eq!(network("10.0.0.0/9").and(&network("10.128.0.0/9")), ten);
        assert!(ten.without(&Addresses::all()).is_empty());
        let others = Addresses::all().without(&network("255.255.255.255/32"));
        assert_eq!(others.subnets().len(), 33);
        assert_eq!(others.and(&network("255.255.255.255/32")), Addresses::all());
        let v6 = network("2001:db8::/32");
        assert_eq!(Addresses::all().without(&Addresses::all().without(&v6)).subnets(), ["2001:db8::/32"]);
        assert!(Addresses::network("10.0.0.0".parse().unwrap(), 33).is_none());
    }

    #[test]
    fn a_range_is_the_sum_of_its_networks() {
        let (first, last) = (0x0a00_0003, 0x0a01_0000);
        let sum: u128 = networks((first, last), 32).iter().map(|(_, prefix)| 1_u128 << (32 - prefix)).sum();
        assert_eq!(sum, last - first + 1);
    }
}
