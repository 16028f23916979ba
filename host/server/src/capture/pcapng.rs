//! Captures as pcapng (draft-ietf-opsawg-pcapng), the format of Wireshark: datagrams with IP and UDP headers made from
//! their addresses, and segments of connections with IP and TCP headers made from their addresses and places.
//!
//! Four kinds of blocks are enough, so no crate is used: the only one for Rust that writes them has no stable release
//! of its current line, and covers the whole format.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, SystemTime};
use tuffet_engine::worker::StreamPlace;

/// Raw IP, version 4 or 6 by its first bits (LINKTYPE_RAW).
const LINK_TYPE: u16 = 101;

/// The options in use.
const OPT_COMMENT: u16 = 1;
const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;
const EPB_FLAGS: u16 = 2;
const ISB_IFRECV: u16 = 4;
const ISB_IFDROP: u16 = 5;

const UDP: u8 = 17;
const TCP: u8 = 6;
const UDP_HEADER: usize = 8;
const TCP_HEADER: usize = 20;
const HOPS: u8 = 64;

/// The direction, from the server's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Inbound,
    Outbound,
}

/// Blocks that are not written yet.
pub(super) struct PcapngBlocks(Vec<u8>);

impl PcapngBlocks {
    /// Begins with the section header and one interface.
    pub(super) fn begin() -> PcapngBlocks {
        let mut blocks = PcapngBlocks(Vec::new());
        blocks.block(0x0a0d_0d0a, |body| {
            body.extend_from_slice(&0x1a2b_3c4d_u32.to_le_bytes());
            body.extend_from_slice(&[1, 0, 0, 0]);
            // The length of the section is not known.
            body.extend_from_slice(&u64::MAX.to_le_bytes());
            option(body, SHB_USERAPPL, concat!("Tuffet ", env!("CARGO_PKG_VERSION")).as_bytes());
            option(body, OPT_COMMENT, b"IP, UDP and TCP headers are made from the addresses");
            end_of_options(body);
        });
        blocks.block(1, |body| {
            body.extend_from_slice(&LINK_TYPE.to_le_bytes());
            body.extend_from_slice(&[0; 6]);
            option(body, IF_NAME, b"tuffet");
            // Nanoseconds.
            option(body, IF_TSRESOL, &[9]);
            end_of_options(body);
        });
        blocks
    }

    /// Adds a datagram between a peer and the server's address, or a segment of their connection with its place.
    pub(super) fn packet(
        &mut self,
        at: SystemTime,
        direction: Direction,
        (peer, local): (SocketAddr, SocketAddr),
        place: Option<StreamPlace>,
        payload: &[u8],
    ) {
        let (from, to) = match direction {
            Direction::Inbound => (peer, local),
            Direction::Outbound => (local, peer),
        };
        let packet = packet(from, to, place, payload);
        self.block(6, |body| {
            body.extend_from_slice(&[0; 4]);
            timestamp(body, at);
            let length = (packet.len() as u32).to_le_bytes();
            body.extend_from_slice(&length);
            body.extend_from_slice(&length);
            body.extend_from_slice(&packet);
            pad(body);
            let flags: u32 = if direction == Direction::Inbound { 1 } else { 2 };
            option(body, EPB_FLAGS, &flags.to_le_bytes());
            end_of_options(body);
        });
    }

    /// Adds the numbers of captured and dropped datagrams.
    pub(super) fn statistics(&mut self, datagrams: u64, dropped: u64) {
        self.block(5, |body| {
            body.extend_from_slice(&[0; 4]);
            timestamp(body, SystemTime::now());
            option(body, ISB_IFRECV, &(datagrams + dropped).to_le_bytes());
            option(body, ISB_IFDROP, &dropped.to_le_bytes());
            end_of_options(body);
        });
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Removes the written blocks.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn block(&mut self, kind: u32, body: impl FnOnce(&mut Vec<u8>)) {
        let begin = self.0.len();
        self.0.extend_from_slice(&kind.to_le_bytes());
        self.0.extend_from_slice(&[0; 4]);
        body(&mut self.0);
        let length = (self.0.len() - begin + 4) as u32;
        self.0[begin + 4..begin + 8].copy_from_slice(&length.to_le_bytes());
        self.0.extend_from_slice(&length.to_le_bytes());
    }
}

/// Adds an option, aligned to 32 bits.
fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend_from_slice(&code.to_le_bytes());
    body.extend_from_slice(&(value.len() as u16).to_le_bytes());
    body.extend_from_slice(value);
    pad(body);
}

