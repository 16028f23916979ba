//! Addresses and control messages, as the kernel reads and writes them.

use crate::Local;
use crate::source::{Source, unicast};
use std::mem::{size_of, zeroed};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

/// Room for one control message of packet information and one of a segment size.
pub(super) const CONTROL_ROOM: usize = 96;

/// A buffer for control messages, aligned as `cmsghdr` needs.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub(super) struct ControlBuffer(pub(super) [u8; CONTROL_ROOM]);

/// Writes `address` for the kernel and returns its length.
pub(super) fn to_kernel(address: &SocketAddr, storage: &mut libc::sockaddr_storage) -> libc::socklen_t {
    match address {
        SocketAddr::V4(v4) => {
            let raw = libc::sockaddr_in {
                sin_family: libc::AF_INET as libc::sa_family_t,
                sin_port: v4.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(v4.ip().octets()) },
                sin_zero: [0; 8],
            };
            // SAFETY: sockaddr_storage is larger than and aligned for every sockaddr type (POSIX).
            unsafe { std::ptr::from_mut(storage).cast::<libc::sockaddr_in>().write(raw) };
            size_of::<libc::sockaddr_in>() as libc::socklen_t
        }
        SocketAddr::V6(v6) => {
            let raw = libc::sockaddr_in6 {
                sin6_family: libc::AF_INET6 as libc::sa_family_t,
                sin6_port: v6.port().to_be(),
                sin6_flowinfo: v6.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: v6.ip().octets() },
                sin6_scope_id: v6.scope_id(),
            };
            // SAFETY: sockaddr_storage is larger than and aligned for every sockaddr type (POSIX).
            unsafe { std::ptr::from_mut(storage).cast::<libc::sockaddr_in6>().write(raw) };
            size_of::<libc::sockaddr_in6>() as libc::socklen_t
        }
    }
}

/// The control messages of a received datagram.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ancillary {
    pub(super) local: Option<Local>,
    /// Bytes in each datagram of a coalesced buffer (UDP_GRO).
    pub(super) segment: Option<usize>,
}

/// Reads the control messages that the kernel wrote for `header`.
pub(super) fn ancillary_data(header: &libc::msghdr) -> Ancillary {
    let mut ancillary = Ancillary::default();
    // SAFETY: `header` was filled by a receive call; its control buffer is valid for msg_controllen.
    let mut control = unsafe { libc::CMSG_FIRSTHDR(header) };
    while !control.is_null() {
        // SAFETY: CMSG_FIRSTHDR and CMSG_NXTHDR return null or a whole header inside the buffer.
        let (level, kind) = unsafe { ((*control).cmsg_level, (*control).cmsg_type) };
        match (level, kind) {
            (libc::IPPROTO_IP, libc::IP_PKTINFO) => {
                // SAFETY: the level and type say that the data is an in_pktinfo; it may be unaligned.
                let info = unsafe { libc::CMSG_DATA(control).cast::<libc::in_pktinfo>().read_unaligned() };
                // ipi_spec_dst is the local unicast address even if the datagram was a broadcast.
                let ip = Ipv4Addr::from(info.ipi_spec_dst.s_addr.to_ne_bytes());
                // Unknown for datagrams that arrived in an inherited socket before it was enabled.
                let known = !ip.is_unspecified();
                ancillary.local = known.then(|| Local {
                    address: unicast(ip.into()),
                    interface: info.ipi_ifindex as u32,
                    copied: info.ipi_addr.s_addr != info.ipi_spec_dst.s_addr,
                });
            }
            (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) => {
                // SAFETY: the level and type say that the data is an in6_pktinfo; it may be unaligned.
                let info = unsafe { libc::CMSG_DATA(control).cast::<libc::in6_pktinfo>().read_unaligned() };
                let ip = Ipv6Addr::from(info.ipi6_addr.s6_addr);
                ancillary.local = Some(Local {
                    address: unicast(ip.into()),
                    interface: info.ipi6_ifindex,
                    copied: ip.is_multicast(),
                });
            }
            (libc::SOL_UDP, libc::UDP_GRO) => {
                // SAFETY: the level and type say that the data is an int (udp(7)); it may be unaligned.
                let size = unsafe { libc::CMSG_DATA(control).cast::<libc::c_int>().read_unaligned() };
                ancillary.segment = usize::try_from(size).ok().filter(|size| *size > 0);
            }
            _ => {}
        }
        // SAFETY: `control` is a header of this message, as above.
        control = unsafe { libc::CMSG_NXTHDR(header, control) };
    }
    ancillary
}

