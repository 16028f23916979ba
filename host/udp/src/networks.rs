//! The IPv4 networks of this host.

use super::address::from_kernel;
use std::ffi::CStr;
use std::io;
use std::net::{IpAddr, Ipv4Addr};

/// An IPv4 network with broadcasts, and an address of this host in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastNetwork {
    /// The interface that leads there.
    pub interface: String,
    /// The address of this host.
    pub address: Ipv4Addr,
    /// The first address of the network.
    pub first: Ipv4Addr,
    /// The broadcast addresses of the network: the last one, and another if the interface has one.
    pub broadcasts: Vec<Ipv4Addr>,
}

/// Returns the networks with broadcasts that this host has addresses in (getifaddrs(3)): one for each address. Networks of
/// one or two addresses have none, nor has the loopback interface.
///
/// # Errors
/// The kernel cannot be asked.
pub fn broadcast_networks() -> io::Result<Vec<BroadcastNetwork>> {
    let mut list = std::ptr::null_mut();
    // SAFETY: `list` lives through the call, which sets it if it succeeds.
    if unsafe { libc::getifaddrs(&raw mut list) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let mut networks = Vec::new();
    let mut next = list;
    while !next.is_null() {
        // SAFETY: `next` is an element of the list that getifaddrs made, which is freed below.
        let element = unsafe { &*next };
        networks.extend(network(element));
        next = element.ifa_next;
    }
    // SAFETY: getifaddrs made the list, and nothing refers to it any more.
    unsafe { libc::freeifaddrs(list) };
    Ok(networks)
}

/// Reads an element of the list of getifaddrs(3), which must be whole.
fn network(element: &libc::ifaddrs) -> Option<BroadcastNetwork> {
    let flags = element.ifa_flags as libc::c_int;
    if flags & libc::IFF_BROADCAST == 0 || flags & libc::IFF_LOOPBACK != 0 {
        return None;
    }
    let (address, mask) = (ipv4(element.ifa_addr)?, ipv4(element.ifa_netmask)?);
    let last = address | !mask;
    // RFC 3021: a network of two addresses has no broadcast.
    if u32::from(!mask) < 3 {
        return None;
    }
    let own = ipv4(element.ifa_ifu).filter(|own| *own != last && !own.is_unspecified());
    // SAFETY: the name is a NUL-terminated string that lives as long as the element.
    let name = unsafe { CStr::from_ptr(element.ifa_name) }.to_string_lossy();
    // A label, as old tools give to further addresses, begins with the name of the interface.
    let interface = name.split(':').next().unwrap_or_default().to_owned();
    let broadcasts = std::iter::once(last).chain(own).collect();
    Some(BroadcastNetwork { interface, address, first: address & mask, broadcasts })
}

/// The IPv4 address behind a pointer of getifaddrs(3); `None` if there is none, or one of another family.
fn ipv4(address: *const libc::sockaddr) -> Option<Ipv4Addr> {
    if address.is_null() {
        return None;
    }
    // SAFETY: not null, so it points to a socket address, which begins with its family.
    if i32::from(unsafe { (*address).sa_family }) != libc::AF_INET {
        return None;
    }
    // SAFETY: all-zero bytes are a valid sockaddr_storage.
    let mut storage: libc::sockaddr_storage = unsafe { std::mem::zeroed() };
    // SAFETY: an address of the family AF_INET is a sockaddr_in, and sockaddr_storage is larger than and aligned for every
    // sockaddr type (POSIX).
    unsafe {
        (&raw mut storage)
            .cast::<libc::sockaddr_in>()
            .write(address.cast::<libc::sockaddr_in>().read_unaligned())
    };
    match from_kernel(&storage)?.ip() {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_hold_their_addresses() {
        for network in broadcast_networks().unwrap() {
            assert!(!network.address.is_loopback() && network.first <= network.address, "{network:?}");
            assert!(network.broadcasts[0] > network.address, "{network:?}");
        }
    }
}
