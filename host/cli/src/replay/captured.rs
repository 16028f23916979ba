//! Requests and their answers in a capture: of `tuffet capture`, `tcpdump` or Wireshark.

use pcap_parser::data::{PacketData, get_packetdata};
use pcap_parser::{Linktype, PcapBlockOwned, PcapError, create_reader};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use tuffet_core::{ErrorCode, Mode, Operation, Packet};
use tuffet_request::names;
use tuffet_server::explanation::Question;

/// The memory for a block of the capture; a longer one ends the reading.
const BUFFER: usize = 1 << 20;
/// The most requests that wait for their answers at a time. Those beyond count as unanswered.
const MAX_OPEN: usize = 100_000;

const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_IPV6: u16 = 0x86dd;
const UDP: u8 = 17;

/// A request, and the first answer to its client.
pub(super) struct CapturedRequest {
    pub(super) question: Question,
    pub(super) answer: Answer,
}

/// The kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Granted,
    NotFound,
    Refused,
    /// None was captured.
    Absent,
}

/// Returns whether a file that begins with these bytes is a capture: pcapng, or the older format in any byte order.
pub(super) fn is_capture(begin: &[u8]) -> bool {
    const BEGINS: [[u8; 4]; 5] = [
        [0x0a, 0x0d, 0x0d, 0x0a],
        [0xa1, 0xb2, 0xc3, 0xd4],
        [0xd4, 0xc3, 0xb2, 0xa1],
        [0xa1, 0xb2, 0x3c, 0x4d],
        [0x4d, 0x3c, 0xb2, 0xa1],
    ];
    BEGINS.iter().any(|its| begin.starts_with(its))
}

/// Calls `found` with each request in the capture.
///
/// # Errors
/// It cannot be read, or is damaged.
pub(super) fn read(source: impl Read + Send, mut found: impl FnMut(CapturedRequest)) -> io::Result<()> {
    let damaged = |why: &dyn std::fmt::Debug| io::Error::other(format!("the capture is damaged: {why:?}"));
    let mut reader = create_reader(BUFFER, source).map_err(|error| damaged(&error))?;
    let (mut links, mut open) = (Vec::new(), BTreeMap::<SocketAddr, Question>::new());
    let mut unchanged = 0;
    loop {
        match reader.next() {
            Ok((length, block)) => {
                unchanged = 0;
                if let Some(datagram) = datagram(&block, &mut links) {
                    note(&datagram, &mut open, &mut found);
                }
                reader.consume(length);
            }
            Err(PcapError::Eof) => break,
            // A block that does not fit into the buffer would be asked for again and again.
            Err(PcapError::Incomplete(_)) if unchanged < 2 => {
                unchanged += 1;
                reader.refill().map_err(|error| damaged(&error))?;
            }
            Err(error) => return Err(damaged(&error)),
        }
    }
    open.into_values().for_each(|question| found(CapturedRequest { question, answer: Answer::Absent }));
    Ok(())
}

/// Returns the datagram of a block, if it has one; notes the kinds of the interfaces in `links`.
fn datagram(block: &PcapBlockOwned<'_>, links: &mut Vec<Linktype>) -> Option<Datagram> {
    use pcap_parser::Block;
    let (data, link, length) = match block {
        PcapBlockOwned::NG(Block::SectionHeader(_)) => {
            links.clear();
            return None;
        }
        PcapBlockOwned::NG(Block::InterfaceDescription(interface)) => {
            links.push(interface.linktype);
            return None;
        }
        PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
            let link = links.get(usize::try_from(packet.if_id).ok()?)?;
            (packet.data, *link, packet.caplen)
        }
        PcapBlockOwned::NG(Block::SimplePacket(packet)) => (packet.data, *links.first()?, packet.origlen),
        PcapBlockOwned::LegacyHeader(header) => {
            *links = vec![header.network];
            return None;
        }
        PcapBlockOwned::Legacy(packet) => (packet.data, *links.first()?, packet.caplen),
        PcapBlockOwned::NG(_) => return None,
    };
    let length = usize::try_from(length).ok()?.min(data.len());
    match get_packetdata(&data[..length], link, length)? {
        PacketData::L2(frame) => in_frame(frame),
        PacketData::L3(ETHERTYPE_IPV4 | ETHERTYPE_IPV6, packet) => in_packet(packet),
        _ => None,
    }
}

