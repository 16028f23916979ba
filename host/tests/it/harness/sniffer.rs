//! The packets that arrive at a host of a [`Network`](super::Network), with their IPv4 headers.

use socket2::{Domain, Protocol, Socket, Type};
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr};

/// The number of IPv4 in Ethernet frames (RFC 894).
const ETHER_IPV4: u16 = 0x0800;

/// Records UDP packets over IPv4. A window that was sent as one message is one packet, unless something on the way had to
/// segment it.
pub struct Sniffer(Socket);

/// A packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub from: SocketAddr,
    pub to: SocketAddr,
    /// The bit DF (RFC 791).
    pub dont_fragment: bool,
    /// Whether more fragments of it follow, or precede: then the addresses have no ports, unless it is the first one.
    pub fragment: bool,
    /// Bytes with all headers.
    pub length: usize,
    /// The payload of UDP; what comes behind the IPv4 header for a fragment that is not the first.
    pub payload: Vec<u8>,
}

impl Sniffer {
    /// Begins on the host that this thread is on.
    pub fn new() -> Sniffer {
        let protocol = Protocol::from(i32::from(ETHER_IPV4.to_be()));
        let socket = Socket::new(Domain::PACKET, Type::DGRAM, Some(protocol)).unwrap();
        socket.set_nonblocking(true).unwrap();
        Sniffer(socket)
    }

    /// Takes the packets of so far: what has been received by a program on the other side of the host has been recorded.
    pub fn packets(&mut self) -> Vec<Seen> {
        let (mut all, mut buffer) = (Vec::new(), vec![0; 70_000]);
        while let Ok(length) = self.0.read(&mut buffer) {
            all.extend(Seen::read(&buffer[..length]));
        }
        all
    }
}

impl Seen {
    fn read(packet: &[u8]) -> Option<Seen> {
        let header = usize::from(packet[0] & 15) * 4;
        let number = |at: usize| u16::from_be_bytes([packet[at], packet[at + 1]]);
        let address = |at: usize| Ipv4Addr::new(packet[at], packet[at + 1], packet[at + 2], packet[at + 3]);
        // UDP.
        if packet[9] != 17 {
            return None;
        }
        let flags = number(6);
        let is_first = flags & 0x1fff == 0;
        let port = |at: usize| if is_first { number(header + at) } else { 0 };
        Some(Seen {
            from: (address(12), port(0)).into(),
            to: (address(16), port(2)).into(),
            dont_fragment: flags & 0x4000 != 0,
            fragment: flags & 0x3fff != 0,
            length: packet.len(),
            payload: packet[header + if is_first { 8 } else { 0 }..].to_vec(),
        })
    }
}
