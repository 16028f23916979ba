//! One datagram in each call: recvmsg(2) and sendmsg(2). For systems other than Linux, and for tests of this path.

use super::Local;
use super::message::{Piece, RECEIVE_BATCH, ROOM};
use super::received::Received;
use super::source::{Source, unicast};
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, sendmsg};
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::AsRawFd;

/// Whether the kernel segments messages.
pub(super) const SEGMENTS: bool = false;

/// The packet information of IPv4: FreeBSD has the bare address.
#[cfg(target_os = "freebsd")]
type Ipv4Info = libc::in_addr;
#[cfg(not(target_os = "freebsd"))]
type Ipv4Info = libc::in_pktinfo;

/// Without effect: datagrams arrive one by one.
pub(super) fn coalesce(_: &socket2::Socket) {}

/// The buffers of a batch. Pages never touched by a datagram cost nothing.
pub(super) struct Receiver {
    payloads: Box<[u8]>,
    control: Vec<u8>,
    arrived: Vec<Arrived>,
}

struct Arrived {
    peer: Option<SocketAddr>,
    local: Option<Local>,
    length: usize,
}

impl Receiver {
    pub(super) fn new() -> Self {
        Receiver {
            payloads: vec![0; RECEIVE_BATCH * ROOM].into_boxed_slice(),
            control: nix::cmsg_space!(Ipv4Info, libc::in6_pktinfo),
            arrived: Vec::with_capacity(RECEIVE_BATCH),
        }
    }

    /// Receives at most `most` datagrams. Returns true if there may be more.
    pub(super) fn receive(&mut self, socket: &socket2::Socket, most: usize) -> io::Result<bool> {
        self.arrived.clear();
        for payload in self.payloads.chunks_exact_mut(ROOM).take(most) {
            match receive(socket, payload, &mut self.control) {
                Ok(arrived) => self.arrived.push(arrived),
                Err(error) if self.arrived.is_empty() => return Err(error),
                Err(error) => return Ok(error.kind() != io::ErrorKind::WouldBlock),
            }
        }
        Ok(true)
    }

    pub(super) fn len(&self) -> usize {
        self.arrived.len()
    }

    /// Returns a datagram of the last call; `None` past its end or from a peer without an IP address.
    pub(super) fn get(&self, index: usize) -> Option<Received<'_>> {
        let Arrived { peer, local, length } = self.arrived.get(index)?;
        let payload = &self.payloads[index * ROOM..index * ROOM + length];
        Some(Received { peer: (*peer)?, local: *local, payload, segment: None })
    }
}

fn receive(socket: &socket2::Socket, payload: &mut [u8], control: &mut [u8]) -> io::Result<Arrived> {
    let mut vector = [IoSliceMut::new(payload)];
    let message = recvmsg(socket.as_raw_fd(), &mut vector, Some(control), MsgFlags::MSG_DONTWAIT)?;
    let local = message.cmsgs().ok().and_then(|mut all| all.find_map(|info| local(&info)));
    Ok(Arrived { peer: message.address.as_ref().and_then(from_kernel), local, length: message.bytes })
}

fn from_kernel(address: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = address.as_sockaddr_in().map(|v4| SocketAddr::V4((*v4).into()));
    // The flow label is the peer's own and does not identify it.
    let v6 = || {
        address
            .as_sockaddr_in6()
            .map(|v6| std::net::SocketAddrV6::new(v6.ip(), v6.port(), 0, v6.scope_id()).into())
    };
    v4.or_else(v6)
}

