//! UDP sockets with batches: one system call receives many datagrams, and one sends many, each from the
//! address that its peer used. The only crate of the project with `unsafe` code.
//!
//! No crate that we found gathers, segments (UDP_SEGMENT) and batches across destinations in one call, so [`receive`]
//! and [`send`] make the calls through `libc`. Safe operations (binding, socket options) use `socket2`.
#![allow(unsafe_code)]

mod address;
mod interface;
mod rebind;
mod receive;
mod route;
mod segment_limits;
mod send;
mod send_errors;
mod socket;
mod unreachable;

pub use interface::{interface_index, interface_name, may_bind_to};
pub use receive::{ReceiveBatch, Received};
pub use route::{carries_group, path_mtu};
pub use send::{MAX_MESSAGE, MAX_SEGMENTS, SendBatch, SendReport};
pub use socket::KERNEL_BUFFER;
pub use socket::{BindOptions, Socket};
pub use unreachable::{Unreachable, UnreachableBatch};

use std::net::IpAddr;

/// The local end of a datagram: its destination address and the interface that received it. Answers leave
/// from this address (IP_PKTINFO, IPV6_PKTINFO).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Local {
    /// The unicast address of this host; for a broadcast, that of the receiving interface. `None` if the
    /// datagram was sent to a multicast group.
    pub address: Option<IpAddr>,
    /// The interface's index, 0 if unknown.
    pub interface: u32,
    /// Whether it was sent to a broadcast address or a multicast group: the kernel then gives a copy to each
    /// socket that shares the port.
    pub copied: bool,
}
