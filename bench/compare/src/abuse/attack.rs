//! The common parts of abusers: where they send, and the addresses that they use.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use tuffet_udp::Local;

/// The first address of 127.200.0.0/13, which abusers use.
const FIRST: u32 = 0x7fc8_0000;

/// The target and the state that an abuser thread shares with [`Abusers`].
pub(crate) struct Attack {
    pub(crate) server: SocketAddr,
    pub(crate) stop: Arc<AtomicBool>,
    /// The number of packets sent.
    pub(crate) sent: Arc<AtomicU64>,
}

/// The address of the abuser with this number.
pub(crate) fn address(number: u32) -> Ipv4Addr {
    Ipv4Addr::from(FIRST + number)
}

/// The source address of the abuser with this number.
pub(crate) fn from(number: u32) -> Local {
    let address = IpAddr::V4(address(number));
    Local { address: Some(address), interface: 0, copied: false }
}

/// The number of the abuser with this address.
pub(crate) fn number_of(address: IpAddr) -> Option<u32> {
    match address {
        IpAddr::V4(v4) => v4.to_bits().checked_sub(FIRST),
        IpAddr::V6(_) => None,
    }
}