/// The destination of a datagram, if this is what the control message tells.
fn local(info: &ControlMessageOwned) -> Option<Local> {
    match info {
        // The local unicast address even if the datagram was a broadcast; unknown for datagrams that arrived in an
        // inherited socket before the option was set.
        #[cfg(target_os = "linux")]
        ControlMessageOwned::Ipv4PacketInfo(info) => {
            let ip = ipv4(info.ipi_spec_dst);
            (!ip.is_unspecified()).then(|| Local {
                address: unicast(ip.into()),
                interface: info.ipi_ifindex as u32,
                copied: ipv4(info.ipi_addr) != ip,
            })
        }
        #[cfg(target_vendor = "apple")]
        ControlMessageOwned::Ipv4PacketInfo(info) => Some(to(ipv4(info.ipi_addr), info.ipi_ifindex)),
        #[cfg(target_os = "freebsd")]
        ControlMessageOwned::Ipv4RecvDstAddr(address) => Some(to(ipv4(*address), 0)),
        ControlMessageOwned::Ipv6PacketInfo(info) => {
            let ip = Ipv6Addr::from(info.ipi6_addr.s6_addr);
            let address = unicast(ip.into());
            Some(Local { address, interface: info.ipi6_ifindex, copied: ip.is_multicast() })
        }
        _ => None,
    }
}

fn ipv4(address: libc::in_addr) -> Ipv4Addr {
    Ipv4Addr::from(address.s_addr.to_ne_bytes())
}

/// A destination of which the system does not tell whether it is the broadcast address of a network.
#[cfg(not(target_os = "linux"))]
fn to(ip: Ipv4Addr, interface: u32) -> Local {
    Local { address: unicast(ip.into()), interface, copied: ip.is_multicast() || ip.is_broadcast() }
}

/// Sends without buffers of its own.
pub(super) struct Sender;

impl Sender {
    pub(super) fn new() -> Self {
        Sender
    }

    /// Sends pieces of a datagram each, up to the first that fails; returns their number. An error is that of the very
    /// first.
    pub(super) fn send<'a>(
        &mut self,
        socket: &socket2::Socket,
        arena: &[u8],
        pieces: impl Iterator<Item = Piece<'a>>,
    ) -> io::Result<usize> {
        let mut sent = 0;
        for piece in pieces {
            match send(socket, arena, &piece) {
                Ok(()) => sent += 1,
                Err(error) if sent == 0 => return Err(error),
                // The next call begins with this piece.
                Err(_) => break,
            }
        }
        Ok(sent)
    }
}

fn send(socket: &socket2::Socket, arena: &[u8], piece: &Piece<'_>) -> io::Result<()> {
    debug_assert_eq!(piece.datagrams.len(), 1, "nothing segments it");
    let message = piece.message;
    // A header and a payload.
    let (mut parts, mut count) = ([IoSlice::new(&[]), IoSlice::new(&[])], 0);
    piece.parts(arena, |bytes| {
        parts[count] = IoSlice::new(bytes);
        count += 1;
    });
    let peer = SockaddrStorage::from(message.peer);
    let source = message.local.as_ref().and_then(|local| Source::of(local, &message.peer));
    let send = |control: &[ControlMessage<'_>]| {
        sendmsg(socket.as_raw_fd(), &parts[..count], control, MsgFlags::MSG_DONTWAIT, Some(&peer))
    };
    match source {
        None => send(&[]),
        Some(Source::V4(ip)) => {
            let address = libc::in_addr { s_addr: u32::from_ne_bytes(ip.octets()) };
            #[cfg(target_os = "freebsd")]
            let control = ControlMessage::Ipv4SendSrcAddr(&address);
            #[cfg(not(target_os = "freebsd"))]
            let info = libc::in_pktinfo {
                ipi_ifindex: 0,
                ipi_spec_dst: address,
                ipi_addr: libc::in_addr { s_addr: 0 },
            };
            #[cfg(not(target_os = "freebsd"))]
            let control = ControlMessage::Ipv4PacketInfo(&info);
            send(&[control])
        }
        Some(Source::V6(ip, interface)) => {
            let address = libc::in6_addr { s6_addr: ip.octets() };
            let info = libc::in6_pktinfo { ipi6_addr: address, ipi6_ifindex: interface };
            send(&[ControlMessage::Ipv6PacketInfo(&info)])
        }
    }?;
    Ok(())
}
