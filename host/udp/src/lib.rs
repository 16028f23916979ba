//! UDP sockets with batches: one system call receives many datagrams, and one sends many, each from the
//! address that its peer used. The only crate of the project with `unsafe` code.
//!
//! No crate that we found gathers, segments (UDP_SEGMENT) and batches across destinations in one call, so `calls`
//! makes them through `libc`. Safe operations (binding, socket options) use `socket2`.
//!
//! Other systems than Linux send and receive one datagram in each call (`plain`), and the folder `other` has what replaces
//! the options of Linux. The feature `plain` has the same path on Linux, for tests.
#![allow(unsafe_code)]

#[cfg(target_os = "linux")]
mod address;
#[cfg_attr(any(not(target_os = "linux"), feature = "plain"), path = "plain.rs")]
mod calls;
mod interface;
mod message;
#[cfg_attr(not(target_os = "linux"), path = "other/networks.rs")]
mod networks;
#[cfg_attr(not(target_os = "linux"), path = "other/options.rs")]
mod options;
#[cfg_attr(not(target_os = "linux"), path = "other/reader.rs")]
mod reader;
#[cfg_attr(not(target_os = "linux"), path = "other/rebind.rs")]
mod rebind;
mod receive;
mod received;
#[cfg_attr(not(target_os = "linux"), path = "other/reports.rs")]
mod reports;
mod route;
mod segment_limits;
mod send;
mod socket;
mod source;
mod unreachable;

pub use interface::{has_ipv6, interface_index, interface_name, is_assigned, may_bind_to};
pub use message::{MAX_MESSAGE, MAX_SEGMENTS};
pub use networks::{BroadcastNetwork, broadcast_networks};
pub use reader::ReadProgress;
pub use rebind::LOOPBACK;
pub use receive::ReceiveBatch;
pub use received::Received;
pub use route::{carries_group, path_mtu};
pub use send::{SendBatch, SendReport};
pub use socket::KERNEL_BUFFER;
pub use socket::{BindOptions, Socket, fragment};
pub use unreachable::{Unreachable, UnreachableBatch, may_be_report, report_closed_ports};

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