/// Appends control messages to an outgoing message.
pub(super) struct ControlWriter<'a> {
    buffer: &'a mut ControlBuffer,
    used: usize,
}

impl<'a> ControlWriter<'a> {
    pub(super) fn new(buffer: &'a mut ControlBuffer) -> Self {
        buffer.0.fill(0);
        ControlWriter { buffer, used: 0 }
    }

    /// Sets the source address of a datagram.
    pub(super) fn source(&mut self, source: Source) {
        match source {
            Source::V4(ip) => {
                let info = libc::in_pktinfo {
                    ipi_ifindex: 0,
                    ipi_spec_dst: libc::in_addr { s_addr: u32::from_ne_bytes(ip.octets()) },
                    ipi_addr: libc::in_addr { s_addr: 0 },
                };
                self.push(libc::IPPROTO_IP, libc::IP_PKTINFO, info);
            }
            Source::V6(ip, interface) => {
                let info = libc::in6_pktinfo {
                    ipi6_addr: libc::in6_addr { s6_addr: ip.octets() },
                    ipi6_ifindex: interface,
                };
                self.push(libc::IPPROTO_IPV6, libc::IPV6_PKTINFO, info);
            }
        }
    }

    /// Makes the kernel segment the payload into datagrams of `segment` bytes (UDP_SEGMENT).
    pub(super) fn segment(&mut self, segment: u16) {
        self.push(libc::SOL_UDP, libc::UDP_SEGMENT, segment);
    }

    /// Returns the bytes used.
    pub(super) fn finish(self) -> usize {
        self.used
    }

    fn push<T: Copy>(&mut self, level: libc::c_int, kind: libc::c_int, value: T) {
        // SAFETY: CMSG_SPACE and CMSG_LEN only compute; a size that fits u32 cannot fail.
        let (space, length) = unsafe {
            (libc::CMSG_SPACE(size_of::<T>() as u32) as usize, libc::CMSG_LEN(size_of::<T>() as u32) as usize)
        };
        let Some(room) = self.buffer.0.get_mut(self.used..self.used + space) else {
            debug_assert!(false, "CONTROL_ROOM holds one message of each kind");
            return;
        };
        let control = room.as_mut_ptr().cast::<libc::cmsghdr>();
        // SAFETY: `room` is `space` bytes, enough for the header and a T behind it, and starts at a
        // multiple of CMSG_ALIGN in an 8-aligned buffer; the data is written unaligned.
        unsafe {
            let mut header: libc::cmsghdr = zeroed();
            header.cmsg_level = level;
            header.cmsg_type = kind;
            header.cmsg_len = length as _;
            control.write(header);
            libc::CMSG_DATA(control).cast::<T>().write_unaligned(value);
        }
        self.used += space;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::from_kernel;

    #[test]
    fn addresses_survive_the_kernel_form() {
        for text in ["192.0.2.7:69", "[2001:db8::7]:6969", "[fe80::1%3]:69"] {
            let address: SocketAddr = text.parse().unwrap();
            // SAFETY: all-zero bytes are a valid sockaddr_storage.
            let mut storage: libc::sockaddr_storage = unsafe { zeroed() };
            assert!(to_kernel(&address, &mut storage) > 0);
            assert_eq!(from_kernel(&storage), Some(address));
        }
    }
}
