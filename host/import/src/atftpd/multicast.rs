//! The section `multicast`: atftpd serves groups unless a flag forbids it.

use super::flags::{self, Command, GivenFlag, Meaning};
use crate::error::ImportError;
use crate::target::Target;
use crate::yaml::Value;
use std::net::Ipv4Addr;

/// The addresses without `--mcast-addr`, and the port without `--mcast-port`.
const ADDRESSES: &str = "239.255.0.0-255";
const PORTS: &str = "1758";

/// Transfers without `--maxthread`: each group has a thread.
const THREADS: u64 = 100;

/// The most groups that the configuration permits.
const MAX_GROUPS: u64 = 4096;

pub(super) fn section(command: &Command, target: &mut Target) -> Result<(), ImportError> {
    let given = |meaning| command.last(meaning);
    if given(Meaning::NoMulticast).is_some() {
        return Ok(());
    }
    // The flags of atftpd name IPv4 addresses alone.
    if given(Meaning::BindAddress).is_some_and(|given| given.value().contains(':')) {
        let flags = [Meaning::MulticastAddresses, Meaning::MulticastPorts, Meaning::MulticastTtl];
        for given in flags.into_iter().filter_map(given) {
            let text =
                format!("{}: these are IPv4 addresses, and the listener has an IPv6 one", given.written);
            target.missing(&given.location, text);
        }
        return Ok(());
    }
    let (addresses, comments) = addresses(given(Meaning::MulticastAddresses), target)?;
    target.multicast.put("addresses", Value::text(addresses.written()), comments);
    let (ports, comments) = ports(given(Meaning::MulticastPorts), target)?;
    let (first, last) = ports;
    target.multicast.put("ports", Value::text(format!("{first}-{last}")), comments);
    if let Some(given) = given(Meaning::MulticastTtl) {
        let ttl = flags::number(given, 0, 255)?;
        let mut comments = vec![given.origin()];
        if ttl == 0 {
            let text = format!(
                "{}: the blocks would not leave this host; 1 keeps them in its network",
                given.written
            );
            comments.push(target.report.differs(&given.location, text));
        }
        target.multicast.put("ttl", Value::plain(ttl.max(1)), comments);
    }
    let threads = match given(Meaning::MaxThread) {
        Some(given) => flags::number(given, 1, 10_000_000)?,
        None => THREADS,
    };
    let pairs = u64::from(addresses.count()) * (u64::from(last - first) + 1);
    let why = "As many as atftpd has addresses, ports and threads for.".to_owned();
    target.multicast.put("groups", Value::plain(pairs.min(threads).min(MAX_GROUPS)), [why]);
    if let Some(given) = given(Meaning::MulticastSwitch) {
        let text = format!(
            "{}: Tuffet replaces a master that is silent for a second or two while other members wait",
            given.written
        );
        target.differs(&given.location, text);
    }
    Ok(())
}

/// A network within the last part of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Net {
    first: Ipv4Addr,
    bits: u32,
}

impl Net {
    fn count(self) -> u32 {
        1 << (32 - self.bits)
    }

    fn written(self) -> String {
        format!("{}/{}", self.first, self.bits)
    }
}

fn addresses(given: Option<&GivenFlag>, target: &mut Target) -> Result<(Net, Vec<String>), ImportError> {
    let text = given.map_or(ADDRESSES, GivenFlag::value);
    let invalid = |given: &GivenFlag| {
        let text = format!("{}: expected multicast addresses such as 239.255.0.0-31,128", given.written);
        ImportError::invalid(&given.location, text)
    };
    let list = list_of_addresses(text);
    let Some(given) = given else {
        // The default of atftpd is one network.
        return Ok((Net { first: Ipv4Addr::new(239, 255, 0, 0), bits: 24 }, Vec::new()));
    };
    let list = list.filter(|list| list.iter().all(Ipv4Addr::is_multicast)).ok_or_else(|| invalid(given))?;
    let mut comments = vec![given.origin()];
    let usable: Vec<Ipv4Addr> =
        list.iter().copied().filter(|address| address.octets()[..3] != [224, 0, 0]).collect();
    let Some(net) = largest_network(&usable) else {
        let text = format!(
            "{}: 224.0.0.0/24 belongs to routing protocols (RFC 5771), so groups get other addresses",
            given.written
        );
        comments.push(target.report.differs(&given.location, text));
        return Ok((Net { first: Ipv4Addr::new(239, 255, 0, 0), bits: 24 }, comments));
    };
    if net.count() as usize != list.len() {
        let text = format!(
            "{}: `addresses` is one network, so groups get the {} addresses of {} alone, of {}",
            given.written,
            net.count(),
            net.written(),
            list.len()
        );
        comments.push(target.report.differs(&given.location, text));
    }
    Ok((net, comments))
}

