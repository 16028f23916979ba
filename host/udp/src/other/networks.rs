//! The IPv4 networks of this host, on systems other than Linux.

use std::io;
use std::net::Ipv4Addr;

/// An IPv4 network with broadcasts, and an address of this host in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastNetwork {
    /// The interface that leads there.
    pub interface: String,
    /// The address of this host.
    pub address: Ipv4Addr,
    /// The first address of the network.
    pub first: Ipv4Addr,
    /// The broadcast addresses of the network.
    pub broadcasts: Vec<Ipv4Addr>,
}

/// Returns none: a datagram does not tell whether it was broadcast.
///
/// # Errors
/// Never.
pub fn broadcast_networks() -> io::Result<Vec<BroadcastNetwork>> {
    Ok(Vec::new())
}