fn end_of_options(body: &mut Vec<u8>) {
    body.extend_from_slice(&[0; 4]);
}

/// Pads to 32 bits. The buffer begins aligned.
fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}

fn timestamp(body: &mut Vec<u8>, at: SystemTime) {
    let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let nanoseconds = since.as_nanos() as u64;
    body.extend_from_slice(&((nanoseconds >> 32) as u32).to_le_bytes());
    body.extend_from_slice(&(nanoseconds as u32).to_le_bytes());
}

/// Returns an IP packet with this datagram or segment.
fn packet(from: SocketAddr, to: SocketAddr, place: Option<StreamPlace>, payload: &[u8]) -> Vec<u8> {
    let protocol = if place.is_some() { TCP } else { UDP };
    let within = |source: &[u8], destination: &[u8]| {
        let (ports, addresses) = ((from.port(), to.port()), [source, destination]);
        match place {
            None => udp(ports, payload, &addresses),
            Some(place) => tcp(ports, place, payload, &addresses),
        }
    };
    match (from.ip().to_canonical(), to.ip().to_canonical()) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let within = within(&source.octets(), &destination.octets());
            [&ipv4(source, destination, protocol, within.len())[..], &within].concat()
        }
        (source, destination) => {
            let (source, destination) = (to_ipv6(source), to_ipv6(destination));
            let within = within(&source.octets(), &destination.octets());
            [&ipv6(source, destination, protocol, within.len())[..], &within].concat()
        }
    }
}

/// Maps an address to IPv6, for a packet with an unspecified address of the other version.
fn to_ipv6(address: IpAddr) -> Ipv6Addr {
    match address {
        IpAddr::V4(address) if address.is_unspecified() => Ipv6Addr::UNSPECIFIED,
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    }
}

