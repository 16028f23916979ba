//! Many datagrams in each call: recvmmsg(2), sendmmsg(2), UDP_SEGMENT and UDP_GRO.

mod control;
mod receive;
mod send;

pub(super) use receive::Receiver;
pub(super) use send::Sender;

use super::options::set_option;

/// Whether the kernel segments messages.
pub(super) const SEGMENTS: bool = true;

/// Requests coalescing: kernels before 5.0 deliver each datagram separately.
pub(super) fn coalesce(socket: &socket2::Socket) {
    let _ = set_option(socket, libc::SOL_UDP, libc::UDP_GRO, 1);
}
