//! The groups of clients that read one file from one stream (RFC 2090).

use std::net::IpAddr;

/// The groups of clients that read one file from one stream (RFC 2090).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Multicast {
    /// The addresses of groups, at least one of each family.
    pub addresses: Vec<IpAddr>,
    /// Their ports, at least one.
    pub ports: Vec<u16>,
    /// How many networks the blocks cross, at least 1.
    pub ttl: u8,
    /// The most groups at a time.
    pub groups: usize,
    /// The most members of a group.
    pub members: usize,
    /// For each listener, by number, whether its clients may join groups.
    pub listeners: Vec<bool>,
}
