//! Socket addresses that the kernel wrote.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

/// Reads an address that the kernel wrote; `None` for a family other than IP.
pub(super) fn from_kernel(storage: &libc::sockaddr_storage) -> Option<SocketAddr> {
    match i32::from(storage.ss_family) {
        libc::AF_INET => {
            // SAFETY: the family says that the kernel wrote a sockaddr_in, and storage is large enough.
            let raw = unsafe { std::ptr::from_ref(storage).cast::<libc::sockaddr_in>().read() };
            let ip = Ipv4Addr::from(raw.sin_addr.s_addr.to_ne_bytes());
            Some(SocketAddr::V4(SocketAddrV4::new(ip, u16::from_be(raw.sin_port))))
        }
        libc::AF_INET6 => {
            // SAFETY: the family says that the kernel wrote a sockaddr_in6, and storage is large enough.
            let raw = unsafe { std::ptr::from_ref(storage).cast::<libc::sockaddr_in6>().read() };
            let ip = Ipv6Addr::from(raw.sin6_addr.s6_addr);
            // The flow label is the peer's own and does not identify it.
            Some(SocketAddr::V6(SocketAddrV6::new(ip, u16::from_be(raw.sin6_port), 0, raw.sin6_scope_id)))
        }
        _ => None,
    }
}
