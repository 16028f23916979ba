//! Packets that no ordinary socket sends: UDP from port 0, ICMP. They need root.

use super::{is_root, skipped};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::net::{Ipv4Addr, SocketAddr};

/// A raw socket at a loopback address.
pub struct Raw {
    socket: Socket,
    from: Ipv4Addr,
}

impl Raw {
    /// `None` where this user may have none; says so.
    pub fn udp(from: Ipv4Addr) -> Option<Raw> {
        Raw::new(from, Protocol::UDP)
    }

    /// As [`Raw::udp`].
    pub fn icmp(from: Ipv4Addr) -> Option<Raw> {
        Raw::new(from, Protocol::ICMPV4)
    }

    fn new(from: Ipv4Addr, protocol: Protocol) -> Option<Raw> {
        if !is_root() {
            skipped("raw sockets need root");
            return None;
        }
        let socket = match Socket::new(Domain::IPV4, Type::RAW, Some(protocol)) {
            Ok(socket) => socket,
            Err(error) => {
                skipped(&format!("raw sockets: {error}"));
                return None;
            }
        };
        socket.bind(&SockAddr::from(SocketAddr::from((from, 0)))).unwrap();
        Some(Raw { socket, from })
    }

    /// A datagram from this port, without a checksum (RFC 768).
    pub fn send_from(&self, port: u16, to: SocketAddr, payload: &[u8]) {
        self.send(to, &[&udp_header(port, to.port(), payload.len())[..], payload].concat());
    }

    /// ICMP port unreachable (RFC 792), from the address of this socket, for a datagram that `server` sent to `peer`.
    pub fn unreachable(&self, server: SocketAddr, peer: SocketAddr, payload: &[u8]) {
        self.report([3, 3, 0, 0, 0, 0, 0, 0], server, peer, payload);
    }

    /// As [`Raw::unreachable`], fragmentation needed: the next network takes packets of at most `mtu` bytes (RFC 1191).
    pub fn fragmentation_needed(&self, mtu: u16, server: SocketAddr, peer: SocketAddr, payload: &[u8]) {
        let [high, low] = mtu.to_be_bytes();
        self.report([3, 4, 0, 0, 0, 0, high, low], server, peer, payload);
    }

    fn report(&self, header: [u8; 8], server: SocketAddr, peer: SocketAddr, payload: &[u8]) {
        let (SocketAddr::V4(source), SocketAddr::V4(destination)) = (server, peer) else { panic!("IPv4") };
        let mut quoted = vec![0x45, 0];
        quoted.extend_from_slice(&(28 + payload.len() as u16).to_be_bytes());
        quoted.extend_from_slice(&[0, 0, 0x40, 0, 64, 17, 0, 0]);
        quoted.extend_from_slice(&source.ip().octets());
        quoted.extend_from_slice(&destination.ip().octets());
        let mut message = [&header[..], &quoted[..]].concat();
        message.extend_from_slice(&udp_header(server.port(), peer.port(), payload.len()));
        message.extend_from_slice(payload);
        let sum = checksum(&message);
        message[2..4].copy_from_slice(&sum.to_be_bytes());
        self.send(server, &message);
    }

    fn send(&self, to: SocketAddr, bytes: &[u8]) {
        let to = SockAddr::from(SocketAddr::new(to.ip(), 0));
        assert_eq!(self.socket.send_to(bytes, &to).unwrap(), bytes.len(), "from {}", self.from);
    }
}

fn udp_header(from: u16, to: u16, payload: usize) -> [u8; 8] {
    let [length, from, to] = [8 + payload as u16, from, to].map(u16::to_be_bytes);
    [from[0], from[1], to[0], to[1], length[0], length[1], 0, 0]
}

/// RFC 1071.
fn checksum(bytes: &[u8]) -> u16 {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
    let mut sum: u32 = bytes.chunks(2).map(word).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}