fn ports(given: Option<&GivenFlag>, target: &mut Target) -> Result<((u16, u16), Vec<String>), ImportError> {
    let list = list_of_ports(given.map_or(PORTS, GivenFlag::value));
    let Some(given) = given else { return Ok(((1758, 1758), Vec::new())) };
    let longest = list.as_deref().and_then(longest_run);
    let (Some(list), Some((first, last))) = (list, longest) else {
        let text = format!("{}: expected ports from 1 to 65535 such as 1758-1780,4000", given.written);
        return Err(ImportError::invalid(&given.location, text));
    };
    let mut comments = vec![given.origin()];
    if usize::from(last - first) + 1 != list.len() {
        let text = format!(
            "{}: `ports` is one range, so groups get the ports {first} to {last} alone",
            given.written
        );
        comments.push(target.report.differs(&given.location, text));
    }
    Ok(((first, last), comments))
}

/// Reads addresses as atftpd does: `239.255.0.0-31,128` has 33 of them, all with the first three parts of the last
/// whole address. Sorted.
fn list_of_addresses(text: &str) -> Option<Vec<Ipv4Addr>> {
    let mut base: Option<[u8; 3]> = None;
    let mut list = Vec::new();
    for token in text.split(',').filter(|token| !token.is_empty()) {
        let (first, last) = token.split_once('-').map_or((token, None), |(first, last)| (first, Some(last)));
        let low = match first.parse::<Ipv4Addr>() {
            Ok(address) => {
                let [a, b, c, low] = address.octets();
                base = Some([a, b, c]);
                low
            }
            Err(_) => first.parse().ok()?,
        };
        let high = match last {
            Some(last) => last.parse().ok().filter(|high| *high > low)?,
            None => low,
        };
        let [a, b, c] = base?;
        list.extend((low..=high).map(|last| Ipv4Addr::new(a, b, c, last)));
    }
    list.sort_unstable();
    list.dedup();
    Some(list).filter(|list| !list.is_empty())
}

/// Reads ports as atftpd does: `1758-1780,4000`. Sorted.
fn list_of_ports(text: &str) -> Option<Vec<u16>> {
    let port = |text: &str| text.parse::<u16>().ok().filter(|port| *port > 0);
    let mut list = Vec::new();
    for token in text.split(',').filter(|token| !token.is_empty()) {
        match token.split_once('-') {
            Some((first, last)) => {
                let (first, last) = (port(first)?, port(last)?);
                list.extend((first < last).then_some(first..=last)?);
            }
            None => list.push(port(token)?),
        }
    }
    list.sort_unstable();
    list.dedup();
    Some(list).filter(|list| !list.is_empty())
}

/// Returns the largest network within a sorted list of addresses.
fn largest_network(list: &[Ipv4Addr]) -> Option<Net> {
    (24..=32).find_map(|bits| {
        let count = 1_u32 << (32 - bits);
        let starts = list.iter().enumerate().filter(|(_, first)| u32::from(**first) % count == 0);
        let whole = starts.filter(|(index, first)| {
            let last = list.get(index + count as usize - 1);
            last.is_some_and(|last| u32::from(*last) == u32::from(**first) + count - 1)
        });
        whole.map(|(_, first)| Net { first: *first, bits }).next()
    })
}

/// Returns the longest range within a sorted list of ports.
fn longest_run(list: &[u16]) -> Option<(u16, u16)> {
    let runs = list.chunk_by(|one, next| u32::from(*one) + 1 == u32::from(*next));
    let run = runs.rev().max_by_key(|run| run.len())?;
    Some((*run.first()?, *run.last()?))
}