/// RFC 791 section 3.1.
fn ipv4(source: Ipv4Addr, destination: Ipv4Addr, protocol: u8, payload: usize) -> [u8; 20] {
    let length = (20 + payload).min(usize::from(u16::MAX)) as u16;
    let [high, low] = length.to_be_bytes();
    let mut header = [0x45, 0, high, low, 0, 0, 0, 0, HOPS, protocol, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    header[12..16].copy_from_slice(&source.octets());
    header[16..].copy_from_slice(&destination.octets());
    let sum = checksum(&[&header]);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    header
}

/// RFC 8200 section 3.
fn ipv6(source: Ipv6Addr, destination: Ipv6Addr, protocol: u8, payload: usize) -> [u8; 40] {
    let mut header = [0; 40];
    header[0] = 0x60;
    header[4..6].copy_from_slice(&(payload.min(usize::from(u16::MAX)) as u16).to_be_bytes());
    (header[6], header[7]) = (protocol, HOPS);
    header[8..24].copy_from_slice(&source.octets());
    header[24..].copy_from_slice(&destination.octets());
    header
}

/// RFC 768. The checksum also covers the addresses.
fn udp((from, to): (u16, u16), payload: &[u8], addresses: &[&[u8]; 2]) -> Vec<u8> {
    let length = ((UDP_HEADER + payload.len()).min(usize::from(u16::MAX)) as u16).to_be_bytes();
    let mut datagram = Vec::with_capacity(UDP_HEADER + payload.len());
    datagram.extend_from_slice(&from.to_be_bytes());
    datagram.extend_from_slice(&to.to_be_bytes());
    datagram.extend_from_slice(&length);
    datagram.extend_from_slice(&[0, 0]);
    datagram.extend_from_slice(payload);
    let sum = checksum(&[addresses[0], addresses[1], &[0, UDP], &length, &datagram]);
    // 0 would mean no checksum.
    let sum = if sum == 0 { u16::MAX } else { sum };
    datagram[6..8].copy_from_slice(&sum.to_be_bytes());
    datagram
}

/// RFC 9293 section 3.1. Each stream begins at 1, as after a SYN with the number 0. The checksum also covers the addresses.
fn tcp((from, to): (u16, u16), place: StreamPlace, payload: &[u8], addresses: &[&[u8]; 2]) -> Vec<u8> {
    let length = (TCP_HEADER + payload.len()).min(usize::from(u16::MAX)) as u16;
    let mut segment = Vec::with_capacity(TCP_HEADER + payload.len());
    segment.extend_from_slice(&from.to_be_bytes());
    segment.extend_from_slice(&to.to_be_bytes());
    segment.extend_from_slice(&place.before.wrapping_add(1).to_be_bytes());
    segment.extend_from_slice(&place.opposite.wrapping_add(1).to_be_bytes());
    // Five words of header, PSH and ACK, the largest window, the checksum, no urgent data.
    segment.extend_from_slice(&[5 << 4, 0x18, 0xff, 0xff, 0, 0, 0, 0]);
    segment.extend_from_slice(payload);
    let sum = checksum(&[addresses[0], addresses[1], &[0, TCP], &length.to_be_bytes(), &segment]);
    segment[16..18].copy_from_slice(&sum.to_be_bytes());
    segment
}

/// RFC 1071. Every part but the last has an even length.
fn checksum(parts: &[&[u8]]) -> u16 {
    let pairs = parts.iter().flat_map(|part| part.chunks(2));
    let mut sum: u64 =
        pairs.map(|pair| u64::from(pair[0]) << 8 | u64::from(pair.get(1).copied().unwrap_or(0))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standards() {
        // RFC 1071 section 3.
        assert_eq!(!checksum(&[&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]]), 0xddf2);
        let header = ipv4([192, 0, 2, 1].into(), [198, 51, 100, 7].into(), UDP, 100);
        assert_eq!(checksum(&[&header]), 0, "a header with its checksum sums up to nothing");
        let (from, to) = ("[2001:db8::1]:69".parse().unwrap(), "[2001:db8::2]:7".parse().unwrap());
        let place = StreamPlace { before: u32::MAX, opposite: 6 };
        let segment = packet(from, to, Some(place), b"odd");
        let tcp = &segment[40..];
        assert_eq!(checksum(&[&segment[8..40], &[0, TCP, 0, 23], tcp]), 0);
        assert_eq!(tcp[4..12], [0, 0, 0, 0, 0, 0, 0, 7], "the numbers begin again at 0");
        let packet = packet(from, to, None, b"odd");
        let udp = &packet[40..];
        assert_eq!(checksum(&[&packet[8..40], &[0, UDP], &udp[4..6], udp]), 0);
    }

    #[test]
    fn blocks_are_aligned_and_have_their_length_at_both_ends() {
        let mut blocks = PcapngBlocks::begin();
        for length in 0..9 {
            let (peer, local) = (([192, 0, 2, 1], 2000).into(), ([192, 0, 2, 2], 69).into());
            blocks.packet(SystemTime::now(), Direction::Inbound, (peer, local), None, &vec![1; length]);
        }
        blocks.statistics(9, 1);
        let (mut rest, mut kinds) = (blocks.bytes(), Vec::new());
        while !rest.is_empty() {
            let word = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().unwrap());
            let length = word(4) as usize;
            assert!(length.is_multiple_of(4) && word(length - 4) as usize == length);
            kinds.push(word(0));
            rest = &rest[length..];
        }
        assert_eq!(kinds, [&[0x0a0d_0d0a, 1][..], &[6; 9], &[5]].concat());
    }
}