/// A UDP datagram.
struct Datagram {
    from: SocketAddr,
    to: SocketAddr,
    payload: Vec<u8>,
}

/// Returns the datagram in an Ethernet frame, with VLAN tags or without.
fn in_frame(mut frame: &[u8]) -> Option<Datagram> {
    frame = frame.get(12..)?;
    loop {
        let (kind, rest) = frame.split_first_chunk::<2>()?;
        match u16::from_be_bytes(*kind) {
            0x8100 | 0x88a8 => frame = rest.get(2..)?,
            ETHERTYPE_IPV4 | ETHERTYPE_IPV6 => return in_packet(rest),
            _ => return None,
        }
    }
}

/// Returns the datagram in an IP packet. Fragments have no part of a request that matters.
fn in_packet(packet: &[u8]) -> Option<Datagram> {
    let (from, to, udp): (IpAddr, IpAddr, &[u8]) = match packet.first()? >> 4 {
        4 => {
            let header = packet.get(..usize::from(packet[0] & 15) * 4)?;
            let fragment = u16::from_be_bytes(*header.get(6..)?.first_chunk()?) & 0x1fff;
            if *header.get(9)? != UDP || fragment != 0 {
                return None;
            }
            let address = |at: usize| Some(Ipv4Addr::from(*header.get(at..)?.first_chunk::<4>()?));
            (address(12)?.into(), address(16)?.into(), &packet[header.len()..])
        }
        6 if *packet.get(6)? == UDP => {
            let address = |at: usize| Some(Ipv6Addr::from(*packet.get(at..)?.first_chunk::<16>()?));
            (address(8)?.into(), address(24)?.into(), packet.get(40..)?)
        }
        _ => return None,
    };
    let port = |at: usize| Some(u16::from_be_bytes(*udp.get(at..)?.first_chunk()?));
    let length = usize::from(port(4)?).min(udp.len());
    let payload = udp.get(8..length)?.to_vec();
    Some(Datagram { from: SocketAddr::new(from, port(0)?), to: SocketAddr::new(to, port(2)?), payload })
}

/// Keeps a request until the first answer to its client.
fn note(
    datagram: &Datagram,
    open: &mut BTreeMap<SocketAddr, Question>,
    found: &mut impl FnMut(CapturedRequest),
) {
    let answer = match Packet::parse(&datagram.payload) {
        Ok(Packet::Request(request)) => {
            if open.len() < MAX_OPEN {
                let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let options = request.options.iter().map(|(name, value)| (lossy(name), lossy(value)));
                let question = Question {
                    name: names::decode(request.name).into_owned(),
                    raw: std::str::from_utf8(request.name).is_err().then(|| request.name.to_vec()),
                    client: datagram.from,
                    mac: None,
                    listener: None,
                    write: request.operation == Operation::Write,
                    netascii: request.mode == Mode::Netascii,
                    options: options.collect(),
                    local_address: Some(datagram.to.ip()),
                    interface: None,
                };
                // A repeated request is one request.
                open.insert(datagram.from, question);
            }
            return;
        }
        Ok(Packet::Error { code, .. }) if ErrorCode::from_wire(code) == ErrorCode::FileNotFound => {
            Answer::NotFound
        }
        Ok(Packet::Error { .. }) => Answer::Refused,
        Ok(_) => Answer::Granted,
        Err(_) => return,
    };
    if let Some(question) = open.remove(&datagram.to) {
        found(CapturedRequest { question, answer });
    }
}
